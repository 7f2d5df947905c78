"""How far the running sums of both ways are from the exact sum, operation by operation, for a picture.

All places are floats above the exact value, or above the backward result where the exact value is not known. The sums
end on the float line, whose ticks lie at such places, too. Where the picture reaches over floats of many sizes, as it
does over 0, it has no ticks, and its places are in ulps of `Example.ulp`: a step from float to float is no unit there.
"""

from fractions import Fraction
from math import isfinite
from typing import Any

from lib.discrepancy.drawn_operations import MOST_POINTS, drawn_operations, drawn_sides, first_differs
from lib.discrepancy.drift_axis import place_of, shorten, ticks_within
from lib.discrepancy.example import Example
from lib.discrepancy.two_results import result_text
from lib.display.float_line import exact_text
from lib.display.quantities import beside

_MARGIN = 0.12  # of the height, above and below
_LEAST = 1.2  # floats above and below the exact value that are always shown


def running_sums(example: Example, names: tuple[str, str]) -> dict[str, Any]:
    """Return the data of the picture; `names` are those of the two sides."""
    drawn, ends = drawn_operations(example), _ends(example, names)
    reached = [end["at"] for end in ends] + [operation.drift for operations in drawn for operation in operations]
    low, high = min([-_LEAST, *reached]), max([_LEAST, *reached])
    margin = _MARGIN * (high - low)
    low, high = (float(f"{at:.6g}") for at in (low - margin, high + margin))
    ticks, between = ticks_within(example, names, low, high) if ends else ([], "")
    unit = "floats" if ticks or not ends else "ulps"
    sides = drawn_sides(example, names, drawn, unit)
    shorten([*ticks, *ends])
    known = example.exact is not None and bool(ends)
    return {
        "heading": "Why: every operation rounds" if sides else "Where they end",
        "note": _note(example) if sides else _reason(example),
        "label": _label(example, names, unit),
        "low": low,
        "high": high,
        "above": "↑ above exact" if known else "",
        "below": "↓ below exact" if known else "",
        "unit": between,
        "ticks": ticks,
        "ends": ends,
        "sides": sides,
    }


def _ends(example: Example, names: tuple[str, str]) -> list[dict[str, Any]]:
    """The results that are finite, and the exact value if it is known; equal results share one name."""
    sides = list(zip(("first", "second"), names, (example.backward, example.jacobian), strict=True))
    same = example.backward == example.jacobian
    ends = [
        {
            "kind": kind,
            "name": name if not same else "both" if kind == "first" else "",
            "shared": same,
            "at": place_of(Fraction(value), example),
            "text": result_text(value, example.dtype),
        }
        for kind, name, value in sides
        if isfinite(value)
    ]
    if ends and example.exact is not None:
        text = exact_text(example.exact, example.dtype)
        ends.append({"kind": "exact", "name": "exact", "shared": False, "at": 0.0, "text": text})
    return ends


def _note(example: Example) -> str:
    drift = example.drift
    drawn = len(drift.backward) + len(drift.jacobian)
    total = drift.backward_operations + drift.jacobian_operations
    left_out = ""
    if drawn > MOST_POINTS or drawn + drift.backward_zeros + drift.jacobian_zeros < total:
        left_out = f" Of {total:,} operations, the extremes are drawn."
    differs = any(first_differs(operation, example) for operation in (*drift.backward, *drift.jacobian))
    return (
        "How far each running sum is from the exact one, operation by operation. Point at a step, or use the arrow "
        f"keys.{' Violet: where the two first differ.' * differs}{left_out}"
    )


def _reason(example: Example) -> str:
    """Say why there are no steps."""
    if not example.finite:
        return "An infinite result or NaN has no place between floats, so there is no way to follow."
    return f"{example.drift.reason} So only the ends are drawn, not the way to them."


def _label(example: Example, names: tuple[str, str], unit: str) -> str:
    """Say what the picture shows."""
    if not example.finite:
        return "One of the results is infinite or NaN."
    if example.backward_error is None:
        return f"The exact value is not known. {example.unknown}"
    one = beside(example.backward_error, "the exact value", unit)
    ends = [f"{names[0]} ends {one}"]
    if example.ulps:
        ends.append(f"{names[1]} {beside(example.jacobian_error, 'it', unit)}")
    else:
        ends[0] = f"Both end {one}"
    nearest = " Neither is the nearest float." if example.hit == "none" else ""
    return f"{', '.join(ends)}.{nearest}"

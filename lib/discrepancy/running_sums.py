"""How far the running sums of both ways are from the exact sum, operation by operation, for a picture.

All places are floats above the exact value, or above the backward result where the exact value is not known. The sums
end on the float line, whose ticks lie at such places, too. Where the picture reaches over floats of many sizes, as it
does over 0, it has no ticks, and its places are in ulps of `Example.ulp`: a step from float to float is no unit there.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from lib.discrepancy.drift_axis import place_of, shorten, ticks_within
from lib.discrepancy.example import Example
from lib.discrepancy.two_results import result_text
from lib.display.float_line import exact_text
from lib.display.quantities import beside, in_floats, lowered, minus
from lib.replay.drift import Operation, thinned

MOST_POINTS = 40
"""The most operations of both sides together that are drawn, which keeps a tick of the page small."""

_MARGIN = 0.12  # of the height, above and below
_LEAST = 1.2  # floats above and below the exact value that are always shown
_MOST_ROWS = 4  # rows that are named one by one
_MOST_MARKS = 8  # operations of a side that are kept because the two ways first differ there


def running_sums(example: Example, names: tuple[str, str]) -> dict[str, Any]:
    """Return the data of the picture; `names` are those of the two sides."""
    drawn, ends = _drawn(example), _ends(example, names)
    reached = [end["at"] for end in ends] + [operation.drift for operations in drawn for operation in operations]
    low, high = min([-_LEAST, *reached]), max([_LEAST, *reached])
    margin = _MARGIN * (high - low)
    low, high = (float(f"{at:.6g}") for at in (low - margin, high + margin))
    ticks, between = ticks_within(example, names, low, high) if ends else ([], "")
    unit = "floats" if ticks or not ends else "ulps"
    sides = _sides(example, names, drawn, unit)
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


def _drawn(example: Example) -> list[list[Operation]]:
    """The operations of each side that are drawn; there are no sides if the operations are not known."""
    drift = example.drift
    if not drift.backward:
        return []
    one = _thinned(drift.backward, MOST_POINTS // 2, example)
    return [one, _thinned(drift.jacobian, MOST_POINTS - len(one), example)]


def _sides(
    example: Example, names: tuple[str, str], drawn: Sequence[Sequence[Operation]], unit: str
) -> list[dict[str, Any]]:
    drift = example.drift
    outputs = len(example.flows.layers[-1].units) + example.flows.layers[-1].others
    return [
        {
            "kind": look,
            "name": name,
            "marked": [i for i, operation in enumerate(operations) if _differs(operation, example)],
            "points": [_point(operation, example) for operation in operations],
            "phases": _phases(operations, outputs),
            "texts": {
                kind: _TOLD[kind].format(name=name, count=f"{count:,}", unit=unit)
                for kind in sorted({operation.kind for operation in operations})
            },
        }
        for look, name, count, operations in zip(
            ("first", "second"), names, (drift.backward_operations, drift.jacobian_operations), drawn, strict=False
        )
    ]


def _thinned(operations: Sequence[Operation], most: int, example: Example) -> list[Operation]:
    kept = [place for place, operation in enumerate(operations) if _differs(operation, example)][:_MOST_MARKS]
    return [operations[place] for place in thinned([operation.drift for operation in operations], most, kept)]


def _differs(operation: Operation, example: Example) -> bool:
    """Whether the two ways first differ here: in this operation, or in the gradient of the unit that it brings in."""
    if example.first_divergence is None:
        return False
    layer, number = example.first_divergence
    if layer:
        return layer == 1 and operation.unit == number
    replay = example.replay
    at = replay.backward_diverges_at if operation.part == "backward" else replay.jacobian_diverges_at
    return operation.place == at


_NOW = "now {{}} {unit} {{}} the exact sum."
_TOLD = {
    "term": "{name} {{}}/{count}: + {{}} × {{}}, weight × gradient of {{}}. {{}} comes with that gradient, {{}} from "
    "rounding: " + _NOW,
    "accumulators": "{name} {{}}/{count}: two parts of a sum are added, {{}} from rounding: " + _NOW,
    "row": "{name} {{}}/{count}: row {{}} is added, {{}} from rounding: " + _NOW,
    "rounding": "{name} {{}}/{count}: the sum is rounded to 16 bits, {{}} from rounding: " + _NOW,
}
"""What is told of an operation of each kind: a side's texts still have braces for what differs from point to point."""


def _point(operation: Operation, example: Example) -> list[object]:
    """A point: its place, the unit and the row that it is of or None, the kind of text, and what fills the text.

    The text has one figure for rounding, that of the product and the sum together.
    """
    step, unit = operation.step, operation.unit
    filling = [f"{operation.place + 1:,}"]
    if unit is not None:
        name = f"h{unit}" if len(example.flows.layers) == 3 else f"h1.{unit}"
        name = f"y{unit}" if len(example.flows.layers) == 2 else name
        filling += [_short(step.left), _short(step.right), lowered(name), _signed(operation.inherited)]
    elif operation.kind == "row":
        filling.append(lowered(f"y{operation.output}"))
    filling += [
        _signed(operation.of_product + operation.of_sum),
        in_floats(abs(operation.drift)),
        _side(operation.drift),
    ]
    return [float(f"{operation.drift:.4g}"), unit, operation.output, operation.kind, filling]


def _phases(operations: Sequence[Operation], outputs: int) -> list[dict[str, object]]:
    """The parts of the way: backward's single sum, or the rows, one by one if they are few, and their addition."""
    if operations[0].part == "backward":
        return [{"from": 0.0, "text": "one sum"}]
    places = dict.fromkeys((operation.part, _row(operation)) for operation in operations)
    parts = [(operation.part, _row(operation)) for operation in operations]
    rows = [lowered(f"y{output}") for part, output in places if part == "row"]
    added = "rows added" if len(rows) > 1 else "row added"
    phases = [
        {
            "from": parts.index((part, output)) / len(parts),
            **({"text": f"row {name}", "short": name} if name else {"text": added}),
        }
        for (part, output), name in zip(places, [*rows, ""], strict=False)
    ]
    if outputs <= _MOST_ROWS:
        return phases
    text = f"rows {lowered('y0')} to {lowered(f'y{outputs - 1}')}"
    return [{"from": 0.0, "text": text}, *phases[len(rows) :]]


def _row(operation: Operation) -> int | None:
    return operation.output if operation.part == "row" else None


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
    differs = any(_differs(operation, example) for operation in (*drift.backward, *drift.jacobian))
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


def _side(drift: float) -> str:
    return "above" if drift > 0 else "below" if drift else "from"


def _signed(floats: float) -> str:
    text = in_floats(abs(floats))
    return "0" if text in ("0", "0.00") else f"{'+' if floats > 0 else '−'}{text}"


def _short(number: float) -> str:
    return minus(f"{number:.3g}")

"""How far the running sums of both ways are from the exact sum, as a drawing.

The sums end on the float line of `ends`, and their points have places on it.

NOTE [ulps]: lengths are in ulps of the size `Component.ulp`, and the note under the drawing says
what that is. They are not numbers of floats: floats near a result or a partial sum may be closer
together or further apart than those at the exact value.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypedDict

from lib.discrepancy.component import KINK, Component
from lib.discrepancy.ends import NAMES, End, Tick, ends_of, shorten, ticks_between
from lib.discrepancy.running_sums import MOST_POINTS, Operation
from lib.experiment.choices import DTYPES
from lib.floats.quantities import beside, in_floats, lowered, power_of_two

_MARGIN = 0.12
"""Empty above and below, as a share of the height."""

_LEAST = 1.2
"""This many ulps above and below the exact value are always shown."""

_MOST_ROWS = 4
"""At most this many rows are named one by one."""


class Phase(TypedDict):
    """A part of a running sum. It begins after the share `start` of all points, from 0 to 1.

    `text` is its name, and `short` a shorter one, used if there is little room.
    """

    start: float
    text: str
    short: str


class RunningSum(TypedDict):
    """A side: its points, the numbers of the `marked` ones, and its phases.

    A point has its place, the numbers of its unit and of its row or None, and its text.
    """

    kind: str
    name: str
    marked: list[int]
    points: list[list[Any]]
    phases: list[Phase]


class DriftPicture(TypedDict):
    """What `static/drift.js` is told.

    Places are in ulps above the exact value: `low` and `high` are the ends of the axis, `ulp` is
    the size of an ulp. `above` and `below` name the directions, and `unit` says what a tick stands
    for.
    """

    heading: str
    note: str
    label: str
    low: float
    high: float
    ulp: float
    above: str
    below: str
    unit: str
    ticks: list[Tick]
    ends: list[End]
    sides: list[RunningSum]


def drift_picture(component: Component) -> DriftPicture:
    """Return the data of the drawing."""
    drift = component.drift
    ends = ends_of(component)
    reached = [0.0, *(end["at"] for end in ends)]
    reached += [operation.drift for operation in (*drift.backward, *drift.jacobian)]
    lowest = min(-_LEAST, *reached)
    highest = max(_LEAST, *reached)
    margin = _MARGIN * (highest - lowest)
    low = float(f"{lowest - margin:.6g}")
    high = float(f"{highest + margin:.6g}")
    ticks, tick_unit = ticks_between(component, low, high) if ends else ([], "")
    shorten([*ticks, *ends])
    known = component.exact is not None and bool(ends)
    errors = [
        f"{name} ends {beside(error, 'the exact value')}"
        for name, error in zip(NAMES, component.errors, strict=True)
        if error is not None
    ]
    return {
        "heading": "Why: rounding, operation by operation" if drift.backward else "Where they end",
        "note": _note(component),
        "label": KINK if component.exact is None else ", ".join(errors),
        "low": low,
        "high": high,
        "ulp": float(component.ulp),
        "above": "↑ above exact" if known else "",
        "below": "↓ below exact" if known else "",
        "unit": tick_unit,
        "ticks": ticks,
        "ends": ends,
        "sides": _sides(component) if drift.backward else [],
    }


def _note(component: Component) -> str:
    """Say how to read the steps, or why there are none, and what an ulp is."""
    drift = component.drift
    drawn = [*drift.backward, *drift.jacobian]
    value = "exact" if component.exact else "larger"
    ulp = (
        f"An ulp is {_power(component.ulp)}, the spacing of {component.dtype} at the {value} value."
    )
    if not component.finite:
        reason = "A result is infinite or NaN, so no running sum is drawn."
        return f"{reason} {ulp}" if component.exact else reason
    if not drawn:
        return f"{drift.reason} Only the ends are drawn, not the way to them. {ulp}"
    texts = ["Each point: how far a running sum is from the exact one.", ulp]
    if DTYPES[component.dtype].narrow:
        texts.append(f"Terms are added in float32, and sums are rounded to {component.dtype}.")
    if component.replay.dot_order == "left to right, fused":
        texts.append(
            "Multiply and add are fused (FMA): only the first product of a sum is rounded."
        )
    if any(operation.marked for operation in drawn):
        texts.append("Violet: the first operations that differ.")
    total = sum(drift.operations)
    if total > MOST_POINTS:
        texts.append(f"Drawn: {len(drawn)} of {total:,} operations.")
    return " ".join(texts)


def _power(ulp: Fraction) -> str:
    """Write an ulp, which is a power of two."""
    return power_of_two(ulp.numerator.bit_length() - ulp.denominator.bit_length())


def _sides(component: Component) -> list[RunningSum]:
    drift = component.drift
    sides = zip(
        ("first", "second"), NAMES, (drift.backward, drift.jacobian), drift.operations, strict=True
    )
    return [
        {
            "kind": kind,
            "name": name,
            "marked": [place for place, operation in enumerate(operations) if operation.marked],
            "points": [_point(operation, component.names, count) for operation in operations],
            "phases": _phases(operations, len(component.names[-1])),
        }
        for kind, name, operations, count in sides
    ]


def _point(operation: Operation, names: Sequence[Sequence[str]], count: int) -> list[Any]:
    """A point; its text has one figure for rounding, that of the product and the sum together."""
    match operation.kind:
        case "term":
            unit = lowered(names[1][operation.unit])
            done = f"{unit}, {_signed(operation.inherited)} inherited"
        case "row":
            done = f"row {lowered(names[-1][operation.output])}"
        case "rounding":
            done = "to 16 bits"
        case _:
            done = "two parts of the sum"
    place = f"{operation.place + 1:,}/{count:,}"
    error = beside(operation.drift, "the exact sum")
    text = f"{place}: {done}, {_signed(operation.rounded)} rounded, so {error}"
    return [float(f"{operation.drift:.4g}"), operation.unit, operation.output, text]


def _signed(ulps: float) -> str:
    text = in_floats(abs(ulps))
    if text in ("0", "0.00"):
        return "0"
    return f"{'+' if ulps > 0 else '−'}{text}"


def _phases(operations: Sequence[Operation], outputs: int) -> list[Phase]:
    """The parts of the way: one sum, or the rows, one by one if they are few, and their sum."""
    phases: dict[str, Phase] = {}
    for place, operation in enumerate(operations):
        row = lowered(f"y{operation.output}")
        text, short = {"backward": ("one sum", "sum"), "rows": ("sum of rows", "sum")}.get(
            operation.part, (f"row {row}", row)
        )
        if operation.part == "row" and outputs > _MOST_ROWS:
            text = f"rows {lowered('y0')} to {lowered(f'y{outputs - 1}')}"
            short = "rows"
        phases.setdefault(text, {"start": place / len(operations), "text": text, "short": short})
    return list(phases.values())

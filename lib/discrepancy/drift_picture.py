"""How far the running sums of both ways are from the exact sum, as a drawing.

All places are floats above the exact value, or above the first finite result where the exact value
is not known. The sums end on the float line, whose ticks are at such places, too. Where the spacing
varies and not every float fits, there are no ticks, and places count ulps of the size
`Component.ulp`.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from os.path import commonprefix
from typing import Any, NotRequired, TypedDict

from lib.discrepancy.bits import result_text
from lib.discrepancy.component import KINK, Component
from lib.discrepancy.drift import MOST_POINTS, Operation
from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import exact_text, tick_distance, value_text
from lib.floats.quantities import beside, in_floats, lowered, minus, tick_text, ulps

NAMES = "backward()", "Jacobian"
"""The two sides as the drawing names them."""

_MARGIN = 0.12  # of the height, above and below
_LEAST = 1.2  # floats above and below the exact value that are always shown
_MOST_TICKS = 12
_MOST_ROWS = 4  # rows that are named one by one
_KEPT = 2  # of the digits that all values share, so many are kept
_FEWEST_CUT = 4  # fewer digits are not worth cutting


class Tick(TypedDict):
    """A float: its place, its value, the digits of it that differ, and perhaps a name."""

    at: float
    text: str
    short: str
    name: NotRequired[str]


class End(TypedDict):
    """A result or the exact value. `kind` is first, second or exact; `shared`: both are equal."""

    kind: str
    name: str
    shared: bool
    at: float
    text: str
    short: str


class Phase(TypedDict):
    """A part of a running sum: it begins at `start`, a share of the way."""

    start: float
    text: str
    short: str


class RunningSum(TypedDict):
    """A side: its points, its phases, the `marked` points, and the texts that the points fill.

    A point has its place, the numbers of its unit and its row or None, the kind of its text, and
    what fills the text.
    """

    kind: str
    name: str
    marked: list[int]
    points: list[list[Any]]
    phases: list[Phase]
    texts: dict[str, str]


class DriftPicture(TypedDict):
    """What `static/drift.js` is told.

    Places are in floats from the exact value: `low` and `high` are the ends of the axis, `ulp` is
    the size of a float. `above` and `below` name the directions, and `unit` says what a tick stands
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
    ends = _ends(component)
    reached = [0.0, *(end["at"] for end in ends)]
    reached += [operation.drift for operation in (*drift.backward, *drift.jacobian)]
    lowest = min(-_LEAST, *reached)
    highest = max(_LEAST, *reached)
    margin = _MARGIN * (highest - lowest)
    low = float(f"{lowest - margin:.6g}")
    high = float(f"{highest + margin:.6g}")
    ticks, tick_unit = _ticks(component, low, high) if ends else ([], "")
    counted_in = "floats" if ticks or not ends else "ulps"
    _shorten([*ticks, *ends])
    known = component.exact is not None and bool(ends)
    errors = [
        f"{name} ends {beside(error, 'the exact value', counted_in)}"
        for name, error in zip(NAMES, component.errors, strict=True)
        if error is not None
    ]
    return {
        "heading": "Why: every operation rounds" if drift.backward else "Where they end",
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
        "sides": _sides(component, counted_in) if drift.backward else [],
    }


def _place(value: Fraction, component: Component) -> float:
    return float(f"{float((value - _origin(component)) / component.ulp):.8g}")


def _origin(component: Component) -> Fraction:
    """The place 0: the exact value, or else the first result that is finite."""
    if component.exact is not None:
        return component.exact
    return Fraction(next(filter(isfinite, component.values), 0))


def _ticks(component: Component, low: float, high: float) -> tuple[list[Tick], str]:
    """The floats between two places as ticks, and what a tick stands for, in words."""
    floats = FORMATS[component.dtype]
    lowest, highest = (_origin(component) + Fraction(at) * component.ulp for at in (low, high))
    first = max(floats.ceil(lowest), 1 - floats.infinity)
    last = min(floats.floor(highest), floats.infinity - 1)
    every = tick_distance(last - first, _MOST_TICKS)
    uneven = first <= 0 <= last or floats.spacing(first) != floats.spacing(last)
    if every > 1 and uneven:
        return [], f"{ulps(high - low)} high"
    ticks: list[Tick] = []
    for ordinal in range(-(-first // every) * every, last + 1, every):
        value = floats.value(ordinal)
        text = value_text(float(value), component.dtype)
        ticks.append({"at": _place(value, component), "text": text, "short": text})
        if every == 1 and _is_nearest(value, component):
            ticks[-1]["name"] = "nearest float"
    return ticks, tick_text(every) if every > 1 else f"each tick: one {component.dtype}"


def _is_nearest(value: Fraction, component: Component) -> bool:
    """Whether a float is the one nearest to the exact value, and neither result is as near."""
    exact = component.exact
    if exact is None or value != FORMATS[component.dtype].rounded(exact):
        return False
    results = [Fraction(result) for result in component.values if isfinite(result)]
    return all(abs(value - exact) < abs(result - exact) for result in results)


def _ends(component: Component) -> list[End]:
    """The finite results, and the exact value if it is known; equal results share one name."""
    same = component.backward == component.jacobian
    names = ("both", "") if same else NAMES
    ends = [
        _end(
            kind,
            name,
            same,
            _place(Fraction(value), component),
            result_text(value, component.dtype),
        )
        for kind, name, value in zip(("first", "second"), names, component.values, strict=True)
        if isfinite(value)
    ]
    if ends and component.exact is not None:
        text = exact_text(component.exact, component.dtype)
        ends.append(_end("exact", "exact", False, 0.0, text))
    return ends


def _end(kind: str, name: str, shared: bool, at: float, text: str) -> End:
    return {"kind": kind, "name": name, "shared": shared, "at": at, "text": text, "short": text}


def _shorten(parts: Sequence[Tick | End]) -> None:
    """Cut the digits that all texts share from their short forms."""
    cut = len(commonprefix([part["text"] for part in parts])) - _KEPT
    if cut >= _FEWEST_CUT:
        for part in parts:
            part["short"] = "…" + part["text"][cut:]


def _note(component: Component) -> str:
    """Say how to read the steps, or why there are none."""
    drift = component.drift
    drawn = [*drift.backward, *drift.jacobian]
    if not component.finite:
        return "A result is infinite or NaN and has no place between floats: nothing to follow."
    if not drawn:
        return f"{drift.reason} Only the ends are drawn, not the way to them."
    texts = ["How far each running sum is from the exact one, operation by operation."]
    if DTYPES[component.dtype].narrow:
        texts.append(f"Terms are added in float32, and sums are rounded to {component.dtype}.")
    if component.replay.dot_order == "left to right, fused":
        texts.append("Multiply and add are fused (FMA): no product is rounded before it is added.")
    if any(operation.marked for operation in drawn):
        texts.append("Violet: where the two first differ.")
    total = sum(drift.operations)
    if total > MOST_POINTS:
        texts.append(f"Drawn: {len(drawn)} of {total:,} operations.")
    return " ".join(texts)


def _sides(component: Component, counted_in: str) -> list[RunningSum]:
    drift = component.drift
    both = drift.backward, drift.jacobian
    unit = "" if counted_in == "floats" else f" {counted_in}"
    return [
        _side(component, kind, name, operations, count, unit)
        for kind, name, operations, count in zip(
            ("first", "second"), NAMES, both, drift.operations, strict=True
        )
    ]


def _side(
    component: Component,
    kind: str,
    name: str,
    operations: Sequence[Operation],
    count: int,
    unit: str,
) -> RunningSum:
    kinds = sorted({operation.kind for operation in operations})
    return {
        "kind": kind,
        "name": name,
        "marked": [place for place, operation in enumerate(operations) if operation.marked],
        "points": [_point(operation, component.names) for operation in operations],
        "phases": _phases(operations, len(component.names[-1])),
        "texts": {text: _TEXTS[text].format(count=f"{count:,}", unit=unit) for text in kinds},
    }


_NOW = "{{}} rounded: {{}}{unit} {{}} exact"
_TEXTS = {
    "term": "{{}}/{count}: {{}} × {{}} ({{}}), {{}} inherited, " + _NOW,
    "accumulators": "{{}}/{count}: two parts of the sum, " + _NOW,
    "row": "{{}}/{count}: row {{}}, " + _NOW,
    "rounding": "{{}}/{count}: to 16 bits, " + _NOW,
}
"""The text of each kind of operation.

It is formatted twice: here with count and unit, then in the browser, which fills the remaining {}.
"""


def _point(operation: Operation, names: Sequence[Sequence[str]]) -> list[Any]:
    """A point; its text has one figure for rounding, that of the product and the sum together."""
    step = operation.step
    unit = operation.unit
    filling = [f"{operation.place + 1:,}"]
    if unit is not None:
        factors = [minus(f"{number:.3g}") for number in (step.left, step.right)]
        filling += [*factors, lowered(names[1][unit]), _signed(operation.inherited)]
    elif operation.kind == "row":
        filling.append(lowered(names[-1][operation.output]))
    side = "above" if operation.drift > 0 else "below" if operation.drift else "from"
    filling += [_signed(operation.rounded), in_floats(abs(operation.drift)), side]
    return [float(f"{operation.drift:.4g}"), unit, operation.output, operation.kind, filling]


def _signed(floats: float) -> str:
    text = in_floats(abs(floats))
    if text in ("0", "0.00"):
        return "0"
    return f"{'+' if floats > 0 else '−'}{text}"


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

"""How far the running sums of both ways are from the exact sum, operation by operation, for a picture.

All places are floats above the exact value, or above the first finite result where the exact value is not known. The
sums end on the float line, whose ticks lie at such places, too. Where the picture reaches over floats of many sizes, as
it does over 0, it has no ticks, and its places are in ulps of `Component.ulp`: a step from float to float is no unit.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from os.path import commonprefix
from typing import Any, TypedDict

from lib.discrepancy.component import Component
from lib.discrepancy.drift import Operation, thinned
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import exact_text, tick_distance, value_text
from lib.floats.quantities import beside, in_floats, lowered, minus, tick_text, ulps

NAMES = "backward()", "Jacobian"
"""The two sides as the picture names them."""

MOST_POINTS = 40
"""The most operations of both sides together that are drawn, which keeps a tick of the page small."""

_MARGIN = 0.12  # of the height, above and below
_LEAST = 1.2  # floats above and below the exact value that are always shown
_MOST_TICKS = 12
_MOST_ROWS = 4  # rows that are named one by one
_MOST_MARKS = 8  # operations of a side that are kept because the two ways first differ there
_KEPT, _FEWEST_CUT = (
    2,
    4,
)  # of the digits that all values share, so many are kept; fewer are not worth cutting


class Drift(TypedDict):
    """What `static/drift.js` is told: see there for `ticks`, `ends` and `sides`.

    Places are in floats from the exact value: `low` and `high` are the ends of the axis, `ulp` is the size of a float.
    `above` and `below` name the directions, and `unit` says what a tick stands for.
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
    ticks: list[dict[str, Any]]
    ends: list[dict[str, Any]]
    sides: list[dict[str, Any]]


def drift_picture(component: Component) -> Drift:
    """Return the data of the drawing."""
    drawn, ends = _drawn(component), _ends(component)
    reached = [end["at"] for end in ends] + [
        operation.drift for operations in drawn for operation in operations
    ]
    low, high = min([-_LEAST, *reached]), max([_LEAST, *reached])
    margin = _MARGIN * (high - low)
    low, high = (float(f"{at:.6g}") for at in (low - margin, high + margin))
    ticks, between = _ticks(component, low, high) if ends else ([], "")
    unit = "floats" if ticks or not ends else "ulps"
    _shorten([*ticks, *ends])
    known = component.exact is not None and bool(ends)
    return {
        "heading": "Why: every operation rounds" if drawn else "Where they end",
        "note": _note(component, drawn),
        "label": component.unknown
        or ", ".join(
            f"{name} ends {beside(error, 'the exact value', unit)}"
            for name, error in zip(NAMES, component.errors, strict=True)
            if error is not None
        ),
        "low": low,
        "high": high,
        "ulp": float(component.ulp),
        "above": "↑ above exact" if known else "",
        "below": "↓ below exact" if known else "",
        "unit": between,
        "ticks": ticks,
        "ends": ends,
        "sides": _sides(component, drawn, unit) if drawn else [],
    }


def _drawn(component: Component) -> list[list[Operation]]:
    """The operations of each side that are drawn; there are no sides if the operations are not known."""
    if not component.drift.backward:
        return []
    one = _thinned(component.drift.backward, MOST_POINTS // 2, component)
    return [one, _thinned(component.drift.jacobian, MOST_POINTS - len(one), component)]


def _thinned(operations: Sequence[Operation], most: int, component: Component) -> list[Operation]:
    kept = [
        place for place, operation in enumerate(operations) if _first_differs(operation, component)
    ][:_MOST_MARKS]
    return [
        operations[place]
        for place in thinned([operation.drift for operation in operations], most, kept)
    ]


def _first_differs(operation: Operation, component: Component) -> bool:
    """Whether the two ways first differ here: in this operation, or in the gradient of the unit that it brings in."""
    if component.first_divergence is None:
        return False
    layer, number = component.first_divergence
    if layer:
        return layer == 1 and operation.unit == number
    replay = component.replay
    at = (
        replay.backward_diverges_at if operation.part == "backward" else replay.jacobian_diverges_at
    )
    return operation.place == at


def _place(value: Fraction, component: Component) -> float:
    return float(f"{float((value - _origin(component)) / component.ulp):.8g}")


def _origin(component: Component) -> Fraction:
    """The place 0: the exact value, or else the first result that is finite."""
    if component.exact is not None:
        return component.exact
    return Fraction(next(filter(isfinite, (component.backward, component.jacobian)), 0))


def _ticks(component: Component, low: float, high: float) -> tuple[list[dict[str, Any]], str]:
    """The floats between two places as ticks, and what a tick stands for, in words."""
    floats = FORMATS[component.dtype]
    lowest, highest = (_origin(component) + Fraction(at) * component.ulp for at in (low, high))
    first = max(floats.ceil(lowest), 1 - floats.infinity)
    last = min(floats.floor(highest), floats.infinity - 1)
    every = tick_distance(last - first, _MOST_TICKS)
    if every > 1 and (first <= 0 <= last or floats.spacing(first) != floats.spacing(last)):
        return [], f"{ulps(high - low)} high"
    ticks = [
        {
            "at": _place(floats.value(k), component),
            "text": value_text(float(floats.value(k)), component.dtype),
        }
        for k in range(-(-first // every) * every, last + 1, every)
    ]
    if component.hit == "none" and every == 1:
        nearest = _place(component.nearest, component)
        ticks = [
            tick | {"name": "nearest float"} if tick["at"] == nearest else tick for tick in ticks
        ]
    return ticks, tick_text(every) if every > 1 else f"each tick: one {component.dtype}"


def _ends(component: Component) -> list[dict[str, Any]]:
    """The results that are finite, and the exact value if it is known; equal results share one name."""
    same = component.backward == component.jacobian
    values = component.backward, component.jacobian
    ends = [
        {
            "kind": kind,
            "name": name if not same else "both" if kind == "first" else "",
            "shared": same,
            "at": _place(Fraction(value), component),
            "text": result_text(value, component.dtype),
        }
        for kind, name, value in zip(("first", "second"), NAMES, values, strict=True)
        if isfinite(value)
    ]
    if ends and component.exact is not None:
        text = exact_text(component.exact, component.dtype)
        ends.append({"kind": "exact", "name": "exact", "shared": False, "at": 0.0, "text": text})
    return ends


def result_text(value: float, dtype: str) -> str:
    """Write a result of the dtype of this name, also an infinite one or NaN, and tell the zeros apart."""
    if not isfinite(value):
        return minus(str(value)).replace("inf", "∞").replace("nan", "NaN")
    return f"{'−' if not value and str(value)[0] == '-' else ''}{value_text(value, dtype)}"


def _shorten(parts: Sequence[dict[str, Any]]) -> None:
    """Give each part a short text, in which the digits that all of them share are cut."""
    cut = len(commonprefix([part["text"] for part in parts])) - _KEPT
    for part in parts:
        part["short"] = "…" + part["text"][cut:] if cut >= _FEWEST_CUT else part["text"]


def _note(component: Component, drawn: Sequence[Sequence[Operation]]) -> str:
    """Say how to read the steps, or why there are none."""
    if not component.finite:
        return (
            "An infinite result or NaN has no place between floats, so there is no way to follow."
        )
    if not drawn:
        return f"{component.drift.reason} So only the ends are drawn, not the way to them."
    said = ["How far each running sum is from the exact one, operation by operation."]
    if any(
        _first_differs(operation, component) for operations in drawn for operation in operations
    ):
        said.append("Violet: where the two first differ.")
    total = component.drift.backward_operations + component.drift.jacobian_operations
    if total > MOST_POINTS:
        said.append(f"Drawn: {sum(map(len, drawn))} of {total:,} operations.")
    return " ".join(said)


def _sides(
    component: Component, drawn: Sequence[Sequence[Operation]], unit: str
) -> list[dict[str, Any]]:
    """The data of each side: its points, its phases, which points are marked, and the texts that the points fill."""
    counts = component.drift.backward_operations, component.drift.jacobian_operations
    return [
        {
            "kind": kind,
            "name": name,
            "marked": [
                i for i, operation in enumerate(operations) if _first_differs(operation, component)
            ],
            "points": [_point(operation, component.names) for operation in operations],
            "phases": _phases(operations, len(component.names[-1])),
            "texts": {
                kind: _TOLD[kind].format(
                    count=f"{count:,}", unit="" if unit == "floats" else f" {unit}"
                )
                for kind in sorted({operation.kind for operation in operations})
            },
        }
        for kind, name, count, operations in zip(
            ("first", "second"), NAMES, counts, drawn, strict=True
        )
    ]


_NOW = "{{}} rounded: {{}}{unit} {{}} exact"
_TOLD = {
    "term": "{{}}/{count}: {{}} × {{}} ({{}}), {{}} inherited, " + _NOW,
    "accumulators": "{{}}/{count}: two parts of the sum, " + _NOW,
    "row": "{{}}/{count}: row {{}}, " + _NOW,
    "rounding": "{{}}/{count}: to 16 bits, " + _NOW,
}
"""What is told of an operation of each kind: a side's texts still have braces for what differs from point to point."""


def _point(operation: Operation, names: Sequence[Sequence[str]]) -> list[object]:
    """A point: its place, the unit and the row that it is of or None, the kind of text, and what fills the text.

    The text has one figure for rounding, that of the product and the sum together.
    """
    step, unit = operation.step, operation.unit
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
    return "0" if text in ("0", "0.00") else f"{'+' if floats > 0 else '−'}{text}"


def _phases(operations: Sequence[Operation], outputs: int) -> list[dict[str, object]]:
    """The parts of the way and where each begins: one sum, or the rows, one by one if they are few, and their sum."""
    phases: dict[str, dict[str, object]] = {}
    rows = f"rows {lowered('y0')} to {lowered(f'y{outputs - 1}')}" if outputs > _MOST_ROWS else ""
    whole = {"backward": "one sum", "rows": "sum of rows", "row": rows}
    shorter = {"backward": "sum", "rows": "sum", "row": "rows"}
    for place, operation in enumerate(operations):
        row = lowered(f"y{operation.output}")
        text = whole[operation.part] or f"row {row}"
        short = shorter[operation.part] if whole[operation.part] else row
        phases.setdefault(text, {"from": place / len(operations), "text": text, "short": short})
    return list(phases.values())

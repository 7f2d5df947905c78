"""The operations of both ways that the picture of the running sums draws, and what it tells of each."""

from collections.abc import Sequence
from typing import Any

from lib.discrepancy.example import Example
from lib.display.quantities import in_floats, lowered, minus
from lib.replay.drift import Operation, thinned

MOST_POINTS = 40
"""The most operations of both sides together that are drawn, which keeps a tick of the page small."""

_MOST_ROWS = 4  # rows that are named one by one
_MOST_MARKS = 8  # operations of a side that are kept because the two ways first differ there


def drawn_operations(example: Example) -> list[list[Operation]]:
    """The operations of each side that are drawn; there are no sides if the operations are not known."""
    drift = example.drift
    if not drift.backward:
        return []
    one = _thinned(drift.backward, MOST_POINTS // 2, example)
    return [one, _thinned(drift.jacobian, MOST_POINTS - len(one), example)]


def drawn_sides(
    example: Example, names: tuple[str, str], drawn: Sequence[Sequence[Operation]], unit: str
) -> list[dict[str, Any]]:
    """The data of each side: its points, its phases, which points are marked, and the texts that the points fill."""
    drift = example.drift
    outputs = len(example.flows.layers[-1].units) + example.flows.layers[-1].others
    return [
        {
            "kind": look,
            "name": name,
            "marked": [i for i, operation in enumerate(operations) if first_differs(operation, example)],
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
    kept = [place for place, operation in enumerate(operations) if first_differs(operation, example)][:_MOST_MARKS]
    return [operations[place] for place in thinned([operation.drift for operation in operations], most, kept)]


def first_differs(operation: Operation, example: Example) -> bool:
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


def _side(drift: float) -> str:
    return "above" if drift > 0 else "below" if drift else "from"


def _signed(floats: float) -> str:
    text = in_floats(abs(floats))
    return "0" if text in ("0", "0.00") else f"{'+' if floats > 0 else '−'}{text}"


def _short(number: float) -> str:
    return minus(f"{number:.3g}")

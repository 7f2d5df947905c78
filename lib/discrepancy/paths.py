"""The network and the paths of one component through it: what `static/network.js` draws."""

from collections.abc import Sequence
from itertools import pairwise, product
from math import isinf
from typing import TypedDict

from lib.discrepancy.component import Component
from lib.floats.quantities import lowered, percent, significant
from lib.reference.flows import DrawnLayer

STRONGEST = 18
"""Lines that are drawn between two layers if there are too many."""

_WIDEST = 9
"""The largest digit of a line: the wider the line, the larger. 1 is a faint line, and 0 is none."""

_MOST_LINES = 60
"""The most lines between two layers. Of more, only the strongest are drawn, and thinner."""

_WIDEST_OF_MANY = 4


class Units(TypedDict):
    """A layer of the drawing.

    `shares` are texts: how much of the sum of the sizes of all terms goes through each unit, empty
    for the inputs, and if all terms are 0. `off` are the units that pass on nothing. `more`, a long
    and a short text, says how many units are left out, and is empty if none is.
    """

    units: list[int]
    names: list[str]
    shares: list[str]
    off: list[int]
    more: list[str]


class Divergence(TypedDict):
    """The unit in whose gradient the two ways first diverge."""

    layer: int
    number: int
    text: str


class Network(TypedDict):
    """What the drawing is told.

    `flows` has a text for each pair of neighbouring layers, with a digit for each pair of their
    units: the width of the line between them.
    """

    heading: str
    note: str
    label: str
    component: int
    layers: list[Units]
    flows: list[str]
    first: Divergence | None


def paths(component: Component) -> Network:
    """Return the network and the paths of one component through it."""
    layers = component.layers
    names = component.names
    start = lowered(names[0][component.number])
    label = f"The network and the paths from {start} to the outputs"
    # The experiment's own operations are known where there is a drift.
    divergence = component.first_divergence if component.drift.backward else None
    first: Divergence | None = None
    if divergence:
        layer, number = divergence
        first = {"layer": layer, "number": number, "text": "first differ here"}
        label += f"; the two ways first differ in the gradient of {lowered(names[layer][number])}"
    return {
        "heading": f"Where: the paths of {start}",
        "note": _note(component),
        "label": label,
        "component": component.number,
        "layers": [_units(layer, of_layer) for layer, of_layer in zip(layers, names, strict=True)],
        "flows": [_lines(before, layer) for before, layer in pairwise(layers)],
        "first": first,
    }


def _note(component: Component) -> str:
    texts = ["Wider lines carry larger terms of the gradient."]
    if any(layer.off for layer in component.layers):
        texts.append("Dashed units are off: their computed slope is 0.")
    if component.condition and component.exact is not None:
        condition = "∞" if isinf(component.condition) else significant(component.condition)
        texts.append(f"Condition number {condition}: cancellation magnifies rounding this much.")
    return " ".join(texts)


def _units(layer: DrawnLayer, names: Sequence[str]) -> Units:
    others = layer.others
    known = layer.flows and any(layer.shares)
    return {
        "units": list(layer.units),
        "names": [lowered(names[unit]) for unit in layer.units],
        "shares": [percent(round(share, 9), 1) for share in layer.shares] if known else [],
        "off": list(layer.off),
        "more": [f"… {others:,} more", f"+{others:,}"] if others else [],
    }


def _lines(before: DrawnLayer, layer: DrawnLayer) -> str:
    """A digit for each line from the layer before, proportional to the flow along it.

    Of many lines only the strongest are drawn.
    """
    flows = [layer.flows[line] for line in product(before.units, layer.units)]
    scale = _WIDEST / (max(flows) or 1.0)
    if len(flows) <= _MOST_LINES:
        return "".join(str(max(1, round(scale * flow))) for flow in flows)
    least = sorted(flows)[-STRONGEST]
    scale *= _WIDEST_OF_MANY / _WIDEST
    return "".join(
        str(max(1, round(scale * flow))) if flow and flow >= least else "0" for flow in flows
    )

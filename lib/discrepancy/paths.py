"""The network and the paths of one component through it: what `static/network.js` draws."""

from collections.abc import Sequence
from itertools import product
from typing import Any, TypedDict

from lib.discrepancy.component import Component
from lib.floats.quantities import lowered
from lib.reference.flows import Layer

_WIDEST = 9  # flows are drawn in widths from 2 to this; 1 is a faint line, 0 is none
_MOST_LINES = 60  # between two layers; of more lines, only the strongest are drawn, and thinner
STRONGEST = 18
_WIDEST_OF_MANY = 4


class Units(TypedDict):
    """A layer: the numbers of its units, their names or none, those that are off, and how many are left out."""

    units: list[int]
    names: list[str]
    off: list[int]
    more: list[str]


class Network(TypedDict):
    """What the drawing is told.

    `flows` has a text for each pair of layers, with a digit for each pair of units: the width of the line between
    them. `first` is where the two ways first diverge (layer, number, name, text), or None.
    """

    heading: str
    note: str
    label: str
    component: int
    layers: list[Units]
    flows: list[str]
    first: dict[str, Any] | None


def paths(component: Component) -> Network:
    """Return the network and the paths of one component through it."""
    layers = component.layers
    off = any(layer.off for layer in layers)
    first = _first(component)
    marked = (first["layer"], first["number"]) if first else None
    named = {0, 1, len(layers) - 1}  # the names of other layers are not drawn
    start = lowered(component.names[0][component.component])
    return {
        "heading": f"Where: the paths of {start}",
        "note": "Wider lines carry larger terms of the gradient."
        + (" Dashed units are off: slope 0." if off else ""),
        "label": f"The network and the paths from {start} to the outputs"
        + (f"; the two ways first differ in the gradient of {first['name']}" if first else ""),
        "component": component.component,
        "layers": [
            {
                "units": list(layer.units),
                "names": [lowered(component.names[place][unit]) for unit in layer.units]
                if place in named
                else [],
                "off": list(layer.off),
                "more": [f"… {layer.others:,} more", f"+{layer.others:,}"] if layer.others else [],
            }
            for place, layer in enumerate(layers)
        ],
        "flows": [
            _lines(layers[place], place, layers[place - 1].units, layers[place].units, marked)
            for place in range(1, len(layers))
        ],
        "first": first and {**first, "text": "first differ here"},
    }


def _first(component: Component) -> dict[str, Any] | None:
    """Where the two ways first diverge, if the experiment's own operations are known."""
    if not component.first_divergence or not component.drift.backward:
        return None
    layer, number = component.first_divergence
    return {"layer": layer, "number": number, "name": lowered(component.names[layer][number])}


def _lines(
    layer: Layer,
    place: int,
    before: Sequence[int],
    after: Sequence[int],
    marked: tuple[int, int] | None,
) -> str:
    """A digit for the line from each unit before to each unit after: its width, proportional to its flow.

    Of many lines only the strongest are drawn, and the strongest to and from the marked unit.
    """
    flows = {line: share for line, share in layer.flows.items() if share > 0}
    drawn = set(product(before, after))
    if crowded := len(drawn) > _MOST_LINES:
        by_strength = sorted(flows, key=flows.__getitem__, reverse=True)
        of_marked = [
            next((line for line in by_strength if (place - 1 + end, line[end]) == marked), None)
            for end in (0, 1)
        ]
        drawn = {*by_strength[:STRONGEST], *of_marked}
    largest, widest = max(flows.values(), default=1.0), _WIDEST_OF_MANY if crowded else _WIDEST
    widths = {
        line: max(1, round(widest * flows.get(line, 0.0) / largest)) for line in drawn if line
    }
    return "".join(str(widths.get(line, 0)) for line in product(before, after))

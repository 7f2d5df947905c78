"""The network and the paths of one component through it, for a picture."""

from typing import Any

from lib.discrepancy.example import Example
from lib.display.quantities import counted, lowered
from lib.reference.flows import Layer

_WIDEST = 9  # flows are drawn in widths from 2 to this; 1 is a faint line, 0 is none
_MOST_LINES = 60  # between two layers; of more lines, only the strongest are drawn, and thinner
STRONGEST = 18
_WIDEST_OF_MANY = 4


def paths(example: Example) -> dict[str, Any]:
    """Return the data of the picture."""
    flows = example.flows
    layers = [sorted(layer.units, key=lambda unit: unit.number) for layer in flows.layers]
    off = sum(unit.off for units in layers for unit in units)
    first = _first(example)
    component = lowered(f"x{example.component}")
    named = {0, 1, len(layers) - 1}  # the names of other layers are not drawn
    others = sum(layer.others for layer in flows.layers)
    return {
        "heading": f"Where: the paths of {component}",
        "note": "Wider lines carry larger terms of the gradient." + (" Dashed units are off: slope 0." if off else ""),
        "label": _label(example, component, off, others, first),
        "component": flows.component,
        "layers": [
            {
                "units": [unit.number for unit in units],
                "names": [lowered(unit.name) for unit in units] if place in named else [],
                "off": [unit.number for unit in units if unit.off],
                "more": [f"… {layer.others:,} more", f"+{layer.others:,}"] if layer.others else [],
            }
            for place, (layer, units) in enumerate(zip(flows.layers, layers, strict=True))
        ],
        "flows": [
            _lines(after, [unit.number for unit in before], [unit.number for unit in units])
            for after, before, units in zip(flows.layers[1:], layers, layers[1:], strict=False)
        ],
        "first": first and {**first, "text": "first differ here"},
    }


def _first(example: Example) -> dict[str, Any] | None:
    """Where the two ways first diverge, if the experiment's own operations are known."""
    if not example.first_divergence or not example.drift.backward:
        return None
    place, number = example.first_divergence
    (unit,) = (unit for unit in example.flows.layers[place].units if unit.number == number)
    return {"layer": place, "number": number, "name": lowered(unit.name)}


def _lines(layer: Layer, before: list[int], after: list[int]) -> str:
    """A digit for the line from each unit before to each unit after: its width, proportional to its flow."""
    shares = {(edge.before, edge.after): edge.share for edge in layer.edges}
    flows = [shares.get((one, other), 0.0) for one in before for other in after]
    largest = max(flows, default=0.0) or 1.0
    crowded = len(flows) > _MOST_LINES
    least = sorted(flows, reverse=True)[STRONGEST - 1] if crowded else 0.0
    widest = _WIDEST_OF_MANY if crowded else _WIDEST
    widths = [max(1, round(widest * flow / largest)) if flow >= least else 0 for flow in flows]
    return "".join(str(width if flow or not crowded else 0) for width, flow in zip(widths, flows, strict=True))


def _label(example: Example, component: str, off: int, others: int, first: dict[str, Any] | None) -> str:
    """Say what the picture shows."""
    hidden = len(example.flows.layers) - 2
    said = [f"The paths from {component} to the outputs, through {counted(hidden, 'hidden layer')}."]
    if off:
        said.append(
            f"{counted(off, 'unit')} that {'is' if off == 1 else 'are'} shown {'has' if off == 1 else 'have'} slope 0."
        )
    if others:
        said.append(f"{counted(others, 'unit')} {'is' if others == 1 else 'are'} not shown.")
    if first:
        said.append(f"The two ways first differ in the gradient of {first['name']}.")
    return " ".join(said)

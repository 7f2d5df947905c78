"""The network and the paths of one component through it, for a picture."""

from itertools import chain
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
    marked = {(first["layer"], first["number"])} if first else set()
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
            _lines(
                flows.layers[place],
                [unit.number for unit in layers[place - 1]],
                [unit.number for unit in layers[place]],
                {number for layer, number in marked if layer == place - 1},
                {number for layer, number in marked if layer == place},
            )
            for place in range(1, len(layers))
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


def _lines(layer: Layer, before: list[int], after: list[int], marked_before: set[int], marked_after: set[int]) -> str:
    """A digit for the line from each unit before to each unit after: its width, proportional to its flow.

    Of many lines only the strongest are drawn, and the strongest of each marked unit.
    """
    flows = {(edge.before, edge.after): edge.share for edge in layer.edges if edge.share > 0}
    lines = [(one, other) for one in before for other in after]
    drawn = set(lines)
    if crowded := len(lines) > _MOST_LINES:
        by_strength = sorted(flows, key=flows.__getitem__, reverse=True)
        to_marked = [[line for line in by_strength if line[1] == unit][:1] for unit in marked_after]
        from_marked = [[line for line in by_strength if line[0] == unit][:1] for unit in marked_before]
        drawn = set(chain(by_strength[:STRONGEST], *to_marked, *from_marked))
    largest, widest = max(flows.values(), default=1.0), _WIDEST_OF_MANY if crowded else _WIDEST
    return "".join(
        str(max(1, round(widest * flows.get(line, 0.0) / largest))) if line in drawn else "0" for line in lines
    )


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

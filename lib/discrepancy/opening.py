"""The opening picture of *Why do they differ?*: two results of one component, how they got there, where, and how often.

The page draws what is handed over here and computes nothing: numbers are places in the picture, and all that is written
is text. The component stays the same while the histogram grows, which settles sample by sample.
"""

from collections.abc import Sequence
from itertools import product
from math import isnan
from os.path import commonprefix
from typing import Any

import torch

from lib.discrepancy.component import Component
from lib.discrepancy.drift_picture import NAMES, drift_picture, result_text
from lib.discrepancy.study import BARS, MOST_ULPS, DiscrepancyTally
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.line import bits_of
from lib.floats.quantities import counted, lowered, minus, percent, share_axis
from lib.reference.flows import Layer
from lib.run.tally import Histogram

_LABELS = [f"≤ −{MOST_ULPS}", *(minus(str(ulps)) for ulps in BARS[1:-1]), f"≥ {MOST_ULPS}"]

_LEAD = "One component, computed both ways"
_WIDEST = 9  # flows are drawn in widths from 2 to this; 1 is a faint line, 0 is none
_MOST_LINES = 60  # between two layers; of more lines, only the strongest are drawn, and thinner
STRONGEST = 18
_WIDEST_OF_MANY = 4

Ghost = tuple[str, tuple[float, ...]]
"""The histogram of the experiment that was seen before: its name, and the share of each bar."""


def opening(
    experiment: Experiment, tally: DiscrepancyTally, component: Component | None, ghost: Ghost | None = None
) -> dict[str, Any]:
    """Return the data of the picture, for JSON; `component` is None until it is known.

    `ghost` is the histogram of the experiment before this one.
    """
    apart = f"{component.apart} apart" if component and component.finite else "no distance"
    return {
        "example": component
        and {
            "key": f"{experiment.query}&sample={component.sample}&component={component.component}",
            "results": bits_of_both(NAMES, (component.backward, component.jacobian), component.dtype, apart),
            "drift": drift_picture(component),
            "network": paths(component),
        },
        "histogram": frequencies(tally, component.ulps if component else None, ghost),
    }


def bits_of_both(names: Sequence[str], values: Sequence[float], name: str, apart: str) -> dict[str, Any]:
    """Return the data of the picture, for JSON: the results of both sides, by their names, in the dtype of this name.

    `apart` says how far apart they are.
    """
    dtype = DTYPES[name]
    bits = ["" if isnan(value) else bits_of(value, getattr(torch, name)) for value in values]
    texts = [result_text(value, name) for value in values]
    share = commonprefix(texts)
    if all(bits):
        differ = sum(one != other for one, other in zip(*bits, strict=True))
        apart = f"{apart}, {differ} of {dtype.bits} bits different"
    return {
        "lead": _LEAD,
        "heading": f"{_LEAD}: {apart}",
        "label": f"{names[0]} gives {texts[0]}, {names[1]} gives {texts[1]}: {apart}",
        "width": dtype.bits,
        "fields": [
            {"name": "sign", "symbol": "±", "bits": 1},
            {"name": "exponent", "symbol": "exp", "bits": dtype.bits - dtype.precision},
            {"name": "fraction", "symbol": "", "bits": dtype.precision - 1},
        ],
        "sides": [
            {"kind": kind, "name": name, "share": share, "rest": text.removeprefix(share), "bits": of_side}
            for kind, name, text, of_side in zip(("first", "second"), names, texts, bits, strict=True)
        ],
    }


def paths(component: Component) -> dict[str, Any]:
    """Return the network and the paths of one component through it."""
    layers = component.layers
    off = any(layer.off for layer in layers)
    first = _first(component)
    marked = (first["layer"], first["number"]) if first else None
    named = {0, 1, len(layers) - 1}  # the names of other layers are not drawn
    start = lowered(component.names[0][component.component])
    return {
        "heading": f"Where: the paths of {start}",
        "note": "Wider lines carry larger terms of the gradient." + (" Dashed units are off: slope 0." if off else ""),
        "label": f"The network and the paths from {start} to the outputs"
        + (f"; the two ways first differ in the gradient of {first['name']}" if first else ""),
        "component": component.component,
        "layers": [
            {
                "units": list(layer.units),
                "names": [lowered(component.names[place][unit]) for unit in layer.units] if place in named else [],
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
    layer: Layer, place: int, before: Sequence[int], after: Sequence[int], marked: tuple[int, int] | None
) -> str:
    """A digit for the line from each unit before to each unit after: its width, proportional to its flow.

    Of many lines only the strongest are drawn, and the strongest to and from the marked unit.
    """
    flows = {line: share for line, share in layer.flows.items() if share > 0}
    drawn = set(product(before, after))
    if crowded := len(drawn) > _MOST_LINES:
        by_strength = sorted(flows, key=flows.__getitem__, reverse=True)
        of_marked = [
            next((line for line in by_strength if (place - 1 + end, line[end]) == marked), None) for end in (0, 1)
        ]
        drawn = {*by_strength[:STRONGEST], *of_marked}
    largest, widest = max(flows.values(), default=1.0), _WIDEST_OF_MANY if crowded else _WIDEST
    widths = {line: max(1, round(widest * flows.get(line, 0.0) / largest)) for line in drawn if line}
    return "".join(str(widths.get(line, 0)) for line in product(before, after))


def shares(tally: DiscrepancyTally) -> tuple[float, ...]:
    """Return the share of the finite components that each bar counts, 0 if there are none."""
    return tuple(float(f"{count / max(tally.finite, 1):.5g}") for count in _counts(tally))


def frequencies(tally: DiscrepancyTally, ulps: int | None, ghost: Ghost | None = None) -> dict[str, Any]:
    """Return how many floats apart the two results of all components are; `ulps` is the distance that is picked."""
    counts, parts = _counts(tally), shares(tally)
    equal = f"{percent(counts[MOST_ULPS], tally.finite)} are equal" if tally.finite else "None is finite on both sides"
    known = f"{equal}. The end bars hold {MOST_ULPS} and more. Pick a bar to see an example."
    return {
        "heading": f"How often: {counted(tally.finite, 'component')}" if tally.samples else "How often do they differ?",
        "note": known if tally.samples else "",
        "label": f"How many floats apart: a bar for each distance, {equal if tally.samples else 'none so far'}",
        "axis": f"{NAMES[0]} − {NAMES[1]}, in floats",
        **share_axis(max([*parts, *(ghost[1] if ghost else ())])),
        "picked": None if ulps is None else max(-MOST_ULPS, min(ulps, MOST_ULPS)),
        "keys": list(BARS),
        "labels": ["" if key % (MOST_ULPS // 2) else label for key, label in zip(BARS, _LABELS, strict=True)],
        "told": [
            f"{label} floats: {counted(count, 'component')}, {percent(count, tally.finite)}"
            for label, count in zip(_LABELS, counts, strict=True)
        ],
        "shares": list(parts),
        "ghost": {"name": f"before: {ghost[0]}", "shares": list(ghost[1])} if ghost else None,
    }


def _counts(tally: DiscrepancyTally) -> list[int]:
    bars = Histogram.of(tally.ulps.keys.clip(-MOST_ULPS, MOST_ULPS), tally.ulps.counts)
    return [bars[key] for key in BARS]

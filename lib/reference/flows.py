"""The path sum of one component, edge by edge: how much of it flows through each unit and each edge of the network.

The path sum S adds up, over all paths from the component to the outputs, the product of the sizes of weights and of the
terms of activation slopes (`bounds`, NOTE [the bound]). The paths through one edge are the paths that lead to it times
those that lead on from it, so a pass forward and a pass back give the share of every edge. Every layer passes on all of
S.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activations import activations_of

MOST_UNITS = 12
"""The most units of a layer that are shown."""


@dataclass(frozen=True)
class Layer:
    """A layer: the numbers of the units that are shown, at most `MOST_UNITS`, and how many `others` are not.

    `off` are those of the shown units that pass on nothing, since their slope is exactly 0. `flows` has the share of S
    that flows through each edge from a shown unit of the layer before to a shown unit; the inputs have none.
    """

    units: tuple[int, ...]
    others: int
    off: tuple[int, ...]
    flows: dict[tuple[int, int], float]


def flows_of(
    experiment: Experiment, net: nn.Sequential, saved: Tensor, component: int, shown: Collection[tuple[int, int]] = ()
) -> list[Layer]:
    """Return the flows of a component of the sample whose activations saved `saved`, shape (neurons,).

    The units with the largest flows are shown, the component itself, and those that `shown` gives as (layer, number).
    All flows are 0 if no path reaches an output, or if the forward pass overflowed.
    """
    sizes = [layer.weight.detach().double().cpu().abs() for layer in linear_layers(net)]
    parts = saved.double().cpu().split([len(size) for size in sizes])
    terms = [one.terms(part[:, None])[:, 0] for one, part in zip(activations_of(experiment), parts, strict=True)]
    ahead = [torch.zeros(experiment.inputs, dtype=torch.float64)]
    ahead[0][component] = 1
    for size, term in zip(sizes, terms, strict=True):
        ahead.append(term * (size @ ahead[-1]))
    back = [torch.ones(experiment.outputs, dtype=torch.float64)]
    for size, term in zip(reversed(sizes), reversed(terms), strict=True):
        back.insert(0, size.T @ (term * back[0]))
    path_sum = ahead[-1].sum().item()
    scale = 1 / path_sum if 0 < path_sum < inf else 0.0

    layers: list[Layer] = []
    for number in range(len(ahead)):
        share = torch.nan_to_num(ahead[number] * back[number] * scale).tolist()  # 0 times infinity, after an overflow
        wanted = {unit for layer, unit in shown if layer == number} | (set() if number else {component})
        order = sorted(range(len(share)), key=lambda unit: (unit not in wanted, -share[unit], unit))
        units = tuple(sorted(order[:MOST_UNITS]))
        off = tuple(unit for unit in units if number and terms[number - 1][unit] == 0)
        flows = {}
        if number:
            onward = (terms[number - 1] * back[number])[:, None]
            through = torch.nan_to_num(scale * sizes[number - 1] * onward * ahead[number - 1])
            flows = {(before, after): through[after, before].item() for before in layers[-1].units for after in units}
        layers.append(Layer(units, len(share) - len(units), off, flows))
    return layers

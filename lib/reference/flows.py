"""The terms of one component's gradient, edge by edge: how much flows through each unit and edge.

The gradient adds up, over all paths from the component to the outputs, the products of weights and
slopes (`bounds`, NOTE [the bound]). The sum of their sizes is linear in the size of each weight, so
the paths through an edge add up to the size of its weight times the derivative of the sum with
respect to that size. Every layer passes on all of the sum. The slopes are those of the exact
network, in float64. An output of softmax has several slopes, whose sizes are added up.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.reference.float64_reference import Float64Network

MOST_UNITS = 12
"""The most units of a layer that are shown."""


@dataclass(frozen=True)
class DrawnLayer:
    """A layer of the drawing of a network.

    Args:
        units: the numbers of the units that are shown, at most `MOST_UNITS`.
        shares: the share of the sum that flows through each of them.
        others: how many units are not shown.
        off: those of the shown units that pass on nothing, since their slope is exactly 0.
        flows: the share of the sum that flows through each edge from a shown unit of the layer
            before to a shown unit; the inputs have none.
    """

    units: tuple[int, ...]
    shares: tuple[float, ...]
    others: int
    off: tuple[int, ...]
    flows: dict[tuple[int, int], float]


def flows_of(
    experiment: Experiment,
    net: nn.Sequential,
    x: Tensor,
    saved: Tensor,
    component: int,
    shown: Collection[tuple[int, int]] = (),
) -> list[DrawnLayer]:
    """Return the inputs and all layers, in order, with the flows of a component of a sample.

    The units with the largest flows are shown, and always the component itself and those in
    `shown`. All flows are 0 if no path reaches an output.

    Args:
        experiment: the experiment of the network.
        net: the network.
        x: the sample, shape (inputs,).
        saved: the activations that its forward pass saved, shape (neurons,).
        component: the number of the component.
        shown: units to show, as (layer, number).
    """
    network = Float64Network(net, experiment)
    terms = network.terms(saved[None])
    slopes = [slope.abs() for slope in network.forward(x[None]).slopes]
    # It has softmax's outputs in place of slopes.
    if network.layers[-1].activation.coupled:
        slopes[-1] = 2 * slopes[-1] * (1 - slopes[-1])
    edges = _flows_through_edges(network.sizes, slopes, component)
    shares = [edges[0].sum(0).tolist(), *(edge.sum(1).tolist() for edge in edges)]

    layers: list[DrawnLayer] = []
    for number, share in enumerate(shares):
        wanted = {unit for layer, unit in [*shown, (0, component)] if layer == number}
        order = sorted(range(len(share)), key=lambda unit: (unit not in wanted, -share[unit], unit))
        units = tuple(sorted(order[:MOST_UNITS]))
        off: tuple[int, ...] = ()
        flows: dict[tuple[int, int], float] = {}
        if number:
            off = tuple(unit for unit in units if terms[number - 1][unit] == 0)
            for start in layers[-1].units:
                for end in units:
                    flows[start, end] = edges[number - 1][end, start].item()
        shown_shares = tuple(share[unit] for unit in units)
        layers.append(DrawnLayer(units, shown_shares, len(share) - len(units), off, flows))
    return layers


def _flows_through_edges(
    weight_sizes: Sequence[Tensor], slope_sizes: Sequence[Tensor], component: int
) -> list[Tensor]:
    """Return the share that flows through each edge, for each layer: (neurons, neurons before)."""
    sizes = [size.requires_grad_() for size in weight_sizes]
    paths = torch.eye(sizes[0].shape[1], dtype=torch.float64)[:, [component]]
    for size, slope in zip(sizes, slope_sizes, strict=True):
        paths = slope * (size @ paths)
    total = paths.sum()
    total.backward()
    scale = 1 / total.item() if total > 0 else 0.0
    return [scale * size.grad * size.detach() for size in sizes]

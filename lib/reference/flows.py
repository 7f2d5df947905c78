"""The path sum of one component, edge by edge: how much of it flows through each unit and each edge of the network.

The path sum S adds up, over all paths from the component to the outputs, the product of the sizes of weights and of the
terms of activation slopes (`bounds`, NOTE [the bound]). The paths through one edge are the paths that lead to it times
those that lead on from it, so a pass forward and a pass back give the share of every edge. Every layer passes on all of
S.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import inf, isfinite

import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activations import activations_of

MOST_UNITS = 12
"""The most units of a layer that are shown."""


@dataclass(frozen=True)
class Unit:
    """A unit: its number in its layer, its name, its flow as a share of S, and whether its slope is exactly 0."""

    number: int
    name: str
    share: float
    off: bool


@dataclass(frozen=True)
class Edge:
    """An edge from a unit of one layer to one of the next: its numbers of both units, and its flow as a share of S."""

    before: int
    after: int
    share: float


@dataclass(frozen=True)
class Layer:
    """A layer: at most `MOST_UNITS` units, the largest flow first, and how many units with what flow are not shown.

    `edges` lead to the shown units from the shown units of the layer before; the inputs have none.
    """

    units: tuple[Unit, ...]
    others: int
    share_of_others: float
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True)
class Flows:
    """The path sum S of one component, and its layers, from the inputs to the outputs.

    Of the inputs only the component itself has a flow. `path_sum` is 0 if no path reaches an output, and infinite if
    the forward pass overflowed; all shares are then 0.
    """

    component: int
    path_sum: float
    layers: tuple[Layer, ...]


def flows_of(
    experiment: Experiment,
    net: nn.Sequential,
    x: Tensor,
    saved: Tensor,
    component: int,
    names: list[list[str]],
    shown: Collection[tuple[int, int]] = (),
) -> Flows:
    """Return the flows of a component of the sample x, shape (inputs,), whose activations saved `saved`, (neurons,).

    `names` are the units' names by layer. The units that `shown` gives, as (layer, number), are always shown.
    """
    sizes = [layer.weight.detach().double().cpu().abs() for layer in linear_layers(net)]
    terms = [
        activation.terms(part[:, None])[:, 0]
        for activation, part in zip(
            activations_of(experiment), saved.double().cpu().split([len(size) for size in sizes]), strict=True
        )
    ]
    ahead = [torch.zeros(experiment.inputs, dtype=torch.float64)]
    ahead[0][component] = 1
    for size, term in zip(sizes, terms, strict=True):
        ahead.append(term * (size @ ahead[-1]))
    back = [torch.ones(experiment.outputs, dtype=torch.float64)]
    for size, term in zip(reversed(sizes), reversed(terms), strict=True):
        back.insert(0, size.T @ (term * back[0]))
    path_sum = ahead[-1].sum().item()
    path_sum = path_sum if isfinite(path_sum) else inf
    scale = 1 / path_sum if path_sum else 0.0

    shares = [_finite(a * b * scale) for a, b in zip(ahead, back, strict=True)]
    off = [[False] * experiment.inputs, *_off(experiment, net, x)]
    layers: list[Layer] = []
    for number, (share, zeros, of_units) in enumerate(zip(shares, off, names, strict=True)):
        chosen = _largest(
            share, {unit for layer, unit in shown if layer == number} | ({component} if not number else set())
        )
        edges: list[Edge] = []
        if number:
            onward = _finite(
                scale * sizes[number - 1] * (terms[number - 1] * back[number])[:, None] * ahead[number - 1]
            )
            befores = [unit.number for unit in layers[-1].units]
            edges = [Edge(b, a, onward[a, b].item()) for a in chosen for b in befores if number > 1 or b == component]
        units = tuple(Unit(unit, of_units[unit], share[unit].item(), zeros[unit]) for unit in chosen)
        rest = share.sum().item() - sum(unit.share for unit in units)
        layers.append(Layer(units, len(share) - len(units), max(rest, 0.0), tuple(edges)))
    return Flows(component, path_sum, tuple(layers))


def _finite(shares: Tensor) -> Tensor:
    return torch.nan_to_num(shares)  # after an overflow they are infinity times a scale of 0


def _largest(share: Tensor, shown: set[int]) -> list[int]:
    """Return the units that are shown, the largest flow first and, among equal ones, the lowest number."""
    order = sorted(range(len(share)), key=lambda unit: (-share[unit].item(), unit))
    taken = sorted(order, key=lambda unit: unit not in shown)[:MOST_UNITS]
    return sorted(taken, key=order.index)


def _off(experiment: Experiment, net: nn.Sequential, x: Tensor) -> list[list[bool]]:
    """Return for each layer's units whether the slope that the machine computes is exactly 0."""
    found: list[list[bool]] = []
    for layer, activation in zip(linear_layers(net), activations_of(experiment), strict=True):
        module = net[2 * len(found) + 1]
        before = layer(x).detach().requires_grad_()
        x = module(before)
        slope = torch.ones_like(x) if activation.coupled else torch.autograd.grad(x.sum(), before)[0]
        found.append((slope == 0).tolist())
        x = x.detach()
    return found

"""One sum of a layer, traced twice: for a sample alone, and for the same sample in a batch."""

from dataclasses import dataclass
from math import isfinite

import torch
from torch import nn

from lib.batch.origins import Origin
from lib.batch.stages import Stages
from lib.batch.traced_sum import Term, TracedSum, trace
from lib.display.quantities import lowered
from lib.experiment.query import Experiment
from lib.replay.layers import layer_orders
from lib.replay.replay import unit_names


@dataclass(frozen=True)
class SharedSum:
    """A sum alone and in a batch. `name` is that of the unit whose pre-activation or gradient it is.

    Both have the same terms, unless their results are equal although something before the sum differs.
    """

    name: str
    alone: TracedSum
    batch: TracedSum

    @property
    def of_same_terms(self) -> bool:
        return self.alone.terms == self.batch.terms


def shared_sum(
    experiment: Experiment, net: nn.Sequential, sides: tuple[Stages, Stages], origin: Origin, size: int, row: int
) -> SharedSum | str:
    """Return the sum at an origin or, of an activation, the one before it, from the stages alone and in the batch.

    Where it cannot be shown, return a sentence that says why.
    """
    layer = origin.at // 2  # linear layers and activations alternate
    linear = net[2 * layer]
    assert isinstance(linear, nn.Linear)
    backward = origin == Origin("backward", 2 * layer, origin.unit)
    traced = []
    for side, (batch, place) in zip(sides, ((None, 0), (size, row)), strict=True):
        terms, result = (_backward if backward else _forward)(experiment, linear, layer, origin.unit, side)
        if not isfinite(result):
            return "A sum on the way to this component is infinite or NaN."
        orders = layer_orders(experiment, batch)
        order = next(
            one for one in orders if (one.layer, one.direction) == (layer + 1, "backward" if backward else "forward")
        )
        trees = (group.tree for group in order.groups if place in group.rows and origin.unit in group.columns)
        tree = next(trees, None)
        if tree is None:
            return order.reason
        found = trace(tree, terms, getattr(torch, experiment.dtype))
        if found.result != result:
            return "On this machine, the orders revealed do not give PyTorch's own bits here."
        traced.append(found)
    name = _names(experiment)[layer if backward else layer + 1][origin.unit]
    return SharedSum(name, traced[0], traced[1])


def _names(experiment: Experiment) -> list[list[str]]:
    return [[lowered(name) for name in names] for names in unit_names(experiment)]


def _forward(
    experiment: Experiment, linear: nn.Linear, layer: int, unit: int, side: Stages
) -> tuple[tuple[Term, ...], float]:
    """The terms w·h of a unit and its bias, and what came out."""
    factors = linear.weight[unit].tolist(), side.forward[2 * layer].tolist()
    products = zip(_names(experiment)[layer], *factors, strict=True)
    terms = *(Term(f"w·{name}", w, h) for name, w, h in products), Term("bias", None, linear.bias[unit].item())
    return terms, side.forward[2 * layer + 1][unit].item()


def _backward(
    experiment: Experiment, linear: nn.Linear, layer: int, unit: int, side: Stages
) -> tuple[tuple[Term, ...], float]:
    """The terms w·δ of the gradient of a layer's input, and what came out."""
    factors = linear.weight[:, unit].tolist(), side.backward[2 * layer + 1].tolist()
    products = zip(_names(experiment)[layer + 1], *factors, strict=True)
    terms = tuple(Term(f"w·δ({name})", w, delta) for name, w, delta in products)
    return terms, side.backward[2 * layer][unit].item()

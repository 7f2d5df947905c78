"""Where two evaluations of a network begin to differ, and which of these operations a component differs for.

NOTE [swaps]: many operations may differ first, and most of them are lost in later roundings. So one is named as a cause
only if the component changes when that operation alone comes out as in the other evaluation.
"""

from functools import partial
from math import isnan
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lib.batch.stages import Stages

_MOST_SWAPS = 64
_MOST_COST = 2**25  # multiplications of all swaps together, some ten milliseconds


class Origin(NamedTuple):
    """An operation whose operands are equal in two evaluations: it computes unit `unit` of what module `at` returns, a
    sum of a linear layer or an activation. In direction "backward" it computes the gradient with respect to what goes
    into the module."""

    direction: str
    at: int
    unit: int


class Cause(NamedTuple):
    """An origin, and what becomes of a component if only this operation comes out as in the other evaluation.

    `effect` is "all" if the component takes its value of the other evaluation, "part" if it takes a third one, and ""
    if it stays as it is.
    """

    origin: Origin
    effect: str


def cause(net: nn.Sequential, x: Tensor, sides: tuple[Stages, Stages], quantity: str, component: int) -> Cause:
    """Return the operation that best explains why a component differs from one evaluation, that of x, to the other.

    Those whose results differ most are tried first. If none has an effect, or the component is equal, it is the one
    whose results differ most; if nothing differs on the way, it is the component's own sum.
    """
    one, other = sides
    last = len(net) - 1
    own = Origin("forward", last - 1, component) if quantity == "output" else Origin("backward", 0, component)
    ways = [origin for origin in origins(net, one, other) if _leads_to(net, origin, quantity, component)]
    ways.sort(key=lambda origin: -_distance(result(one, origin), result(other, origin)))
    goal = Origin("forward", last, component) if quantity == "output" else own
    here, there = result(one, goal), result(other, goal)
    if not ways or not _distance(here, there):
        return Cause(ways[0] if ways else own, "")
    found = Cause(ways[0], "")
    cost = 3 * sum(weight.numel() for weight in net.parameters())  # of a pass, forward and backward
    for origin in ways[: max(4, min(_MOST_SWAPS, _MOST_COST // cost))]:
        y, gradient = swapped(net, x, origin, result(other, origin))
        value = (y if quantity == "output" else gradient)[component].item()
        if not _distance(value, there):
            return Cause(origin, "all")
        if not found.effect and _distance(value, here):
            found = Cause(origin, "part")
    return found


def origins(net: nn.Sequential, one: Stages, other: Stages) -> list[Origin]:
    """Return all operations that differ though their operands are equal, in the order of evaluation."""
    forward = [_apart(*values) for values in zip(one.forward, other.forward, strict=True)]
    backward = [_apart(*values) for values in zip(one.backward, other.backward, strict=True)]
    found = []
    for at, module in enumerate(net):
        found += [Origin("forward", at, unit) for unit in _begin(module, forward[at + 1], forward[at])]
    for at, module in reversed(list(enumerate(net))):
        saved = () if isinstance(module, nn.Linear) else (forward[at], forward[at + 1])  # what slopes are computed from
        found += [Origin("backward", at, unit) for unit in _begin(module, backward[at], backward[at + 1], *saved)]
    return found


def result(side: Stages, origin: Origin) -> float:
    """Return what an operation returned."""
    values = side.forward[origin.at + 1] if origin.direction == "forward" else side.backward[origin.at]
    return values[origin.unit].item()


def swapped(net: nn.Sequential, x: Tensor, origin: Origin, value: float) -> tuple[Tensor, Tensor]:
    """Return the outputs and the gradient of their sum for x, shape (inputs,), if one operation returned this value."""
    y = x = x.detach().clone().requires_grad_()
    for at, module in enumerate(net):
        if origin[:2] == ("backward", at):
            y.register_hook(partial(_with, origin.unit, value))
        y = module(y)
        if origin[:2] == ("forward", at):
            y.data[origin.unit] = value  # by .data, so that slopes that are computed from it follow, too
    (gradient,) = torch.autograd.grad(y, x, torch.ones_like(y))
    return y.detach(), gradient


def _with(unit: int, value: float, gradient: Tensor) -> Tensor:
    gradient = gradient.clone()
    gradient[unit] = value
    return gradient


def _begin(module: nn.Module, results: Tensor, *operands: Tensor) -> list[int]:
    """Return the units whose results differ, and none of whose operands does."""
    if isinstance(module, nn.Linear | nn.Softmax):
        begin = results if not any(part.any() for part in operands) else torch.zeros_like(results)
    else:
        begin = results & ~torch.stack(operands).any(0)
    return begin.nonzero().flatten().tolist()


def _leads_to(net: nn.Sequential, origin: Origin, quantity: str, component: int) -> bool:
    """Whether a component is computed from the result of an operation."""
    if quantity == "gradient":
        return origin.direction == "forward" or origin.at > 0 or origin.unit == component
    mixed_later = origin.at < len(net) - 2 or isinstance(net[-1], nn.Softmax) and origin.at == len(net) - 2
    return origin.direction == "forward" and (mixed_later or origin.unit == component)


def _apart(one: Tensor, other: Tensor) -> Tensor:
    return (one != other) & ~(one.isnan() & other.isnan())


def _distance(one: float, other: float) -> float:
    """Return how far apart two numbers are: 0 for two NaN or equal infinities, infinite if only one is finite."""
    if one == other or isnan(one) and isnan(other):
        return 0.0
    apart = abs(one - other)
    return float("inf") if isnan(apart) else apart

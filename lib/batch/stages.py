"""What a network computes on its way for one sample, alone or as a row of a batch, and where two such passes diverge.

NOTE [stages]: the values before and after each module, and the gradients of the summed outputs with respect to these,
are those of the evaluation itself: the modules are called one after the other with the tensors of a whole batch.
"""

from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Stages:
    """The values of one sample: `forward[k]` goes into module k, and the last one comes out of the network.

    `backward[k]` is the gradient of the sum of the outputs with respect to `forward[k]`. All are on the CPU, of shape
    (width,).
    """

    forward: tuple[Tensor, ...]
    backward: tuple[Tensor, ...]


class Origin(NamedTuple):
    """An operation whose operands are equal in two evaluations: the first on the way to a component that may differ.

    It computes unit `unit` of what module `at` returns: a sum of a linear layer, or an activation. In direction
    "backward" it computes the gradient with respect to what goes into the module.
    """

    direction: str
    at: int
    unit: int


def stages(net: nn.Sequential, x: Tensor, row: int | None = None) -> Stages:
    """Return the values of one sample, x of shape (inputs,), or of a row of a batch of shape (samples, inputs)."""
    values = [x.detach().clone().requires_grad_()]
    for module in net:
        values.append(module(values[-1]))
    gradients = torch.autograd.grad(values[-1], values, torch.ones_like(values[-1]))
    forward, backward = (
        tuple((part if row is None else part[row]).detach().cpu() for part in parts) for parts in (values, gradients)
    )
    return Stages(forward, backward)


def of_output(net: nn.Sequential, one: Stages, other: Stages, component: int) -> Origin:
    """Return where two evaluations of an output may first diverge, or that output's own sum if nothing differs.

    The way back from the output leads from each number that differs to one of its operands that does, the nearest.
    """
    return _back(net, one, other, len(net) - 1, component)


def of_gradient(net: nn.Sequential, one: Stages, other: Stages, component: int) -> Origin:
    """Return the same of a component of the gradient, which may lead to a slope and so into the forward pass."""
    at, unit = 0, component
    while True:
        module = net[at]
        units = _operands(module, unit)
        before = _nearest(one.backward[at + 1], other.backward[at + 1], units)
        if before is None and not isinstance(module, nn.Linear):  # slopes are computed from what the forward pass saved
            for place in at, at + 1:
                saved = _nearest(one.forward[place], other.forward[place], units)
                if saved is not None:
                    return _back(net, one, other, place - 1, saved)
        if before is None:
            return Origin("backward", at, unit)
        at, unit = at + 1, before


def _back(net: nn.Sequential, one: Stages, other: Stages, at: int, unit: int) -> Origin:
    """Go back from unit `unit` of what module `at` returns."""
    while at > 0:
        before = _nearest(one.forward[at], other.forward[at], _operands(net[at], unit))
        if before is None:
            activates = not isinstance(net[at], nn.Linear)
            if not activates or one.forward[at + 1][unit] != other.forward[at + 1][unit]:
                break
            before = unit  # the activation of equal numbers is equal: their sum is what can be shown
        at, unit = at - 1, before
    return Origin("forward", at, unit)


def _operands(module: nn.Module, unit: int) -> list[int] | None:
    """Return the units from which a module computes one unit, None for all of them: only some activations are
    elementwise."""
    return None if isinstance(module, nn.Linear | nn.Softmax) else [unit]


def _nearest(one: Tensor, other: Tensor, units: list[int] | None = None) -> int | None:
    """Return the unit whose two values differ by the least, None if all are equal; NaN equals NaN."""
    places = range(len(one)) if units is None else units
    pairs = [(unit, one[unit].item(), other[unit].item()) for unit in places]
    apart = [(isnan(a - b), abs(a - b), unit) for unit, a, b in pairs if a != b and not (isnan(a) and isnan(b))]
    return min(apart)[2] if apart else None

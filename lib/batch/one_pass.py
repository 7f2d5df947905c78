"""One pass through the network: its outputs and its gradient in one vector, and every value on the way to them.

The gradient is the backward gradient or, if the visitor asks for it, the summed Jacobian by the experiment's method.

NOTE [values]: the values on the way are those of the pass itself: the modules are called one after the other with the
tensors of a whole batch, and a row of these is looked at.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.experiment.choices import GRADIENTS, complete
from lib.network.comparison import JACOBIAN, Subject, Way


def _backward(subject: Subject, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    y = subject.net(x)
    y.backward(torch.ones_like(y))
    return torch.cat([y.detach(), x.grad], -1)


def _by_method(subject: Subject, x: Tensor) -> Tensor:
    return torch.cat([subject.net(x), JACOBIAN(subject, x)], -1)


PASSES = complete(
    "gradient",
    GRADIENTS,
    {"backward": Way("y = net(x); y.backward(ones)", _backward), "method": Way("y = net(x); J.sum(0)", _by_method)},
)
"""The ways to compute both for x of shape (..., inputs), as vectors of shape (..., outputs + inputs)."""

QUANTITIES = ("output", "gradient")
"""What is compared: the two parts of the vector, in their order."""


@dataclass(frozen=True)
class Values:
    """The values of one sample: `forward[k]` goes into module k, and the last one comes out of the network.

    `backward[k]` is the gradient of the sum of the outputs with respect to `forward[k]`. All are on the CPU, of shape
    (width,).
    """

    forward: tuple[Tensor, ...]
    backward: tuple[Tensor, ...]


def values(net: nn.Sequential, x: Tensor, row: int | None = None) -> Values:
    """Return the values of one sample, x of shape (inputs,), or of a row of a batch of shape (samples, inputs)."""
    on_the_way = [x.detach().clone().requires_grad_()]
    for module in net:
        on_the_way.append(module(on_the_way[-1]))
    gradients = torch.autograd.grad(on_the_way[-1], on_the_way, torch.ones_like(on_the_way[-1]))
    rows = [[part if row is None else part[row] for part in parts] for parts in (on_the_way, gradients)]
    forward, backward = (tuple(part.detach().cpu() for part in parts) for parts in rows)
    return Values(forward, backward)

"""One pass through the network: its outputs and its gradient, side by side in one vector.

The gradient is the backward gradient or, if the visitor asks for it, the summed Jacobian by the experiment's method.
"""

import torch
from torch import Tensor

from lib.experiment.choices import GRADIENTS
from lib.experiment.rows import complete
from lib.network.comparison import JACOBIAN, Subject, Way


def _backward(subject: Subject, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    y = subject.net(x)
    y.backward(torch.ones_like(y))
    return torch.cat([y.detach(), x.grad], -1)


def _by_method(subject: Subject, x: Tensor) -> Tensor:
    return torch.cat([subject.net(x), JACOBIAN(subject, x)], -1)


EVALUATED = complete(
    "gradient",
    GRADIENTS,
    {"backward": Way("y = net(x); y.backward(ones)", _backward), "method": Way("y = net(x); J.sum(0)", _by_method)},
)
"""The ways to compute both for x of shape (..., inputs), as vectors of shape (..., outputs + inputs)."""

QUANTITIES = ("output", "gradient")
"""What is compared: the two parts of the vector, in their order."""

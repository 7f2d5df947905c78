"""What a network computes on its way for one sample, alone or as a row of a batch, and where two such passes diverge.

NOTE [stages]: the values before and after each module, and the gradients of the summed outputs with respect to these,
are those of the evaluation itself: the modules are called one after the other with the tensors of a whole batch.
"""

from dataclasses import dataclass

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

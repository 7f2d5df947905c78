"""Why one gradient is closer more often: what the two ways do differently, and how to switch each difference off.

Each mechanism changes one side, or both in the same way, and leaves everything else to PyTorch's kernels. If the lean
changes, what was switched off is one of its causes; otherwise it is none. If both sides then have the same values, no
lean is left.

NOTE [the same slopes]: a gradient that is computed here with fewer roundings keeps the activations and the slopes of
the network's own forward pass in its dtype. Both gradients contain the errors of these; without them, a gradient would
be closer for that reason alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn
from torch.autograd import grad

from lib.floats.line import round_once
from lib.network.comparison import (
    BACKWARD,
    BACKWARD_ROW_BY_ROW,
    JACOBIAN,
    PLAIN,
    Comparison,
    Subject,
    Way,
    add_in_order,
)

SCALE = 2.0**10
"""The factor of the scaling: a power of two, as in loss scaling, so that only subnormal numbers round differently."""


@dataclass(frozen=True)
class Mechanism(Comparison):
    """The comparison with one mechanism switched off: `label` names the mechanism, and `how` says how it is done.

    `needs_wider` says that float64 must be wider than the dtype of x.
    """

    how: str = field(kw_only=True)
    needs_wider: bool = field(kw_only=True)


def _rows_in_order(subject: Subject, x: Tensor) -> Tensor:
    """Add the rows one after the other; 16-bit rows in float32, as `J.sum(0)` does, so that only the order differs."""
    rows = subject.jacobian(x)
    return add_in_order(rows.float() if rows.element_size() == 2 else rows).to(x.dtype)


def _exact_dots(subject: Subject, x: Tensor) -> Tensor:
    ones = torch.ones(subject.experiment.outputs)
    pulled = _pull_back(subject.net, x, ones, lambda gradient: round_once(gradient, x.dtype).double())
    return round_once(pulled, x.dtype)


def _wide_rows(subject: Subject, x: Tensor) -> Tensor:
    outputs = subject.experiment.outputs
    one_hot = torch.eye(outputs).reshape(outputs, *[1] * (x.dim() - 1), outputs)
    return round_once(_pull_back(subject.net, x, one_hot, lambda gradient: gradient).sum(0), x.dtype)


def _scaled(way: Way, code: str) -> Way:
    """Scale the outputs by `SCALE`, and divide the gradient by it in float64, since the dtype might round again."""

    def scaled(subject: Subject, x: Tensor) -> Tensor:
        return way(replace(subject, net=nn.Sequential(*subject.net, _Times(SCALE))), x).cpu().double() / SCALE

    return Way(code, scaled)


MECHANISMS = {
    PLAIN: Mechanism("nothing", BACKWARD, JACOBIAN, how="PyTorch as it is", needs_wider=False),
    "cascade": Mechanism(
        "the order in which J.sum(0) adds",
        BACKWARD,
        Way("J[0] + J[1] + …", _rows_in_order),
        how="rows are added one after the other",
        needs_wider=False,
    ),
    "partial-sums": Mechanism(
        "the rounding of partial sums in backward()",
        Way("backward() by hand, W.T @ g in float64 and rounded", _exact_dots),
        JACOBIAN,
        how="each dot product is rounded once",
        needs_wider=True,
    ),
    "rows": Mechanism(
        "the rounding of rows",
        BACKWARD,
        Way("rows by hand in float64, their sum rounded once", _wide_rows),
        how="each is kept in float64 until all are added",
        needs_wider=True,
    ),
    "one-pass": Mechanism(
        "the single pass of backward() for all outputs",
        BACKWARD_ROW_BY_ROW,
        JACOBIAN,
        how="one pass for each output, as for the Jacobian",
        needs_wider=False,
    ),
    "subnormals": Mechanism(
        "subnormal numbers",
        _scaled(BACKWARD, f"net(x) * {SCALE:.0f}: y.backward(ones) / {SCALE:.0f}"),
        _scaled(JACOBIAN, f"J.sum(0) / {SCALE:.0f}"),
        how="cotangents are scaled up by a power of two, as loss scaling does",
        needs_wider=False,
    ),
}


class _Times(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self._factor = factor

    def forward(self, y: Tensor) -> Tensor:
        return y * self._factor


def _pull_back(net: nn.Sequential, x: Tensor, cotangent: Tensor, kept: Callable[[Tensor], Tensor]) -> Tensor:
    """The gradient of the outputs times a cotangent, computed layer by layer in float64 on the CPU.

    After each layer, `kept` is applied to the gradient; the slopes are those of NOTE [the same slopes]. x has shape
    (..., inputs), and the cotangent a shape that broadcasts with (..., outputs); the gradient has the broadcast shape,
    with inputs in the last place.
    """
    given, y = [], x.detach()
    for layer in net:
        given.append(y)
        y = layer(y)
    gradient = cotangent.double()
    for layer, before in zip(reversed(net), reversed(given), strict=True):
        if isinstance(layer, nn.Linear):
            gradient = gradient @ layer.weight.cpu().double()
        elif isinstance(layer, nn.Softmax):  # not elementwise, so it has no slopes
            result = layer(before).cpu().double()
            gradient = result * (gradient - (result * gradient).sum(-1, keepdim=True))
        else:
            leaf = before.clone().requires_grad_()
            (slope,) = grad(layer(leaf), leaf, torch.ones_like(leaf))
            gradient = gradient * slope.cpu().double()
        gradient = kept(gradient)
    return gradient

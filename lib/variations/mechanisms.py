"""Why one gradient is closer more often: what the two ways do differently, each with a way to switch it off.

Each experiment changes one side, or both in the same way, and leaves everything else to PyTorch's kernels. If the lean
changes with it, what was switched off is a cause of the lean; if not, it is none. Where both sides get the same values,
no lean is left.

NOTE [the same slopes]: a gradient that is computed here with fewer roundings keeps the activations and the slopes that
the network's own forward pass gave in its dtype. Their errors are in both gradients; if one of them were spared these,
it would be closer for that reason alone.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.autograd import grad

from lib.floats.line import round_once
from lib.network.jacobians import METHODS, backward_gradient
from lib.variations.remedy import Sides, backward_row_by_row

METHOD = "functional"
"""The method whose Jacobian is compared: the post's own."""

SCALE = 2.0**10
"""As of loss scaling: a power of two, so that only what is below the normal range is rounded differently."""


@dataclass(frozen=True)
class Mechanism:
    """What is switched `off`, and `how`; the `code` of both sides then, and both as a function of a network and x.
    `needs_wider`: it needs a dtype wider than that of x, which is float64."""

    off: str
    how: str
    code: str
    sides: Callable[[nn.Sequential, Tensor], Sides]
    needs_wider: bool = False


def _plain(net: nn.Sequential, x: Tensor) -> Sides:
    return backward_gradient(net, x), _rows(net, x).sum(-2)


def _rows_in_turn(net: nn.Sequential, x: Tensor) -> Sides:
    """16-bit rows are added in float32, as `J.sum(0)` adds them, so that only the order is another."""
    rows = _rows(net, x)
    first, *others = (rows.float() if rows.element_size() == 2 else rows).unbind(-2)
    return backward_gradient(net, x), sum(others, start=first).to(x.dtype)


def _exact_dots(net: nn.Sequential, x: Tensor) -> Sides:
    pulled = _pull_back(net, x, torch.ones(net(x).shape[-1]), lambda gradient: round_once(gradient, x.dtype).double())
    return round_once(pulled, x.dtype), _rows(net, x).sum(-2)


def _wide_rows(net: nn.Sequential, x: Tensor) -> Sides:
    outputs = net(x).shape[-1]
    one_hot = torch.eye(outputs).reshape(outputs, *[1] * (x.dim() - 1), outputs)
    rows = _pull_back(net, x, one_hot, lambda gradient: gradient)
    return backward_gradient(net, x), round_once(rows.sum(0), x.dtype)


def _one_backward_per_output(net: nn.Sequential, x: Tensor) -> Sides:
    return backward_row_by_row(net, x), _rows(net, x).sum(-2)


def _scaled(net: nn.Sequential, x: Tensor) -> Sides:
    """Divided in float64, which holds what the dtype would have to round again."""
    return tuple(side.cpu().double() / SCALE for side in _plain(nn.Sequential(*net, _Times(SCALE)), x))


PLAIN = "none"
"""The name of the comparison in which nothing is switched off."""

MECHANISMS = {
    PLAIN: Mechanism("nothing", "as PyTorch does it", "y.backward(ones)  ·  J.sum(0)", _plain),
    "cascade": Mechanism(
        "the order in which J.sum(0) adds",
        "rows are added one after the other",
        "y.backward(ones)  ·  J[0] + J[1] + …",
        _rows_in_turn,
    ),
    "partial-sums": Mechanism(
        "the rounding of partial sums in backward()",
        "each dot product is rounded once",
        "backward() by hand, W.T @ g in float64 and rounded  ·  J.sum(0)",
        _exact_dots,
        needs_wider=True,
    ),
    "rows": Mechanism(
        "the rounding of rows",
        "each is kept in float64 until all are added",
        "y.backward(ones)  ·  rows by hand in float64, their sum rounded once",
        _wide_rows,
        needs_wider=True,
    ),
    "one-pass": Mechanism(
        "the single pass of backward() for all outputs",
        "it goes back once for each output, as the Jacobian does",
        "for y_i in y: y_i.backward(retain_graph=True)  ·  J.sum(0)",
        _one_backward_per_output,
    ),
    "subnormals": Mechanism(
        "subnormal numbers",
        "cotangents are scaled up by a power of two, as loss scaling does",
        f"net(x) * {SCALE:.0f}: y.backward(ones) / {SCALE:.0f}  ·  J.sum(0) / {SCALE:.0f}",
        _scaled,
    ),
}


class _Times(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self._factor = factor

    def forward(self, y: Tensor) -> Tensor:
        return y * self._factor


def _rows(net: nn.Module, x: Tensor) -> Tensor:
    return METHODS[METHOD](net, x)


def _pull_back(net: nn.Sequential, x: Tensor, cotangent: Tensor, kept: Callable[[Tensor], Tensor]) -> Tensor:
    """The gradient of the outputs times a cotangent, float64 on the CPU: layer by layer in float64, with what is `kept`
    of the gradient after each; NOTE [the same slopes].

    x has shape (..., inputs), the cotangent a shape that broadcasts with (..., outputs), the gradient likewise.
    """
    given, y = [], x.detach()
    for layer in net:
        given.append(y)
        y = layer(y)
    gradient = cotangent.double()
    for layer, before in zip(reversed(net), reversed(given), strict=True):
        if isinstance(layer, nn.Linear):
            gradient = gradient @ layer.weight.cpu().double()
        elif isinstance(layer, nn.Softmax):  # no slope of each output alone
            result = layer(before).cpu().double()
            gradient = result * (gradient - (result * gradient).sum(-1, keepdim=True))
        else:
            leaf = before.clone().requires_grad_()
            (slope,) = grad(layer(leaf), leaf, torch.ones_like(leaf))
            gradient = gradient * slope.cpu().double()
        gradient = kept(gradient)
    return gradient

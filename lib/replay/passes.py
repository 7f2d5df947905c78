"""What both ways compute between the layers of a network for one sample, and the orders in which they add.

NOTE [passes]: the gradients of a module's output are those that the modules behind it send back, so they are computed
by the same method, for the rest of the network at that output. A method whose forward pass makes the same calls as that
of `backward()` has the same gradients on its way from the outputs to x; whether it has is seen in the end, in the bits
of its result.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.network.jacobians import METHODS, backward_gradient
from lib.replay.named import dot_order, row_orders, sum_order
from lib.replay.orders import Order, add_up


@dataclass(frozen=True)
class Pass:
    """The gradients of x and of each module's output, shape (rows, width): one row for `backward()`, or one per output.

    `orders` are the orders in which the linear layer at each place of the network adds, by place, for each row; and
    `result` is PyTorch's own result for x, shape (inputs,), the sum of the rows, added in `sum_order`.
    """

    gradients: list[Tensor]
    orders: dict[int, list[Order | None]]
    result: Tensor
    sum_order: Order | None


def backward_pass(net: nn.Sequential, x: Tensor, place: int = 0) -> Pass:
    """Return the pass of `backward()` for the sample x, shape (inputs,), or for the one at a place of a block."""
    batch, sample = _batch(x), place if x.dim() > 1 else 0
    ones = torch.ones(1, _outputs(net), dtype=x.dtype)
    orders: dict[int, list[Order | None]] = {
        at: [dot_order(layer.weight.shape, x.dtype, batch=batch, sample=sample)] for at, layer in _linear(net)
    }
    gradients = _gradients(lambda rest, inner: backward_gradient(rest, inner).unsqueeze(-2), net, x, sample)
    result = gradients[0][0]
    return Pass([*gradients, ones], orders, result, sum_order((1, len(result)), x.dtype))


def jacobian_pass(method: str, net: nn.Sequential, x: Tensor, place: int = 0) -> Pass:
    """Return the same for the rows of the Jacobian by a method that returns rows, in reverse mode."""
    batch, sample, outputs = _batch(x), place if x.dim() > 1 else 0, _outputs(net)
    orders = {
        at: row_orders(method, outputs, layer.weight.shape, x.dtype, batch=batch, sample=sample)
        for at, layer in _linear(net)
    }
    gradients = _gradients(METHODS[method], net, x, sample)
    jacobian = METHODS[method](net, x).detach()
    order = sum_order((outputs, x.shape[-1]), x.dtype, method=method, batch=batch, sample=sample)
    result = jacobian.sum(-2)
    return Pass(
        [*gradients, torch.eye(outputs, dtype=x.dtype)], orders, result if batch is None else result[sample], order
    )


def _gradients(
    differentiate: Callable[[nn.Sequential, Tensor], Tensor], net: nn.Sequential, x: Tensor, sample: int
) -> list[Tensor]:
    modules, gradients, inner = list(net), [], x.detach()
    for at in range(len(net)):
        rows = differentiate(nn.Sequential(*modules[at:]), inner).detach()
        gradients.append(rows if x.dim() == 1 else rows[sample])
        inner = modules[at](inner)
    return gradients


def _batch(x: Tensor) -> int | None:
    return len(x) if x.dim() > 1 else None


def _linear(net: nn.Sequential) -> list[tuple[int, nn.Linear]]:
    return [(at, module) for at, module in enumerate(net) if isinstance(module, nn.Linear)]


def _outputs(net: nn.Sequential) -> int:
    return _linear(net)[-1][1].out_features


def differs(net: nn.Sequential, of: Pass) -> str:
    """Say why a pass cannot be replayed, or return "" if it can: in its orders, it has PyTorch's own bits."""
    if not all(gradient.isfinite().all() for gradient in [*of.gradients, of.result]):
        return "A gradient of this sample is infinite or NaN."
    for at, layer in _linear(net):
        for order in dict.fromkeys(of.orders[at]):
            if order is None:
                return _unknown(*layer.weight.shape)
            rows = [row for row, of_row in enumerate(of.orders[at]) if of_row is order]
            if not torch.equal(add_up(order, of.gradients[at + 1][rows], layer.weight), of.gradients[at][rows]):
                return _OTHER_BITS
    last = of.gradients[0]
    if of.sum_order is None:
        return _unknown(*last.shape)
    same = torch.equal(add_up(of.sum_order, torch.ones_like(last[:, :1].T), last)[0], of.result)
    return "" if same else _OTHER_BITS


_OTHER_BITS = "On this machine, the replay does not reproduce PyTorch's own values."


def _unknown(terms: int, columns: int) -> str:
    return f"The order in which this machine adds {terms} terms in each of {columns} columns is not known."

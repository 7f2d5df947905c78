"""What both ways compute between the layers of a network for one sample, and the orders in which they add.

NOTE [passes]: the gradients of a module's output are those that the modules behind it send back, so they are computed
by the same method, for the rest of the network at that output. A method whose forward pass makes the same calls as that
of `backward()` has the same gradients on its way from the outputs to x; whether it has is seen in the end, in the bits
of its result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.experiment.methods import METHODS as ROWS
from lib.network.jacobians import METHODS, backward_gradient
from lib.replay.kernels import backward, by_method, sum_by_method
from lib.replay.orders import Orders, orders_of
from lib.replay.steps import Step, in_steps

OTHER_BITS = "On this machine, the replay does not reproduce PyTorch's own values."


@dataclass(frozen=True)
class Pass:
    """The gradients of x and of each module's output, shape (rows, width): one row for `backward()`, or one per output.

    `orders` are those of the linear layer at each place of the network, and `rows` says which row of the layers'
    products each row is. `result` is PyTorch's own result for x, shape (inputs,), the sum of the rows: row `place` of a
    product with `sum_orders`.
    """

    gradients: list[Tensor]
    orders: dict[int, Orders]
    rows: list[int]
    result: Tensor
    sum_orders: Orders
    place: int

    def steps(self, at: int, weight: Tensor, unit: int, names: Sequence[Sequence[str]]) -> list[tuple[Step, ...]]:
        """Return the steps of each row's gradient of a unit that goes into the layer at a place of the network.

        `weight` is the layer's, and `names` are those of the layer's units, for each row.
        """
        weights, found = weight[:, unit].tolist(), []
        for row, vector, of_row in zip(self.rows, self.gradients[at + 1].tolist(), names, strict=True):
            labels = (f"{name}: w·δ" for name in of_row)
            terms = list(zip(labels, weights, vector, strict=True))
            found.append(in_steps(self.orders[at].tree(row, unit), terms, weight.dtype))
        return found


def pass_of(method: str | None, net: nn.Sequential, x: Tensor, place: int = 0) -> Pass:
    """Return the pass of a method that returns rows in reverse mode, or that of `backward()` if it is None.

    x is a sample, shape (inputs,), or a block of them, and `place` that of the sample in the block.
    """
    batch, modules = (len(x) if x.dim() > 1 else None), list(net)
    times, outputs = batch or 1, net(x).shape[-1]
    count = outputs if method else 1
    at_once = method if method and ROWS[method].batched else None  # otherwise one pass per output, like `backward()`'s
    rows = [place * outputs + output for output in range(outputs)] if at_once else [place] * count
    gradients, orders, inner = [], {}, x.detach()
    for at, module in enumerate(modules):
        rest = nn.Sequential(*modules[at:])
        found = METHODS[method](rest, inner) if method else backward_gradient(rest, inner).unsqueeze(-2)
        gradients.append(found.detach().reshape(times, count, -1)[place])
        if isinstance(module, nn.Linear):
            shape = *module.weight.shape, x.dtype
            orders[at] = (
                orders_of(by_method, (at_once, batch), outputs, *shape)
                if at_once
                else orders_of(backward, (batch,), times, *shape)
            )
        if at == 0:
            result = found.detach().sum(-2).reshape(times, -1)[place]
        inner = module(inner)
    gradients.append(torch.eye(outputs, dtype=x.dtype) if method else torch.ones(1, outputs, dtype=x.dtype))
    if not method:  # the sum of a single row
        place, batch = 0, None
    last = gradients[0]
    sum_orders = orders_of(sum_by_method, (method or "functional", batch), 1, *last.shape, x.dtype, count)
    return Pass(gradients, orders, rows, result, sum_orders, place)


def differs(net: nn.Sequential, of: Pass) -> str:
    """Say why a pass cannot be replayed, or return "" if it can: in its orders, it has PyTorch's own bits."""
    if not all(gradient.isfinite().all() for gradient in [*of.gradients, of.result]):
        return "A gradient of this sample is infinite or NaN."
    products: list[tuple[Orders, list[int], Tensor, Tensor, Tensor]] = [
        (orders, of.rows, of.gradients[at + 1], net.get_parameter(f"{at}.weight"), of.gradients[at])
        for at, orders in of.orders.items()
    ]
    last = of.gradients[0]
    products.append((of.sum_orders, [of.place], torch.ones_like(last[:, :1].T), last, of.result[None]))
    for orders, rows, vectors, matrix, by_torch in products:
        if orders.reason:
            return orders.reason
        if not torch.equal(orders.product(rows, vectors, matrix), by_torch):
            return OTHER_BITS
    return ""

"""What both ways compute between the layers of a network for one sample, and in which orders.

NOTE [passes]: the gradient of a module's output is computed by applying the method to the rest of
the network after that module. If the method's forward pass makes the same calls as that of
`backward()`, the method computes the same gradient on its way through the whole network. Whether it
does is checked at the end: the dot products of these gradients must have PyTorch's values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.experiment.methods import METHODS
from lib.network.jacobians import JACOBIANS, backward_gradient
from lib.replay.kernels import backward, by_method, sum_by_method
from lib.replay.orders import Orders, orders_of
from lib.replay.steps import Step, in_steps

OTHER_BITS = "On this machine, the replay does not reproduce PyTorch's own values."


@dataclass(frozen=True)
class Pass:
    """A way from the outputs back to x: NOTE [passes].

    Args:
        gradients: of each module's input, shape (rows, width): one row for `backward()`,
            or one per output.
        orders: the orders of each linear layer, by its index in the network.
        rows: for each row of the gradients, the number of its row in a kernel's product.
        result: PyTorch's own result for x, shape (inputs,): the sum of the rows.
        sum_orders: the orders of the sum of rows.
        sum_row: the number of the result's row in the product of the kernel that sums rows.
    """

    gradients: list[Tensor]
    orders: dict[int, Orders]
    rows: list[int]
    result: Tensor
    sum_orders: Orders
    sum_row: int

    def steps(
        self, layer_index: int, weight: Tensor, unit: int, names: Sequence[Sequence[str]]
    ) -> list[tuple[Step, ...]]:
        """Return the steps of the gradient of one input of a linear layer, for each row.

        Args:
            layer_index: the index of the layer in the network, among all its modules.
            weight: the weight of the layer, shape (outputs, inputs).
            unit: the number of the input.
            names: for each row, the names of the outputs of the layer.
        """
        weights = weight[:, unit].tolist()
        deltas = self.gradients[layer_index + 1].tolist()
        steps = []
        for row, of_row, units in zip(self.rows, deltas, names, strict=True):
            labels = [f"{name}: w·δ" for name in units]
            terms = list(zip(labels, weights, of_row, strict=True))
            steps.append(in_steps(self.orders[layer_index].tree(row, unit), terms, weight.dtype))
        return steps


def pass_of(method: str | None, net: nn.Sequential, x: Tensor, sample_row: int = 0) -> Pass:
    """Return the pass of a method that returns rows in reverse mode, or that of `backward()`.

    Args:
        method: the name of the method, or None for `backward()`.
        net: the network.
        x: a sample, shape (inputs,), or a block of samples, shape (samples, inputs).
        sample_row: the row of the sample in the block.
    """
    batch = len(x) if x.dim() > 1 else None
    outputs = net(x).shape[-1]
    count = outputs if method else 1
    # Other methods make one pass per output, like that of `backward()`.
    all_at_once = method and METHODS[method].batched
    rows = [sample_row] * count
    if all_at_once:
        rows = [sample_row * outputs + output for output in range(outputs)]
    gradients = []
    orders = {}
    inner = x.detach()
    for k, module in enumerate(net):
        rest = nn.Sequential(*list(net)[k:])
        if method:
            by_torch = JACOBIANS[method](rest, inner).detach()
        else:
            by_torch = backward_gradient(rest, inner).unsqueeze(-2)
        gradients.append(by_torch.reshape(batch or 1, count, -1)[sample_row])
        if k == 0:
            result = by_torch.sum(-2).reshape(batch or 1, -1)[sample_row]
        if isinstance(module, nn.Linear):
            shape = *module.weight.shape, x.dtype
            if all_at_once:
                orders[k] = orders_of(by_method, (method, batch), outputs, *shape)
            else:
                orders[k] = orders_of(backward, (batch,), batch or 1, *shape)
        inner = module(inner)
    if not method:
        # The sum of a single row.
        method, batch, sample_row = "functional", None, 0
    inputs = gradients[0].shape[1]
    sum_orders = orders_of(sum_by_method, (method, batch), 1, count, inputs, x.dtype, count)
    return Pass(gradients, orders, rows, result, sum_orders, sample_row)


def why_not_verified(net: nn.Sequential, way: Pass) -> str:
    """Say why a pass cannot be replayed, or return "" if its orders give PyTorch's values."""
    if not all(gradient.isfinite().all() for gradient in [*way.gradients, way.result]):
        return "A gradient of this sample is infinite or NaN."
    rows = way.gradients[0]
    ones = torch.ones_like(rows[:, :1].T)
    products = [(way.sum_orders, [way.sum_row], ones, rows, way.result[None])]
    for k, orders in way.orders.items():
        weight = net.get_parameter(f"{k}.weight")
        products.append((orders, way.rows, way.gradients[k + 1], weight, way.gradients[k]))
    for orders, numbers, vectors, matrix, by_torch in products:
        if orders.reason:
            return orders.reason
        if not torch.equal(orders.product(numbers, vectors, matrix), by_torch):
            return OTHER_BITS
    return ""

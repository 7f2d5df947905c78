"""What both ways compute between the layers of a network for one sample, and in which orders.

NOTE [passes]: the gradients of a module's output are those that the modules behind it send back, so
they are computed by the same method, for the rest of the network at that output. A method whose
forward pass makes the same calls as that of `backward()` has the same gradients on its way from the
outputs to x. Whether it has is seen in the end, in the bits of its result.
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
        gradients: of x and of each module's output, shape (rows, width): one row for `backward()`,
            or one per output.
        orders: of each linear layer, by its index in the network.
        rows: which row of the layers' products each row is.
        result: PyTorch's own result for x, shape (inputs,): the sum of the rows.
        sum_orders: of the sum of rows.
        sum_row: which row of that sum the result is.
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
        """Return the steps of each row's gradient of a unit that goes into a linear layer.

        Args:
            layer_index: the index of the layer in the network, among all its modules.
            weight: the layer's, shape (outputs, inputs).
            unit: the number of the unit, below `inputs`.
            names: those of the layer's units, for each row.
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
        x: a sample, shape (inputs,), or a block of them.
        sample_row: that of the sample in the block.
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
    ones = torch.eye(outputs) if method else torch.ones(1, outputs)
    gradients.append(ones.to(x.dtype))
    if not method:  # the sum of a single row
        method, batch, sample_row = "functional", None, 0
    inputs = gradients[0].shape[1]
    sum_orders = orders_of(sum_by_method, (method, batch), 1, count, inputs, x.dtype, count)
    return Pass(gradients, orders, rows, result, sum_orders, sample_row)


def why_not_verified(net: nn.Sequential, way: Pass) -> str:
    """Say why a pass cannot be replayed, or return "" if in its orders it has PyTorch's bits."""
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

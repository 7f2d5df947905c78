"""What both ways compute between the layers of a network for one sample, the orders in which they
add, and the first operation at which they diverge.

NOTE [passes]: the gradients of a module's output are those that the modules behind it send back, so
they are computed by the same method, for the rest of the network at that output. A method whose
forward pass makes the same calls as that of `backward()` has the same gradients on its way from the
outputs to x; whether it has is seen in the end, in the bits of its result.

NOTE [first divergence]: on paper, every number in the backward pass is the sum over the outputs of
its counterparts in the rows. The evaluations diverge at the first operation whose result is not
exactly that sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Self

import torch
from torch import Tensor, nn

from lib.experiment.methods import METHODS as ROWS
from lib.network.jacobians import METHODS, backward_gradient
from lib.replay.kernels import backward, by_method, sum_by_method
from lib.replay.orders import Orders, orders_of
from lib.replay.steps import ROUNDING, Step, in_steps

OTHER_BITS = "On this machine, the replay does not reproduce PyTorch's own values."


@dataclass(frozen=True)
class Pass:
    """The gradients of x and of each module's output, shape (rows, width): one row for
    `backward()`, or one per output.

    `orders` are those of the linear layer at each place of the network, and `rows` says which row
    of the layers' products each row is. `result` is PyTorch's own result for x, shape (inputs,),
    the sum of the rows: row `place` of a product with `sum_orders`.
    """

    gradients: list[Tensor]
    orders: dict[int, Orders]
    rows: list[int]
    result: Tensor
    sum_orders: Orders
    place: int

    def steps(
        self, at: int, weight: Tensor, unit: int, names: Sequence[Sequence[str]]
    ) -> list[tuple[Step, ...]]:
        """Return the steps of each row's gradient of a unit that goes into the layer at a place of
        the network.

        `weight` is the layer's, and `names` are those of the layer's units, for each row.
        """
        weights, found = weight[:, unit].tolist(), []
        for row, vector, of_row in zip(
            self.rows, self.gradients[at + 1].tolist(), names, strict=True
        ):
            labels = (f"{name}: w·δ" for name in of_row)
            terms = list(zip(labels, weights, vector, strict=True))
            found.append(in_steps(self.orders[at].tree(row, unit), terms, weight.dtype))
        return found


def pass_of(method: str | None, net: nn.Sequential, x: Tensor, place: int = 0) -> Pass:
    """Return the pass of a method that returns rows in reverse mode, or that of `backward()` if it
    is None.

    x is a sample, shape (inputs,), or a block of them, and `place` that of the sample in the block.
    """
    batch, modules = (len(x) if x.dim() > 1 else None), list(net)
    times, outputs = batch or 1, net(x).shape[-1]
    count = outputs if method else 1
    at_once = (
        method if method and ROWS[method].batched else None
    )  # otherwise one pass per output, like `backward()`'s
    rows = [place * outputs + output for output in range(outputs)] if at_once else [place] * count
    gradients, orders, inner = [], {}, x.detach()
    for at, module in enumerate(modules):
        rest = nn.Sequential(*modules[at:])
        found = (
            METHODS[method](rest, inner) if method else backward_gradient(rest, inner).unsqueeze(-2)
        )
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
    gradients.append(
        torch.eye(outputs, dtype=x.dtype) if method else torch.ones(1, outputs, dtype=x.dtype)
    )
    if not method:  # the sum of a single row
        place, batch = 0, None
    last = gradients[0]
    sum_orders = orders_of(
        sum_by_method, (method or "functional", batch), 1, *last.shape, x.dtype, count
    )
    return Pass(gradients, orders, rows, result, sum_orders, place)


def differs(net: nn.Sequential, of: Pass) -> str:
    """Say why a pass cannot be replayed, or return "" if it can: in its orders, it has PyTorch's
    own bits."""
    if not all(gradient.isfinite().all() for gradient in [*of.gradients, of.result]):
        return "A gradient of this sample is infinite or NaN."
    products: list[tuple[Orders, list[int], Tensor, Tensor, Tensor]] = [
        (orders, of.rows, of.gradients[at + 1], net.get_parameter(f"{at}.weight"), of.gradients[at])
        for at, orders in of.orders.items()
    ]
    last = of.gradients[0]
    products.append(
        (of.sum_orders, [of.place], torch.ones_like(last[:, :1].T), last, of.result[None])
    )
    for orders, rows, vectors, matrix, by_torch in products:
        if orders.reason:
            return orders.reason
        if not torch.equal(orders.product(rows, vectors, matrix), by_torch):
            return OTHER_BITS
    return ""


@dataclass(frozen=True)
class FirstDivergence:
    """The first operation whose backward result is not exactly the sum of the rows' results: NOTE
    [first divergence].

    `operation` says what the operation does in the gradient of `unit`: "product" or "sum" (in a dot
    product), "order" (of a dot product that is added in different orders), "rounding" (of a dot
    product to 16 bits), "slope" (of an activation) or "sum of rows". `step` is the operation
    itself, in the backward gradient unless it is a sum of rows; it is None for a slope and where
    the orders differ, since operations then have no counterparts.
    """

    operation: str
    unit: str
    backward: float
    rows: tuple[float, ...]
    exact: Fraction
    step: Step | None

    @classmethod
    def of(
        cls, operation: str, unit: str, numbers: Sequence[float], step: Step | None = None
    ) -> Self:
        """Make a divergence from `numbers`: the backward result, then the result in each row."""
        backward, *rows = numbers
        return cls(
            operation, unit, backward, tuple(rows), sum(map(Fraction, rows), Fraction()), step
        )


def find_first_divergence(
    net: nn.Sequential, names: Sequence[Sequence[str]], one: Pass, other: Pass, component: int
) -> FirstDivergence | None:
    """Find the first divergence in the gradient of a unit or of the component, before the sum of
    rows.

    `one` is the backward pass, and `other` has the rows. `names[d]` are the names of the units d
    layers from x.

    The search goes from the last layer to the first. It skips units with a slope of 0, since their
    gradients affect nothing.
    """
    gradients, rows = one.gradients, other.gradients
    for place, module in reversed(list(enumerate(net))):
        for unit in range(gradients[place].shape[1]) if place else (component,):
            numbers = [gradients[place][0, unit].item(), *rows[place][:, unit].tolist()]
            blocked = (
                place > 1 and isinstance(module, nn.Linear) and not rows[place - 1][:, unit].any()
            )
            if blocked or _agree(*numbers):
                continue
            name = names[(place + 1) // 2][unit]
            if not isinstance(module, nn.Linear):
                return FirstDivergence.of("slope", name, numbers)
            units = [names[place // 2 + 1]]
            sums = [
                steps
                for of in (one, other)
                for steps in of.steps(place, module.weight, unit, units * len(of.rows))
            ]
            if not in_one_order(sums):
                return FirstDivergence.of("order", name, numbers)
            at = first_step_apart(sums)
            if at is not None:
                steps = [of[at] for of in sums]
                operation = divergence_in(steps)
                numbers = [step.product if operation == "product" else step.after for step in steps]
                return FirstDivergence.of(operation, name, numbers, steps[0])
    return None


def in_one_order(sums: Sequence[Sequence[Step]]) -> bool:
    """Whether the steps of all sums do the same."""
    return (
        len(
            {
                tuple((step.accumulator, step.term, step.label == ROUNDING) for step in steps)
                for steps in sums
            }
        )
        == 1
    )


def divergence_in(steps: Sequence[Step]) -> str:
    """Return what differs between the backward step, which comes first, and the exact sum of the
    rows' steps, or ""."""
    for name, of_all in (
        ("gradient", [step.right for step in steps]),
        ("product", [step.product for step in steps]),
        ("rounding" if steps[0].label == ROUNDING else "sum", [step.after for step in steps]),
    ):
        numbers = [number for number in of_all if number is not None]
        if numbers and not _agree(*numbers):
            return name
    return ""


def first_step_apart(sums: Sequence[Sequence[Step]]) -> int | None:
    """Return the first step at which the backward sum, which comes first, is not the sum of the
    rows' steps, or None.

    Where the orders differ it is the first that does something else, if the results differ.
    """
    together = list(enumerate(zip(*sums, strict=False)))
    if in_one_order(sums):
        return next((place for place, steps in together if divergence_in(steps)), None)
    if _agree(*(steps[-1].after for steps in sums)):
        return None
    return next(
        (place for place, steps in together if not in_one_order([[step] for step in steps])),
        len(together) - 1,
    )


def _agree(value: float, *of_rows: float) -> bool:
    """Whether the rows' numbers add up exactly to the value. `fsum` rounds once, so it is 0 only
    for an exact 0."""
    return fsum([*of_rows, -value]) == 0

"""How to make the discrepancy go away: each remedy by name, as what it computes for one sample or a block of them.

A remedy gives both sides of the comparison, since some change one of them and some both. The samples' gradients are
independent of each other, so the block is differentiated through the sum over its samples, as in `jacobians`.

NOTE [row by row]: one `backward()` per output adds its row to `x.grad`, so there the rows are added one after the
other, in the order of the outputs. The rows of a Jacobian that is computed row by row too, added in that same order,
give the same bits. Their `J.sum(0)` need not: of 16-bit rows it keeps the sum in float32 and rounds once at the end,
and of many rows it adds several at a time. Nor is any of them the gradient of one `backward()` with ones, which adds
up the outputs' parts before it goes through the earlier layers.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.floats.line import round_once
from lib.network import network
from lib.network.jacobians import METHODS, backward_gradient, summed_jacobian


@dataclass(frozen=True)
class Subject:
    """What is differentiated, by which Jacobian method: the network, and one of the same weights in float64.

    The wide network is on the CPU, because not every device has float64.
    """

    method: str
    options: dict[str, object]
    net: nn.Module
    wide: nn.Module

    @classmethod
    def of(cls, experiment: Experiment) -> "Subject":
        wide = network.build(experiment).cpu().double()
        return cls(experiment.method, experiment.options, network.build(experiment), wide)

    def by_method(self, net: nn.Module, x: Tensor) -> Tensor:
        """The summed Jacobian by the method."""
        return summed_jacobian(self.method, net, x, **self.options)


Sides = tuple[Tensor, Tensor]
"""The backward gradient and the summed Jacobian, both of the shape and the dtype of x."""


@dataclass(frozen=True)
class Remedy:
    """The `label` that the page shows, the `code` of both sides, and the same as a function of a subject and x.

    Where the code rounds from float64, `{rounding}` stands for how: see `code_in`.
    """

    label: str
    code: str
    sides: Callable[[Subject, Tensor], Sides]

    def code_in(self, dtype: str | None) -> str:
        """The code for an experiment in that dtype, None where it is not known yet."""
        return self.code.replace("{rounding}", _ROUNDINGS.get(dtype, "round once"))


_ROUNDINGS = {
    "float64": "nothing to round: float64 is the widest dtype",
    "float32": ".to(torch.float32)",
    # PyTorch's own .to rounds twice from float64 to 16 bits: `round_once`.
    "bfloat16": "round once to bfloat16, which .to(torch.bfloat16) does not",
    "float16": "round once to float16, which .to(torch.float16) does not",
}


def _nothing(subject: Subject, x: Tensor) -> Sides:
    return backward_gradient(subject.net, x), subject.by_method(subject.net, x)


def _summed_output(subject: Subject, x: Tensor) -> Sides:
    return backward_gradient(subject.net, x), summed_jacobian("summed-output", subject.net, x)


def _rows_in_order(subject: Subject, x: Tensor) -> Sides:
    first, *others = METHODS["rows"](subject.net, x).unbind(-2)
    return backward_row_by_row(subject.net, x), sum(others, start=first)


def _rows_summed(subject: Subject, x: Tensor) -> Sides:
    return backward_row_by_row(subject.net, x), summed_jacobian("rows", subject.net, x)


def _rounded_once(subject: Subject, x: Tensor) -> Sides:
    wide = x.cpu().double()
    sides = backward_gradient(subject.wide, wide), subject.by_method(subject.wide, wide)
    return tuple(round_once(side, x.dtype) for side in sides)


def backward_row_by_row(net: nn.Module, x: Tensor) -> Tensor:
    """One `backward()` per output, the rows accumulated in `x.grad`; of the shape of x."""
    x = x.detach().requires_grad_()
    y = net(x)
    for output in y.movedim(-1, 0):
        output.sum().backward(retain_graph=True)
    return x.grad


PLAIN = "none"
"""The name of no remedy: what the others are compared with."""

REMEDIES = {
    PLAIN: Remedy("none", "y.backward(ones)  ·  J.sum(0)", _nothing),
    "summed-output": Remedy(
        "sum the outputs before the Jacobian",
        "y.backward(ones)  ·  jacobian(lambda x: net(x).sum(), x)",
        _summed_output,
    ),
    "rows-in-order": Remedy(
        "backward row by row, the rows added in the same order",
        "for y_i in y: y_i.backward(retain_graph=True)  ·  J[0] + J[1] + …",
        _rows_in_order,
    ),
    "rows-summed": Remedy(
        "backward row by row, but J.sum(0)",
        "for y_i in y: y_i.backward(retain_graph=True)  ·  J.sum(0)",
        _rows_summed,
    ),
    "float64": Remedy(
        "compute both in float64 and round once",
        "both with net.double(), x.double(); then {rounding}",
        _rounded_once,
    ),
}

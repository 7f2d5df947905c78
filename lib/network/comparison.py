"""A comparison: two ways to compute the same vector of a network, as code and as functions of a subject and x.

A way is given what one call is given: one sample, shape (inputs,), in per-sample evaluation, and a block of them, shape
(samples, inputs), in batched evaluation. Samples are independent of each other, so the same function serves for both.

NOTE [several samples]: a way may also look at a block as something else than one batch. `alone` calls a way for each
sample of a block, `in_batches` for so many at a time; with one on either side, a comparison is of a sample alone with
the same sample as a row of a batch. Such a comparison needs blocks, and so an experiment with batched evaluation.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import torch
from torch import Tensor, nn

from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.experiment.rows import Named
from lib.floats.line import round_once
from lib.network.jacobians import METHODS, backward_and_saved, backward_gradient


@dataclass(frozen=True)
class Subject:
    """What is differentiated: a network, of the experiment that says by which method and with which options."""

    experiment: Experiment
    net: nn.Sequential

    @cached_property
    def wide(self) -> "Subject":
        """The same weights in float64, on the CPU, because not every device has float64."""
        return replace(self, net=deepcopy(self.net).cpu().double())

    def jacobian(self, x: Tensor, method: str | None = None) -> Tensor:
        """The Jacobian at x, shape (..., outputs, inputs), by a method or by that of the experiment."""
        method = method or self.experiment.method
        options = {name: getattr(self.experiment, name) for name in choices.METHODS[method].options}
        return METHODS[method](self.net, x, **options)

    @property
    def nbytes(self) -> int:
        """Memory of the networks, in bytes: that in float64 is built when it is first asked for."""
        wide = vars(self).get("wide")
        return sum(parameter.nbytes for parameter in self.net.parameters()) + (wide.nbytes if wide else 0)


@dataclass(frozen=True)
class Way(Named):
    """One way to compute a vector of every sample: its `code`, and a function of a subject and x.

    x has shape (..., inputs), the vector shape (..., components). Comparisons that have equal ways share their results;
    so what makes ways of a name or of other ways makes each of them once.
    """

    code: str
    compute: Callable[[Subject, Tensor], Tensor]

    def __call__(self, subject: Subject, x: Tensor) -> Tensor:
        return self.compute(subject, x)


@dataclass(frozen=True)
class Comparison(Named):
    """The `label` that the page shows, and both sides; `code_of_both` is written in place of the code of each."""

    label: str
    one: Way
    other: Way
    code_of_both: str = field(default="", kw_only=True)

    @property
    def code(self) -> str:
        """The code of both sides."""
        return self.code_of_both or f"{self.one.code}  ·  {self.other.code}"

    def sides(self, subject: Subject, x: Tensor) -> tuple[Tensor, Tensor]:
        """Both vectors, each of shape (..., components)."""
        return self.one(subject, x), self.other(subject, x)


def add_in_order(rows: Tensor) -> Tensor:
    """The sum of the rows, shape (..., rows, components), added one after the other in their dtype."""
    first, *others = rows.unbind(-2)
    return sum(others, start=first)


def _backward_row_by_row(subject: Subject, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    for output in subject.net(x).movedim(-1, 0):
        output.sum().backward(retain_graph=True)
    return x.grad


BACKWARD = Way("y.backward(ones)", lambda subject, x: backward_gradient(subject.net, x))
"""The backward gradient."""

SAVED = Way("the saved activations", lambda subject, x: backward_and_saved(subject.net, x)[1])
"""What the backward gradient's slopes are computed from, shape (..., neurons)."""

BACKWARD_ROW_BY_ROW = Way("for y_i in y: y_i.backward(retain_graph=True)", _backward_row_by_row)
"""One `backward()` per output, whose rows are accumulated in `x.grad`."""

JACOBIAN = Way("J.sum(0)", lambda subject, x: subject.jacobian(x).sum(-2))
"""The summed Jacobian by the experiment's method."""


@cache
def by(method: str) -> Way:
    """The summed Jacobian by a method, whatever the experiment's is."""
    return Way(choices.METHODS[method].summed, lambda subject, x: subject.jacobian(x, method).sum(-2))


@cache
def in_float64(way: Way) -> Way:
    """A way with the weights and x in float64, its result rounded once to the dtype of x."""

    def rounded(subject: Subject, x: Tensor) -> Tensor:
        return round_once(way(subject.wide, x.cpu().double()), x.dtype)

    return Way(f"{way.code} in float64, rounded once", rounded)


@cache
def alone(way: Way) -> Way:
    """A way for each sample of a block in a call of its own: NOTE [several samples]."""
    return Way(f"{way.code} of each x alone", lambda subject, x: torch.stack([way(subject, one.clone()) for one in x]))


@cache
def in_batches(way: Way, size: int) -> Way:
    """A way for so many samples of a block at a time: NOTE [several samples]."""

    def batch_by_batch(subject: Subject, x: Tensor) -> Tensor:
        return torch.cat([way(subject, batch.clone()) for batch in x.split(size)])

    return Way(f"{way.code} of {size} x at a time", batch_by_batch)


PLAIN = "none"
"""The name of the comparison in which nothing is changed."""

BY_METHOD = Comparison("none", BACKWARD, JACOBIAN)
"""The backward gradient against the summed Jacobian by the experiment's method."""

"""A comparison: two ways to compute the same vector of a network, as code and as functions.

In per-sample evaluation a way gets one sample, shape (inputs,), and in batched evaluation a block
of samples, shape (samples, inputs). Samples are independent of each other, so the same function
handles both.

NOTE [several samples]: a way may also split a block. `alone` calls a way for each sample of a
block, and `in_batches` calls it for a fixed number of samples at a time. A comparison of the two
compares a sample alone with the same sample as a row of a batch. It needs blocks, and so an
experiment with batched evaluation.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import torch
from torch import Tensor, nn

from lib.experiment import methods
from lib.experiment.query import Experiment
from lib.floats.ulps import round_once
from lib.network.jacobians import JACOBIANS, backward_and_saved, backward_gradient


@dataclass(frozen=True)
class Subject:
    """A network to differentiate, and the experiment, which chooses the method and its options."""

    experiment: Experiment
    net: nn.Sequential

    @cached_property
    def in_float64(self) -> "Subject":
        """The same network in float64, on the CPU because not every device has float64."""
        return replace(self, net=deepcopy(self.net).cpu().double())

    def jacobian(self, x: Tensor, method: str | None = None) -> Tensor:
        """Return the Jacobian at x, shape (..., outputs, inputs).

        Args:
            x: the points, shape (..., inputs).
            method: the name of the Jacobian method; by default that of the experiment.
        """
        method = method or self.experiment.method
        options = {name: getattr(self.experiment, name) for name in methods.METHODS[method].options}
        return JACOBIANS[method](self.net, x, **options)


@dataclass(frozen=True)
class Way:
    """One way to compute a vector for every sample: its `code` on the page, and a function.

    The function takes a subject and x, shape (..., inputs), and returns the vectors, shape
    (..., components). Comparisons share the results of equal ways. A function that builds a way is
    therefore cached, so that it returns the same way each time.
    """

    code: str
    compute: Callable[[Subject, Tensor], Tensor]

    def __call__(self, subject: Subject, x: Tensor) -> Tensor:
        return self.compute(subject, x)


@dataclass(frozen=True)
class Comparison:
    """The `first` and the `second` way, and the `label` that the page shows.

    `code_of_both`, if not "", is shown in place of the code of the two ways.
    """

    label: str
    first: Way
    second: Way
    code_of_both: str = field(default="", kw_only=True)

    @property
    def code(self) -> str:
        """The code of both sides."""
        return self.code_of_both or f"{self.first.code}  ·  {self.second.code}"

    def sides(self, subject: Subject, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return both vectors, each of shape (..., components)."""
        return self.first(subject, x), self.second(subject, x)


def add_in_order(rows: Tensor) -> Tensor:
    """Return the sum of rows, shape (..., rows, components), added one by one in their dtype."""
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
"""The saved activations, from which the backward pass computes slopes, shape (..., neurons)."""

BACKWARD_ROW_BY_ROW = Way("for y_i in y: y_i.backward(retain_graph=True)", _backward_row_by_row)
"""One `backward()` per output; `x.grad` accumulates the rows."""

JACOBIAN = Way("J.sum(0)", lambda subject, x: subject.jacobian(x).sum(-2))
"""The summed Jacobian by the experiment's method."""


@cache
def by(method: str) -> Way:
    """Return the way to the summed Jacobian by this method, not the experiment's method."""
    code = methods.METHODS[method].summed
    return Way(code, lambda subject, x: subject.jacobian(x, method).sum(-2))


@cache
def in_float64(way: Way) -> Way:
    """Return the way with weights and x in float64, and the result rounded once to x's dtype."""

    def rounded(subject: Subject, x: Tensor) -> Tensor:
        return round_once(way(subject.in_float64, x.cpu().double()), x.dtype)

    return Way(f"{way.code} in float64, rounded once", rounded)


@cache
def alone(way: Way) -> Way:
    """Return a way that calls this one for each sample of a block: NOTE [several samples]."""

    def sample_by_sample(subject: Subject, x: Tensor) -> Tensor:
        return torch.stack([way(subject, sample.clone()) for sample in x])

    return Way(f"{way.code} of each x alone", sample_by_sample)


@cache
def in_batches(way: Way, size: int) -> Way:
    """Return a way that calls this one for `size` samples at a time: NOTE [several samples]."""

    def batch_by_batch(subject: Subject, x: Tensor) -> Tensor:
        return torch.cat([way(subject, batch.clone()) for batch in x.split(size)])

    return Way(f"{way.code} of {size} x at a time", batch_by_batch)


PLAIN = "none"
"""The name and the label of `BY_METHOD`, in lists where the other entries change something."""

BY_METHOD = Comparison(PLAIN, BACKWARD, JACOBIAN)
"""The backward gradient against the summed Jacobian by the experiment's method."""

"""How far finite differences are from the exact gradient, step by step: the V of truncation and rounding.

NOTE [two errors]: by the Taylor series, a central difference with step h has the truncation error h²/6·f‴. The rounding
errors of the two values that are subtracted, up to u·abs(f) each, are divided by 2h: up to u·abs(f)/h in all (Press et
al., "Numerical Recipes", section 5.7). Both are computed, not fitted: f‴ is a derivative like any other, and f is the
network's value. Here f is one output, and the differences of all outputs are added up. The other roundings on the way
through the network are not included, nor is a step across a kink, where the Taylor series does not apply.

The error of a sample is the largest component of its error, relative to the largest of its exact gradient. The curve
shows the median over the samples, so that a few samples near a kink do not decide.
"""

from dataclasses import dataclass, replace
from math import isfinite, log2
from time import perf_counter

import numpy as np
import torch
from flint import arb
from torch import Tensor, nn

from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import network, sampling
from lib.network.comparison import Subject
from lib.network.jacobians import relative_step, summed_jacobian
from lib.network.machine import matmul_flags
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.balls import precision
from lib.run.tally import ByName, Histogram, Tally
from lib.variations.variants import NamedTally

SAMPLES = 32
"""The number of samples for each step; fewer for a large network."""

_FEWEST_SAMPLES = 4
_PARAMETERS = 2**17  # limits samples · parameters, since ball arithmetic is slow
_BELOW_EPS, _LONGEST = 3, 4  # the powers of two that are tried: from eps/2**_BELOW_EPS to 2**_LONGEST
_BITS = 512  # precise enough for the difference of a float and a ball
_PER_OCTAVE = 2**6  # cells of a histogram of errors
_ZERO = -(2**20)  # the key of an error of 0

Parts = tuple[float, float, float]
"""The error, and the truncation and the rounding of NOTE [two errors], each relative to the largest component."""


@dataclass(frozen=True)
class Cell:
    """One difference to take: the dtype, the number of the sample, and the step as in an experiment."""

    dtype: str
    sample: int
    step: int | None

    @property
    def name(self) -> str:
        return point_name(self.dtype, self.step)


@dataclass(frozen=True)
class Differences:
    """Consecutive cells and what was found in each: its `Parts`, or None if there is no relative error because the
    gradient is 0 or does not exist."""

    cells: tuple[Cell, ...]
    found: tuple[Parts | None, ...]

    def __len__(self) -> int:
        return len(self.cells)


@dataclass(frozen=True)
class StepTally(Tally):
    """The tally of one step in one dtype: its samples, those whose difference is infinite or NaN, and the others by
    their parts."""

    samples: int = 0
    nonfinite: int = 0
    errors: Histogram = Histogram()
    truncations: Histogram = Histogram()
    roundings: Histogram = Histogram()

    @classmethod
    def of(cls, found: Parts | None) -> "StepTally":
        if found is None:
            return cls(1)
        error, *parts = found
        if not isfinite(error):
            return cls(1, 1)
        return cls(1, 0, *(Histogram.of(np.array([_key(part)])) for part in (error, *parts)))

    @property
    def error(self) -> float | None:
        """The median of the errors, of which infinity and NaN count as the largest; None if the median is one of
        these, or if there are no errors."""
        return self._median(self.errors)

    @property
    def truncation(self) -> float | None:
        return self._median(self.truncations)

    @property
    def rounding(self) -> float | None:
        return self._median(self.roundings)

    def _median(self, parts: Histogram) -> float | None:
        """The median of one part of the error, to within 1 %."""
        half = (parts.total + self.nonfinite + 1) // 2
        if parts.total < max(half, 1):
            return None
        key = int(parts.keys[np.searchsorted(parts.counts.cumsum(), half)])
        return 0.0 if key == _ZERO else 2.0 ** (key / _PER_OCTAVE)


@dataclass(frozen=True)
class DifferencesTally(NamedTally[StepTally]):
    """What the study remembers: a `StepTally` for each dtype and step; `samples` counts all differences."""

    each = StepTally

    @classmethod
    def of(cls, differences: Differences) -> "DifferencesTally":
        parts = zip(differences.cells, differences.found, strict=True)
        return sum((cls(ByName({cell.name: StepTally.of(found)}), 1) for cell, found in parts), start=cls())

    def at(self, dtype: str, step: int | None) -> StepTally:
        return self[point_name(dtype, step)]


class FiniteDifferences:
    """Measures the finite differences of the first samples with every step in every dtype of the device, per-sample.
    For one thread at a time."""

    empty = DifferencesTally()
    tally = staticmethod(DifferencesTally.of)

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._cells = cells(experiment)
        self._at: tuple[str, int] | None = None

    @staticmethod
    def total(experiment: Experiment) -> int:
        return len(cells(experiment))

    def measure(self, number: int, deadline: float) -> Differences:
        """Measure consecutive cells from `number` on until the deadline, but at least one."""
        found: list[Parts | None] = []
        for cell in self._cells[number:]:
            self._turn_to(cell)
            found.append(self._parts(cell.step))
            if perf_counter() >= deadline:
                break
        return Differences(tuple(self._cells[number : number + len(found)]), tuple(found))

    @property
    def nbytes(self) -> int:
        """The memory of the current network, in bytes."""
        return self._subject.nbytes if self._at else 0

    def _turn_to(self, cell: Cell) -> None:
        """Prepare the network, the sample and its exact gradient."""
        if self._at == (cell.dtype, cell.sample):
            return
        if self._at is None or self._at[0] != cell.dtype:
            of_dtype = replace(self.experiment, dtype=cell.dtype)
            self._subject = Subject(of_dtype, network.build(of_dtype))
            self._arb = ArbNetwork(self._subject.net, of_dtype)
            self._samples = sampling.block(of_dtype, 0)
        self._at = cell.dtype, cell.sample
        self._x = self._samples[cell.sample].clone()
        wide = self._x.cpu().double()
        try:
            self._exact = self._arb.gradient(wide.tolist())
        except Undecided:
            self._exact = []
        self._third = third_derivatives(self._subject.wide.net, wide)
        self._output = self._subject.wide.net(wide).abs().sum().item()

    def _parts(self, step: int | None) -> Parts | None:
        largest = max((float(abs(ball).mid()) for ball in self._exact), default=0.0)
        if largest == 0:
            return None
        with matmul_flags(self.experiment):
            given = to_float64(summed_jacobian("finite-difference", self._subject.net, self._x, step=step)).tolist()
        relative = relative_step(self._x.dtype, step)
        h = relative * self._x.cpu().double().abs().clamp(min=1)
        truncation = (h * h * self._third.abs() / 6).max().item()
        rounding = torch.finfo(self._x.dtype).eps / 2 * self._output / h.min().item()
        if not all(map(isfinite, given)):
            return np.inf, truncation / largest, rounding / largest
        with precision(_BITS):
            error = max(float(abs(arb(value) - ball).mid()) for value, ball in zip(given, self._exact, strict=True))
        return error / largest, truncation / largest, rounding / largest


def third_derivatives(net: nn.Module, x: Tensor) -> Tensor:
    """The third derivative of the sum of the outputs along each input, shape (inputs,), like x. If the network has
    kinks, it is that of the piece that contains x."""

    def total(shifts: Tensor) -> Tensor:  # a sum of functions of one shift each, so their derivatives stay apart
        return net(x + torch.diag(shifts)).sum()

    first = torch.func.grad(total)
    second = torch.func.grad(lambda shifts: first(shifts).sum())
    return torch.func.grad(lambda shifts: second(shifts).sum())(torch.zeros_like(x))


def dtypes(experiment: Experiment) -> tuple[str, ...]:
    """The dtypes that are tried: all dtypes of the device."""
    return DEVICES[experiment.device].dtypes


def steps(experiment: Experiment, dtype: str) -> list[int | None]:
    """The steps that are tried in a dtype: powers of two from the shortest to the longest, then None for eps^(1/3).

    The experiment's own step is among them.
    """
    eps = round(log2(torch.finfo(getattr(torch, dtype)).eps))
    powers = set(range(eps - _BELOW_EPS, _LONGEST + 1)) | {experiment.step} - {None}
    return [*sorted(powers), None]


def cells(experiment: Experiment) -> list[Cell]:
    """All differences to take, in order: the differences of one sample in one dtype follow each other."""
    samples = min(SAMPLES, experiment.samples, max(_FEWEST_SAMPLES, _PARAMETERS // experiment.parameters))
    return [
        Cell(dtype, sample, step)
        for dtype in dtypes(experiment)
        for sample in range(samples)
        for step in steps(experiment, dtype)
    ]


def subject(experiment: Experiment) -> Experiment:
    """The experiment with defaults for everything that does not affect the curve, so that equivalent ones share a
    run."""
    free = ("method", "evaluation", "networks", "function", "x_from", "f", "df")
    few = min(experiment.samples, SAMPLES)
    return replace(experiment, samples=few, **{name: getattr(Experiment, name) for name in free})


def point_name(dtype: str, step: int | None) -> str:
    return f"{dtype} {'default' if step is None else step}"


def _key(error: float) -> int:
    return round(_PER_OCTAVE * log2(error)) if error else _ZERO

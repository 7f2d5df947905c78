"""The summed-gradient pitfall: one `grad` call on repeated inputs returns the sum of all rows.

The matrix of the single call is far from the rows that were asked for: it is off by the sum of the
other rows. It differs from the sum of all rows only by rounding. Against the exact rows, the errors
of the right rows and those of the single call are two populations, far apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log10, nan

import numpy as np
from torch import Tensor

from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES
from lib.floats.quantities import rounded
from lib.floats.ulps import binade, to_float64
from lib.network.jacobians import JACOBIANS, backward_gradient
from lib.network.sampled_study import RANDOM, SampledStudy, Samples, Source
from lib.pitfall.exact_rows import ExactRows
from lib.run.tally import Extreme, Histogram, Place, Tally

_DROPPED_BITS = 52 - 8
"""A key keeps the exponent and the first 8 of the 52 fraction bits of an error: 2**8 keys lie
between two powers of two."""

_ZERO = -1
"""The key of an error of zero, which does not fit on a log axis."""


def keys(errors: np.ndarray) -> np.ndarray:
    """Return the histogram keys of errors ≥ 0, int64: their first bits, which keep their order."""
    return np.where(errors == 0, _ZERO, errors.view(np.int64) >> _DROPPED_BITS)


def lowest_errors(keys: np.ndarray) -> np.ndarray:
    """Return the lowest error of each key."""
    return (np.maximum(keys, 0) << _DROPPED_BITS).view(np.float64)


def binades(errors: Histogram) -> Histogram:
    """Return a histogram of errors by binade: the key e counts errors from 2**e to 2**(e + 1)."""
    return Histogram.of(binade(lowest_errors(errors.keys)), errors.counts)


def median(errors: Histogram) -> float:
    """Return the median of a histogram of errors, to within 0.2 %; 0 if there are no errors."""
    below = errors.counts.cumsum()
    if below.size == 0:
        return 0.0
    total = below[-1]
    middle = errors.keys[np.searchsorted(below, [(total + 1) // 2, total // 2 + 1])]
    return float(lowest_errors(np.stack([middle, middle + 1])).mean())


@dataclass(frozen=True)
class Matrices(Samples):
    """The gradients of consecutive samples.

    Attributes:
        rows: the right rows, shape (samples, outputs, inputs).
        single: the matrix of the single call, of the same shape.
        summed: the sum of the right rows, shape (samples, inputs).
        backward: the backward gradient, of the same shape.
        exact: the exact rows, float64, shape (parts, samples, outputs, inputs). An exact value is
            the sum of its parts, which are one or two. NaN where it is not known.
    """

    rows: Tensor
    single: Tensor
    summed: Tensor
    backward: Tensor
    exact: np.ndarray | tuple[float] = (nan,)
    """NaN until `Pitfall.measure` computes them."""


@dataclass(frozen=True)
class PitfallTally(Tally):
    """What the study remembers."""

    samples: int = 0
    alike: int = 0
    """Samples in which all rows of the single call are equal, value for value."""
    single_rows: int = 0
    """Rows of the single call."""
    backward_rows: int = 0
    """Rows of the single call that are the backward gradient, value for value."""
    nonfinite: int = 0
    """Entries whose distance from the right row or from the sum is infinite or NaN."""
    against_rows: Histogram = Histogram()
    """Entries of the single call by their distance from the right row."""
    worst: Extreme[Place] = Extreme()
    """The largest distance from the right row. The component of its place is the index in the
    flattened matrix, output·inputs + input."""
    worst_sum: Extreme[Place] = Extreme()
    """The largest distance from the sum of the right rows."""
    right_errors: Histogram = Histogram()
    """Entries of the right rows by error, where the exact row is known and errors are finite."""
    single_errors: Histogram = Histogram()
    """The same entries of the single call by their error."""
    right_off: int = 0
    """Entries of the right rows that are off by more than half of the exact value, if it is known:
    a ReLU that rounding flips can do that."""
    single_off: int = 0
    """The same for the entries of the single call."""

    @classmethod
    def of(cls, matrices: Matrices) -> "PitfallTally":
        rows = to_float64(matrices.rows.contiguous())
        single = to_float64(matrices.single)
        summed = to_float64(matrices.summed)[:, None]
        backward = to_float64(matrices.backward)[:, None]
        against_rows = _distance(single, [rows])
        against_sum = _distance(single, [summed])
        finite = np.isfinite(against_rows) & np.isfinite(against_sum)
        against_rows[~finite] = 0.0
        against_sum[~finite] = 0.0
        right_errors = _distance(rows, matrices.exact)
        single_errors = _distance(single, matrices.exact)
        known = np.isfinite(right_errors) & np.isfinite(single_errors)
        half = np.abs(matrices.exact[0]) / 2
        return cls(
            samples=len(rows),
            alike=int(_same(single[:, 1:], single[:, :1]).all((1, 2)).sum()),
            single_rows=len(rows) * rows.shape[1],
            backward_rows=int(_same(single, backward).all(2).sum()),
            nonfinite=int((~finite).sum()),
            against_rows=Histogram.of(keys(against_rows[finite])),
            worst=_largest(against_rows, matrices),
            worst_sum=_largest(against_sum, matrices),
            right_errors=Histogram.of(keys(right_errors[known])),
            single_errors=Histogram.of(keys(single_errors[known])),
            right_off=int((known & (right_errors > half)).sum()),
            single_off=int((known & (single_errors > half)).sum()),
        )

    @property
    def differing(self) -> int:
        """Samples in which rows of the single call differ."""
        return self.samples - self.alike

    @property
    def entries(self) -> int:
        """Entries of the single call that are not in `nonfinite`."""
        return self.against_rows.total

    def figures(self) -> dict[str, object]:
        """Return the figures of the study, for JSON."""
        decades = None
        if self.worst.value and self.worst_sum.value:
            decades = log10(self.worst.value / self.worst_sum.value)
        return {
            "samples": self.samples,
            "entries": self.entries,
            "nonfinite": self.nonfinite,
            "rows_equal": self.differing == 0,
            "rows": self.single_rows,
            "rows_backward": self.backward_rows,
            **self.worst.figures("single_vs_rows_max"),
            "single_vs_rows_median": rounded(median(self.against_rows), 2),
            "single_vs_sum_max": self.worst_sum.value,
            "decades": decades,
            "exact_entries": self.right_errors.total,
            "rows_vs_exact_median": rounded(median(self.right_errors), 2),
            "single_vs_exact_median": rounded(median(self.single_errors), 2),
        }


class Pitfall(SampledStudy[Matrices]):
    """Computes right rows, the single call's matrix and the backward gradient of each sample."""

    measured = Matrices
    empty = PitfallTally()
    tally = staticmethod(PitfallTally.of)

    def __init__(self, experiment: Experiment, source: Source = RANDOM) -> None:
        experiment = STUDIES["pitfall"].adapted(experiment)
        super().__init__(experiment, source)
        self._exact_rows = lru_cache(maxsize=1)(lambda net: ExactRows(net, experiment))

    def measure(self, number: int, deadline: float) -> Matrices:
        """Measure consecutive samples as every study does, and compute their exact rows."""
        measured = super().measure(number, deadline)
        numbers = number + np.arange(len(measured))
        exact = self._exact_rows(self.net).of(self.samples, measured.index, numbers)
        return replace(measured, exact=exact)

    def differentiate(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows = JACOBIANS[self.experiment.method](self.net, x)
        single = JACOBIANS["single-call"](self.net, x)
        return rows, single, rows.sum(-2), backward_gradient(self.net, x)


def _distance(values: np.ndarray, others: Iterable[np.ndarray | float]) -> np.ndarray:
    """Return abs(values − all others), subtracted one after the other; NaN for inf − inf."""
    with np.errstate(invalid="ignore"):
        for other in others:
            values = values - other
        return np.abs(values)


def _same(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return where values are equal: +0 equals −0, and here every NaN equals every other."""
    return (first == second) | (np.isnan(first) & np.isnan(second))


def _largest(distances: np.ndarray, matrices: Matrices) -> Extreme[Place]:
    """Return the largest of distances of shape (samples, outputs, inputs).

    The component of its place is the index in the flattened matrix.
    """
    flat = distances.reshape(len(distances), -1)
    return Extreme.of(flat, matrices.block, matrices.index)

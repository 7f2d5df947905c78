"""The summed-gradient pitfall: one `grad` call on repeated inputs returns the sum of all rows in every row.

Two distances of the matrix that the single call returns tell the story: from the rows that were asked for it is as far
as the other rows are large; from their sum only as far as rounding. Against the exact rows, the errors of the right
rows and those of the single call are two populations, far apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log10, nan

import numpy as np
from torch import Tensor

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.line import binade, to_float64
from lib.floats.quantities import rounded
from lib.network.jacobians import METHODS as JACOBIANS
from lib.network.jacobians import backward_gradient
from lib.network.machine import matmul_flags
from lib.network.sampled_study import RANDOM, SampledStudy, Samples, Source
from lib.network.sampling import block_size
from lib.pitfall.exact_rows import ExactRows
from lib.pitfall.fixes import Outcome, try_all
from lib.pitfall.merging import Both
from lib.run.tally import Extreme, Histogram, Place, Tally


def rows_method(experiment: Experiment) -> str:
    """The method that computes the right rows: the experiment's own, or `functional` if that does not return rows."""
    return experiment.method if METHODS[experiment.method].gives == "rows" else "functional"


_FIRST_SAMPLES = 5  # which set the axes
_BITS_PER_CELL = 52 - 8  # drops all but 8 of a mantissa's 52 bits, so that an octave has 2**8 cells
_ZERO = -1  # the key of an error of zero, which does not fit on a log axis


def keys(errors: np.ndarray) -> np.ndarray:
    """Return the histogram keys, int64, of errors ≥ 0: their bits, which sort as the errors do, cut to 2**8 cells per
    octave."""
    return np.where(errors == 0, _ZERO, errors.view(np.int64) >> _BITS_PER_CELL)


def median(errors: Histogram) -> tuple[float, int]:
    """Return the median of a histogram of errors, the mean of the two in the middle of an even number, to within 0.2 %,
    and how many of its significant digits hold, 2 at most; 0 if it is empty."""
    below = errors.counts.cumsum()
    if below.size == 0:
        return 0.0, 2
    middle = errors.keys[np.searchsorted(below, [(below[-1] + 1) // 2, below[-1] // 2 + 1])]
    lowest, highest = (float(_edges(end).mean()) for end in (middle, middle + 1))
    return (lowest + highest) / 2, 2 if rounded(lowest, 2) == rounded(highest, 2) else 1


def octaves(errors: Histogram) -> Histogram:
    """Merge a histogram of errors into octaves: its keys are their binades."""
    return Histogram.of(binade(_edges(errors.keys)), errors.counts)


def _edges(keys: np.ndarray) -> np.ndarray:
    """The lowest error of each key."""
    return (np.maximum(keys, 0) << _BITS_PER_CELL).view(np.float64)


@dataclass(frozen=True)
class Matrices(Samples):
    """The gradients of consecutive samples.

    The right `rows` and the `single` call have shape (samples, outputs, inputs); the sum of the right rows, `summed`,
    and the `backward` gradient have shape (samples, inputs). The `exact` rows, if the study has computed them, are sums
    of one or two float64, shape (1 or 2, samples, outputs, inputs), and NaN where they are not known.
    """

    rows: Tensor
    single: Tensor
    summed: Tensor
    backward: Tensor
    exact: np.ndarray | tuple[float] = (nan,)


@dataclass(frozen=True)
class PitfallTally(Tally):
    """What the study remembers. An entry with an infinite or NaN error counts only in `nonfinite`."""

    samples: int = 0
    alike: int = 0
    """Samples in which all rows of the single call are equal, value for value."""
    rows: int = 0
    """Rows of the single call."""
    backward: int = 0
    """Those of them that are the backward gradient, value for value."""
    nonfinite: int = 0
    """Entries with an infinite or NaN error."""
    against_rows: Histogram = Histogram()
    """Entries of the single call by their distance from the right row."""
    worst: Extreme[Place] = Extreme()
    """The largest distance from the right row; its component counts row by row."""
    worst_sum: Extreme[Place] = Extreme()
    """The largest distance from the sum of the right rows."""
    first: Extreme[Place] = Extreme()
    """The largest distance from the right row among the first samples, which sets the axes."""
    right_errors: Histogram = Histogram()
    """Entries of the right rows by their error, where the exact row is known."""
    single_errors: Histogram = Histogram()
    """The same entries of the single call by their error."""

    @classmethod
    def of(cls, matrices: Matrices) -> "PitfallTally":
        rows, single = to_float64(matrices.rows.contiguous()), to_float64(matrices.single)
        summed, backward = (
            to_float64(matrices.summed)[:, None],
            to_float64(matrices.backward)[:, None],
        )
        against_rows, against_sum = _distance(single, [rows]), _distance(single, [summed])
        finite = np.isfinite(against_rows) & np.isfinite(against_sum)
        against_rows[~finite] = against_sum[~finite] = 0.0
        right_errors, single_errors = (
            _distance(rows, matrices.exact),
            _distance(single, matrices.exact),
        )
        compared = np.isfinite(right_errors) & np.isfinite(single_errors)
        first = against_rows[: max(_FIRST_SAMPLES - matrices.number, 0)]
        return cls(
            samples=len(rows),
            alike=int(_same(single[:, 1:], single[:, :1]).all((1, 2)).sum()),
            rows=len(rows) * rows.shape[1],
            backward=int(_same(single, backward).all(2).sum()),
            nonfinite=int((~finite).sum()),
            against_rows=Histogram.of(keys(against_rows[finite])),
            worst=_largest(against_rows, matrices),
            worst_sum=_largest(against_sum, matrices),
            first=_largest(first, matrices),
            right_errors=Histogram.of(keys(right_errors[compared])),
            single_errors=Histogram.of(keys(single_errors[compared])),
        )

    @property
    def differing(self) -> int:
        """Samples in which rows of the single call differ."""
        return self.samples - self.alike

    @property
    def entries(self) -> int:
        """Finite entries of all matrices."""
        return self.against_rows.total

    def worst_number(self, experiment: Experiment) -> int:
        """The number of the sample with the largest distance from a right row; 0 if there is none."""
        place = self.worst.place
        return place.block * block_size(experiment) + place.index if place else 0

    @property
    def wrong(self) -> Histogram:
        """Entries of the single call by their error, if that is more than ten times the largest error of a right row:
        where other rows add nothing, an entry of the single call is right."""
        limit = 10 * _edges(self.right_errors.keys[-1:] + 1).sum()
        far = _edges(self.single_errors.keys) > limit
        return Histogram(self.single_errors.keys[far], self.single_errors.counts[far])

    @property
    def typical(self) -> tuple[tuple[float, int], tuple[float, int]]:
        """The `median` errors of the right rows, and of what is wrong of the single call, or else of all of it."""
        wrong = self.wrong
        return median(self.right_errors), median(wrong if wrong.total else self.single_errors)

    @property
    def decades(self) -> float | None:
        """By how many powers of ten the largest distance from the right row exceeds the largest distance from the sum;
        None if either is zero."""
        return (
            log10(self.worst.value / self.worst_sum.value)
            if self.worst.value and self.worst_sum.value
            else None
        )

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON."""
        return {
            "samples": self.samples,
            "entries": self.entries,
            "nonfinite": self.nonfinite,
            "rows_equal": self.differing == 0,
            "rows": self.rows,
            "rows_backward": self.backward,
            **self.worst.figures("single_vs_rows_max"),
            "single_vs_rows_median": rounded(*median(self.against_rows)),
            "single_vs_sum_max": self.worst_sum.value,
            "decades": self.decades,
            "exact_entries": self.right_errors.total,
            "rows_vs_exact_median": rounded(*median(self.right_errors)),
            "single_vs_exact_median": rounded(*median(self.single_errors)),
        }


class Pitfall(SampledStudy[Matrices]):
    """Computes the right rows, the single call's matrix and the backward gradient of each sample."""

    measured = Matrices
    empty = PitfallTally()
    tally = staticmethod(PitfallTally.of)

    def __init__(self, experiment: Experiment, source: Source = RANDOM) -> None:
        super().__init__(experiment, source)
        self._exact_rows = lru_cache(maxsize=1)(lambda net: ExactRows(net, experiment))

    def measure(self, number: int, deadline: float) -> Matrices:
        """Measure consecutive samples as every study does, and look up their exact rows."""
        measured = super().measure(number, deadline)
        samples, numbers = self._samples(measured.block), number + np.arange(len(measured))
        return replace(
            measured, exact=self._exact_rows(self.net).of(samples, measured.index, numbers)
        )

    def differentiate(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows = JACOBIANS[rows_method(self.experiment)](self.net, x)
        return (
            rows,
            JACOBIANS["single-call"](self.net, x),
            rows.sum(-2),
            backward_gradient(self.net, x),
        )


def attempts(experiment: Experiment, number: int) -> list[Outcome]:
    """Make every attempt on sample `number` of the experiment, alone, whatever the experiment's evaluation."""
    study = Pitfall(experiment)
    x = study.measure(number, deadline=0.0).x[0].clone().to(experiment.device)
    with matmul_flags(experiment):
        return try_all(study.net, x)


def _distance(values: np.ndarray, others: Iterable[np.ndarray | float]) -> np.ndarray:
    """abs(values − the sum of all others), these taken away one after the other; NaN for inf − inf."""
    with np.errstate(invalid="ignore"):
        for other in others:
            values = values - other
        return np.abs(values)


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether values are equal: +0 equals −0, and here every NaN equals every other."""
    return (a == b) | (np.isnan(a) & np.isnan(b))


def _largest(distances: np.ndarray, matrices: Matrices) -> Extreme[Place]:
    """The largest of distances of shape (samples, outputs, inputs), whose components are counted row by row."""
    flat = distances.reshape(len(distances), matrices.rows[0].numel())
    return Extreme.of(flat, matrices.block, matrices.index)


def first_sample(experiment: Experiment) -> Both:
    """Return both matrices of sample 0, if they are small."""
    matrices = Pitfall(experiment).measure(0, deadline=0.0)
    return Both.of(matrices.rows[0], matrices.single[0])

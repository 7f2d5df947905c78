"""The summed-gradient pitfall: one `grad` call on repeated inputs returns the sum of all rows in every row.

Two distances of the matrix that the single call returns tell the story: from the rows that were asked for it is as far
as the other rows are large; from their sum only as far as rounding. Against the exact rows, the errors of the right
rows and those of the single call are two populations, far apart.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import log10

import numpy as np
from torch import Tensor

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.floats.quantities import rounded
from lib.network.jacobians import METHODS as JACOBIANS
from lib.network.jacobians import backward_gradient
from lib.network.machine import matmul_flags
from lib.network.sampled_study import RANDOM, SampledStudy, Samples, Source
from lib.network.sampling import block_size
from lib.pitfall.errors import keys, median
from lib.pitfall.exact_rows import ExactRows
from lib.pitfall.fixes import Outcome, try_all
from lib.pitfall.merging import Both
from lib.run.tally import Extreme, Histogram, Place, Tally


def rows_method(experiment: Experiment) -> str:
    """The method that computes the right rows: the experiment's own, or `functional` if that does not return rows."""
    return experiment.method if METHODS[experiment.method].gives == "rows" else "functional"


MEDIAN_DIGITS = 2
"""Of a median, which is known to within 0.2 %."""

_FIRST_SAMPLES = 5  # which set the axes


@dataclass(frozen=True)
class Matrices(Samples):
    """The gradients of consecutive samples.

    The right `rows` and the `single` call have shape (samples, outputs, inputs); the sum of the right rows, `summed`,
    and the `backward` gradient have shape (samples, inputs). The `exact` rows, if the study has computed them, are sums
    of two float64, shape (2, samples, outputs, inputs), and NaN where they are not known.
    """

    rows: Tensor
    single: Tensor
    summed: Tensor
    backward: Tensor
    exact: np.ndarray | None = None

    @cached_property
    def against_rows(self) -> np.ndarray:
        """abs(single call − right row), float64, shape (samples, outputs, inputs)."""
        return _distance(self.single, self.rows)

    @cached_property
    def against_sum(self) -> np.ndarray:
        """abs(single call − sum of the right rows), float64, shape (samples, outputs, inputs)."""
        return _distance(self.single, self.summed.unsqueeze(1))

    @property
    def errors(self) -> tuple[np.ndarray, np.ndarray]:
        """The errors of the right rows and of the single call, float64 of shape (entries,), where all are finite."""
        if self.exact is None:
            return np.empty(0), np.empty(0)
        near, rest = self.exact
        with np.errstate(invalid="ignore"):
            rows, single = (np.abs((to_float64(part) - near) - rest) for part in (self.rows, self.single))
        finite = np.isfinite(rows) & np.isfinite(single)
        return rows[finite], single[finite]


@dataclass(frozen=True)
class PitfallTally(Tally):
    """What the study remembers. An entry with an infinite or NaN error counts only in `nonfinite`."""

    seen: Histogram = Histogram()
    """Samples by whether all rows of the single call are equal, value for value: 1 or 0."""
    backward: Histogram = Histogram()
    """Rows of the single call by whether they are the backward gradient, value for value: 1 or 0."""
    against_rows: Histogram = Histogram()
    """Entries of the single call by their distance from the right row."""
    nonfinite: Histogram = Histogram()
    """Entries with an infinite or NaN error, all under key 0."""
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
    first_sample: Both = Both()
    """Both matrices of sample 0, if they are small."""

    @classmethod
    def of(cls, matrices: Matrices) -> "PitfallTally":
        entries = matrices.rows[0].numel()
        single, backward = to_float64(matrices.single), to_float64(matrices.backward)
        finite = np.isfinite(matrices.against_rows) & np.isfinite(matrices.against_sum)
        against_rows = np.where(finite, matrices.against_rows, 0.0)
        against_sum = np.where(finite, matrices.against_sum, 0.0)
        alike = _same(single, single[:, :1]).all((1, 2))
        is_backward = _same(single, backward[:, None]).all(2)
        against_rows, against_sum = against_rows.reshape(-1, entries), against_sum.reshape(-1, entries)
        finite = finite.reshape(-1, entries)
        first = against_rows[: max(_FIRST_SAMPLES - matrices.number, 0)]
        right_errors, single_errors = matrices.errors
        return cls(
            seen=Histogram.of(np.array(alike, np.int64)),
            backward=Histogram.of(np.array(is_backward, np.int64)),
            against_rows=Histogram.of(keys(against_rows[finite])),
            nonfinite=Histogram.of(np.zeros(np.count_nonzero(~finite), np.int64)),
            worst=Extreme.of(against_rows, matrices.block, matrices.index),
            worst_sum=Extreme.of(against_sum, matrices.block, matrices.index),
            first=Extreme.of(first, matrices.block, matrices.index),
            right_errors=Histogram.of(keys(right_errors)),
            single_errors=Histogram.of(keys(single_errors)),
            first_sample=Both.of(matrices.rows[0], matrices.single[0]) if matrices.number == 0 else Both(),
        )

    @property
    def samples(self) -> int:
        return self.seen.total

    @property
    def rows_equal(self) -> bool:
        """Whether all rows of the single call are equal in every sample, value for value."""
        return self.seen[0] == 0

    @property
    def entries(self) -> int:
        """Finite entries of all matrices."""
        return self.against_rows.total

    def worst_number(self, experiment: Experiment) -> int:
        """The number of the sample with the largest distance from a right row; 0 if there is none."""
        place = self.worst.place
        return place.block * block_size(experiment) + place.index if place else 0

    @property
    def median(self) -> float:
        """The median distance of the finite entries from the right row, to within 0.2 %; 0 if there are none."""
        return median(self.against_rows)

    @property
    def typical_errors(self) -> tuple[float, float]:
        """The median errors of the right rows and of the single call, likewise."""
        return median(self.right_errors), median(self.single_errors)

    @property
    def factor(self) -> float | None:
        """The median error of the single call over that of the right rows; None if either is zero."""
        right, single = self.typical_errors
        return single / right if right and single else None

    @property
    def decades(self) -> float | None:
        """By how many powers of ten the largest distance from the right row exceeds the largest distance from the sum;
        None if either is zero."""
        if not (self.worst.value and self.worst_sum.value):
            return None
        return log10(self.worst.value / self.worst_sum.value)

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON."""
        return {
            "samples": self.samples,
            "entries": self.entries,
            "nonfinite": self.nonfinite.total,
            "rows_equal": self.rows_equal,
            "rows": self.backward.total,
            "rows_backward": self.backward[1],
            "single_vs_rows_max": self.worst.value,
            "single_vs_rows_max_at": self.worst.at,
            "single_vs_rows_median": rounded(self.median, MEDIAN_DIGITS),
            "single_vs_sum_max": self.worst_sum.value,
            "decades": self.decades,
            "exact_entries": self.right_errors.total,
            "rows_vs_exact_median": rounded(self.typical_errors[0], MEDIAN_DIGITS),
            "single_vs_exact_median": rounded(self.typical_errors[1], MEDIAN_DIGITS),
        }


class Pitfall(SampledStudy[Matrices]):
    """Computes the right rows, the single call's matrix and the backward gradient of each sample."""

    measured = Matrices
    empty = PitfallTally()
    tally = staticmethod(PitfallTally.of)

    def __init__(self, experiment: Experiment, source: Source = RANDOM) -> None:
        super().__init__(experiment, source)
        self._exact_rows = lru_cache(maxsize=1)(lambda block: ExactRows(self.net, experiment, self._samples(block)))

    def measure(self, number: int, deadline: float) -> Matrices:
        """Measure consecutive samples as every study does, and look up their exact rows."""
        measured = super().measure(number, deadline)
        numbers = number + np.arange(len(measured))
        return replace(measured, exact=self._exact_rows(measured.block).of(measured.index, numbers))

    def differentiate(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows = JACOBIANS[rows_method(self.experiment)](self.net, x)
        return rows, JACOBIANS["single-call"](self.net, x), rows.sum(-2), backward_gradient(self.net, x)


def attempts(experiment: Experiment, number: int) -> list[Outcome]:
    """Make every attempt on sample `number` of the experiment, alone, whatever the experiment's evaluation."""
    study = Pitfall(experiment)
    x = study.measure(number, deadline=0.0).x[0].clone().to(experiment.device)
    with matmul_flags(experiment):
        return try_all(study.net, x)


def _distance(a: Tensor, b: Tensor) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # inf − inf is NaN, as it should be
        return np.abs(to_float64(a) - to_float64(b))


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether values are equal: +0 equals −0, and here every NaN equals every other."""
    return (a == b) | (np.isnan(a) & np.isnan(b))

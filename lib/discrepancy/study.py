"""Backward against Jacobian: the discrepancy of the two gradients, component by component.

In exact arithmetic the backward gradient and the summed Jacobian are the same vector. In floats they add the same
terms in different orders, so the last bits may differ; this study measures how often and by how much.
"""

from dataclasses import dataclass

import numpy as np

from lib.discrepancy.verdict import VerdictTally
from lib.experiment.query import Experiment
from lib.network.comparison import BY_METHOD, PLAIN
from lib.reference.compared import Comparisons, Gradients, Variant
from lib.run.tally import Extreme, FirstPlaces, Histogram, Place, Tally

EXACT_ULPS = 2**16
"""Each ulp distance up to this one has a histogram key of its own, which covers all distances of the 16-bit dtypes. A
longer distance counts under the power of two below it, which keeps the histogram bounded."""

MOST_ULPS = 8
"""The ends of the range of distances that have a bar of their own; they stand for all longer ones."""

NOT_FINITE = MOST_ULPS + 1
"""The bar of components that are not finite on both sides, which is not drawn."""

_LONGEST_ULPS = np.uint64(2**62)  # the last power of two that fits a key


@dataclass(frozen=True)
class DiscrepancyTally(Tally):
    """What the study remembers. A component with an infinite or NaN value counts only in `nonfinite`."""

    samples: int = 0
    nonfinite: int = 0
    samples_equal: int = 0
    """Samples in which all components are equal."""
    ulps: Histogram = Histogram()
    """Components by ulp distance, negative if the backward gradient is the lower one; see `EXACT_ULPS` for long
    distances."""
    within_condition: int = 0
    """Components whose ulp distance is at most their condition number: cancellation explains so many floats."""
    first_places: FirstPlaces = FirstPlaces()
    """The first component of each bar: see `bars_of`."""
    max_abs: Extreme[Place] = Extreme()
    max_ulps: Extreme[Place] = Extreme()
    max_condition: Extreme[Place] = Extreme()
    """The largest finite condition number."""
    verdict: VerdictTally = VerdictTally()

    @classmethod
    def of(cls, gradients: Gradients) -> "DiscrepancyTally":
        finite, ulps, discrepancy = gradients.finite, gradients.ulps, gradients.discrepancy
        equal = ulps == 0
        all_finite = bool(finite.all())
        if not all_finite:
            discrepancy = np.where(finite, discrepancy, 0.0)
            equal &= finite
        signed = _ulp_keys(ulps, discrepancy < 0)
        equal_of_sample = np.ascontiguousarray(equal.T).sum(0)  # numpy adds long rows much faster than short ones
        at = gradients.block, gradients.index
        return cls(
            samples=len(gradients),
            nonfinite=0 if all_finite else int(np.count_nonzero(~finite)),
            samples_equal=int((equal_of_sample == equal.shape[1]).sum()),
            ulps=Histogram.of(signed if all_finite else signed[finite]),
            first_places=FirstPlaces.of(bars_of(gradients), *at),
            within_condition=_within_condition(gradients),
            max_abs=Extreme.of(np.abs(discrepancy), *at),
            max_ulps=Extreme.of(ulps, *at),
            max_condition=_largest_condition(gradients),
            verdict=VerdictTally.of(gradients.judged, *at) if gradients.judged else VerdictTally(),
        )

    @property
    def finite(self) -> int:
        """Components that are finite in both gradients."""
        return self.ulps.total

    @property
    def components(self) -> int:
        return self.finite + self.nonfinite

    @property
    def equal(self) -> int:
        """Components whose two values are equal: +0 equals −0, though their bits differ."""
        return self.ulps[0]

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON."""
        return {
            "samples": self.samples,
            "components": self.components,
            "nonfinite": self.nonfinite,
            "equal": self.equal,
            "samples_equal": self.samples_equal,
            "max_abs": self.max_abs.value,
            "max_abs_at": self.max_abs.at,
            "max_ulps": self.max_ulps.value,
            "max_ulps_at": self.max_ulps.at,
            "max_units_at": self.verdict.max_units.at,
            "max_condition": self.max_condition.value,
            "max_condition_at": self.max_condition.at,
            **self.verdict.figures(),
            "ulps": np.stack([self.ulps.keys, self.ulps.counts], 1).tolist(),
        }


class Discrepancy:
    """The backward gradient against the summed Jacobian by the experiment's method, and which of the two is right."""

    empty = DiscrepancyTally()
    tally = staticmethod(DiscrepancyTally.of)

    def __init__(self, experiment: Experiment, judged: bool = True) -> None:
        self.experiment = experiment
        self._both = Comparisons(Variant(experiment, {PLAIN: BY_METHOD}, judged))
        self.block_size = self._both.block_size

    @staticmethod
    def total(experiment: Experiment) -> int:
        return Comparisons.total(experiment)

    def measure(self, number: int, deadline: float) -> Gradients:
        return self._both.judge(self._both.measure(number, deadline)).under(PLAIN)

    @property
    def nbytes(self) -> int:
        return self._both.nbytes


def _ulp_keys(ulps: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """The histogram keys, int64, of unsigned distances; those marked `negative` get negative keys."""
    keys = ulps.view(np.int64)
    if ulps.max() > EXACT_ULPS:
        keys = np.minimum(ulps, _LONGEST_ULPS).astype(np.int64)
        # A shifted key has at most 53 bits, so float64 holds it exactly and yields the right exponent.
        below = 1 << (np.frexp((keys >> 9).astype(np.float64))[1].astype(np.int64) + 8)
        keys = np.where(keys > EXACT_ULPS, below, keys)
    return keys * (1 - 2 * negative.view(np.int8))  # masks would take NumPy several times as long


def bars_of(gradients: Gradients) -> np.ndarray:
    """The bar of each component, int8, shape (samples, components): its signed ulp distance from −`MOST_ULPS` to
    `MOST_ULPS`, or `NOT_FINITE`."""
    distances = np.minimum(gradients.ulps, MOST_ULPS).astype(np.int8)
    signed = np.where(gradients.discrepancy < 0, -distances, distances)
    return signed if gradients.finite.all() else np.where(gradients.finite, signed, np.int8(NOT_FINITE))


def _within_condition(gradients: Gradients) -> int:
    """A component without a condition number counts if its values are equal, one that cancels to 0 always does."""
    if not gradients.judged:
        return 0
    within = gradients.ulps <= gradients.judged.condition
    return int(np.count_nonzero(within if gradients.finite.all() else within & gradients.finite))


def _largest_condition(gradients: Gradients) -> Extreme[Place]:
    if not gradients.judged:
        return Extreme()
    condition = gradients.judged.condition
    largest = Extreme.of(condition, gradients.block, gradients.index)
    if largest.value < np.inf:
        return largest
    return Extreme.of(np.where(np.isinf(condition), 0.0, condition), gradients.block, gradients.index)

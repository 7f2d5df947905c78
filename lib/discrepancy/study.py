"""Backward against Jacobian: the discrepancy of the two gradients, component by component.

If the method gives the Jacobian, both are the same vector in exact arithmetic. In floats,
`backward()` adds before it multiplies and the Jacobian after, so the last bits may differ; this
study measures how often and by how much.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lib.discrepancy.accuracy import VerdictTally
from lib.experiment.query import Experiment
from lib.network.comparison import BY_METHOD, PLAIN
from lib.reference.compared import ComparisonStudy
from lib.reference.pair import Pair
from lib.run.tally import Extreme, FirstPlaces, Histogram, Place, Tally

EXACT_ULPS = 2**16
"""Each ulp distance up to this one has a histogram key of its own; no distance in a 16-bit dtype is
longer. A longer distance counts under the largest power of two that is not above it, which keeps
the histogram bounded."""

_LONGEST = 2**62
"""The largest power of two that fits in int64, the dtype of keys."""

LAST_BAR = 12
"""The last bar of the histogram, for all distances above 2**(LAST_BAR − 2) ulps."""

BARS = range(-LAST_BAR, LAST_BAR + 1)
"""The bars: 0 for equal values, ±1 for one ulp, ±k for more than 2**(k−2) and at most 2**(k−1)
ulps. The last ones also count all longer distances."""

# Longer distances are cut to this one, which is in the last bar.
_FAR = 2 ** (LAST_BAR - 1)
_BARS_ABOVE = [1 + (distance - 1).bit_length() for distance in range(1, _FAR + 1)]
# The bar of each distance; a negative distance is an index from the end of the array.
_BAR_OF = np.array([0, *_BARS_ABOVE, *(-bar for bar in reversed(_BARS_ABOVE))], np.int8)

NOT_FINITE = LAST_BAR + 1
"""What `bars_of` returns in place of a bar where a value is infinite or NaN."""


@dataclass(frozen=True)
class DiscrepancyTally(Tally):
    """What the study remembers.

    A component with an infinite value or NaN on either side counts only in `nonfinite`.
    """

    samples: int = 0
    nonfinite: int = 0
    samples_equal: int = 0
    """Samples in which all components are equal."""
    ulps: Histogram = Histogram()
    """Components by ulp distance, negative if backward is lower; see `EXACT_ULPS`."""
    first_places: FirstPlaces = FirstPlaces()
    """The first component of each bar: see `bars_of`."""
    max_abs: Extreme[Place] = Extreme()
    max_ulps: Extreme[Place] = Extreme()
    verdict: VerdictTally = VerdictTally()

    @classmethod
    def of(cls, gradients: Pair) -> "DiscrepancyTally":
        start = gradients.block, gradients.index
        keys = _keys(gradients.signed_ulps)
        equal = np.equal(*gradients.values)
        finite = keys
        if not gradients.all_finite:
            equal &= gradients.finite
            finite = keys[gradients.finite]
        ulps = Histogram.of(finite)
        return cls(
            samples=len(gradients),
            nonfinite=keys.size - finite.size,
            samples_equal=int(np.count_nonzero(equal.all(1))),
            ulps=ulps,
            first_places=FirstPlaces.of(bars_of(gradients), BARS, *start),
            max_abs=Extreme.of(gradients.distance, *start),
            max_ulps=Extreme.of(gradients.ulps, *start),
            verdict=VerdictTally.of(gradients) if gradients.judged else VerdictTally(),
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
            **self.max_abs.figures("max_abs"),
            **self.max_ulps.figures("max_ulps"),
            **self.verdict.figures(),
            "ulps": np.stack([self.ulps.keys, self.ulps.counts], 1).tolist(),
        }


class Discrepancy:
    """The backward gradient against the summed Jacobian, by the experiment's method.

    Args:
        experiment: the experiment.
        judged: whether both are compared with the exact gradient, which the verdicts need.
    """

    empty: Tally = DiscrepancyTally()
    tally: Callable[[Pair], Tally] = staticmethod(DiscrepancyTally.of)

    def __init__(self, experiment: Experiment, judged: bool = True) -> None:
        self.experiment = experiment
        self._both = ComparisonStudy(experiment, {PLAIN: BY_METHOD}, judged)
        self.block_size = self._both.block_size

    @staticmethod
    def total(experiment: Experiment) -> int:
        return experiment.samples

    def measure(self, number: int, deadline: float) -> Pair:
        return self._both.measure(number, deadline).under(PLAIN)


def _keys(steps: np.ndarray) -> np.ndarray:
    """The histogram key of each signed distance, int64; see `EXACT_ULPS`."""
    if max(steps.max(initial=0), -steps.min(initial=0)) <= EXACT_ULPS:
        return steps
    far = np.minimum(np.abs(steps), _LONGEST)
    # A shifted distance is at most 2**53, which float64 holds exactly, so its exponent is right.
    below = 1 << (np.frexp((far >> 9).astype(np.float64))[1].astype(np.int64) + 8)
    return np.where(far > EXACT_ULPS, np.sign(steps) * below, steps)


def bar_of(distances: np.ndarray) -> np.ndarray:
    """Return the bar of each signed ulp distance, int8."""
    return _BAR_OF[np.clip(distances, -_FAR, _FAR)]


def bars_of(gradients: Pair) -> np.ndarray:
    """Return the bar of each component, or `NOT_FINITE`, int8."""
    bars = bar_of(gradients.signed_ulps)
    if gradients.all_finite:
        return bars
    return np.where(gradients.finite, bars, np.int8(NOT_FINITE))

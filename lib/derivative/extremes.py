"""The largest value of each bin of x, and where it was, as a part of a tally."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from lib.derivative.reference import ComputedDerivatives
from lib.run.tally import Extreme, Point


@dataclass(frozen=True)
class Extremes:
    """The largest value of each bin that was seen, and the first x where it occurred.

    `of_bin` has the value, −1 times the number of the x, and the x. The greater of two such
    tuples counts.
    """

    of_bin: dict[int, tuple[float, int, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, values: np.ndarray, measured: ComputedDerivatives) -> Self:
        """Find the extremes of non-negative values, one for each measured x; NaN does not count."""
        if np.isnan(values).all():
            return cls()
        bins = measured.bins
        largest = np.full(bins.max() + 1, -1.0)
        np.maximum.at(largest, bins, np.fmax(values, -1))
        reached = np.flatnonzero(values == largest[bins])
        first = np.zeros(largest.size, int)
        first[bins[reached[::-1]]] = reached[::-1]  # of equal values, the first is written last
        seen = np.flatnonzero(largest >= 0)
        extremes = zip(
            largest[seen].tolist(),
            (-measured.number - first[seen]).tolist(),
            measured.x[first[seen]].tolist(),
            strict=True,
        )
        return cls(dict(zip(seen.tolist(), extremes, strict=True)))

    def __add__(self, other: "Extremes") -> "Extremes":
        largest = dict(self.of_bin)
        for bin_, extreme in other.of_bin.items():
            largest[bin_] = max(extreme, largest.get(bin_, extreme))
        return Extremes(largest)

    def within(self, low: int, high: int) -> Self:
        """Return those of the bins from `low` up to, but not including, `high`."""
        kept = {bin_: extreme for bin_, extreme in self.of_bin.items() if low <= bin_ < high}
        return type(self)(kept)

    @property
    def largest(self) -> Extreme[Point]:
        """The largest value of all bins; 0 and no x if nothing was seen."""
        if not self.of_bin:
            return Extreme()
        value, number, x = max(self.of_bin.values())
        return Extreme(value, Point(-number, x))

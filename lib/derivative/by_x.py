"""What the derivative study remembers of one way to compute the derivative, bin by bin of x."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from lib.run.tally import Extreme, Histogram, Point, Sums, Tally


@dataclass(frozen=True)
class Extremes:
    """The largest value of each bin that was seen, and the first x where it occurred."""

    of_bin: dict[int, Extreme[Point]] = field(default_factory=dict)

    @classmethod
    def of(cls, bins: np.ndarray, values: np.ndarray, x: np.ndarray, first_number: int) -> Self:
        """Find the extremes at consecutive x.

        bins are int64 from 0 on, values and x float64, all of shape (n,); values are non-negative, and NaN does not
        count.
        """
        counted = np.flatnonzero(~np.isnan(values))
        if counted.size == 0:
            return cls()
        largest, first = np.full(bins.max() + 1, -1.0), np.full(bins.max() + 1, -1)
        np.maximum.at(largest, bins[counted], values[counted])
        there = counted[values[counted] == largest[bins[counted]]][::-1]
        first[bins[there]] = there  # of several, the last one written stays: the first x
        seen = np.flatnonzero(first >= 0)
        return cls(
            {
                bin_: Extreme(values[at].item(), Point(first_number + at, x[at].item()))
                for bin_, at in zip(seen.tolist(), first[seen].tolist(), strict=True)
            }
        )

    def __add__(self, other: "Extremes") -> "Extremes":
        merged = dict(self.of_bin)
        for bin_, extreme in other.of_bin.items():
            merged[bin_] = merged[bin_] + extreme if bin_ in merged else extreme
        return Extremes(merged)

    @property
    def nbytes(self) -> int:
        return 300 * len(self.of_bin)  # approximately: an extreme, its place, and their entry in a dictionary


@dataclass(frozen=True)
class ByX(Tally):
    """Counts of x by bin, as in `SeriesTally`; errors are in ulps."""

    equal: Histogram = Histogram()
    correct: Histogram = Histogram()
    finite: Histogram = Histogram()
    """Number of x with an error."""
    lost: Histogram = Histogram()
    """Number of x where the value is infinite or NaN by mistake."""
    sums: Sums = Sums()
    """The errors, summed."""
    worst: Extremes = Extremes()
    """The largest errors."""

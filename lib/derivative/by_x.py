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
        largest = np.full(bins.max(initial=-1) + 1, -1.0)
        first = np.full_like(largest, -1, np.int64)
        np.maximum.at(largest, bins, np.fmax(values, -1))  # fmax drops NaN
        there = np.flatnonzero(values == largest[bins])[::-1]
        first[bins[there]] = there  # of several, the last one written stays: the first x
        seen = np.flatnonzero(first >= 0)
        found = seen, first[seen], values[first[seen]], x[first[seen]]
        return cls(
            {
                bin_: Extreme(value, Point(first_number + at, there))
                for bin_, at, value, there in zip(*(part.tolist() for part in found), strict=True)
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

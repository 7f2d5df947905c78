"""The largest value of each bin of x, and where it was, as a part of a tally."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from lib.derivative.reference import ComputedDerivatives
from lib.run.tally import Extreme, Point


@dataclass(frozen=True)
class Extremes:
    """The largest value of each bin that was seen, and the first x where it occurred.

    `of_bin` has the value, −1 times the number of the x, and the x: of two such, the greater counts.
    """

    of_bin: dict[int, tuple[float, int, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, values: np.ndarray, measured: ComputedDerivatives) -> Self:
        """Find the extremes of non-negative values at the measured x; NaN does not count."""
        order, counts = measured.by_bin
        ordered, starts = values[order], np.cumsum(counts) - counts
        np.fmax(ordered, -1, out=ordered)
        largest = np.maximum.reduceat(ordered, starts)
        reached = np.flatnonzero(ordered == np.repeat(largest, counts))
        first = order[reached[np.searchsorted(reached, starts)]]
        found = zip(
            largest.tolist(),
            (-measured.number - first).tolist(),
            measured.x[first].tolist(),
            strict=True,
        )
        return cls(
            {
                bin_: one
                for bin_, one in zip(measured.bins[first].tolist(), found, strict=True)
                if one[0] >= 0
            }
        )

    def __add__(self, other: "Extremes") -> "Extremes":
        return Extremes(
            self.of_bin
            | {bin_: max(one, self.of_bin.get(bin_, one)) for bin_, one in other.of_bin.items()}
        )

    def __getitem__(self, bin_: int) -> Extreme[Point]:
        """Return the largest value of a bin, 0 and no x if it was never seen."""
        return _extreme(self.of_bin.get(bin_))

    def within(self, low: int, high: int) -> Self:
        """Return those of the bins from `low` on, before `high`."""
        return type(self)({bin_: one for bin_, one in self.of_bin.items() if low <= bin_ < high})

    @property
    def largest(self) -> Extreme[Point]:
        return _extreme(max(self.of_bin.values(), default=None))


def _extreme(found: tuple[float, int, float] | None) -> Extreme[Point]:
    return Extreme(found[0], Point(-found[1], found[2])) if found else Extreme()

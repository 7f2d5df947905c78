"""What the derivative study remembers of each way to compute the derivative.

Errors are in ulps of the correctly rounded derivative.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from sys import float_info
from typing import Self

import numpy as np

from lib.derivative.formulas import AUTOGRAD
from lib.derivative.reference import ComputedDerivatives
from lib.run.tally import LARGEST, ByName, Constant, Extreme, Histogram, Point, Sums, Tally

EQUAL, CORRECT, FINITE, IN_RANGE, ZERO, FAR, OUTCOMES = (1 << bit for bit in range(7))
"""What can hold of a value at an x where the derivative exists, as bits of its outcome.

EQUAL: it equals autograd's value; +0 equals −0, and NaN equals NaN.
CORRECT: it is the correctly rounded derivative, finite or infinite.
FINITE: both it and the correctly rounded derivative are finite.
IN_RANGE: the correctly rounded derivative is finite.
ZERO: it is 0 but the correctly rounded derivative is finite and not 0.
FAR: `assert_close` fails for it and autograd's value, both of which are finite.
OUTCOMES: the number of outcomes.
"""


@dataclass(frozen=True)
class Extremes:
    """The largest value in each bin of x, and the first x where it occurred."""

    of_bin: dict[int, Extreme[Point]] = field(default_factory=dict)

    @classmethod
    def of(cls, values: np.ndarray, measured: ComputedDerivatives) -> Self:
        """Find the extremes of non-negative values, one for each measured x; NaN does not count."""
        largest = np.full(measured.bins.max() + 1, -1.0)
        np.maximum.at(largest, measured.bins, np.fmax(values, -1))
        reached = np.flatnonzero(values == largest[measured.bins])
        bins, first = np.unique(measured.bins[reached], return_index=True)
        extremes = (Extreme(values[i].item(), measured.at(i)) for i in reached[first].tolist())
        return cls(dict(zip(bins.tolist(), extremes, strict=True)))

    def __add__(self, other: "Extremes") -> "Extremes":
        bins = self.of_bin | other.of_bin
        none = Extreme[Point]()
        return Extremes(
            {bin_: self.of_bin.get(bin_, none) + other.of_bin.get(bin_, none) for bin_ in bins}
        )

    @property
    def largest(self) -> Extreme[Point]:
        """The largest value of all bins; 0 and no x if nothing was seen."""
        return sum(self.of_bin.values(), start=Extreme())


def _counted(bits: int, wanted: int) -> cached_property[int]:
    """Count the x in whose outcome these bits are as wanted."""

    def counted(series: "SeriesTally") -> int:
        outcomes = series.outcomes
        return int(outcomes.counts[outcomes.keys & bits == wanted].sum())

    return cached_property(counted)


@dataclass(frozen=True)
class SeriesTally(Tally):
    """What is remembered of one way to compute the derivative, at the x where it exists."""

    outcomes: Histogram = Histogram()
    """Number of x by bin·OUTCOMES + outcome, with the bin of x (`axis`)."""
    sums: Sums = Sums()
    """The sum of the errors in each bin of x."""
    worst: Extremes = Extremes()
    """The largest error in each bin of x."""
    relative: Extreme[Point] = Extreme()
    """The largest error relative to the derivative, where the value is not the nearest float."""
    rtol: Extreme[Point] = Extreme()
    """The largest rtol that `assert_close` needs beside its default atol to pass for the value
    and autograd's, where it fails."""
    distance: Extreme[Point] = Extreme()
    """The largest abs(value − autograd's value), of finite values that differ."""
    first_apart: Extreme[Point] = Extreme()
    """The first x where the value does not equal autograd's; the extreme's value is 1."""
    equal_anywhere: int = 0
    """Number of x where the value equals autograd's, also where no derivative is known to exist."""

    @classmethod
    def of(cls, measured: ComputedDerivatives, name: str) -> Self:
        values = measured.computed[name]
        errors = measured.reference.errors(values)
        nearest = measured.reference.nearest
        exists = measured.reference.exists
        rtol, distance = measured.tolerances(name)
        autograd = measured.computed[AUTOGRAD]
        equal = (values == autograd) | (np.isnan(values) & np.isnan(autograd))
        finite = ~np.isnan(errors)
        in_range = np.isfinite(nearest)
        conditions = {
            EQUAL: equal,
            CORRECT: values == nearest,
            FINITE: finite,
            IN_RANGE: in_range,
            ZERO: (values == 0) & (nearest != 0) & in_range,
            FAR: ~np.isnan(rtol),
        }
        outcomes = measured.bins * OUTCOMES
        for bit, holds in conditions.items():
            outcomes += bit * holds
        return cls(
            Histogram.of(outcomes[exists]),
            Sums.of(measured.bins[finite], errors[finite]),
            Extremes.of(errors, measured),
            Extremes.of(measured.reference.relative(values, errors), measured).largest,
            Extremes.of(rtol, measured).largest,
            Extremes.of(distance, measured).largest,
            Extremes.of(np.where(exists & ~equal, 1.0, np.nan), measured).largest,
            int(np.count_nonzero(equal)),
        )

    def within(self, low: int, high: int) -> Self:
        """Return the same with the outcomes, sums and largest errors of the bins from `low` up to,
        but not including, `high`. The other fields stay those of all bins."""
        bins = self.outcomes.keys // OUTCOMES
        kept = (low <= bins) & (bins < high)
        worst = {bin_: error for bin_, error in self.worst.of_bin.items() if low <= bin_ < high}
        return replace(
            self,
            outcomes=Histogram(self.outcomes.keys[kept], self.outcomes.counts[kept]),
            sums=Sums({bin_: sum_ for bin_, sum_ in self.sums.units.items() if low <= bin_ < high}),
            worst=Extremes(worst),
        )

    exist = _counted(0, 0)
    equal = _counted(EQUAL, EQUAL)
    correct = _counted(CORRECT, CORRECT)
    finite = _counted(FINITE, FINITE)
    wrong_range = _counted(FINITE | CORRECT, 0)
    """By mistake the value is infinite or NaN, or finite where the derivative overflows."""
    overflow = _counted(IN_RANGE, 0)
    zero = _counted(ZERO, ZERO)
    far = _counted(FAR, FAR)

    @property
    def lost(self) -> int:
        """Number of x at which the value is 0, infinite, NaN or finite by mistake."""
        return self.wrong_range + self.zero

    @property
    def mean(self) -> float | None:
        """The mean error; None if no x counts as FINITE, or if an error exceeds what sums hold."""
        held = self.finite and self.worst.largest.value <= LARGEST
        return self.sums.total / self.finite if held else None

    def figures(self) -> dict[str, object]:
        """Return the figures for JSON; errors are None if no x counts as FINITE or if too large."""
        worst = self.worst.largest
        place = worst.place
        return {
            "equal": self.equal,
            "equal_anywhere": self.equal_anywhere,
            "correctly_rounded": self.correct,
            "max_ulps": worst.value if place and worst.value < float_info.max else None,
            "max_ulps_at": place and {"number": place.number, "x": place.x, "hex": place.x.hex()},
            "mean_ulps": self.mean,
            "finite": self.finite,
            "nonfinite": self.wrong_range,
            "zero": self.zero,
        }


@dataclass(frozen=True)
class DerivativeTally(Tally):
    """What the study remembers."""

    function: Constant[str] = Constant()
    samples: int = 0
    outside: int = 0
    """Number of x where the derivative does not exist: no other count but `samples` and
    `equal_anywhere` includes them."""
    undecided: int = 0
    """Number of x where ball arithmetic does not tell whether the derivative exists or which
    float is nearest to it; counted likewise."""
    certified: int = 0
    """Number of x whose reference comes from ball arithmetic; float64 decided the others."""
    series: ByName[SeriesTally] = ByName()
    """A `SeriesTally` for autograd and for each formula."""

    @classmethod
    def of(cls, measured: ComputedDerivatives) -> "DerivativeTally":
        computed = measured.computed
        series: dict[str, SeriesTally] = {}
        for name, values in computed.items():
            same = (other for other in series if np.array_equal(values, computed[other]))
            twin = next(same, None)
            series[name] = series[twin] if twin else SeriesTally.of(measured, name)
        undecided = int(np.count_nonzero(measured.reference.undecided))
        exist = int(np.count_nonzero(measured.reference.exists))
        return cls(
            Constant(measured.experiment.differentiated),
            len(measured),
            len(measured) - exist - undecided,
            undecided,
            measured.reference.certified,
            ByName(series),
        )

    def within(self, low: int, high: int) -> Self:
        """Return the same with the series of the bins from `low` up to, but not including,
        `high`."""
        tallies = self.series.tallies.items()
        series = {name: tally.within(low, high) for name, tally in tallies}
        return replace(self, series=ByName(series))

    @property
    def exist(self) -> int:
        """Number of x where the derivative is known to exist."""
        return self.autograd.exist

    @property
    def autograd(self) -> SeriesTally:
        return self.of_name(AUTOGRAD)

    def of_name(self, name: str) -> SeriesTally:
        """Return the tally of autograd or of a formula, an empty one before the first x."""
        return self.series.tallies.get(name, SeriesTally())

    @property
    def formulas(self) -> dict[str, SeriesTally]:
        """The tallies of the formulas by their texts."""
        return {name: tally for name, tally in self.series.tallies.items() if name != AUTOGRAD}

    def figures(self) -> dict[str, object]:
        """Return the figures of the study for JSON."""
        return {
            "function": self.function.value,
            "samples": self.samples,
            "outside": self.outside,
            "undecided": self.undecided,
            "overflow": self.autograd.overflow,
            "reference": {"float64": self.exist - self.certified, "certified": self.certified},
            "autograd": self.autograd.figures(),
            "formulas": {name: tally.figures() for name, tally in self.formulas.items()},
        }

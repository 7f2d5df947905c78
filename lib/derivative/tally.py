"""What the derivative study remembers of each way to compute the derivative.

Errors are in ulps of the correctly rounded derivative.
"""

from dataclasses import dataclass, field
from sys import float_info
from typing import Self

import numpy as np

from lib.derivative.formulas import AUTOGRAD
from lib.derivative.reference import ComputedDerivatives
from lib.run.tally import LARGEST, ByName, Constant, Extreme, Histogram, Point, Sums, Tally, joined


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
        return Extremes(joined(self.of_bin, other.of_bin))

    def __getitem__(self, bin_: int) -> Extreme[Point]:
        """Return the extreme of a bin; 0 and no x if nothing was seen there."""
        return self.of_bin.get(bin_, Extreme())

    @property
    def largest(self) -> Extreme[Point]:
        """The largest value of all bins; 0 and no x if nothing was seen."""
        return sum(self.of_bin.values(), start=Extreme())


@dataclass(frozen=True)
class SeriesTally(Tally):
    """What is remembered of one way to compute the derivative, at the x where it exists."""

    equal: int = 0
    """Number of x where the value equals autograd's; +0 equals −0, and NaN equals NaN."""
    equal_anywhere: int = 0
    """Likewise, also where no derivative is known to exist."""
    correct: int = 0
    """Number of x where it is the correctly rounded derivative, finite or infinite."""
    wrong_range: int = 0
    """Number of x where it is infinite or NaN by mistake, or finite where the derivative
    overflows."""
    zero: int = 0
    """Number of x where it is 0 but the correctly rounded derivative is finite and not 0."""
    far: int = 0
    """Number of x where it and autograd's value are finite and `assert_close` fails for them, in at
    least one of the two orders of the arguments."""
    finite: Histogram = Histogram()
    """Number of x by bin (`axis`) where it and the correctly rounded derivative are finite."""
    sums: Sums = Sums()
    """The sum of the errors in each bin of x."""
    worst: Extremes = Extremes()
    """The largest error in each bin of x."""
    rtol: Extreme[Point] = Extreme()
    """The largest rtol that `assert_close` needs beside its default atol to pass for the value
    and autograd's, where it fails."""
    distance: Extreme[Point] = Extreme()
    """The largest abs(value − autograd's value), of finite values that differ."""
    first_apart: Extreme[Point] = Extreme()
    """The first x where the value does not equal autograd's. The value of this extreme is always
    1."""

    @classmethod
    def of(cls, measured: ComputedDerivatives, name: str) -> Self:
        values = measured.computed[name]
        errors = measured.reference.errors(values)
        nearest = measured.reference.nearest
        exists = measured.reference.exists
        rtol, distance = measured.tolerances(name)
        autograd = measured.computed[AUTOGRAD]
        equal = (values == autograd) | (np.isnan(values) & np.isnan(autograd))
        correct = values == nearest
        finite = ~np.isnan(errors)
        zero = finite & (values == 0) & (nearest != 0)
        return cls(
            equal=_count(equal & exists),
            equal_anywhere=_count(equal),
            correct=_count(correct),
            wrong_range=_count(exists & ~finite & ~correct),
            zero=_count(zero),
            far=_count(~np.isnan(rtol)),
            finite=Histogram.of(measured.bins[finite]),
            sums=Sums.of(measured.bins[finite], errors[finite]),
            worst=Extremes.of(errors, measured),
            rtol=Extremes.of(rtol, measured).largest,
            distance=Extremes.of(distance, measured).largest,
            first_apart=Extremes.of(np.where(exists & ~equal, 1.0, np.nan), measured).largest,
        )

    @property
    def lost(self) -> int:
        """Number of x at which the value is 0, infinite, NaN or finite by mistake."""
        return self.wrong_range + self.zero

    @property
    def mean(self) -> float | None:
        """The mean error; None if no error is known, or if one exceeds what sums hold."""
        return _mean(self.sums.total, self.finite.total, self.worst.largest)

    def mean_in(self, bin_: int) -> float | None:
        """Return the mean error in one bin of x, likewise."""
        return _mean(self.sums[bin_], self.finite[bin_], self.worst[bin_])

    def figures(self) -> dict[str, object]:
        """Return the figures for JSON; errors are None if none is known or if too large."""
        worst = self.worst.largest
        place = worst.place
        return {
            "equal": self.equal,
            "equal_anywhere": self.equal_anywhere,
            "correctly_rounded": self.correct,
            "max_ulps": worst.value if place and worst.value < float_info.max else None,
            "max_ulps_at": place and {"number": place.number, "x": place.x, "hex": place.x.hex()},
            "mean_ulps": self.mean,
            "finite": self.finite.total,
            "nonfinite": self.wrong_range,
            "zero": self.zero,
        }


def _count(flags: np.ndarray) -> int:
    return int(np.count_nonzero(flags))


def _mean(sum_: float, count: int, worst: Extreme[Point]) -> float | None:
    return sum_ / count if count and worst.value <= LARGEST else None


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
    overflow: int = 0
    """Number of x where the correctly rounded derivative is infinite."""
    certified: int = 0
    """Number of x whose reference comes from ball arithmetic; float64 decided the others."""
    series: ByName[SeriesTally] = ByName()
    """A `SeriesTally` for autograd and for each formula."""

    @classmethod
    def of(cls, measured: ComputedDerivatives) -> "DerivativeTally":
        undecided = _count(measured.reference.undecided)
        exist = _count(measured.reference.exists)
        return cls(
            Constant(measured.experiment.differentiated),
            len(measured),
            len(measured) - exist - undecided,
            undecided,
            _count(np.isinf(measured.reference.nearest)),
            measured.reference.certified,
            ByName({name: SeriesTally.of(measured, name) for name in measured.computed}),
        )

    @property
    def existing(self) -> int:
        """Number of x where the derivative is known to exist."""
        return self.samples - self.outside - self.undecided

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
            "overflow": self.overflow,
            "reference": {"float64": self.existing - self.certified, "certified": self.certified},
            "autograd": self.autograd.figures(),
            "formulas": {name: tally.figures() for name, tally in self.formulas.items()},
        }

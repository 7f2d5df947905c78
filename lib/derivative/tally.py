"""What the derivative study measures at consecutive x, and what it remembers: of each derivative, bin by bin of x.

Errors are in ulps of the exact derivative. Their bins by size are whole numbers, so that counts can be merged.
"""

from dataclasses import dataclass, field
from functools import cached_property
from sys import float_info
from typing import Self

import numpy as np

from lib.derivative.axis import axis_of
from lib.derivative.certified import Reference
from lib.derivative.formulas import AUTOGRAD
from lib.experiment.query import Experiment
from lib.run.tally import LARGEST, ByName, Constant, Extreme, Histogram, Point, Sums, Tally

_PER_ULP = 16  # bins of errors per ulp
_FINE_UP_TO = 4  # ulps; above that, one bin for each factor of two


def bin_of_error(errors: np.ndarray) -> np.ndarray:
    """The bin of each error in ulps, int64: sixteenths of an ulp up to 4 ulps, powers of two above that."""
    bins = (np.minimum(errors, _FINE_UP_TO) * _PER_ULP).astype(np.int64)
    large = np.flatnonzero(errors >= _FINE_UP_TO)
    bins[large] += np.frexp(errors[large])[1] - 3
    return bins


def error_ends(bin_: int) -> tuple[float, float]:
    """The ends of a bin of errors: the first is in the bin, the second is not; but the last bin includes the largest
    float."""
    beyond = bin_ - _FINE_UP_TO * _PER_ULP
    if beyond < 0:
        return bin_ / _PER_ULP, (bin_ + 1) / _PER_ULP
    low = _FINE_UP_TO * 2.0**beyond
    return low, min(2 * low, float_info.max)


@dataclass(frozen=True)
class Derivatives:
    """The measurements at consecutive x; `number` is the number of the first x in the experiment.

    All arrays are float64 of shape (n,), which holds the numbers of every dtype exactly: `x`; the derivatives
    `computed`, by name; f(x); and `back`, f⁻¹(f(x)), which is None if f has no inverse.
    """

    experiment: Experiment
    number: int
    x: np.ndarray
    computed: dict[str, np.ndarray]
    f: np.ndarray
    back: np.ndarray | None
    reference: Reference

    def __len__(self) -> int:
        return len(self.x)

    @cached_property
    def errors(self) -> dict[str, np.ndarray]:
        """abs(computed − exact derivative) in ulps, float64, by name; NaN where either is not a finite float."""
        return {name: self.reference.errors(values) for name, values in self.computed.items()}


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
    def largest(self) -> Extreme[Point]:
        return sum(self.of_bin.values(), Extreme())


@dataclass(frozen=True)
class SeriesTally(Tally):
    """What the study remembers of one way to compute the derivative, at the x where the derivative exists.

    The first six are by the bin of x (`axis`).
    """

    equal: Histogram = Histogram()
    """Number of x where the value equals autograd's: +0 equals −0, though their bits differ, and NaN equals nothing."""
    correct: Histogram = Histogram()
    """Number of x where the value is the correctly rounded derivative, finite or infinite."""
    finite: Histogram = Histogram()
    """Number of x where the value and the correct rounding are both finite, so that there is an error."""
    lost: Histogram = Histogram()
    """Number of x where the value is infinite or NaN by mistake."""
    sums: Sums = Sums()
    """The errors, summed."""
    worst: Extremes = Extremes()
    """The largest errors."""
    errors: Histogram = Histogram()
    """Number of x by the bin of the error (`error_ends`)."""
    nonfinite: int = 0
    """Number of x where either the value or the correctly rounded derivative is finite, but not both."""
    no_infinity: int = 0
    """Number of x where the value is finite and the correctly rounded derivative is infinite."""
    zero: int = 0
    """Number of x where the value is 0 and the correctly rounded derivative is finite and not 0."""
    first_apart: Extreme[Point] = Extreme()
    """The first x where the value does not equal autograd's; the extreme's value is 1."""
    zero_above: Extreme[Point] = Extreme()
    """The place of the smallest positive x in `zero`; the extreme is kept as the largest −x."""
    zero_below: Extreme[Point] = Extreme()
    """The largest negative x in `zero`."""

    @classmethod
    def of(cls, derivatives: Derivatives, name: str, bins: np.ndarray, exist_by_x: Histogram) -> "SeriesTally":
        """Tally one derivative by its name; `bins` is the bin of each x, int64 of shape (n,), and `exist_by_x` counts
        those where the derivative exists."""
        x, number, values = derivatives.x, derivatives.number, derivatives.computed[name]
        nearest, exists = derivatives.reference.nearest, derivatives.reference.exists
        errors, is_finite = derivatives.errors[name], np.isfinite(values)
        finite = np.isfinite(errors)
        equal, correct = (values == derivatives.computed[AUTOGRAD]) & exists, values == nearest
        zero = (values == 0) & (nearest != 0) & finite
        if finite.all():  # which is nearly always so, and selecting costs more than counting
            counted, counted_bins, finite_by_x = errors, bins, exist_by_x
        else:
            counted, counted_bins = errors[finite], bins[finite]
            finite_by_x = Histogram.of(counted_bins)
        return cls(
            equal=Histogram.of(bins, equal),
            correct=Histogram.of(bins, correct),
            finite=finite_by_x,
            lost=Histogram.of(bins[exists & ~is_finite & ~correct]),
            sums=Sums.of(counted_bins, counted),
            worst=Extremes.of(bins, errors, x, number),
            errors=Histogram.of(bin_of_error(counted)),
            nonfinite=int(np.count_nonzero(exists & (is_finite != np.isfinite(nearest)))),
            no_infinity=int(np.count_nonzero(is_finite & np.isinf(nearest))),
            zero=int(np.count_nonzero(zero)),
            first_apart=_largest(exists & ~equal, np.ones_like(x), x, number),
            zero_above=_largest(zero & (x > 0), -x, x, number),
            zero_below=_largest(zero & (x < 0), x, x, number),
        )

    @property
    def mean(self) -> float | None:
        """The mean error; None if no x has one, or one is larger than sums hold."""
        held = self.finite.total and self.worst.largest.value <= LARGEST
        return self.sums.total / self.finite.total if held else None

    def figures(self) -> dict[str, object]:
        """The figures of one way to compute the derivative, for JSON; errors are None if no x has one."""
        finite, worst = self.finite.total, self.worst.largest
        at = worst.place
        return {
            "equal": self.equal.total,
            "correctly_rounded": self.correct.total,
            "max_ulps": worst.value if finite and worst.value < float_info.max else None,
            "max_ulps_at": {"number": at.number, "x": at.x, "hex": at.x.hex()} if at else None,
            "mean_ulps": self.mean,
            "finite": finite,
            "nonfinite": self.nonfinite,
            "zero": self.zero,
            "zero_from": [zero.place and zero.place.x for zero in (self.zero_below, self.zero_above)],
            "ulps": [
                [*error_ends(int(key)), int(n)] for key, n in zip(self.errors.keys, self.errors.counts, strict=True)
            ],
        }


@dataclass(frozen=True)
class DerivativeTally(Tally):
    """What the study remembers."""

    function: Constant[str] = Constant()
    samples: int = 0
    outside: int = 0
    """Number of x where the derivative does not exist: no other count but `samples` and the round trips has them."""
    overflow: int = 0
    """Number of x where the correctly rounded derivative is infinite, so that no value has an error in ulps."""
    undecided: int = 0
    """Number of x where ball arithmetic does not tell whether the derivative exists or which float is nearest to it: no
    other count has them, as with `outside`."""
    exist_by_x: Histogram = Histogram()
    """Number of the other x by the bin of x (`axis`)."""
    certified: int = 0
    """Number of x with a derivative whose reference comes from ball arithmetic; float64 decided the others."""
    round_trips: int = 0
    """Number of x where f(x) is not NaN, if f has an inverse."""
    round_trip_equal: int = 0
    """Number of round trips with f⁻¹(f(x)) == x."""
    series: ByName[SeriesTally] = ByName()
    """A `SeriesTally` for autograd and for each formula."""

    @classmethod
    def of(cls, derivatives: Derivatives) -> "DerivativeTally":
        x, back, found = derivatives.x, derivatives.back, derivatives.reference
        bins = axis_of(derivatives.experiment).bin_of(x)
        exist_by_x = Histogram.of(bins, found.exists)
        return cls(
            function=Constant(derivatives.experiment.differentiated),
            samples=len(x),
            outside=int(np.count_nonzero(~(found.exists | found.undecided))),
            undecided=int(np.count_nonzero(found.undecided)),
            overflow=int(np.count_nonzero(np.isinf(found.nearest))),
            exist_by_x=exist_by_x,
            certified=found.certified,
            round_trips=0 if back is None else int(np.count_nonzero(~np.isnan(derivatives.f))),
            round_trip_equal=0 if back is None else int(np.count_nonzero(back == x)),
            series=ByName({name: SeriesTally.of(derivatives, name, bins, exist_by_x) for name in derivatives.computed}),
        )

    @property
    def exist(self) -> int:
        """Number of x where the derivative is known to exist."""
        return self.samples - self.outside - self.undecided

    @property
    def autograd(self) -> SeriesTally:
        return self.series.tallies.get(AUTOGRAD, SeriesTally())

    @property
    def formulas(self) -> dict[str, SeriesTally]:
        """The tallies of the formulas by their texts."""
        return {name: tally for name, tally in self.series.tallies.items() if name != AUTOGRAD}

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON."""
        return {
            "function": self.function.value,
            "samples": self.samples,
            "outside": self.outside,
            "undecided": self.undecided,
            "overflow": self.overflow,
            "reference": {"float64": self.exist - self.certified, "certified": self.certified},
            "autograd": self.autograd.figures(),
            "formulas": {name: tally.figures() for name, tally in self.formulas.items()},
            "round_trips": self.round_trips,
            "round_trip_equal": self.round_trip_equal,
        }


def _largest(where: np.ndarray, values: np.ndarray, x: np.ndarray, number: int) -> Extreme[Point]:
    """The largest of the values at some of the x; of several, the first."""
    return Extreme.over_x(np.where(where, values, np.nan), x, number) if where.any() else Extreme()

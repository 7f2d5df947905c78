"""What the derivative study measures at consecutive x, and what it remembers of that."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lib.derivative.bins import bin_of_error, bin_of_x, error_ends
from lib.derivative.certified import Reference
from lib.derivative.formulas import AUTOGRAD
from lib.experiment import functions
from lib.run.tally import ByName, Constant, Extreme, Histogram, Point, Sums, Tally


@dataclass(frozen=True)
class Derivatives:
    """What was measured at consecutive x, `number` being the first one's of the whole experiment.

    All arrays are float64 of shape (n,), which hold the numbers of every dtype exactly: `x`; the derivatives
    `computed`, by name; f(x), and `back`, f⁻¹(f(x)), which is None where f has no inverse.
    """

    function: str
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
        """abs(computed − exact derivative) in ulps, float64, by name; NaN where one of the two is no finite float."""
        return {name: self.reference.errors(values) for name, values in self.computed.items()}


@dataclass(frozen=True)
class SeriesTally(Tally):
    """One way to compute the derivative, at the x where it exists."""

    equal: int = 0
    """x where its value equals autograd's: +0 equals −0, though their bits differ, and NaN equals nothing."""
    correct: int = 0
    """x where it is the correctly rounded derivative, finite or infinite."""
    nonfinite: int = 0
    """x where either it or the correctly rounded derivative is finite, but not both."""
    zero: int = 0
    """x where it is 0 and the correctly rounded derivative is not."""
    errors: Histogram = Histogram()
    """x where both are finite by the bin of the error: `error_ends`."""
    by_x: Histogram = Histogram()
    """The same x by the bin of x: `x_ends`."""
    correct_by_x: Histogram = Histogram()
    sums_by_x: Sums = Sums()
    """Their errors in ulps, summed by the bin of x."""
    worst: Extreme[Point] = Extreme()
    """The largest error in ulps."""
    zero_above: Extreme[Point] = Extreme()
    """The largest −x of the positive x in `zero`: where the smallest of them is."""
    zero_below: Extreme[Point] = Extreme()
    """The largest negative x in `zero`."""

    @classmethod
    def of(cls, derivatives: Derivatives, name: str, x_bins: np.ndarray) -> "SeriesTally":
        """x_bins is the bin of each x, int64 of shape (n,)."""
        x, number, values = derivatives.x, derivatives.number, derivatives.computed[name]
        nearest, errors = derivatives.reference.nearest, derivatives.errors[name]
        exists, finite = derivatives.reference.exists, np.isfinite(errors)
        correct = values == nearest
        zero = (values == 0) & (nearest != 0) & finite
        if finite.all():  # as nearly always: selecting costs more than counting
            counted, counted_bins = errors, x_bins
        else:
            counted, counted_bins = errors[finite], x_bins[finite]
        return cls(
            equal=int(np.count_nonzero((values == derivatives.computed[AUTOGRAD]) & exists)),
            correct=int(np.count_nonzero(correct)),
            nonfinite=int(np.count_nonzero(exists & (np.isfinite(values) != np.isfinite(nearest)))),
            zero=int(np.count_nonzero(zero)),
            errors=Histogram.of(bin_of_error(counted)),
            by_x=Histogram.of(counted_bins),
            correct_by_x=Histogram.of(x_bins, correct & finite),
            sums_by_x=Sums.of(counted_bins, counted),
            worst=Extreme.over_x(errors, x, number),
            zero_above=_nearest_to_zero(x, zero & (x > 0), number),
            zero_below=_nearest_to_zero(x, zero & (x < 0), number),
        )

    @property
    def finite(self) -> int:
        """x where both it and the correctly rounded derivative are finite: those that have an error in ulps."""
        return self.errors.total

    def figures(self) -> dict[str, object]:
        """The figures of one way to compute the derivative, for JSON; errors are in ulps, None where there is none."""
        worst = self.worst.place
        return {
            "equal": self.equal,
            "correctly_rounded": self.correct,
            "max_ulps": self.worst.value if self.finite else None,
            "max_ulps_at": {"number": worst.number, "x": worst.x, "hex": worst.x.hex()} if self.finite else None,
            "mean_ulps": self.sums_by_x.total / self.finite if self.finite else None,
            "finite": self.finite,
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
    """x where the derivative does not exist: they are in no other count but `samples` and the round trips."""
    overflow: int = 0
    """x where the correctly rounded derivative is infinite: no value has an error in ulps there."""
    certified: int = 0
    """x whose reference comes from ball arithmetic; that of the others comes from float64."""
    round_trips: int = 0
    """x where f has an inverse and f(x) is not NaN."""
    round_trip_equal: int = 0
    """Those with f⁻¹(f(x)) == x."""
    series: ByName[SeriesTally] = ByName()
    """A `SeriesTally` for autograd and for each formula."""

    @classmethod
    def of(cls, derivatives: Derivatives) -> "DerivativeTally":
        x, back, found = derivatives.x, derivatives.back, derivatives.reference
        x_bins = bin_of_x(x, functions.FUNCTIONS[derivatives.function].binned)
        return cls(
            function=Constant(derivatives.function),
            samples=len(x),
            outside=int(np.count_nonzero(~found.exists)),
            overflow=int(np.count_nonzero(np.isinf(found.nearest))),
            certified=found.certified,
            round_trips=0 if back is None else int(np.count_nonzero(~np.isnan(derivatives.f))),
            round_trip_equal=0 if back is None else int(np.count_nonzero(back == x)),
            series=ByName({name: SeriesTally.of(derivatives, name, x_bins) for name in derivatives.computed}),
        )

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
            "overflow": self.overflow,
            "reference": {"float64": self.samples - self.outside - self.certified, "certified": self.certified},
            "autograd": self.autograd.figures(),
            "formulas": {name: tally.figures() for name, tally in self.formulas.items()},
            "round_trips": self.round_trips,
            "round_trip_equal": self.round_trip_equal,
        }


def _nearest_to_zero(x: np.ndarray, where: np.ndarray, number: int) -> Extreme[Point]:
    if not where.any():
        return Extreme()
    return Extreme.over_x(np.where(where, -np.abs(x), np.nan), x, number)

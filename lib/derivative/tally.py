"""What the derivative study measures at consecutive x, and what it remembers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lib.derivative.axis import axis_of
from lib.derivative.bins import bin_of_error, error_ends
from lib.derivative.by_x import ByX, Extremes
from lib.derivative.certified import Reference
from lib.derivative.formulas import AUTOGRAD
from lib.experiment.query import Experiment
from lib.run.tally import ByName, Constant, Extreme, Histogram, Point, Sums, Tally


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
class SeriesTally(Tally):
    """What the study remembers of one way to compute the derivative, at the x where the derivative exists."""

    equal: int = 0
    """Number of x where the value equals autograd's: +0 equals −0, though their bits differ, and NaN equals nothing."""
    correct: int = 0
    """Number of x where the value is the correctly rounded derivative, finite or infinite."""
    nonfinite: int = 0
    """Number of x where either the value or the correctly rounded derivative is finite, but not both."""
    no_infinity: int = 0
    """Number of x where the value is finite and the correctly rounded derivative is infinite."""
    zero: int = 0
    """Number of x where the value is 0 and the correctly rounded derivative is finite and not 0."""
    errors: Histogram = Histogram()
    """Number of x by the bin of the error (`error_ends`), if the value and the correct rounding are both finite."""
    by_x: ByX = ByX()
    """The same by the bin of x (`axis`)."""
    worst: Extreme[Point] = Extreme()
    """The largest error in ulps."""
    first_apart: Extreme[Point] = Extreme()
    """The first x where the value does not equal autograd's; the extreme's value is 1."""
    zero_above: Extreme[Point] = Extreme()
    """The place of the smallest positive x in `zero`; the extreme is kept as the largest −x."""
    zero_below: Extreme[Point] = Extreme()
    """The largest negative x in `zero`."""

    @classmethod
    def of(cls, derivatives: Derivatives, name: str, x_bins: np.ndarray, exist_by_x: Histogram) -> "SeriesTally":
        """Tally one derivative by its name; x_bins is the bin of each x, int64 of shape (n,), and exist_by_x counts
        those where the derivative exists."""
        x, number, values = derivatives.x, derivatives.number, derivatives.computed[name]
        nearest, errors = derivatives.reference.nearest, derivatives.errors[name]
        exists, finite = derivatives.reference.exists, np.isfinite(errors)
        equal, correct = (values == derivatives.computed[AUTOGRAD]) & exists, values == nearest
        zero = (values == 0) & (nearest != 0) & finite
        if finite.all():  # which is nearly always so, and selecting costs more than counting
            counted, counted_bins, finite_by_x = errors, x_bins, exist_by_x
        else:
            counted, counted_bins = errors[finite], x_bins[finite]
            finite_by_x = Histogram.of(counted_bins)
        by_x = ByX(
            equal=Histogram.of(x_bins, equal),
            correct=Histogram.of(x_bins, correct),
            finite=finite_by_x,
            lost=Histogram.of(x_bins[exists & ~np.isfinite(values) & ~correct]),
            sums=Sums.of(counted_bins, counted),
            worst=Extremes.of(x_bins, errors, x, number),
        )
        return cls(
            equal=by_x.equal.total,
            correct=by_x.correct.total,
            nonfinite=int(np.count_nonzero(exists & (np.isfinite(values) != np.isfinite(nearest)))),
            no_infinity=int(np.count_nonzero(np.isfinite(values) & np.isinf(nearest))),
            zero=int(np.count_nonzero(zero)),
            errors=Histogram.of(bin_of_error(counted)),
            by_x=by_x,
            worst=sum(by_x.worst.of_bin.values(), Extreme()),
            first_apart=_first(x, exists & ~equal, number),
            zero_above=_nearest_to_zero(x, zero & (x > 0), number),
            zero_below=_nearest_to_zero(x, zero & (x < 0), number),
        )

    @property
    def finite(self) -> int:
        """Number of x where the value and the correctly rounded derivative are finite, so that there is an error in
        ulps."""
        return self.errors.total

    @property
    def lost(self) -> int:
        """Number of x where the value is infinite or NaN by mistake."""
        return self.by_x.lost.total

    def figures(self) -> dict[str, object]:
        """The figures of one way to compute the derivative, for JSON; errors are in ulps, or None if no x has one."""
        worst = self.worst.place
        return {
            "equal": self.equal,
            "correctly_rounded": self.correct,
            "max_ulps": self.worst.value if self.finite else None,
            "max_ulps_at": {"number": worst.number, "x": worst.x, "hex": worst.x.hex()} if self.finite else None,
            "mean_ulps": self.by_x.sums.total / self.finite if self.finite else None,
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
    """Number of x where the derivative does not exist: no other count but `samples` and the round trips has them."""
    overflow: int = 0
    """Number of x where the correctly rounded derivative is infinite, so that no value has an error in ulps."""
    undecided: int = 0
    """Number of x where ball arithmetic does not tell whether the derivative exists or which
    float is nearest to it: no other count has them, as with `outside`."""
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
        x_bins = axis_of(derivatives.experiment).bin_of(x)
        exist_by_x = Histogram.of(x_bins, found.exists)
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
            series=ByName(
                {name: SeriesTally.of(derivatives, name, x_bins, exist_by_x) for name in derivatives.computed}
            ),
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


def _first(x: np.ndarray, where: np.ndarray, number: int) -> Extreme[Point]:
    if not where.any():
        return Extreme()
    first = int(where.argmax())
    return Extreme(1.0, Point(number + first, x[first].item()))


def _nearest_to_zero(x: np.ndarray, where: np.ndarray, number: int) -> Extreme[Point]:
    if not where.any():
        return Extreme()
    return Extreme.over_x(np.where(where, -np.abs(x), np.nan), x, number)

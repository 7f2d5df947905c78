"""What the derivative study remembers: of each way to compute the derivative, bin by bin of x.

Errors are in ulps of the exact derivative.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from sys import float_info
from typing import Self

import numpy as np

from lib.derivative.axis import bin_of_error, error_ends
from lib.derivative.extremes import Extremes
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.reference import ComputedDerivatives
from lib.run.tally import LARGEST, ByName, Constant, Extreme, Histogram, Point, Sums, Tally

EQUAL, CORRECT, FINITE, REACHED, ZERO, FAR = (1 << bit for bit in range(6))
"""What can be said of a value at an x where the derivative exists, as bits of its outcome: it equals autograd's (+0
equals −0, and NaN nothing); it is the correctly rounded derivative, finite or infinite; it is finite; the correctly
rounded derivative is finite; it is 0, and that is not; `assert_close` fails for it and autograd's, both finite."""
OUTCOMES = 64


def _counted(bits: int, wanted: int) -> cached_property[Histogram]:
    """The number of x, by their bin, whose outcome has these bits as they are wanted."""

    def counted(series: "SeriesTally") -> Histogram:
        keys, counts = series.outcomes.keys, series.outcomes.counts
        kept = keys & bits == wanted
        return Histogram.of(keys[kept] // OUTCOMES, counts[kept])

    return cached_property(counted)


@dataclass(frozen=True)
class SeriesTally(Tally):
    """What the study remembers of one way to compute the derivative, at the x where the derivative exists."""

    outcomes: Histogram = Histogram()
    """Number of x by bin·OUTCOMES + outcome, with the bin of x (`axis`)."""
    sums: Sums = Sums()
    """The errors by the bin of x, summed."""
    worst: Extremes = Extremes()
    """The largest errors by the bin of x."""
    relative: Extremes = Extremes()
    """The largest errors relative to the derivative, where the value is not the nearest float."""
    rtol: Extremes = Extremes()
    """The largest rtol that `assert_close` needs for it and autograd's, beside its default atol, where it fails."""
    distance: Extremes = Extremes()
    """The largest abs(value − autograd's) there."""
    errors: Histogram = Histogram()
    """Number of x by the bin of the error (`error_ends`)."""
    first_apart: Extreme[Point] = Extreme()
    """The first x where the value does not equal autograd's; the extreme's value is 1."""
    zero_above: Extreme[Point] = Extreme()
    """The smallest positive x where the value is 0 by mistake; the extreme is kept as the largest −x."""
    zero_below: Extreme[Point] = Extreme()
    """The largest negative one."""
    equal_anywhere: int = 0
    """Number of x where the value equals autograd's, also where the derivative is not known to exist."""

    @classmethod
    def of(cls, measured: ComputedDerivatives, name: str) -> Self:
        values, errors, bins = measured.computed[name], measured.errors(name), measured.bins
        nearest, exists = measured.reference.nearest, measured.reference.exists
        equal, finite = values == measured.computed[AUTOGRAD], np.isfinite(values)
        reached, zero = measured.reference.finite, (values == 0) & (nearest != 0)
        rtol, distance = measured.tolerances(name)
        far = ~np.isnan(distance)
        outcome = np.zeros(len(values), np.uint8)
        for holds in (
            far,
            zero,
            reached,
            finite,
            values == nearest,
            equal,
        ):  # the highest bit first
            outcome += outcome
            outcome += holds.view(np.uint8)
        keys, finite = bins * OUTCOMES + outcome, finite & reached
        counted = (
            (bins, errors) if finite.all() else (bins[finite], errors[finite])
        )  # selecting costs more than adding
        apart = int((exists & ~equal).argmax())  # the first one, or 0 if there is none
        mistaken = np.flatnonzero(zero & finite)
        return cls(
            Histogram.of(keys if exists.all() else keys[exists]),
            Sums.of(*counted),
            Extremes.of(errors, measured),
            Extremes.of(measured.reference.relative(values, errors), measured),
            Extremes.of(rtol, measured) if far.any() else Extremes(),
            Extremes.of(distance, measured) if far.any() else Extremes(),
            Histogram.of(bin_of_error(counted[1])),
            Extreme(1.0, measured.at(apart)) if exists[apart] and not equal[apart] else Extreme(),
            _nearest_to_0(mistaken[measured.x[mistaken] > 0], measured),
            _nearest_to_0(mistaken[measured.x[mistaken] < 0], measured),
            int(np.count_nonzero(equal)),
        )

    def within(self, low: int, high: int) -> Self:
        """The same at the x of the bins from `low` on, before `high`, in what is counted by the bin of x."""
        at = self.outcomes.keys // OUTCOMES
        kept = (low <= at) & (at < high)
        return replace(
            self,
            outcomes=Histogram(self.outcomes.keys[kept], self.outcomes.counts[kept]),
            sums=Sums(
                {bin_: units for bin_, units in self.sums.units.items() if low <= bin_ < high}
            ),
            **{
                name: getattr(self, name).within(low, high)
                for name in ("worst", "relative", "rtol", "distance")
            },
        )

    exist = _counted(0, 0)
    equal = _counted(EQUAL, EQUAL)
    correct = _counted(CORRECT, CORRECT)
    finite = _counted(FINITE | REACHED, FINITE | REACHED)  # where there is an error
    lost = _counted(FINITE | CORRECT, 0)  # infinite or NaN by mistake
    no_infinity = _counted(FINITE | REACHED, FINITE)  # finite by mistake
    no_number = _counted(FINITE | REACHED, REACHED)
    overflow = _counted(REACHED, 0)
    zero = _counted(ZERO | REACHED, ZERO | REACHED)  # 0 by mistake
    far = _counted(FAR, FAR)

    @property
    def nonfinite(self) -> int:
        """Number of x where either the value or the correctly rounded derivative is finite, but not both."""
        return self.no_infinity.total + self.no_number.total

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
            "equal_anywhere": self.equal_anywhere,
            "correctly_rounded": self.correct.total,
            "max_ulps": worst.value if finite and worst.value < float_info.max else None,
            "max_ulps_at": {"number": at.number, "x": at.x, "hex": at.x.hex()} if at else None,
            "mean_ulps": self.mean,
            "finite": finite,
            "nonfinite": self.nonfinite,
            "zero": self.zero.total,
            "zero_from": [
                zero.place and zero.place.x for zero in (self.zero_below, self.zero_above)
            ],
            "ulps": [
                [*error_ends(int(key)), int(n)]
                for key, n in zip(self.errors.keys, self.errors.counts, strict=True)
            ],
        }


@dataclass(frozen=True)
class DerivativeTally(Tally):
    """What the study remembers."""

    function: Constant[str] = Constant()
    samples: int = 0
    outside: int = 0
    """Number of x where the derivative does not exist: no other count but `samples` and `equal_anywhere` has them."""
    undecided: int = 0
    """Number of x where ball arithmetic does not tell whether the derivative exists or which float is nearest to it: no
    other count has them, as with `outside`."""
    certified: int = 0
    """Number of x with a derivative whose reference comes from ball arithmetic; float64 decided the others."""
    series: ByName[SeriesTally] = ByName()
    """A `SeriesTally` for autograd and for each formula."""

    @classmethod
    def of(cls, measured: ComputedDerivatives) -> "DerivativeTally":
        found = measured.reference
        series: dict[str, SeriesTally] = {}
        for name, values in measured.computed.items():
            same = (other for other in series if np.array_equal(values, measured.computed[other]))
            series[name] = (
                series[other] if (other := next(same, "")) else SeriesTally.of(measured, name)
            )
        undecided = int(np.count_nonzero(found.undecided))
        return cls(
            Constant(measured.experiment.differentiated),
            len(measured),
            len(measured) - int(np.count_nonzero(found.exists)) - undecided,
            undecided,
            found.certified,
            ByName(series),
        )

    @property
    def exist(self) -> int:
        """Number of x where the derivative is known to exist."""
        return self.autograd.exist.total

    def within(self, low: int, high: int) -> Self:
        """The same at the x of some bins, in what is counted by the bin of x."""
        return replace(
            self,
            series=ByName(
                {name: one.within(low, high) for name, one in self.series.tallies.items()}
            ),
        )

    @property
    def overflow(self) -> int:
        """Number of x where the correctly rounded derivative is infinite, so that no value has an error in ulps."""
        return self.autograd.overflow.total

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
        }


def _nearest_to_0(among: np.ndarray, measured: ComputedDerivatives) -> Extreme[Point]:
    """The x nearest to 0 among those with these indices; of several, the first."""
    if among.size == 0:
        return Extreme()
    best = among[np.abs(measured.x[among]).argmin()].item()
    return Extreme(-abs(measured.x[best].item()), measured.at(best))

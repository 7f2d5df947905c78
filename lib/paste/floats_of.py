"""Printed numbers as the floats that they may stand for, and how far apart two can be.

Printed digits fit more than one float, so every statement about the float is an interval. Arrays
are float64, which holds the floats of every format. An end of an interval that is computed is
widened by one float64.

NOTE [a printed difference]: if two values print alike, their difference reveals what their digits
do not. Floats between them are multiples of the smallest spacing there, and so is the difference
of any two. The subtraction is exact if the values are within a factor of two of each other
(Sterbenz, Floating-Point Computation, 1974); otherwise it is rounded, by at most half a spacing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from sys import float_info

import numpy as np

from lib.floats.exact_floats import Format, Tolerance
from lib.paste.digits import Array, widths
from lib.paste.printed import Printed

Interval = tuple[Array, Array]


def spacing(x: Array, form: Format) -> Array:
    """Return one ulp at each float: the gap to the next float away from zero."""
    return np.ldexp(1.0, _quantum(x, form))


def _quantum(x: Array, form: Format) -> Array:
    exponents = np.maximum(np.frexp(x)[1] - form.precision, form.smallest_exponent)
    return np.where((x == 0) | ~np.isfinite(x), form.smallest_exponent, exponents)


def rounded(x: Array, form: Format, to: Callable[[Array], Array] = np.rint) -> Array:
    """Return the floats of the format that float64 numbers round to, at most its largest."""
    each = spacing(x, form)
    largest = float(form.largest)
    return np.where(np.isfinite(x), np.clip(to(x / each) * each, -largest, largest), x)


def ordinals(x: Array, form: Format) -> Array:
    """Return the places of floats on the float line, int64: 0 for zero, NaN and infinities."""
    binades = (_quantum(x, form) - form.smallest_exponent).astype(np.int64)
    units = np.where(np.isfinite(x), np.abs(x) / spacing(x, form), 0).astype(np.int64)
    return np.where(x < 0, -1, 1) * ((binades << (form.precision - 1)) + units)


@dataclass(frozen=True, eq=False)
class Floats:
    """Printed numbers as floats of a format: the nearest, the lowest and the highest that each
    may be, float64 of shape (n,)."""

    format: Format
    printed: tuple[Printed, ...]
    value: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, numbers: Sequence[Printed], form: Format, together: bool = True) -> "Floats":
        text = np.array([number.value for number in numbers], dtype=np.float64)
        width = widths(numbers, together)
        with np.errstate(all="ignore"):
            value = rounded(text, form)
            low = rounded(np.nextafter(text - width, -np.inf), form, np.ceil)
            high = rounded(np.nextafter(text + width, np.inf), form, np.floor)
        wide = (width > 0) & (width >= spacing(value, form) / 4)  # else the next float prints otherwise
        low = np.where(wide, np.minimum(low, value), value)
        high = np.where(wide, np.maximum(high, value), value)
        return cls(form, tuple(numbers), value, low, high)

    def __len__(self) -> int:
        return len(self.printed)

    def __getitem__(self, part: slice) -> "Floats":
        ends = (self.value[part], self.low[part], self.high[part])
        return Floats(self.format, self.printed[part], *ends)

    def text(self, place: int) -> str:
        text = self.printed[place].text
        return text if len(text) <= 24 else f"{text[:23]}…"

    @property
    def held(self) -> Array:
        """Where a float of the format prints as the text, to its last digit: no float16 is 2049."""
        text = np.array([number.value for number in self.printed])
        unit = [10.0 ** min(number.place or 0, 308) for number in self.printed]
        return (np.abs(text - self.value) < unit) | (text == self.value)

    @cached_property
    def size(self) -> Interval:
        """The least and the greatest absolute values."""
        ends = np.abs([self.low, self.high])
        around_zero = (self.low <= 0) & (self.high >= 0)
        return np.where(around_zero, 0.0, ends.min(0)), ends.max(0)

    @cached_property
    def ends(self) -> Interval:
        """The lowest and the highest place on the float line."""
        return ordinals(self.low, self.format), ordinals(self.high, self.format)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Numbers of one format side by side, with their printed differences, or None."""

    first: Floats
    second: Floats
    third: Floats | None = None

    @classmethod
    def of(
        cls, first: Sequence[Printed], second: Sequence[Printed], third: Sequence[Printed] | None, form: Format
    ) -> "Pairs":
        """Pair numbers, which share what their digits tell."""
        both = Floats.of([*first, *second], form)
        difference = Floats.of(third, form, together=False) if third else None
        return cls(both[: len(first)], both[len(first) :], difference)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def format(self) -> Format:
        return self.first.format

    @cached_property
    def finite(self) -> Array:
        return np.isfinite(self.first.value) & np.isfinite(self.second.value)

    @cached_property
    def equal(self) -> Array:
        """Where == is true for sure: it is for equal infinities, and never for NaN."""
        same = self.first.value == self.second.value
        return np.where(self.finite, self.ulps[1] == 0, same)

    @cached_property
    def farthest(self) -> int:
        """The component that is farthest apart, by the least that its difference may be."""
        low, high = (np.where(self.finite, end, -1) for end in self.differences)
        return int(np.lexsort((-np.arange(len(self)), self.ulps[1], high, low))[-1])

    @property
    def possible(self) -> bool:
        """Whether two such floats can have these differences at all."""
        low, high = self.differences
        fewest, most = self.ulps
        agree = (low <= high) & (fewest <= most)
        third = self.third
        held = third is None or third.held & (self.finite | ~np.isfinite(third.value))
        return bool(((~self.finite | agree) & held).all())

    @cached_property
    def differences(self) -> Interval:
        """The least and the greatest possible distances: NOTE [a printed difference]."""
        a, b = self.first, self.second
        with np.errstate(all="ignore"):
            low = np.maximum(np.maximum(a.low - b.high, b.low - a.high), 0)
            high = np.maximum(a.high - b.low, b.high - a.low)
            if self.third:
                least, greatest = self.third.size
                half = np.where(self._exact, 0, spacing(self.third.high, self.format) / 2)
                low = np.maximum(low, _multiple(least - half, self.spacings[0], np.ceil))
                high = np.minimum(high, _multiple(greatest + half, self.spacings[0], np.floor))
            low, high = (np.minimum(end, float_info.max) for end in (low, high))
        return np.where(self.finite, low, 0), np.where(self.finite, high, 0)

    @property
    def _exact(self) -> Array:
        """Where the subtraction of two such floats is exact, by Sterbenz."""
        a, b = self.first, self.second
        same_sign = (np.minimum(a.low, b.low) > 0) | (np.maximum(a.high, b.high) < 0)
        largest = np.maximum(a.size[1], b.size[1])
        return same_sign & (largest <= 2 * np.minimum(a.size[0], b.size[0]))

    @cached_property
    def ulps(self) -> Interval:
        """The lowest and the highest possible distances on the float line, uint64."""
        a, b = self.first.ends, self.second.ends
        low = np.maximum(_above(a[0], b[1]), _above(b[0], a[1]))
        high = np.maximum(_above(a[1], b[0]), _above(b[1], a[0]))
        if self.third:
            finest, coarsest = self.spacings
            with np.errstate(all="ignore"):
                least = np.clip(np.ceil(self.differences[0] / coarsest), 0, 2.0**62)
                most = np.clip(np.floor(self.differences[1] / finest), 0, 2.0**63)
            low = np.maximum(low, least.astype(np.uint64))
            high = np.minimum(high, most.astype(np.uint64))
        return low, high

    @cached_property
    def spacings(self) -> Interval:
        """The smallest and the largest gaps between neighbouring floats where the two may be."""
        low = np.minimum(self.first.low, self.second.low)
        high = np.maximum(self.first.high, self.second.high)
        ends = np.abs([low, high])
        inmost = np.where((low <= 0) & (high >= 0), 0, ends.min(0))
        outmost = np.nextafter(ends.max(0), 0)  # the gap below a power of two
        return spacing(inmost, self.format), spacing(outmost, self.format)

    def above(self, tolerance: Tolerance, place: int) -> bool | None:
        """Whether a difference exceeds the tolerance; None if the digits leave that open."""
        low, high = (Fraction(float(end[place])) for end in self.differences)
        least, most = (Fraction(float(end[place])) for end in self.second.size)
        if not tolerance.holds(low, most, self.format):
            return True
        return False if tolerance.holds(high, least, self.format) else None


def _above(x: Array, y: Array) -> Array:
    """How far ordinals are above others, uint64, else 0: the true distance is below 2**64."""
    return np.where(x > y, x.astype(np.uint64) - y.astype(np.uint64), np.uint64(0))


def _multiple(x: Array, unit: Array, to: Callable[[Array], Array]) -> Array:
    """Round to multiples of a power of two, where a float64 is not one anyway."""
    return np.where(x / unit < 2.0**53, to(x / unit) * unit, x)

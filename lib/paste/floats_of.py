"""Printed numbers as the floats that they may stand for, and how far apart two can be.

Printed digits fit more than one float, so every statement about the float is an interval. Arrays
are float64, which holds the floats of every format. An end of an interval that is computed is
widened by one float64.

NOTE [what digits tell]: a number stands for all floats within half a unit of its last digit.
NumPy and Python drop zeros at the end, so a number with fewer than four significant digits, and
fewer than four after its point, is as precise as the longest number beside it, and at least as if
all had four digits; unless all numbers have as many digits after the point, two or more: then they
were rounded to them. Whole numbers among whole numbers are whole, and zero in e-notation is zero.
In addition every text stands for the float nearest to it, which may have been printed in the
fewest digits that read back.

NOTE [a printed difference]: if two values print alike, their difference reveals what their digits
do not. Floats between them are multiples of the smallest spacing there, and so is the difference
of any two. A subtraction rounds it by at most half a spacing of the result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from sys import float_info
from typing import Any

import numpy as np

from lib.floats.exact_floats import Format
from lib.paste.printed import Printed

Array = np.ndarray[Any, Any]

LEAST_DIGITS = 4
"""PyTorch prints four decimals: shorter numbers were typed, or have lost zeros."""
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


def _widths(numbers: Sequence[Printed]) -> Array:
    """Return how far each of some numbers that stand together may be from its text, float64."""
    rounded = [number for number in numbers if number.digits is not None]
    all_whole = all(number.whole for number in rounded)
    alike = len(rounded) > 1 and len({number.decimals for number in rounded}) == 1
    most_digits = max([LEAST_DIGITS, *(number.digits or 0 for number in rounded)])
    most_decimals = max([LEAST_DIGITS, *(-number.place for number in rounded)])

    def width(number: Printed) -> float:
        digits = number.digits
        is_zero_in_e = digits == 0 and number.decimals is None
        if digits is None or is_zero_in_e or all_whole:
            return 0.0
        place = number.place
        enough = 2 if alike or digits == 0 else LEAST_DIGITS
        is_short = digits < LEAST_DIGITS or number.whole
        if is_short and number.decimals is not None and number.decimals < enough:
            place = max(place + digits - most_digits, -most_decimals)
        return 10.0 ** min(place, 308) / 2

    return np.array([width(number) for number in numbers])


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
    def of(cls, numbers: Sequence[Printed], form: Format) -> "Floats":
        """Read numbers that stand together, so that each tells of the digits of the others."""
        text = np.array([number.value for number in numbers], dtype=np.float64)
        width = _widths(numbers)
        with np.errstate(all="ignore"):
            value = rounded(text, form)
            low = rounded(np.nextafter(text - width, -np.inf), form, np.ceil)
            high = rounded(np.nextafter(text + width, np.inf), form, np.floor)
        # a narrower one tells the float, since the next one prints otherwise
        wide = (width > 0) & (width >= spacing(value, form) / 4)
        low = np.where(wide, np.minimum(low, value), value)
        high = np.where(wide, np.maximum(high, value), value)
        return cls(form, tuple(numbers), value, low, high)

    def __len__(self) -> int:
        return len(self.printed)

    def __getitem__(self, part: slice) -> "Floats":
        ends = (self.value[part], self.low[part], self.high[part])
        return Floats(self.format, self.printed[part], *ends)

    def text(self, component: int) -> str:
        text = self.printed[component].text
        return text if len(text) <= 24 else f"{text[:23]}…"

    @cached_property
    def sizes(self) -> Interval:
        """The least and the greatest absolute values."""
        return _sizes(self.low, self.high)

    @cached_property
    def ordinals(self) -> Interval:
        """The lowest and the highest place on the float line."""
        return ordinals(self.low, self.format), ordinals(self.high, self.format)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Numbers of one format side by side, with their printed differences, or None."""

    first: Floats
    second: Floats
    third: Floats | None = None

    @classmethod
    def of(cls, sides: Sequence[Sequence[Printed]], form: Format) -> "Pairs":
        """Pair the numbers of two sides, with the differences if there are three."""
        first, second, *third = sides
        both = Floats.of([*first, *second], form)
        differences = [Floats.of(numbers, form) for numbers in third]
        return cls(both[: len(first)], both[len(first) :], *differences)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def format(self) -> Format:
        return self.first.format

    @cached_property
    def finite(self) -> Array:
        return np.isfinite(self.first.value) & np.isfinite(self.second.value)

    @cached_property
    def farthest(self) -> int:
        """The component that is farthest apart, by the least that its difference may be."""
        low, high = (np.where(self.finite, end, -1) for end in self.differences)
        return int(np.lexsort((-np.arange(len(self)), high, low))[-1])

    @cached_property
    def sizes(self) -> Array:
        """The differences, as they are printed or as the texts have them."""
        if self.third:
            return np.abs(self.third.value)
        with np.errstate(all="ignore"):
            difference = np.abs(self.first.value - self.second.value)
        return np.minimum(difference, float_info.max)

    @property
    def possible(self) -> bool:
        """Whether two such floats can have these differences at all."""
        low, high = self.differences
        fewest, most = self.ulps
        agree = ~self.finite | (low <= high) & (fewest <= most)
        if self.third:
            agree &= self.finite | ~np.isfinite(self.third.value)
        return bool(agree.all())

    @cached_property
    def differences(self) -> Interval:
        """The least and the greatest possible distances: NOTE [a printed difference]."""
        a, b = self.first, self.second
        with np.errstate(all="ignore"):
            low = np.maximum(np.maximum(a.low - b.high, b.low - a.high), 0)
            high = np.maximum(a.high - b.low, b.high - a.low)
            if self.third:
                least, greatest = self.third.sizes
                half = spacing(self.third.high, self.format) / 2
                low = np.maximum(low, _multiple(least - half, self.spacings[0], np.ceil))
                high = np.minimum(high, _multiple(greatest + half, self.spacings[0], np.floor))
        low = np.where(self.finite, np.minimum(low, float_info.max), 0)
        return low, np.where(self.finite, np.minimum(high, float_info.max), 0)

    @cached_property
    def ulps(self) -> Interval:
        """The lowest and the highest possible distances on the float line, uint64."""
        a, b = self.first.ordinals, self.second.ordinals
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
        least, greatest = _sizes(low, high)
        below = np.nextafter(greatest, 0)  # the gap below a power of two
        return spacing(least, self.format), spacing(below, self.format)


def _sizes(low: Array, high: Array) -> Interval:
    """Return the least and the greatest absolute values of intervals."""
    ends = np.abs([low, high])
    around_zero = (low <= 0) & (high >= 0)
    return np.where(around_zero, 0.0, ends.min(0)), ends.max(0)


def _above(x: Array, y: Array) -> Array:
    """How far ordinals are above others, uint64, else 0: the true distance is below 2**64."""
    return np.where(x > y, x.astype(np.uint64) - y.astype(np.uint64), np.uint64(0))


def _multiple(x: Array, unit: Array, to: Callable[[Array], Array]) -> Array:
    """Round to multiples of a power of two, where a float64 is not one anyway."""
    return np.where(x / unit < 2.0**53, to(x / unit) * unit, x)

"""Printed numbers as the floats that they may stand for, and how far apart two can be: all of a paste at once.

Printed digits fit more than one float, so every statement about the float is an interval. Arrays are float64, which
holds the floats of every format; where an end of an interval is computed it is widened by one float64.

NOTE [what digits tell]: a number with at least four significant digits (three in e-notation), or four after its point,
or as many after its point as all those beside it (two at least), was rounded to its last digit: it stands for all
floats within half a unit of it. A shorter one has lost zeros or was typed: it is as precise as the longest number
beside it, and never more precise than if all had four digits. Zero in e-notation, and 0 or 0.0, is zero; 0.00 was
rounded. Whole numbers among whole numbers are whole. In addition every text stands for the float nearest to it, which
may have been printed in the fewest digits that read back.

NOTE [a printed difference]: if two values print alike, their difference reveals what their digits do not. Floats
between them are multiples of the smallest spacing there, and so is the difference of any two. The subtraction is exact
if the values are within a factor of two of each other (Sterbenz, Floating-Point Computation, 1974); otherwise it is
rounded, by at most half a spacing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from sys import float_info
from typing import Any

import numpy as np

from lib.floats.exact_floats import Format, Tolerance
from lib.paste.printed import Printed

Array = np.ndarray[Any, Any]
Interval = tuple[Array, Array]

FEW = 16
"""The most floats apart for which two results are called neighbours in rounding."""

_LEAST_DIGITS = 4  # PyTorch prints four decimals
NARROW = 0.01  # the relative width to which a number must be known to be called a power of two


def widths(printed: Sequence[Printed], together: bool) -> Array:
    """Return how far each number may be from its text, as the others tell if they were printed together with it.

    NOTE [what digits tell].
    """
    exact = np.array([one.digits is None for one in printed], dtype=bool)
    digits, place = (np.array([getattr(one, name) or 0 for one in printed]) for name in ("digits", "place"))
    decimals = np.array([0 if one.decimals is None else one.decimals for one in printed])
    in_e = np.array([one.decimals is None for one in printed], dtype=bool)
    whole = np.array([one.whole for one in printed], dtype=bool)
    dotted = np.array([one.text.endswith((".", ".0")) for one in printed], dtype=bool)
    most_digits = np.maximum(_LEAST_DIGITS, digits[~exact].max(initial=0) if together else digits)
    after_point = np.where(in_e, -place, decimals)
    most_decimals = np.maximum(_LEAST_DIGITS, after_point[~exact].max(initial=0) if together else decimals)
    alike = together and len(printed) > 1 and len({one.decimals for one in printed if one.digits is not None}) == 1
    all_whole = whole[~exact].all() if together else whole
    fixed = decimals >= np.where((digits > 1) & alike | (digits == 0), 2, _LEAST_DIGITS)
    fixed |= in_e & (digits == _LEAST_DIGITS - 1)
    rounded = (digits == 0) | fixed | (digits >= _LEAST_DIGITS) & ~dotted
    missing = place + digits - most_digits
    missing = np.where(in_e, missing, np.maximum(missing, -most_decimals))
    unit = np.power(10.0, np.minimum(np.where(rounded, place, missing), 308))
    unit[exact | whole & (all_whole | (digits == 0)) | (digits == 0) & ~fixed] = 0
    return unit / 2


def spacing(x: Array, form: Format) -> Array:
    """Return one ulp at each float: the gap to the next float away from zero."""
    return np.ldexp(1.0, _quantum(x, form))


def _quantum(x: Array, form: Format) -> Array:
    exponents = np.maximum(np.frexp(x)[1] - form.precision, form.smallest_exponent)
    return np.where((x == 0) | ~np.isfinite(x), form.smallest_exponent, exponents)


def rounded(x: Array, form: Format, to: Callable[[Array], Array] = np.rint) -> Array:
    """Return the floats of the format that float64 numbers round to, at most its largest."""
    each, largest = spacing(x, form), float(form.largest)
    return np.where(np.isfinite(x), np.clip(to(x / each) * each, -largest, largest), x)


def ordinals(x: Array, form: Format) -> Array:
    """Return the places of floats on the float line, int64: 0 for zero, and for NaN and infinities."""
    binades = (_quantum(x, form) - form.smallest_exponent).astype(np.int64)
    units = np.where(np.isfinite(x), np.abs(x) / spacing(x, form), 0).astype(np.int64)
    return np.where(x < 0, -1, 1) * ((binades << (form.precision - 1)) + units)


@dataclass(frozen=True, eq=False)
class Floats:
    """Printed numbers as floats of a format: the nearest, the lowest and the highest that each may be; shape (n,)."""

    format: Format
    printed: tuple[Printed, ...]
    value: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, printed: Sequence[Printed], form: Format, together: bool = True) -> "Floats":
        text = np.array([one.value for one in printed], dtype=np.float64)
        width = widths(printed, together)
        with np.errstate(all="ignore"):
            value = rounded(text, form)
            low = np.minimum(rounded(np.nextafter(text - width, -np.inf), form, np.ceil), value)
            high = np.maximum(rounded(np.nextafter(text + width, np.inf), form, np.floor), value)
        sure = ~(width >= spacing(value, form) / 4)  # too narrow for the next float, NaN, or an infinity
        return cls(form, tuple(printed), value, np.where(sure, value, low), np.where(sure, value, high))

    def __len__(self) -> int:
        return len(self.printed)

    def __getitem__(self, part: slice) -> "Floats":
        return Floats(self.format, self.printed[part], self.value[part], self.low[part], self.high[part])

    def text(self, at: int) -> str:
        text = self.printed[at].text
        return text if len(text) <= 24 else f"{text[:23]}…"

    @cached_property
    def size(self) -> Interval:
        """The least and the greatest absolute values."""
        ends = np.abs([self.low, self.high])
        return np.where((self.low <= 0) & (self.high >= 0), 0.0, ends.min(0)), ends.max(0)

    @cached_property
    def ends(self) -> Interval:
        """The lowest and the highest place on the float line."""
        return ordinals(self.low, self.format), ordinals(self.high, self.format)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Numbers of one format side by side, and their printed differences or None. The second ones are the expected."""

    first: Floats
    second: Floats
    third: Floats | None = None

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
        return np.where(self.finite, self.ulps[1] == 0, self.first.value == self.second.value)

    @property
    def farthest(self) -> int:
        """The component that is farthest apart, by the least that its difference may be beside the others."""
        low, high = (np.where(self.finite, end, -1) for end in self.differences)
        return int(np.lexsort((-np.arange(len(self)), self.ulps[1], high, low))[-1])

    @property
    def possible(self) -> bool:
        """Whether two such floats can have these differences at all: no float16 prints as 2049."""
        (low, high), (fewest, most) = self.differences, self.ulps
        third = zip(self.third.printed, self.third.value, strict=True) if self.third else ()
        held = [one.place is None or abs(one.value - near) < 10.0 ** min(one.place, 308) for one, near in third] or True
        return bool((~self.finite | (low <= high) & (fewest <= most) & held).all())

    @cached_property
    def differences(self) -> Interval:
        """The least and the greatest possible distances: NOTE [a printed difference]."""
        a, b = self.first, self.second
        with np.errstate(all="ignore"):
            low = np.maximum(np.maximum(a.low - b.high, b.low - a.high), 0)
            high = np.maximum(a.high - b.low, b.high - a.low)
            if self.third:
                least, greatest = self.third.size
                same_sign = (np.minimum(a.low, b.low) > 0) | (np.maximum(a.high, b.high) < 0)
                exact = same_sign & (np.maximum(a.size[1], b.size[1]) <= 2 * np.minimum(a.size[0], b.size[0]))
                half = np.where(exact, 0, spacing(self.third.high, self.format) / 2)
                low = np.maximum(low, _multiple(least - half, self.spacings[0], np.ceil))
                high = np.minimum(high, _multiple(greatest + half, self.spacings[0], np.floor))
        return tuple(np.where(self.finite, np.minimum(one, float_info.max), 0) for one in (low, high))  # type: ignore

    @cached_property
    def ulps(self) -> Interval:
        """The lowest and the highest possible distances on the float line, uint64."""
        a, b = self.first, self.second
        low = np.maximum(_above(a.ends[0], b.ends[1]), _above(b.ends[0], a.ends[1]))
        high = np.maximum(_above(a.ends[1], b.ends[0]), _above(b.ends[1], a.ends[0]))
        if self.third:
            finest, coarsest = self.spacings
            with np.errstate(all="ignore"):
                least, most = np.ceil(self.differences[0] / coarsest), np.floor(self.differences[1] / finest)
                low = np.maximum(low, np.clip(least, 0, 2.0**62).astype(np.uint64))
                high = np.minimum(high, np.clip(most, 0, 2.0**63).astype(np.uint64))
        return low, high

    @cached_property
    def spacings(self) -> Interval:
        """The smallest and the largest gaps between neighbouring floats where the two may be."""
        low, high = np.minimum(self.first.low, self.second.low), np.maximum(self.first.high, self.second.high)
        ends = np.abs([low, high])
        inmost = np.where((low <= 0) & (high >= 0), 0, ends.min(0))
        outmost = np.nextafter(ends.max(0), 0)  # the gap below a power of two
        return spacing(inmost, self.format), spacing(outmost, self.format)

    def above(self, tolerance: Tolerance, at: int) -> bool | None:
        """Whether a difference is above the tolerance; None if the digits leave that open."""
        low, high = (Fraction(float(end[at])) for end in self.differences)
        least, most = (Fraction(float(end[at])) for end in self.second.size)
        if not tolerance.holds(low, most, self.format):
            return True
        return False if tolerance.holds(high, least, self.format) else None


def _above(x: Array, y: Array) -> Array:
    """How far ordinals are above others, uint64, else 0: integers of 64 bits wrap, and the distance is below 2**64."""
    return np.where(x > y, x.astype(np.uint64) - y.astype(np.uint64), np.uint64(0))


def _multiple(x: Array, unit: Array, to: Callable[[Array], Array]) -> Array:
    """Round to multiples of a power of two, where a float64 is not one anyway."""
    return np.where(x / unit < 2.0**53, to(x / unit) * unit, x)

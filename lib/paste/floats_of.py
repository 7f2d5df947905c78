"""Printed numbers as the floats that they may stand for, and how far apart two of them can be.

Printed digits fit more than one float, so every statement about the float is an interval. All arithmetic is in
fractions.

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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from sys import float_info

from lib.floats.exact_floats import Format, Tolerance
from lib.floats.quantities import significant
from lib.paste.read import Printed

Interval = tuple[Fraction, Fraction]

FEW = 16
"""The most floats apart for which two results are called neighbours in rounding."""

_MOST = Fraction(float_info.max)
_LEAST_DIGITS = 4  # PyTorch prints four decimals
_NARROW = Fraction(1, 100)  # the relative width to which a number must be known to be called a power of two


def widths(numbers: Sequence[Printed]) -> list[Fraction]:
    """Return how far each of several numbers printed together may be from its text: NOTE [what digits tell]."""
    decimal = [number for number in numbers if number.digits is not None]
    most_digits = max([_LEAST_DIGITS, *(number.digits or 0 for number in decimal)])
    most_decimals = max([_LEAST_DIGITS, *(number.decimals or 0 for number in decimal)])
    all_whole = all(number.whole for number in decimal)
    alike = len({number.decimals for number in decimal}) == 1 and len(decimal) > 1

    def width(number: Printed) -> Fraction:
        digits, place, decimals = number.digits, number.place, number.decimals
        if digits is None or place is None or number.whole and (all_whole or not digits):
            return Fraction(0)
        fixed = (decimals or 0) >= (2 if alike and digits > 1 or not digits else _LEAST_DIGITS)
        fixed = fixed or decimals is None and digits == _LEAST_DIGITS - 1
        if digits == 0 or fixed or digits >= _LEAST_DIGITS and not number.text.endswith((".", ".0")):
            return Fraction(10) ** place / 2 if digits or fixed else Fraction(0)
        place += digits - most_digits
        return Fraction(10) ** (place if decimals is None else max(place, -most_decimals)) / 2

    return [width(number) for number in numbers]


@dataclass(frozen=True)
class Number:
    """The floats of a format that a printed number may be, by their ordinals; of NaN and infinities these are 0."""

    printed: Printed
    format: Format
    lowest: int = 0
    highest: int = 0
    nearest: int = 0

    @classmethod
    def of(cls, printed: Printed, width: Fraction, form: Format) -> "Number":
        if not isinstance(printed.value, Fraction):
            return cls(printed, form)
        nearest, last = form.nearest(printed.value), form.infinity - 1
        ends = min(form.ceil(printed.value - width), nearest), max(form.floor(printed.value + width), nearest)
        return cls(printed, form, *(min(max(end, -last), last) for end in (*ends, nearest)))

    @property
    def finite(self) -> bool:
        return self.printed.finite

    @property
    def text(self) -> str:
        text = self.printed.text
        return text if len(text) <= 24 else f"{text[:23]}…"

    @cached_property
    def value(self) -> Fraction:
        return self.format.value(self.nearest)

    @cached_property
    def as_float(self) -> float:
        if not self.finite:
            return float(self.printed.value)
        return -0.0 if self.text.startswith("-") and not self.nearest else float(self.value)

    @cached_property
    def size(self) -> Interval:
        """The least and the greatest absolute value."""
        low, high = sorted(abs(self.format.value(end)) for end in (self.lowest, self.highest))
        return (Fraction(0) if self.lowest <= 0 <= self.highest else low), high

    @property
    def half_width(self) -> float:
        return float(self.format.value(self.highest) - self.format.value(self.lowest)) / 2

    @property
    def floats(self) -> int:
        """The number of floats that it may be."""
        return self.highest - self.lowest + 1

    @property
    def sure(self) -> bool:
        return self.floats == 1

    @property
    def short(self) -> bool:
        """Whether it has fewer decimals than a printed tensor has and is a float as it stands, such as 0.25."""
        few = self.printed.decimals is not None and self.printed.decimals < _LEAST_DIGITS - 1
        return few and self.printed.value == self.value

    @property
    def is_held(self) -> bool:
        """Whether a float prints so: no float16 prints as 2049."""
        last = Fraction(10) ** self.printed.place if self.printed.place is not None else Fraction(0)
        off = abs(Fraction(self.printed.value) - self.value) if self.finite else 0
        return off < last if self.printed.decimals == 0 else off <= last

    @property
    def spacing(self) -> Fraction:
        return self.format.spacing(self.nearest)

    @cached_property
    def multiple_of_power(self) -> tuple[int, int] | None:
        """The odd m below 16 and the e if it is ±m·2^e as far as its digits tell, else None."""
        low, high = self.size
        known = self.is_held and 0 < low and high - low <= _NARROW * low
        each = ((m, power_within((low / m, high / m))) for m in range(1, FEW, 2)) if known else ()
        return next(((m, e) for m, e in each if e is not None), None)

    @property
    def one_ulp_of(self) -> Interval | None:
        """The ends of the binade whose spacing is the power of two of which the number is a small multiple."""
        multiple = self.multiple_of_power
        binade = multiple[1] + self.format.precision - 1 if multiple else self.format.largest_exponent
        if not 1 - self.format.largest_exponent <= binade < self.format.largest_exponent:
            return None
        return Fraction(2) ** binade, Fraction(2) ** (binade + 1)


@dataclass(frozen=True)
class Pair:
    """Two numbers of one format, and their printed difference or None. The second is the expected one."""

    first: Number
    second: Number
    third: Number | None = None

    @property
    def format(self) -> Format:
        return self.first.format

    @property
    def finite(self) -> bool:
        return self.first.finite and self.second.finite

    @property
    def equal(self) -> bool:
        """Whether == is true for sure: it is for equal infinities, and never for NaN."""
        return self.ulps[1] == 0 if self.finite else self.first.printed.value == self.second.printed.value

    @property
    def possible(self) -> bool:
        """Whether two such floats can have this difference at all."""
        (low, high), (fewest, most) = self.differences, self.ulps
        return not self.finite or low <= high and fewest <= most and (self.third is None or self.third.is_held)

    @cached_property
    def differences(self) -> Interval:
        """The least and the greatest possible distance: NOTE [a printed difference]."""
        a, b, value = self.first, self.second, self.format.value
        low = max(value(a.lowest) - value(b.highest), value(b.lowest) - value(a.highest), Fraction(0))
        high = max(value(a.highest) - value(b.lowest), value(b.highest) - value(a.lowest))
        low, high = min(low, _MOST), min(high, _MOST)
        if self.third is None:
            return low, high
        finest, _ = self._spacings
        least, greatest = self.third.size
        same_sign = min(a.lowest, b.lowest) > 0 or max(a.highest, b.highest) < 0
        if not (same_sign and max(a.size[1], b.size[1]) <= 2 * min(a.size[0], b.size[0])):
            least -= self.format.spacing(self.third.lowest) / 2
            greatest += self.format.spacing(self.third.highest) / 2
        return max(low, ceil(least / finest) * finest), min(high, floor(greatest / finest) * finest)

    @cached_property
    def ulps(self) -> tuple[int, int]:
        """The lowest and the highest possible distance on the float line."""
        a, b = self.first, self.second
        low = max(a.lowest - b.highest, b.lowest - a.highest, 0)
        high = max(a.highest - b.lowest, b.highest - a.lowest)
        if self.third:
            finest, coarsest = self._spacings
            low = max(low, ceil(self.differences[0] / coarsest))
            high = min(high, floor(self.differences[1] / finest))
        return low, high

    @property
    def apart(self) -> str:
        """How many floats apart they are, as a text."""
        low, high = self.ulps
        if not self.finite:
            return "equal" if self.equal else "not finite"
        least, most = (f"{one:,}" if one < 10**6 else significant(one) for one in (low, high))
        return least if least == most else f"{least} to {most}"

    @cached_property
    def largest(self) -> Fraction:
        return max(self.first.size[0], self.second.size[0])

    @property
    def _spacings(self) -> Interval:
        """The smallest and the largest gap between neighbouring floats where the two may be."""
        lowest, highest = min(self.first.lowest, self.second.lowest), max(self.first.highest, self.second.highest)
        inmost = 0 if lowest <= 0 <= highest else min(abs(lowest), abs(highest))
        return self.format.spacing(inmost), self.format.spacing(max(abs(lowest), abs(highest), 1) - 1)

    def above(self, tolerance: Tolerance) -> bool | None:
        """Whether the difference is above the tolerance; None if the digits leave that open."""
        if not tolerance.holds(self.differences[0], self.second.size[1], self.format):
            return True
        return False if tolerance.holds(self.differences[1], self.second.size[0], self.format) else None


def numbers_of(printed: Sequence[Printed], form: Format) -> list[Number]:
    """Return what several numbers that were printed together may be."""
    return [Number.of(one, width, form) for one, width in zip(printed, widths(printed), strict=True)]


def power_within(interval: Interval) -> int | None:
    """Return the e with 2**e in a narrow interval of positive numbers, or None."""
    low, high = interval
    if not (low > 0 and high - low <= _NARROW * low):
        return None
    e = high.numerator.bit_length() - high.denominator.bit_length()
    e -= Fraction(2) ** e > high
    return e if Fraction(2) ** e >= low else None

"""Printed numbers as the floats that they may stand for, and how far apart two of them can be.

Printed digits fit more than one float, so every statement about the float is an interval. All arithmetic is in
fractions.

NOTE [what digits tell]: a number with at least four significant digits, or four after its point, was rounded to its
last digit: it stands for all floats within half a unit of it. A shorter one has lost zeros or was typed: it is as
precise as the longest number beside it, and never more precise than if all had four digits. Zero in e-notation, and 0
or 0.0, is zero; 0.00 was rounded. A number that ends with its point, such as 1., is as precise as those beside it,
and whole if these are all like that: so PyTorch prints whole numbers. In addition every text stands for the float
nearest to it, which may have been printed in the fewest digits that read back.

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

from lib.floats.exact_floats import Format, Tolerance, significand_and_exponent
from lib.paste.read import Printed, refused

Interval = tuple[Fraction, Fraction]

FEW = 16
"""The most floats apart for which two results are called neighbours in rounding."""

_LEAST_DIGITS = 4  # PyTorch prints four decimals
_NARROW = Fraction(1, 100)  # the relative width to which a number must be known to be called a power of two


def widths(numbers: Sequence[Printed]) -> list[Fraction]:
    """Return how far each of several numbers printed together may be from its text: NOTE [what digits tell]."""
    decimal = [number for number in numbers if number.digits is not None]
    most_digits = max([_LEAST_DIGITS, *(number.digits or 0 for number in decimal)])
    most_decimals = max([_LEAST_DIGITS, *(number.decimals or 0 for number in decimal)])
    all_whole = all(number.decimals == 0 for number in decimal)

    def width(number: Printed) -> Fraction:
        digits, place, decimals = number.digits, number.place, number.decimals
        if digits is None or place is None or number.whole and all_whole or number.text.endswith(".") and all_whole:
            return Fraction(0)
        if digits == 0:
            if number.text.endswith("."):
                return Fraction(0) if all_whole else Fraction(10) ** -most_decimals / 2
            return Fraction(10) ** place / 2 if (decimals or 0) >= 2 else Fraction(0)
        typed = number.text.endswith((".", ".0"))  # as Python and NumPy print whole numbers
        long = (digits >= _LEAST_DIGITS or (decimals or 0) >= _LEAST_DIGITS) and not typed
        short_power = decimals is None and "." in number.text and most_digits == _LEAST_DIGITS
        if long or short_power:
            return Fraction(10) ** place / 2
        place += digits - most_digits
        return Fraction(10) ** (place if decimals is None else max(place, -most_decimals)) / 2

    return [width(number) for number in numbers]


@dataclass(frozen=True)
class Number:
    """The floats of a format that a printed finite number may be, by their ordinals on the float line."""

    printed: Printed
    format: Format
    lowest: int
    highest: int
    nearest: int

    @classmethod
    def of(cls, printed: Printed, width: Fraction, form: Format) -> "Number":
        """Raise `PasteError` if all that it may be is beyond the largest float."""
        value, largest = Fraction(printed.value), form.infinity - 1
        nearest = form.nearest(value)
        lowest, highest = min(form.ceil(value - width), nearest), max(form.floor(value + width), nearest)
        if lowest > largest or highest < -largest:
            raise refused(f"{{}} is no {form.name}: the largest is {float(form.largest):.9g}.", printed.text)
        return cls(printed, form, *(min(max(end, -largest), largest) for end in (lowest, highest, nearest)))

    @property
    def text(self) -> str:
        text = self.printed.text
        return text if len(text) <= 24 else f"{text[:23]}…"

    @cached_property
    def value(self) -> Fraction:
        return self.format.value(self.nearest)

    @property
    def as_float(self) -> float:
        return -0.0 if self.text.startswith("-") and not self.nearest else float(self.value)

    @cached_property
    def size(self) -> Interval:
        """The least and the greatest absolute value."""
        low, high = sorted(abs(self.format.value(end)) for end in (self.lowest, self.highest))
        return (Fraction(0) if self.lowest <= 0 <= self.highest else low), high

    @property
    def floats(self) -> int:
        """The number of floats that it may be."""
        return self.highest - self.lowest + 1

    @property
    def sure(self) -> bool:
        return self.floats == 1

    @property
    def is_held(self) -> bool:
        """Whether a float prints so: no float16 prints as 2049."""
        last = Fraction(10) ** self.printed.place if self.printed.place is not None else Fraction(0)
        return abs(Fraction(self.printed.value) - self.value) <= last

    @property
    def spacing(self) -> Fraction:
        return self.format.spacing(self.nearest)

    @property
    def multiple_of_power(self) -> tuple[int, int] | None:
        """The odd m below 16 and the e if it is ±m·2^e as far as its digits tell, else None."""
        return multiple_within(self.size) if self.is_held else None

    @property
    def one_ulp_of(self) -> Interval | None:
        """The ends of the binade whose spacing is the power of two of which the number is a small multiple."""
        multiple = self.multiple_of_power
        if multiple is None:
            return None
        binade = multiple[1] + self.format.precision - 1
        if not 1 - self.format.largest_exponent <= binade < self.format.largest_exponent:
            return None
        return Fraction(2) ** binade, Fraction(2) ** (binade + 1)

    @property
    def exact(self) -> str:
        """The nearest float as m·2^e."""
        significand, exponent = significand_and_exponent(self.value)
        return f"{significand}·2^{exponent}"


@dataclass(frozen=True)
class NotFinite:
    """NaN or an infinity."""

    printed: Printed

    @property
    def text(self) -> str:
        return self.printed.text

    @property
    def value(self) -> float:
        return float(self.printed.value)


@dataclass(frozen=True)
class Pair:
    """Two finite numbers of one format, and their printed difference or None. The second is the expected one."""

    first: Number
    second: Number
    third: Number | None = None

    @property
    def format(self) -> Format:
        return self.first.format

    @property
    def possible(self) -> bool:
        """Whether two such floats can have this difference at all."""
        (low, high), (fewest, most) = self.differences, self.ulps
        return low <= high and fewest <= most and (self.third is None or self.third.is_held)

    @cached_property
    def differences(self) -> Interval:
        """The least and the greatest possible distance: NOTE [a printed difference]."""
        low, high = self._apart
        if self.third is None:
            return low, high
        finest, _ = self._spacings
        least, greatest = self.third.size
        (a_low, a_high), (b_low, b_high) = self.first.size, self.second.size
        same_sign = min(self.first.lowest, self.second.lowest) > 0 or max(self.first.highest, self.second.highest) < 0
        if not (same_sign and max(a_high, b_high) <= 2 * min(a_low, b_low)):
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

    @cached_property
    def largest(self) -> Fraction:
        return max(self.first.size[0], self.second.size[0])

    @property
    def _apart(self) -> Interval:
        a, b, value = self.first, self.second, self.format.value
        least = max(value(a.lowest) - value(b.highest), value(b.lowest) - value(a.highest), Fraction(0))
        return least, max(value(a.highest) - value(b.lowest), value(b.highest) - value(a.lowest))

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


@dataclass(frozen=True)
class NotFinitePair:
    """Two numbers of which at least one is NaN or infinite."""

    first: Number | NotFinite
    second: Number | NotFinite

    @property
    def equal(self) -> bool:
        """Whether == is true: it is for equal infinities, and never for NaN."""
        return self.first.value == self.second.value


def numbers_of(printed: Sequence[Printed], form: Format) -> list[Number | NotFinite]:
    """Return what several numbers that were printed together may be."""
    finite = [one for one in printed if one.finite]
    found = iter([Number.of(one, width, form) for one, width in zip(finite, widths(finite), strict=True)])
    return [next(found) if one.finite else NotFinite(one) for one in printed]


def power_within(interval: Interval) -> int | None:
    """Return the e with 2**e in a narrow interval of positive numbers, or None."""
    low, high = interval
    if not (low > 0 and high - low <= _NARROW * low):
        return None
    e = high.numerator.bit_length() - high.denominator.bit_length()
    e -= Fraction(2) ** e > high
    return e if Fraction(2) ** e >= low else None


def multiple_within(interval: Interval) -> tuple[int, int] | None:
    """Return the odd m below 16 and the e with m·2**e in a narrow interval of positive numbers, or None."""
    for m in range(1, FEW, 2):
        e = power_within((interval[0] / m, interval[1] / m))
        if e is not None:
            return m, e
    return None

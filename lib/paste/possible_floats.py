"""Printed numbers as the floats that they may stand for.

Printed digits fit more than one float, so every statement about the float is an interval; see NOTE [what digits tell]
in `printed`. All arithmetic is in fractions.
"""

import sys
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property

from lib.floats.exact_floats import FORMATS, Format, significand_and_exponent
from lib.floats.tolerances import Tolerance
from lib.paste.printed import Interval, Printed
from lib.paste.tokenizer import refused

FEW = 16
"""The most ulps of another number for which a difference is reported as a few ulps of that number."""

_NARROW = Fraction(1, 100)  # relative width to which a number must be known to be called a power of two
_IN_FEWEST_DIGITS = ("float64", "float32", "float16")  # the formats whose floats Python and NumPy print so
_MOST_SHOWN = 24  # characters: enough for all digits of a float64


def multiple_within(interval: Interval) -> tuple[int, int] | None:
    """Return the odd m below 16 and the e with m·2**e in an interval of positive numbers.

    Return None if there is no such number or the interval is not narrow.
    """
    if not narrow(interval):
        return None
    for m in range(1, FEW, 2):
        e = power_within((interval[0] / m, interval[1] / m))
        if e is not None:
            return m, e
    return None


def power_within(interval: Interval) -> int | None:
    """Return the e with 2**e in a narrow interval of positive numbers, or None."""
    low, high = interval
    if not narrow(interval):
        return None
    e = high.numerator.bit_length() - high.denominator.bit_length()
    e -= Fraction(2) ** e > high
    return e if Fraction(2) ** e >= low else None


def is_power_of_ten(x: Fraction) -> bool:
    digits = str(max(x.numerator, x.denominator))
    return min(x.numerator, x.denominator) == 1 and digits.rstrip("0") == "1"


def narrow(interval: Interval) -> bool:
    """Whether an interval holds positive numbers only and is narrow enough to be treated as one number."""
    low, high = interval
    return low > 0 and high - low <= _NARROW * low


@dataclass(frozen=True)
class Number:
    """The floats of a format that a printed number may be, as ordinals: the first, the last, and the nearest one."""

    printed: Printed
    format: Format
    lowest: int
    highest: int
    nearest: int

    @classmethod
    def of(cls, number: Printed, interval: Interval, form: Format) -> "Number":
        """Make a `Number`. Raise `PasteError` if everything it may be is beyond the largest float."""
        nearest, largest = form.nearest(number.value), form.infinity - 1
        lowest, highest = min(form.ceil(interval[0]), nearest), max(form.floor(interval[1]), nearest)
        if lowest > largest or highest < -largest:
            ends = f"the largest is {in_digits(form.largest)}, and what reaches {in_digits(form.overflow)} in size"
            raise refused(f"{{}} is no {form.name}: {ends} is rounded to infinity.", number.text)
        lowest, highest, nearest = (min(max(end, -largest), largest) for end in (lowest, highest, nearest))
        return cls(number, form, lowest, highest, nearest)

    @property
    def text(self) -> str:
        """The pasted text, shortened if it is long."""
        text = self.printed.text
        return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"

    @property
    def sign(self) -> str:
        return "-" if self.printed.text.startswith("-") else ""

    @cached_property
    def value(self) -> Fraction:
        return self.format.value(self.nearest)

    @property
    def as_float(self) -> float:
        """The value as a Python float that keeps a zero's sign. Raise `OverflowError` beyond the largest float64."""
        return -0.0 if self.sign and not self.nearest else float(self.value)

    @cached_property
    def ends(self) -> Interval:
        return self.format.value(self.lowest), self.format.value(self.highest)

    @cached_property
    def size(self) -> Interval:
        """The least and the greatest absolute value."""
        low, high = sorted(map(abs, self.ends))
        return (Fraction(0) if self.lowest <= 0 <= self.highest else low), high

    @property
    def is_held(self) -> bool:
        """Whether the text may be a float of the format: see NOTE [digits of no float] in `printed`."""
        low, high = self.printed.within
        return self._in_fewest_digits or self.format.ceil(low) <= self.format.floor(high)

    @property
    def _in_fewest_digits(self) -> bool:
        """Whether it may be the fewest digits of a power of two that read back to it."""
        low, high = self.printed.within
        is_power = abs(significand_and_exponent(self.value)[0]) == 1
        if not is_power or abs(self.printed.value - self.value) >= high - low:
            return False
        return any(
            form.value(form.nearest(self.printed.value)) == self.value
            for form in map(FORMATS.__getitem__, _IN_FEWEST_DIGITS)
            if form.precision >= self.format.precision and form.largest >= self.format.largest
        )

    @property
    def neighbours(self) -> Interval:
        """The floats below and above the printed value."""
        below = self.format.floor(self.printed.value)
        return self.format.value(below), self.format.value(below + 1)

    @property
    def floats(self) -> int:
        """The number of floats that it may be."""
        return self.highest - self.lowest + 1

    @property
    def is_assumed(self) -> bool:
        """Whether it is more than the digits tell how far the number was rounded: it may have been typed."""
        if self.printed.decimals == 0 or self.printed.is_suppressed_zero:
            return True
        return (self.lowest, self.highest) != self._ends_of(self.printed.within)

    @property
    def all_print_so(self) -> bool:
        """Whether all floats from the first to the last one print as the text, unless that is only assumed.

        Not so if an end is halfway to the next text, if the number is 0, which floats of both signs are near, or if it
        is a power of ten in e-notation, which has one more decimal below it.
        """
        low, high = self.printed.within
        halfway = low == self.ends[0] or high == self.ends[1]
        more_below = self.printed.decimals is None and is_power_of_ten(abs(self.printed.value))
        return not (halfway or more_below or self.printed.value == 0)

    def _ends_of(self, interval: Interval) -> tuple[int, int]:
        """The first and the last float in an interval or nearest to the number, on the line up to the largest float."""
        largest = self.format.infinity - 1
        ends = self.format.ceil(interval[0]), self.format.floor(interval[1])
        lowest, highest = min(ends[0], self.nearest), max(ends[1], self.nearest)
        return max(lowest, -largest), min(highest, largest)

    @property
    def spacing(self) -> Fraction:
        return self.format.spacing(self.nearest)

    @property
    def power_of_two(self) -> int | None:
        return power_within(self.size) if self.is_held else None

    @property
    def multiple_of_power(self) -> tuple[int, int] | None:
        """The odd m below 16 and the e if it is m·2**e as far as its digits tell, else None."""
        return multiple_within(self.size) if self.is_held else None

    @property
    def is_small_power(self) -> bool:
        """Whether it is a power of two and as small as differences of neighbouring floats are beside the floats."""
        return self.power_of_two is not None and self.value**2 < self.format.eps

    @property
    def one_ulp_of(self) -> Interval | None:
        """The ends of the binade whose spacing is the power of two of which the number is a small multiple."""
        if self.multiple_of_power is None:
            return None
        binade = self.multiple_of_power[1] + self.format.precision - 1
        if not 1 - self.format.largest_exponent <= binade < self.format.largest_exponent:
            return None
        return Fraction(2) ** binade, Fraction(2) ** (binade + 1)

    @property
    def exact(self) -> str:
        """The nearest float as ±m·2^e."""
        significand, exponent = significand_and_exponent(self.value)
        return f"{'' if self.nearest else self.sign}{significand}·2^{exponent}"

    def above(self, tolerance: Tolerance) -> bool | None:
        """Whether it is above the tolerance if 0 is expected; None if the digits leave that open."""
        return exceeds(self.size, (Fraction(0), Fraction(0)), tolerance, self.format)


def exceeds(differences: Interval, expected: Interval, tolerance: Tolerance, form: Format) -> bool | None:
    """Whether all differences in an interval are above the tolerance; None if only some are."""
    if not tolerance.holds(differences[0], expected[1], form):
        return True
    return False if tolerance.holds(differences[1], expected[0], form) else None


def in_digits(x: Fraction, digits: int = 9) -> str:
    """Write a number with the given number of significant digits."""
    try:
        return f"{float(x):.{digits}g}"
    except OverflowError:
        return f"more than {sys.float_info.max:.{digits}g}"


def two_digits(x: Fraction, rounding: str) -> float:
    """Round a number to two significant digits in a direction, as `decimal` names it."""
    return float(Context(prec=2, rounding=rounding).divide(Decimal(x.numerator), Decimal(x.denominator)))


def size_within(low: Fraction, high: Fraction) -> str:
    """Write in two digits a size that lies in an interval, as "at most" so much if the interval is wider than that."""
    known = in_digits(low, 2) == in_digits(high, 2)
    return in_digits(high, 2) if known else f"at most {two_digits(high, ROUND_CEILING):.2g}"


def power_text(m: int, exponent: int, sign: str = "") -> str:
    """Write ±m·2^e as the page does."""
    return f"`{sign}{'' if m == 1 else f'{m}·'}2^{exponent}`"


def spread(ulps: tuple[int, int]) -> str:
    """Write a distance in ulps, or the lowest and the highest possible one."""
    low, high = ulps
    if low == high:
        return "1 ulp" if low == 1 else f"{low:,} ulps"
    return f"{low:,} to {high:,} ulps"


def amount(x: Fraction) -> str:
    """Write a non-negative number in five significant digits, and also as a power of two if it is one."""
    exponent = power_within((x, x))
    digits = in_digits(x, 5)
    return digits if exponent is None else f"{power_text(1, exponent)} = {digits}"

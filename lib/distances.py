"""Printed numbers as the floats that they may be, and how far apart two of them are.

Printed digits leave floats open, so that all that is said of them is an interval; see NOTE [what digits tell] in
`printed`. All arithmetic is in fractions.

NOTE [a printed difference]: where two values print alike, their difference tells what their digits do not. Floats
between the least and the greatest that the two may be are all multiples of the smallest spacing there, and so is any
difference of two of them; few multiples are printed as the difference is. Divided by the smallest and by the largest
spacing they bound the distance in ulps. The subtraction itself is exact where the values are within a factor of two
of each other (Sterbenz's lemma); elsewhere it is rounded, which half a spacing at both ends allows for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

from lib.exact_floats import Format, significand_and_exponent
from lib.pieces import refused
from lib.printed import Interval, Printed, intervals
from lib.tolerances import Tolerance

_NARROW = Fraction(1, 100)  # so precisely must a number be known to be called a power of two
_MOST_SHOWN = 24  # characters: as many as a float64 has in all digits
_FEW = 16  # a difference of so many ulps of a number beside it is noticed


def power_within(interval: Interval) -> int | None:
    """The e with 2**e in an interval of positive numbers, where that is narrow enough to say so; else None."""
    low, high = interval
    if not _narrow(interval):
        return None
    e = high.numerator.bit_length() - high.denominator.bit_length()
    e -= Fraction(2) ** e > high
    return e if Fraction(2) ** e >= low else None


def _narrow(interval: Interval) -> bool:
    low, high = interval
    return low > 0 and high - low <= _NARROW * low


@dataclass(frozen=True)
class Number:
    """A printed number as floats of a format, by their ordinals: the ends of what it may be, and the nearest one."""

    printed: Printed
    format: Format
    lowest: int
    highest: int
    nearest: int

    @classmethod
    def of(cls, number: Printed, interval: Interval, form: Format) -> "Number":
        """Raises `PasteError` if all floats that it may be are beyond the largest one."""
        nearest, largest = form.nearest(number.value), form.infinity - 1
        lowest, highest = min(form.ceil(interval[0]), nearest), max(form.floor(interval[1]), nearest)
        if lowest > largest or highest < -largest:
            raise refused(f"{{}} is beyond the largest {form.name}, {float(form.value(largest)):.6g}.", number.text)
        lowest, highest, nearest = (min(max(end, -largest), largest) for end in (lowest, highest, nearest))
        return cls(number, form, lowest, highest, nearest)

    @property
    def text(self) -> str:
        """What was pasted, cut short if it is long."""
        text = self.printed.text
        return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"

    @property
    def sign(self) -> str:
        return "-" if self.printed.value < 0 else ""

    @cached_property
    def value(self) -> Fraction:
        return self.format.value(self.nearest)

    @cached_property
    def ends(self) -> Interval:
        return self.format.value(self.lowest), self.format.value(self.highest)

    @cached_property
    def size(self) -> Interval:
        """The least and the greatest absolute value."""
        low, high = sorted(map(abs, self.ends))
        return (Fraction(0) if self.lowest <= 0 <= self.highest else low), high

    @property
    def floats(self) -> int:
        """How many floats it may be."""
        return self.highest - self.lowest + 1

    @property
    def spacing(self) -> Fraction:
        return self.format.spacing(self.nearest)

    @property
    def power_of_two(self) -> int | None:
        return power_within(self.size)

    @property
    def exact(self) -> str:
        """The nearest float as ±m·2^e."""
        return "{}·2^{}".format(*significand_and_exponent(self.value))

    def above(self, tolerance: Tolerance) -> bool | None:
        """Whether it is above the tolerance where 0 is expected; None if the digits leave that open."""
        return _above(self.size, (Fraction(0), Fraction(0)), tolerance)


@dataclass(frozen=True)
class Pair:
    """Two numbers, and what is printed as their difference, or None."""

    first: Number
    second: Number
    third: Number | None = None

    def __post_init__(self) -> None:
        if self.third and self.ulps[0] > self.ulps[1]:
            both = f"{self.first.text} and {self.second.text}"
            raise refused(f"{{}} is not the difference of {both}, as far as their digits tell.", self.third.text)

    @property
    def format(self) -> Format:
        return self.first.format

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The two, and their printed difference: if only one float can be that, no other one."""
        if self.third is None:
            return self.first, self.second
        low, high = self.differences
        place = self.format.nearest(-low if self.third.sign else low)
        only = low == high and self.third.lowest <= place <= self.third.highest
        known = replace(self.third, lowest=place, highest=place, nearest=place) if only else self.third
        return self.first, self.second, known

    @property
    def nearer_zero(self) -> Number:
        return min(self.first, self.second, key=lambda number: abs(number.value))

    @cached_property
    def ulps(self) -> tuple[int, int]:
        """The lowest and the highest distance on the float line."""
        a, b = self.first, self.second
        low = max(a.lowest - b.highest, b.lowest - a.highest, 0)
        high = max(a.highest - b.lowest, b.highest - a.lowest)
        if self.third:
            finest, coarsest = self._spacings
            low = max(low, ceil(self.differences[0] / coarsest))
            high = min(high, floor(self.differences[1] / finest))
        return low, high

    @cached_property
    def differences(self) -> Interval:
        """The least and the greatest distance as numbers; with a printed difference see NOTE [a printed difference]."""
        low, high = self._apart
        if self.third is None:
            return low, high
        finest, _ = self._spacings
        least, greatest = self.third.size
        if not self._exact_difference:
            least -= self.format.spacing(self.third.lowest) / 2
            greatest += self.format.spacing(self.third.highest) / 2
        return max(low, ceil(least / finest) * finest), min(high, floor(greatest / finest) * finest)

    @property
    def _apart(self) -> Interval:
        (a_low, a_high), (b_low, b_high) = self.first.ends, self.second.ends
        return max(a_low - b_high, b_low - a_high, Fraction(0)), max(a_high - b_low, b_high - a_low)

    @property
    def _spacings(self) -> Interval:
        """The smallest and the largest gap between neighbours from the least to the greatest of both."""
        lowest = min(self.first.lowest, self.second.lowest)
        highest = max(self.first.highest, self.second.highest)
        inmost = 0 if lowest <= 0 <= highest else min(abs(lowest), abs(highest))
        outmost = max(abs(lowest), abs(highest))
        return self.format.spacing(inmost), self.format.spacing(max(outmost - 1, 0))

    @property
    def _exact_difference(self) -> bool:
        (a_low, a_high), (b_low, b_high) = self.first.size, self.second.size
        same_sign = min(self.first.lowest, self.second.lowest) > 0 or max(self.first.highest, self.second.highest) < 0
        return same_sign and max(a_high, b_high) <= 2 * min(a_low, b_low)

    @property
    def difference(self) -> Fraction:
        """The distance of the two as a number: the only possible one, or else the one that is nearest to the digits."""
        low, high = self.differences
        if low == high:
            return low
        return abs(self.third.value) if self.third else abs(self.first.value - self.second.value)

    @property
    def power_of_two(self) -> int | None:
        return power_within(self.differences)

    @property
    def relative(self) -> Interval:
        """The least and the greatest difference as a part of the larger of the two; no more than 2, and 0 of 0."""
        least, greatest = map(max, zip(self.first.size, self.second.size, strict=True))
        low, high = self.differences
        most = min(high / least, Fraction(2)) if least else Fraction(2) if high else high
        return (low / greatest if greatest else low), most

    def above(self, tolerance: Tolerance) -> bool | None:
        """Whether the difference is above the tolerance, the second number being the expected one; None if the digits
        leave that open."""
        return _above(self.differences, self.second.size, tolerance)


@dataclass(frozen=True)
class Multiple:
    """A number that, as a difference, is a few ulps of another one beside it, and nothing else."""

    of: Number
    printed: Number
    ulps: int

    @property
    def difference(self) -> Fraction:
        return self.ulps * self.of.spacing

    @classmethod
    def find(cls, numbers: Sequence[Printed], form: Format, by_torch: bool) -> "Multiple | None":
        """Of two numbers. The digits of one say nothing of those of the other, which is of another kind."""
        of, other = sorted((_alone(number, form, by_torch) for number in numbers), key=lambda n: -abs(n.value))
        spacing = form.spacing(of.lowest)
        if spacing != form.spacing(of.highest) or of.size[0] == 0 or not _narrow(other.size):
            return None
        least, greatest = (size / spacing for size in other.size)
        only = ceil(least) == floor(greatest) and 1 <= floor(greatest) <= _FEW
        return cls(of, other, floor(greatest)) if only else None


def _above(differences: Interval, expected: Interval, tolerance: Tolerance) -> bool | None:
    least, greatest = (Fraction(tolerance.atol) + Fraction(tolerance.rtol) * size for size in expected)
    return True if differences[0] > greatest else False if differences[1] <= least else None


def _alone(number: Printed, form: Format, by_torch: bool) -> Number:
    return Number.of(number, intervals([number], by_torch)[0], form)

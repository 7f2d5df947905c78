"""How far apart two printed numbers are.

NOTE [a printed difference]: if two values print alike, their difference reveals what their digits do not. All floats
between the least and the greatest that the two values may be are multiples of the smallest spacing there, and so is the
difference of any two of these floats. Only few multiples print as the pasted difference does; divided by the smallest
and by the largest spacing, they bound the distance in ulps. The subtraction is exact if the values are within a factor
of two of each other (Sterbenz, Floating-Point Computation, 1974). Otherwise it is rounded, by at most half a spacing.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Generic, TypeVar

from lib.floats.exact_floats import Format
from lib.floats.tolerances import Tolerance
from lib.paste.possible_floats import FEW, Number, exceeds, narrow, power_within
from lib.paste.printed import Interval, NotFinite, Printed, intervals
from lib.paste.tokenizer import refused

Kind = TypeVar("Kind", bound=Number | NotFinite)


@dataclass(frozen=True)
class _Two(ABC, Generic[Kind]):
    """Two numbers, their printed difference or None, and what the words around them say.

    The first number may be the expected one, and the difference an absolute one, without a sign.
    """

    first: Kind
    second: Kind
    third: Kind | None = None
    first_is_expected: bool = False
    third_is_absolute: bool = False

    def __post_init__(self) -> None:
        if self.third and (contradiction := self._contradiction()):
            both = f"{self.first.text} and {self.second.text}"
            raise refused(f"{{}} is not the difference of {both}{contradiction}.", self.third.text)

    @abstractmethod
    def _contradiction(self) -> str:
        """Say why the third number is not the difference of the two, or return "": see NOTE [a printed difference]."""

    @property
    def expected(self) -> Kind:
        return self.first if self.first_is_expected else self.second


class Pair(_Two[Number]):
    """Two finite numbers."""

    def _contradiction(self) -> str:
        finite = isinstance(self.third, Number)
        if finite and self.differences[0] <= self.differences[1] and self.ulps[0] <= self.ulps[1]:
            return ""
        name, (least, greatest) = self.format.name, self._apart
        if others := [number.text for number in (self.first, self.second) if not number.is_held]:
            return f" rounded to {name}, which does not hold {others[0]}"
        if finite and least <= self.third.size[1] and self.third.size[0] <= greatest:
            multiples = f"floats there differ by multiples of {float(self._spacings[0]):.5g}"
            finer = "" if name == "float64" else "; Python's own floats are float64"
            return f" as {name}: {multiples}, and none of them prints so{finer}"
        low, high = (f"{float(end):.5g}" for end in self._apart)
        return f": by their digits they are {low if low == high else f'from {low} to {high}'} apart"

    @property
    def format(self) -> Format:
        return self.first.format

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The two numbers and their printed difference, narrowed to a single float if only one is possible."""
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
    def differences(self) -> Interval:
        """The least and the greatest possible distance as numbers: see NOTE [a printed difference]."""
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
    def zeros_of_opposite_sign(self) -> bool:
        """Whether the numbers are +0 and −0: two floats that are equal and 0 ulps apart."""
        return self.ulps == (0, 0) and self.first.nearest == 0 and self.first.sign != self.second.sign

    @property
    def _apart(self) -> Interval:
        (a_low, a_high), (b_low, b_high) = self.first.ends, self.second.ends
        return max(a_low - b_high, b_low - a_high, Fraction(0)), max(a_high - b_low, b_high - a_low)

    @property
    def _spacings(self) -> Interval:
        """The smallest and the largest gap between neighbouring floats in the range that the two numbers may span."""
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
        """The distance as a number: the only possible one, or else the one that fits the digits best."""
        low, high = self.differences
        if low == high:
            return low
        return abs(self.third.value) if self.third else abs(self.first.value - self.second.value)

    @property
    def power_of_two(self) -> int | None:
        return power_within(self.differences)

    @property
    def relative(self) -> Interval:
        """The least and the greatest difference relative to the larger of the two: at most 2, and 0 if both are 0."""
        least, greatest = map(max, zip(self.first.size, self.second.size, strict=True))
        low, high = self.differences
        most = min(high / least, Fraction(2)) if least else Fraction(2) if high else high
        return (low / greatest if greatest else low), most

    def above(self, tolerance: Tolerance) -> bool | None:
        """Whether the difference is above the tolerance; None if the digits leave that open."""
        return exceeds(self.differences, self.expected.size, tolerance, self.format)


class NotFinitePair(_Two[Number | NotFinite]):
    """Two numbers, at least one of them NaN or infinite, so that they have no distance in ulps."""

    ulps = differences = difference = power_of_two = relative = None

    def _contradiction(self) -> str:
        same = repr(abs(float(self.third.value))) == repr(abs(self.subtracted))
        return "" if same else f": that is {abs(self.subtracted)}"

    @property
    def subtracted(self) -> float:
        """The result of the subtraction: NaN or an infinity."""
        return float(self.first.value) - float(self.second.value)

    @property
    def numbers(self) -> tuple[Number | NotFinite, ...]:
        return self.first, self.second

    @property
    def equal(self) -> bool:
        """Whether == is true: it is for equal infinities, and never for NaN."""
        a, b = self.numbers
        return isinstance(a, NotFinite) and isinstance(b, NotFinite) and a.value == b.value

    def above(self, tolerance: Tolerance) -> bool:
        """Whether `torch.isclose` is false: it is true only for equal infinities."""
        return not self.equal


@dataclass(frozen=True)
class Multiple:
    """A number that, as a difference, is a few ulps of the only other number in the paste."""

    of: Number
    printed: Number | None
    ulps: int

    @property
    def difference(self) -> Fraction:
        return self.ulps * self.of.spacing

    @classmethod
    def find(cls, numbers: Sequence[Printed], form: Format) -> "Multiple | None":
        """Return the smaller of two numbers as a small multiple of the other's ulp, or None if it is not one.

        They are numbers of different kinds, so the digits of one say nothing about those of the other.
        """
        of, other = sorted(
            (Number.of(number, intervals([number])[0], form) for number in numbers), key=lambda n: -abs(n.value)
        )
        spacing = form.spacing(of.lowest)
        if spacing != form.spacing(of.highest) or of.size[0] == 0 or not narrow(other.size):
            return None
        least, greatest = (size / spacing for size in other.size)
        only = ceil(least) == floor(greatest) and 1 <= floor(greatest) <= FEW
        return cls(of, other, floor(greatest)) if only else None

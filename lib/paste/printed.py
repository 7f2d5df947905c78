"""A number as it was printed: what its digits tell, and what they leave open.

NOTE [what digits tell]: printed decimals are rounded, so a text stands for all floats that print like it. Only a long
text shows how far it was rounded: a short one may have been typed, may be the shortest text that reads back to one
float, or may have lost trailing zeros. In case of doubt, the rules allow more floats.

- A number with at least four digits after its point, or four significant digits, is known to half a unit of its last
  digit, including both ends. That covers PyTorch's four decimals and the output of `.4f`, `.4e`, `.4g` or more digits.
- The same holds for a shorter number in e-notation with digits after its point, if no number in the paste is longer:
  it was printed by, for example, `.2e`.
- Any other short number has lost zeros or was typed. It is as precise as the other numbers in the paste: known to the
  most significant digits that any of them has or, in fixed notation, to the most decimals, whichever is coarser, and
  never more precisely than if all had four. So 0.1 next to 0.10000000894 is 0.1000000000, which is a single float32;
  alone it is 0.1000.
- A zero in e-notation is zero, and so is 0 or 0.0, as people type it and Python prints it. With two or more decimals,
  as in 0.00, it was rounded to these decimals. With suppress=True, NumPy prints 0. for whatever its decimals do not
  show; since it drops trailing zeros, it used at least as many decimals as the longest number in the paste.
- A number that ends with its point, such as 1., is whole if PyTorch printed it, since PyTorch prints it like that only
  if all numbers are whole.
- A hexadecimal number is exact.

In addition to the floats in that interval, a text always stands for the float nearest to it, which may have been
printed in the fewest digits that read back. Numbers printed with three decimals or fewer are not covered.

NOTE [digits of no float]: rounding a float to digits changes it by at most half a unit of the last digit. Python and
NumPy print the fewest digits that read back to the float. At a power of two, below which floats are twice as dense,
these digits may be farther off, but by less than a unit: 2**-44 is printed as 5.684341886080802e-14. If no float of a
format is that near, the text stands for no float of the format.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lib.paste.tokenizer import DECIMAL, HEXADECIMAL, no_number, refused

LEAST_DIGITS = 4
"""The fewest digits expected in a printout: PyTorch prints four decimals."""

LONGEST_NUMBER = 400
_FARTHEST = 400  # powers of ten: the smallest float64 is above 10**-324, the largest one below 10**309

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Printed:
    """A finite number as text, and its exact value.

    `digits` counts its significant digits, from the first nonzero digit on; `place` is the power of ten of its last
    digit; `decimals` counts the digits after its point, and is None in e-notation. All three are None if the number is
    exact, that is, hexadecimal, or whole and printed by PyTorch.
    """

    text: str
    value: Fraction
    digits: int | None = None
    place: int | None = None
    decimals: int | None = None

    @property
    def long(self) -> bool:
        """Whether the text alone tells how far the number was rounded."""
        return self.digits >= LEAST_DIGITS or (self.decimals or 0) >= LEAST_DIGITS

    @property
    def has_fraction(self) -> bool:
        return bool(re.search(r"\.[0-9]", self.text))

    @property
    def is_suppressed_zero(self) -> bool:
        """Whether it is 0. or -0., which NumPy also prints for small numbers."""
        return self.digits == 0 and self.text.endswith(".")

    @property
    def within(self) -> Interval:
        """The interval of half a unit of the last digit to each side: see NOTE [digits of no float]."""
        half = Fraction(0) if self.place is None else Fraction(10) ** self.place / 2
        return self.value - half, self.value + half

    @property
    def by_torch(self) -> "Printed":
        """Return the number as it reads in a printed tensor."""
        if not self.text.endswith("."):
            return self
        return replace(self, digits=None, place=None, decimals=None)


@dataclass(frozen=True)
class NotFinite:
    """NaN or an infinity, as text and as a float; it is neither a power of two nor an ulp of any float."""

    text: str
    value: float

    power_of_two = multiple_of_power = one_ulp_of = None

    @property
    def by_torch(self) -> "NotFinite":
        return self


def printed(word: str) -> Printed | NotFinite | None:
    """Read a word as a number, or as None if it is True or False. Raise `PasteError` for anything else."""
    if word in ("True", "False"):
        return None
    if len(word) > LONGEST_NUMBER:
        raise refused(f"The number {{}} is too long: at most {LONGEST_NUMBER} characters are allowed.", word)
    sign = -1 if word.startswith("-") else 1
    if found := HEXADECIMAL.fullmatch(word):
        after = found["after"] or ""
        place = int(found["exponent"] or 0) - 4 * len(after)
        return Printed(word, sign * int(found["whole"] + after, 16) * Fraction(2) ** place)
    found = DECIMAL.fullmatch(word)
    if found is None:
        raise no_number(word)
    if found["digits"] is None:
        return NotFinite(word, float(word))
    whole, _, after = found["digits"].partition(".")
    exponent = int(found["exponent"] or 0)
    place, digits = exponent - len(after), len((whole + after).lstrip("0"))
    if digits and abs(place + digits) > _FARTHEST:
        raise refused("The number {} is beyond the range of float64.", word)
    value = sign * int(whole + after) * Fraction(10) ** (place if digits else 0)
    return Printed(word, value, digits, place, None if found["exponent"] else len(after))


def intervals(numbers: Sequence[Printed]) -> list[Interval]:
    """Return the interval of values for each of several numbers printed together: see NOTE [what digits tell]."""
    decimals = [number for number in numbers if number.digits is not None]
    longest = max([0, *(number.digits for number in decimals)])
    most_digits = max(LEAST_DIGITS, longest)
    fixed = [number.decimals for number in decimals if number.decimals is not None]
    most_decimals = max([LEAST_DIGITS, *fixed])

    def half_width(number: Printed) -> Fraction:
        if number.is_suppressed_zero:
            return Fraction(10) ** -max(fixed) / 2
        if number.digits is None or number.digits == 0 and (number.decimals or 0) < 2:
            return Fraction(0)
        if number.digits == 0:
            return Fraction(10) ** number.place / 2
        in_short_powers = number.decimals is None and number.has_fraction and longest < LEAST_DIGITS
        if number.long or in_short_powers:
            return Fraction(10) ** number.place / 2
        place = number.place + number.digits - most_digits
        return Fraction(10) ** (place if number.decimals is None else max(place, -most_decimals)) / 2

    halves = map(half_width, numbers)
    return [(number.value - half, number.value + half) for number, half in zip(numbers, halves, strict=True)]

"""Printed numbers, and the floats that they may stand for.

Printed digits fit more than one float, so every statement about the float is an interval. Floats
are ordinals, their places on the float line of `lib.floats.exact_floats`, and distances are exact.

NOTE [what digits tell]: a number stands for all floats within half a unit of its last digit. How
many digits it has is not always seen:

- NumPy and Python drop zeros at the end. So in a list, every number has as many significant digits
  as the longest one, but no more decimals than the list. One that ends in its point, as NumPy's 2.
  beside 0.5, has as many decimals as the list. PyTorch drops no zeros, and if it writes 2., all
  numbers are whole.
- A side may be too short to tell: a single number that is whole or has one or two digits, as in
  array(0.5), or a list of whole numbers. Then the longest number is sought on both sides.
- A single number without brackets or a name may be rounded, as f"{x:.1f}" prints it. It is exact if
  the other number is so near that this is no chance: 0.5 beside 0.50000006.
- A number with two or more decimals of which the last is 0, such as 0.50 or 0.00, was rounded to
  them. Zero in e-notation is 0.
- If all numbers are whole, they are exact.
- In a list with a number of 17 digits, numbers with fewer decimals are exact. So is 0.0 or 2.0 in a
  list with numbers in e-notation, as Python prints floats.

Every text also stands for the float nearest to it, which may have been printed in the fewest digits
that read back.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, isinf
from typing import NamedTuple, Self

from lib.experiment.field_kinds import Refusal
from lib.floats.exact_floats import FORMATS, Format

_DECIMAL = r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:e[-+−]?[0-9]++)?+"
_HEXADECIMAL = r"0x[0-9a-f]++(?:\.[0-9a-f]*+)?+p[-+]?[0-9]++"
UNSIGNED = rf"(?:{_HEXADECIMAL}|{_DECIMAL}|(?-i:nan|inf))"
NUMBER = rf"(?:(?<![\w.)\]])[-+−])?{UNSIGNED}"
"""A number as Python, NumPy, PyTorch or JAX print it, or with the true minus sign of this page."""

_PARTS = re.compile(r"[-+]?([0-9]*)\.?([0-9]*)(?:e([-+]?[0-9]+))?")


ALL_DIGITS = FORMATS["float64"].digits
"""This many significant digits identify every float."""

_MOST_EXPONENT = 8
"""The most characters of an exponent, with its sign and zeros in front."""

_NO_EXPONENT = -400
"""The `exponent` of an exact number: so small that half a unit of the last digit is 0.0."""


class PasteError(Refusal):
    """Says in one sentence why a paste cannot be read."""


class Printed(NamedTuple):
    """A printed number.

    `digits` counts its significant digits, and `exponent` is the power of ten of the last one.
    `decimals` counts the digits after the point; it is None in e-notation.
    """

    text: str
    value: float
    digits: int
    exponent: int
    decimals: int | None

    @property
    def exact(self) -> Self:
        """The same number, as if it was printed with all digits."""
        return self._replace(digits=ALL_DIGITS, exponent=_NO_EXPONENT)

    @property
    def decimal(self) -> Fraction:
        """The number in the text, which must be finite, exactly: `value` is the nearest float64."""
        plain = self.text.replace("−", "-")
        return Fraction(self.value) if "x" in plain.lower() else Fraction(Decimal(plain))

    @property
    def half_a_digit(self) -> float:
        """Half a unit of the last digit, or 0 for a number that has all its digits, as 0e+00."""
        if self.decimals is None and not self.digits:
            return 0.0
        return 0.5 * 10.0 ** min(self.exponent, 308)

    @property
    def whole(self) -> bool:
        """Whether it is a whole number: 3, 3. or 3.0; or NaN or an infinity."""
        return self.decimals == 0 or self.text.endswith(".0")

    @property
    def is_count(self) -> bool:
        """Whether it is written as a count or an index is: 3, but not 3. or 3e0."""
        return self.text.lstrip("+-−").isdigit()


def printed(text: str) -> Printed:
    """Read a text that matches `NUMBER`.

    Raises `PasteError` if the number is beyond the range of float64, or below it.
    """
    plain = text.replace("−", "-").lower()
    try:
        value = float.fromhex(plain) if "0x" in plain else float(plain)
    except OverflowError:
        value = inf
    if isinf(value) and "inf" not in plain:
        raise PasteError.quoting("The number {} is beyond the range of float64.", text)
    parts = _PARTS.fullmatch(plain)
    # It is hexadecimal.
    if not parts and isfinite(value):
        return Printed(text, value, ALL_DIGITS, _NO_EXPONENT, None)
    if not parts:
        return Printed(text, value, 0, _NO_EXPONENT, 0)
    whole, decimals, exponent = parts.groups()
    if len(exponent or "") > _MOST_EXPONENT:
        raise PasteError.quoting("The exponent of {} is too long.", text)
    digits = len((whole + decimals).lstrip("0"))
    if digits and not value:
        raise PasteError.quoting("The number {} is below the range of float64.", text)
    place = int(exponent or 0) - len(decimals)
    return Printed(text, value, digits, place, None if exponent else len(decimals))


def read_number(text: str) -> float:
    """Read one number; raise `PasteError` for anything else."""
    if not re.fullmatch(NUMBER, text.strip(), re.IGNORECASE):
        raise PasteError.quoting("{} is not a number.", text)
    return printed(text.strip()).value


_NUMPY_DECIMALS = 8
"""NumPy prints at most this many decimals of the numbers of an array."""

_ENOUGH_DIGITS = 3
_ENOUGH_DECIMALS = 4
"""A single number with this many significant digits, or decimals, is taken as not cut."""

ROOM = 1 + 2e-7
"""A factor that covers the rounding of a text of up to eight digits to float64: 0.125 prints as
0.12, and the float64 nearest to 0.12 is more than half a unit of the last digit away."""

_BY_CHANCE = 1e-5
"""A bare number is exact if the other one is nearer than this share of half its last digit."""


def reaches(
    numbers: Sequence[Printed],
    others: Sequence[Printed] = (),
    is_bare: bool = True,
    is_tensor: bool = False,
) -> list[float]:
    """Return how far each number may be from its text: NOTE [what digits tell].

    Args:
        numbers: the numbers of one side.
        others: the numbers of the other side.
        is_bare: whether `numbers` is a single number without brackets or a name.
        is_tensor: whether PyTorch printed them.
    """
    both = [*numbers, *others]
    is_full = len(numbers) > 1 and any(number.digits >= ALL_DIGITS for number in numbers)
    if all(number.whole for number in both):
        return [0.0] * len(numbers)
    is_single = len(numbers) == 1
    looks_beyond = is_single or all(number.whole for number in numbers)
    beside = both if looks_beyond else numbers
    most_digits = max(number.digits for number in beside)
    least_place = min(number.exponent for number in beside if isfinite(number.value))

    has_exponents = any(number.decimals is None for number in numbers)

    def may_be_cut(number: Printed) -> bool:
        """Whether zeros may have been dropped at its end."""
        is_padded = is_tensor or number.decimals is None
        if is_padded or number.decimals > 1 and number.text.endswith("0"):
            return False
        is_short = number.digits < _ENOUGH_DIGITS or number.whole
        is_short &= number.decimals < _ENOUGH_DECIMALS
        return not is_single or is_short and not is_bare

    def reach(number: Printed) -> float:
        gap = abs(number.value - others[0].value) if is_single and is_bare and others else 0.0
        if 0 < gap <= _BY_CHANCE * number.half_a_digit and number.value:
            return 0.0
        is_exact = is_tensor and number.text.endswith(".") or has_exponents and number.whole
        is_exact |= is_full and number.exponent > least_place or number.digits >= ALL_DIGITS
        if is_exact:
            return 0.0
        if may_be_cut(number):
            place = number.exponent + number.digits - most_digits
            place = least_place if number.text.endswith(".") else max(place, least_place)
            if is_single and not is_bare:
                place = max(place, -_NUMPY_DECIMALS)
            number = number._replace(exponent=min(place, number.exponent))
        return ROOM * number.half_a_digit

    return [reach(number) for number in numbers]


class Reading(NamedTuple):
    """A printed number as the lowest, nearest and highest float of a format, by their ordinals."""

    printed: Printed
    form: Format
    low: int
    nearest: int
    high: int

    @property
    def value(self) -> float:
        """The nearest float."""
        return float(self.form.value(self.nearest))

    @property
    def floats(self) -> int:
        """The number of floats that it may be."""
        return self.high - self.low + 1


def reading(number: Printed, reach: float, form: Format) -> Reading:
    """Return the floats of a format that a printed number may be.

    Args:
        number: a finite number.
        reach: how far it may be from its text: see `reaches`.
        form: the format.
    """
    largest = form.infinity - 1
    exact = number.decimal
    nearest = max(-largest, min(form.nearest(exact), largest))
    # So small a reach does not get to the next float.
    if reach < form.spacing(nearest) / 4:
        return Reading(number, form, nearest, nearest, nearest)
    low = max(form.ceil(exact - Fraction(reach)), -largest)
    high = min(form.floor(exact + Fraction(reach)), largest)
    return Reading(number, form, min(low, nearest), nearest, max(high, nearest))

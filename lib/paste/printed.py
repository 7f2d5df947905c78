"""Printed numbers: their value, their digits and their place in the text."""

import re
from math import isinf
from typing import NamedTuple

from lib.experiment.fields import Refusal

_DECIMAL = r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:e[-+−]?[0-9]++)?+"
UNSIGNED = rf"(?:{_DECIMAL}|(?-i:nan|inf))"
NUMBER = rf"(?:(?<![\w.)\]])[-+−])?{UNSIGNED}"
"""A number as Python, NumPy, PyTorch or JAX print it, or with the true minus sign of this page."""

_PARTS = re.compile(r"[-+]?([0-9]*)\.?([0-9]*)(?:e([-+]?[0-9]+))?")


class PasteError(Refusal):
    """Why a paste cannot be read, in one sentence that says what can."""


class Printed(NamedTuple):
    """A printed number.

    `span` is its place in the text. `digits` counts its significant digits, and `exponent` is the
    power of ten of the last one. `decimals` counts the digits after the point; it is None in
    e-notation. `digits` is None for a number that has all its digits: NaN, an infinity, or one
    inside np.float32(…).
    """

    text: str
    value: float
    span: tuple[int, int]
    digits: int | None = None
    exponent: int = 0
    decimals: int | None = None

    @property
    def half_a_digit(self) -> float:
        """Half a unit of the last digit, or 0 for a number that has all its digits."""
        return 0.0 if self.digits is None else 0.5 * 10.0 ** min(self.exponent, 308)

    @property
    def whole(self) -> bool:
        """Whether it is a whole number: 3, 3. or 3.0."""
        return self.decimals == 0 or self.text.endswith(".0")

    @property
    def counts(self) -> bool:
        """Whether it is written as a count or an index is: 3, but not 3. or 3e0."""
        return self.decimals == 0 and "." not in self.text


def printed(text: str, start: int = 0) -> Printed:
    """Read a text that matches `NUMBER` and begins at `start`.

    Raises `PasteError` if the number is beyond the range of float64, or below it.
    """
    span = (start, start + len(text))
    plain = text.replace("−", "-").lower()
    value = float(plain)
    if isinf(value) and "inf" not in plain:
        raise PasteError.quoting("The number {} is beyond the range of float64.", text)
    parts = _PARTS.fullmatch(plain)
    if not parts:
        return Printed(text, value, span)
    whole, decimals, exponent = parts.groups()
    digits = len((whole + decimals).lstrip("0"))
    if digits and not value:
        raise PasteError.quoting("The number {} is below the range of float64.", text)
    place = int(exponent or 0) - len(decimals)
    return Printed(text, value, span, digits, place, None if exponent else len(decimals))


def read_number(text: str) -> float:
    """Read one number; raise `PasteError` for anything else."""
    if not re.fullmatch(NUMBER, text.strip(), re.IGNORECASE):
        raise PasteError.quoting("{} is not a number.", text)
    return printed(text.strip()).value

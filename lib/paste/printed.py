"""Printed numbers: their value, their digits and their place in the text."""

import re
from math import isinf
from typing import NamedTuple

from lib.experiment.fields import Refusal

_DECIMAL = r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:e[-+−]?[0-9]++)?+"
_HEXADECIMAL = r"0x[0-9a-f]++(?:\.[0-9a-f]*+)?+p[-+]?[0-9]++"
UNSIGNED = rf"(?:{_HEXADECIMAL}|{_DECIMAL}|(?-i:nan|inf))"
NUMBER = rf"(?:(?<![\w.)\]])[-+−])?{UNSIGNED}"
"""A number as Python, NumPy, PyTorch or JAX print it, or with the true minus sign of this page."""

_PARTS = re.compile(r"[-+]?([0-9]*)\.?([0-9]*)(?:e([-+]?[0-9]+))?", re.IGNORECASE)


class PasteError(Refusal):
    """Why a paste cannot be read, in one sentence that says what can."""


class Printed(NamedTuple):
    """A printed number.

    `span` is its place in the text. `digits` counts its significant digits, and `place` is the power of ten of the
    last one. `decimals` counts the digits after the point; it is None in e-notation. All three are None for a
    hexadecimal number, NaN and an infinity. `digits` alone is None for a number printed with all digits that it has.
    """

    text: str
    value: float
    span: tuple[int, int] = (0, 0)
    digits: int | None = None
    place: int | None = None
    decimals: int | None = None

    @property
    def whole(self) -> bool:
        """Whether it is a whole number: 3, 3. or 3.0."""
        return self.decimals == 0 or self.text.endswith(".0")

    @property
    def counts(self) -> bool:
        """Whether it is written without a point and without an exponent, as a count or an index is."""
        return self.decimals == 0 and "." not in self.text

    @property
    def needed(self) -> int:
        """How many of its digits are needed: all but the zeros at the end of a whole number."""
        return len(self.text.strip("-+−0.")) if self.whole else self.digits or 0


def printed(text: str, start: int = 0) -> Printed:
    """Read a text that matches `NUMBER` and begins at `start`.

    Raises `PasteError` if the number is beyond the range of float64.
    """
    span = (start, start + len(text))
    plain = text.replace("−", "-").lower()
    if "0x" in plain:
        return Printed(text, _from_hexadecimal(plain, text), span)
    value = float(plain)
    parts = _PARTS.fullmatch(plain)
    if not parts:
        return Printed(text, value, span)
    if isinf(value):
        raise PasteError.quoting("The number {} is beyond the range of float64.", text)
    whole, decimals, exponent = parts.groups()
    digits = len((whole + decimals).lstrip("0"))
    place = int(exponent or 0) - len(decimals)
    return Printed(text, value, span, digits, place, None if exponent else len(decimals))


def _from_hexadecimal(plain: str, text: str) -> float:
    try:
        return float.fromhex(plain)
    except OverflowError:
        raise PasteError.quoting("The number {} is beyond the range of float64.", text) from None


def read_number(text: str) -> float:
    """Read one number; raise `PasteError` for anything else."""
    if not re.fullmatch(NUMBER, text.strip(), re.IGNORECASE):
        raise PasteError.quoting("{} is not a number.", text)
    return printed(text.strip()).value

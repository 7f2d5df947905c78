"""The format of printed numbers, and a narrower format that holds all of them.

The format is that of the dtype that is named, else of a default dtype, or float64 if the default
cannot hold the numbers.

NOTE [chance in a format]: a random number with these digits is a float of a narrower format with
this probability: a unit of its last digit, divided by the spacing of that format. A number tells
nothing if it is whole, or if it has few significant bits, as 0.25 has: such numbers are floats of
every format. What is left where terms cancel also has few bits. So a narrower format does not
explain a difference that is far smaller than its eps times the largest number.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

from lib.floats.exact_floats import FORMATS, Format
from lib.paste.printed import ROOM, PasteError, Printed
from lib.paste.values import Value

_NAMED = {name: name for name in FORMATS} | {"complex64": "float32", "complex128": "float64"}

_SINGLE = FORMATS["float32"].precision
_TF32 = Format("TF32", 11, 127)
"""The format to which graphics cards round the factors of a matrix product in float32."""

_LONG = 9
"""So many digits, without zeros at the end, show whether a float32 was printed."""

_UNLIKELY = 1e-6
_FEW_BITS = 12
_SPARE_BITS = 2
"""A number tells nothing if it has at most `_FEW_BITS` significant bits and at least `_SPARE_BITS`
fewer than the narrower format."""

_LEAST = 2**-8
"""The least difference that a format explains, relative to the largest number, in its eps."""


def format_of(values: Sequence[Value], dtype: str) -> Format:
    """Return the format in which values are compared.

    Args:
        values: the values that are compared.
        dtype: the name of the dtype of values that name none.

    Returns:
        The format of the narrowest dtype that a value names. If none does, that of `dtype` if it
        holds all numbers, long ones to all their digits, or else float64.
    """
    names = [dtype_of(value) for value in values]
    if any(names):
        # PyTorch prints no dtype if it is the default one.
        names += [dtype for value in values if value.name == "tensor" and not value.dtype]
        return min((FORMATS[name] for name in names if name), key=lambda form: form.precision)
    numbers = [number for value in values for number in value.numbers if isfinite(number.value)]
    form = FORMATS[dtype]
    return form if all(_holds(form, number) for number in numbers) else FORMATS["float64"]


def dtype_of(value: Value) -> str:
    """Return the name of the dtype that a value names, or "". A NumPy array without one is float64.

    Raises `PasteError` for a dtype of floats that cannot be chosen.
    """
    if not value.dtype:
        return "float64" if value.name == "array" else ""
    if value.dtype not in _NAMED and re.search("float|complex", value.dtype):
        raise PasteError.quoting("Numbers of the dtype {} cannot be read.", value.dtype)
    return _NAMED.get(value.dtype, "")


def _holds(form: Format, number: Printed) -> bool:
    """Whether a format can have printed a number.

    The number must be in its range and, if it is long or the format has 16 bits, agree with the
    nearest float in all its digits.
    """
    exact = Fraction(abs(number.value))
    ordinal = form.nearest(exact)
    if exact and not 0 < ordinal < form.infinity:
        return False
    zeros = len(number.text) - len(number.text.rstrip("0")) if number.decimals else 0
    is_long = number.digits - zeros >= _LONG and not number.whole
    if not is_long and form.precision >= _SINGLE:
        return True
    # `value` is the text rounded to float64.
    shown = abs(number.decimal) if number.half_a_digit else exact
    return abs(form.value(ordinal) - shown) <= ROOM * number.half_a_digit


def sum_error(form: Format) -> float:
    """Return how far apart rounding may leave two sums, as a share of the largest number.

    The errors of n additions have random signs and add up to some √n·u, so 32·eps = 64·u are enough
    for two sums of 2,000 terms. 16-bit sums are accumulated in float32 and rounded once, to within
    eps/2 each: 2·eps are twice their distance. So are the factors of a product in TF32.
    """
    return (2 if form.precision < _SINGLE else 32) * float(form.eps)


def narrower(sides: Sequence[Sequence[Printed]], form: Format, share: float) -> str:
    """Return the name of the narrower format that explains a difference, or "".

    Args:
        sides: the numbers of each side.
        form: the format in which they are compared.
        share: the most that the largest difference may be, as a share of the largest number.
    """
    for narrow in sorted([*FORMATS.values(), _TF32], key=lambda form: form.precision):
        explains = _LEAST * narrow.eps <= share <= sum_error(narrow)
        is_narrower = narrow.precision < form.precision
        if is_narrower and explains and any(_are_floats(side, narrow, form) for side in sides):
            return narrow.name
    return ""


def _are_floats(side: Sequence[Printed], narrow: Format, form: Format) -> bool:
    """Whether all numbers of a side are floats of a narrower format, and not by chance."""
    chance = 1.0
    for number in {number.value: number for number in side if isfinite(number.value)}.values():
        exact = Fraction(number.value)
        ordinal = narrow.nearest(exact)
        unit = max(2 * Fraction(number.half_a_digit), form.spacing(form.nearest(exact)))
        if abs(narrow.value(ordinal) - exact) > ROOM * unit / 2:
            return False
        few = min(_FEW_BITS, narrow.precision - _SPARE_BITS)
        if not number.whole and _bits(narrow.value(ordinal)) > few:
            chance *= float(unit / narrow.spacing(ordinal))
    return chance <= _UNLIKELY


def _bits(number: Fraction) -> int:
    """Return how many significant bits a float has."""
    return len(f"{abs(number.numerator):b}".rstrip("0"))

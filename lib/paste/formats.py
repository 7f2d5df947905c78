"""The format of printed numbers: the dtype that is named, that the digits show, or a default."""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.printed import PasteError, Printed
from lib.paste.values import Value

_NAMED = {name: name for name in DTYPES}
_NAMED |= {"complex64": "float32", "complex128": "float64", "half": "float16", "double": "float64"}

_LONG = 12
"""Only 64-bit floats, which Python's are, are printed with so many digits."""


def format_of(values: Sequence[Value], dtype: str) -> Format:
    """Return the format in which values are compared.

    Args:
        values: the values that are compared.
        dtype: the name of the dtype of numbers that tell none.

    Returns:
        The narrowest dtype that a value names, or else `dtype`, or the next wider one that holds
        all numbers, long ones to their digits.
    """
    formats = sorted(FORMATS.values(), key=lambda form: form.precision)
    names = [dtype_of(value) for value in values]
    if any(names):
        # PyTorch does not name its default dtype
        names += [dtype for value in values if value.name == "tensor" and not value.dtype]
        return next(form for form in formats if form.name in names)
    numbers = [number for value in values for number in value.numbers if isfinite(number.value)]
    wider = formats[formats.index(FORMATS[dtype]) :]
    hold = (form for form in wider if all(_holds(form, number) for number in numbers))
    return next(hold, wider[0])


def dtype_of(value: Value) -> str:
    """Return the dtype that a value names, or that NumPy means by naming none, or "".

    Raises `PasteError` for a dtype of floats that cannot be chosen.
    """
    if not value.dtype:
        return "float64" if value.name == "array" else ""
    if value.dtype not in _NAMED and re.search("float|complex", value.dtype):
        allowed = ", ".join(DTYPES)
        sentence = f"The dtype {{}} cannot be read: it must be one of {allowed}."
        raise PasteError.quoting(sentence, value.dtype)
    return _NAMED.get(value.dtype, "")


def _holds(form: Format, number: Printed) -> bool:
    """Whether a number is in the range of a format and, if it is long or the format has 16 bits,
    whether the nearest float is that number to its digits."""
    exact = Fraction(abs(number.value))
    ordinal = form.nearest(exact)
    if exact and not 0 < ordinal < form.infinity:
        return False
    is_long = number.digits is None or number.digits >= _LONG and not number.whole
    if not is_long and not DTYPES[form.name].narrow:
        return True
    return abs(form.value(ordinal) - exact) <= Fraction(number.half_a_digit)

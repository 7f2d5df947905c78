"""The format of printed numbers: the dtype that is named, that the digits show, or a default."""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.printed import PasteError, Printed
from lib.paste.values import Value

_NAMED = {name: name for name in DTYPES}
_NAMED |= {"complex64": "float32", "complex128": "float64", "half": "float16", "double": "float64"}
_OF_WHOLE_NUMBERS = ("int", "uint", "bool", "long", "object", "str", "float0")

_LONG = 12
"""More digits than a float of fewer than 64 bits is printed with, but by Python."""


def wider(form: Format) -> list[Format]:
    """Return the formats from this one on, to more and more digits."""
    formats = [each for each in FORMATS.values() if each.precision >= form.precision]
    return sorted(formats, key=lambda each: each.precision)


def format_of_values(values: Sequence[Value], dtype: str) -> Format:
    """Return the format in which values are compared.

    Args:
        values: the values that are compared.
        dtype: the name of the dtype of numbers that tell none.

    Returns:
        The narrowest dtype that a value names, or the one that the digits show, or `dtype`; or
        the next wider one that holds the largest and the smallest number.
    """
    numbers = [number for value in values for number in value.numbers]
    sizes = sorted(abs(number.value) for number in numbers if isfinite(number.value))
    sizes = [size for size in sizes if size]
    formats = wider(FORMATS[_named(values, dtype) or _shown_by_digits(numbers, dtype)])
    for form in formats:
        places = [form.nearest(Fraction(size)) for size in sizes[:1] + sizes[-1:]]
        if all(0 < place < form.infinity for place in places):
            return form
    return formats[0]


def _named(values: Sequence[Value], dtype: str) -> str:
    """Return the narrowest dtype that the values name, or "".

    PyTorch does not name its default dtype, so a tensor without one beside a value with one is of
    the default.
    """
    names = [dtype_of(value) for value in values]
    if any(names):
        names += [dtype for value in values if value.name == "tensor" and not value.dtype]
    return min(filter(None, names), key=lambda name: FORMATS[name].precision, default="")


def dtype_of(value: Value) -> str:
    """Return the dtype that a value names, or that NumPy means by naming none, or "".

    Raises `PasteError` for a dtype of floats that cannot be chosen.
    """
    if not value.dtype:
        return "float64" if value.name == "array" else ""
    if value.dtype not in _NAMED and not value.dtype.startswith(_OF_WHOLE_NUMBERS):
        allowed = ", ".join(DTYPES)
        sentence = f"The dtype {{}} cannot be read: it must be one of {allowed}."
        raise PasteError.quoting(sentence, value.dtype)
    return _NAMED.get(value.dtype, "")


def python_floats(values: Sequence[Value], dtype: str) -> list[Value]:
    """Return values as Python's floats, which print all their digits.

    They are float64, unless all are floats of the dtype: then they may be items of a tensor.
    """
    form = FORMATS[dtype]
    numbers = [number.value for value in values for number in value.numbers]
    finite = [Fraction(number) for number in numbers if isfinite(number)]
    name = dtype if all(form.rounded(number) == number for number in finite) else "float64"
    read = []
    for value in values:
        digits = tuple(number._replace(digits=None) for number in value.numbers)
        read.append(value._replace(numbers=digits, dtype=value.dtype or name))
    return read


def _shown_by_digits(numbers: Sequence[Printed], dtype: str) -> str:
    """Return `dtype`, or the next wider one that has the long numbers and the whole ones."""
    exact = [number for number in numbers if number.counts or _is_long(number)]
    for form in wider(FORMATS[dtype]):
        if all(_has(form, number) for number in exact):
            return form.name
    return dtype


def _is_long(number: Printed) -> bool:
    return (number.digits or 0) >= _LONG and not number.whole


def _has(form: Format, number: Printed) -> bool:
    """Whether a number is one of a format, to its printed digits."""
    exact = Fraction(number.value)
    return abs(form.rounded(exact) - exact) <= Fraction(10.0**number.place) / 2

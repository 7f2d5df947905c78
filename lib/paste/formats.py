"""The format of printed numbers, and the narrower format that one side went through."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format
from lib.paste.floats_of import Array, Floats, Pairs, rounded, spacing
from lib.paste.printed import PasteError, Printed
from lib.paste.values import Value

_NAMED = {name: name for name in DTYPES}
_NAMED |= {"complex64": "float32", "complex128": "float64", "half": "float16", "double": "float64"}
_OF_WHOLE_NUMBERS = ("int", "uint", "bool", "long", "object", "str", "float0")

_DIGITS_OF_FLOAT64 = 15
_DIGITS_PRINTED_WIDE = 12
"""A float32 that is printed as Python's floats are has so many digits or more; of other numbers
with so many digits, one in 10**5 is a float32."""

_NARROW = (FORMATS["bfloat16"], FORMATS["float16"], TF32, FORMATS["float32"])
"""What numbers of a wider format may have been rounded to, the narrowest first."""

_UNLIKELY = 1e-3
_FEW_BITS = Format("few bits", precision=4, largest_exponent=1023)


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
    form = FORMATS[_named(values, dtype) or _shown_by_digits(values, numbers, dtype)]
    sizes = np.abs([number.value for number in numbers])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    largest, smallest = Fraction(sizes.max(initial=0)), Fraction(sizes.min(initial=1))
    holding = (each for each in wider(form) if each.nearest(largest) < each.infinity and each.nearest(smallest))
    return next(holding, form)


def _named(values: Sequence[Value], dtype: str) -> str:
    """Return the narrowest dtype that the values name, or "".

    NumPy names no float64. PyTorch does not name its default dtype, so a tensor without one beside
    a value with one is of the default.
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


def _shown_by_digits(values: Sequence[Value], numbers: Sequence[Printed], dtype: str) -> str:
    """Return float64 if the digits are more than a float32 has, or if NumPy names no dtype."""
    if DTYPES[dtype].narrow:
        return dtype
    most = [max(number.needed for number in value.numbers) for value in values]
    if any(5 < digits < 10 for digits in most):
        return dtype  # a value is printed as a float32 is
    long = [number for number in numbers if number.needed >= _DIGITS_PRINTED_WIDE]
    texts = np.array([number.value for number in long])
    units = np.array([10.0 ** (number.place or 0) for number in long])
    if (np.abs(rounded(texts, FORMATS["float32"]) - texts) <= units / 2).all():
        return dtype
    full = any(number.needed >= _DIGITS_OF_FLOAT64 for number in long)
    return "float64" if full else dtype


def narrower(pairs: Pairs) -> Format | None:
    """Return the narrower format that all numbers of one side are rounded to, if there is one.

    The other side must not be rounded to it, and differ by as much as such rounding leaves beside
    the largest number. Numbers of four bits or fewer, such as 0 and 0.75, were perhaps
    typed. The others are floats of the format by chance with a probability that must be small.
    """
    for form in _NARROW:
        if form.precision >= pairs.format.precision:
            continue
        for side, other in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            rounds = _rounds_to(side, form, 0.5).all() and not _rounds_to(other, form, 1.0).all()
            with np.errstate(over="ignore"):
                apart = np.abs(side.value - other.value)
            allowed = float(form.eps) * np.abs(other.value).max()
            near = allowed / 16 <= apart.max() <= allowed
            if rounds and near and _chance(side, form, apart > 0) < _UNLIKELY:
                return form
    return None


def _rounds_to(side: Floats, form: Format, units: float) -> Array:
    """Where a number is a float of a format, to so many units of its last digit."""
    off = np.abs(rounded(side.value, form) - side.value)
    return off <= (side.high - side.low) * units


def _chance(side: Floats, form: Format, differ: Array) -> float:
    """Return the probability that numbers which differ and have some bits are all floats of a
    narrower format by chance: each with the share of the float line that its digits leave open."""
    telling = differ & (rounded(side.value, _FEW_BITS) != side.value)
    open_ = np.maximum(side.high - side.low, spacing(side.value, side.format))
    return float(np.prod((open_ / spacing(side.value, form))[telling]))

"""The format of printed numbers, and the narrower format that one side went through."""

from collections.abc import Sequence

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format
from lib.paste.floats_of import Array, Floats, Pairs, rounded, spacing
from lib.paste.printed import PasteError, Printed
from lib.paste.values import Value

_NAMED = {name: name for name in DTYPES}
_NAMED |= {"complex64": "float32", "complex128": "float64", "half": "float16", "double": "float64"}
_OF_WHOLE_NUMBERS = ("int", "uint", "bool", "long", "object", "str", "float0")

_NARROWER = (FORMATS["bfloat16"], FORMATS["float16"], TF32, FORMATS["float32"])
"""What numbers of a wider format may have been rounded to, the narrowest first."""

_BY_CHANCE = 1e-3
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
    sizes = np.abs([number.value for number in numbers])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    form = FORMATS[_named(values, dtype) or _shown_by_digits(numbers, dtype)]
    for each in wider(form):
        underflows = (rounded(sizes, each) == 0).any()
        if not underflows and sizes.max(initial=0) <= float(each.largest):
            return each
    return form


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


def _shown_by_digits(numbers: Sequence[Printed], dtype: str) -> str:
    """Return float64 if a number has more digits than a float32 is printed with, and is none."""
    long = [number for number in numbers if (number.digits or 0) >= 12 and not number.whole]
    texts = np.array([number.value for number in long])
    units = np.array([10.0**number.place for number in long])
    are_float32 = np.abs(rounded(texts, FORMATS["float32"]) - texts) <= units / 2
    return dtype if FORMATS[dtype].is_narrow or are_float32.all() else "float64"


def narrower(pairs: Pairs) -> Format | None:
    """Return the narrower format that all numbers of one side are rounded to, if there is one.

    The other side must not be rounded to it, and differ by as much as such rounding leaves beside
    the largest number. Numbers of four bits or fewer, such as 0 and 0.75, were perhaps typed. The
    others are floats of the format by chance with a probability that must be small.
    """
    apart = np.abs(pairs.first.value / 2 - pairs.second.value / 2)  # halves do not overflow
    for form in _NARROWER:
        if form.precision >= pairs.format.precision:
            continue
        for side, other in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            allowed = float(form.eps) * np.abs(other.value).max() / 2
            is_near = allowed / 16 <= apart.max() <= allowed
            rounds = _is_rounded(side, form).all() and not _is_rounded(other, form, 1.0).all()
            if is_near and rounds and _chance(side, form, apart > 0) < _BY_CHANCE:
                return form
    return None


def _is_rounded(side: Floats, form: Format, units: float = 0.5) -> Array:
    """Where a number is a float of a format, to so many units of its last digit."""
    off = np.abs(rounded(side.value, form) - side.value)
    return off <= (side.high - side.low) * units


def _chance(side: Floats, form: Format, differ: Array) -> float:
    """Return the probability that numbers which differ and have some bits are all floats of a
    narrower format by chance: each with the share of the float line that its digits leave open."""
    telling = differ & (rounded(side.value, _FEW_BITS) != side.value)
    doubt = np.maximum(side.high - side.low, spacing(side.value, side.format))
    return float(np.prod((doubt / spacing(side.value, form))[telling]))

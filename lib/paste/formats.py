"""Which format numbers are in, as far as digits and sizes show, and which narrower one they went through."""

from fractions import Fraction
from math import isfinite

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format
from lib.paste.floats_of import Array, Pairs, rounded, spacing
from lib.paste.read import Reading

NARROW = (FORMATS["bfloat16"], FORMATS["float16"], TF32, FORMATS["float32"])
"""What numbers of a wider format may have been rounded to on the way, the narrowest first."""

_FOUR_BITS = Format("four bits", precision=4, largest_exponent=1023)


def wider(form: Format) -> list[Format]:
    """Return the formats from this one on, to more and more digits."""
    return sorted((one for one in FORMATS.values() if one.precision >= form.precision), key=lambda one: one.precision)


def holding(reading: Reading, form: Format) -> Format:
    """Return the format, or the next wider one that can hold the largest number."""
    largest = Fraction(np.abs(_finite(reading)).max(initial=0))
    return next((one for one in wider(form) if one.nearest(largest) < one.infinity), form)


def _finite(reading: Reading) -> Array:
    return np.array([n.value for value in reading.values for n in value.numbers if isfinite(n.value)])


def shown_by_the_digits(reading: Reading, dtype: str) -> Format:
    """Return the format that 15 digits or more show, or NumPy by naming none; else that of the dtype.

    A number of twelve digits or more that a float32 rounds to was one: of other numbers one in 10**5 is. Numbers far
    below the largest are no evidence: a difference has all digits, whatever its dtype.
    """
    least = np.abs(_finite(reading)).max(initial=0) / 1000
    sides = [value.numbers for value in reading.values if value.is_side]
    numbers = [n for side in sides for n in side if n.digits and abs(n.value) >= least and n.text[-1] not in "…."]
    values = np.array([n.value for n in numbers])
    held = np.abs(rounded(values, FORMATS["float32"]) - values) <= [10.0**n.place / 2 for n in numbers]
    long = np.array([n.needed for n in numbers], dtype=int) >= 15 - 3 * held
    if DTYPES[dtype].narrow or held[long].any():
        return FORMATS[dtype]
    if any(5 < max(number.digits or 0 for number in side) < 10 for side in sides):
        long[:] = False  # the other side is printed as a float32 is
    array = "array(" in reading.text and not (reading.parts or "tensor" in reading.text or "..." in reading.text)
    return FORMATS["float64" if long.any() or array else dtype]


def below(form: Format) -> list[Format]:
    return [one for one in NARROW if one.precision < form.precision]


def narrower(pairs: Pairs, relative: float) -> Format | None:
    """The narrower format that one side is the other rounded to, component by component."""
    differ = pairs.first.value != pairs.second.value
    for form in below(pairs.format):
        for one, other in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            near = np.abs(one.value - other.value) <= spacing(other.value, form) + (other.high - other.low) / 2
            typed = rounded(one.value, _FOUR_BITS) == one.value
            digits, more = (max(number.needed for number in side.printed) for side in (one, other))
            held = (rounded(one.value, form) == one.value) | (form.precision == 24 and 6 < digits < 10 < more)
            held &= near & (relative >= form.eps / 16)
            if held.all() and not typed[differ].all():
                return form
    return None

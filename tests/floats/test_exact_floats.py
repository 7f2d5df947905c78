"""The formats of the dtypes against what PyTorch says of them, and the float line of one number."""

from fractions import Fraction

import torch
from torch.testing._comparison import default_tolerances

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, format_of
from tests.cases import every_dtype

DIGITS = {"float64": 17, "float32": 9, "bfloat16": 4, "float16": 5}
"""As C has them for `DBL_DECIMAL_DIG` and `FLT_DECIMAL_DIG`, and IEEE 754 for its narrowest
format."""


@every_dtype
def test_a_format_is_that_of_torch(dtype):
    torch_dtype = getattr(torch, dtype)
    finfo = torch.finfo(torch_dtype)
    form, row = FORMATS[dtype], DTYPES[dtype]
    assert format_of(torch_dtype) is form and form.digits == DIGITS[dtype]
    assert (row.bits, row.tolerances) == (finfo.bits, default_tolerances(torch_dtype))
    assert row.narrow == (finfo.bits == 16)
    assert (form.eps, form.largest) == (finfo.eps, finfo.max)
    assert 2.0**form.smallest_exponent == finfo.smallest_normal * finfo.eps
    halfway = (2 - form.eps / 2) * Fraction(2) ** form.largest_exponent
    below = halfway - Fraction(1, 10**999)
    assert form.nearest(halfway) == form.infinity == form.nearest(below) + 1


def edges(form):
    """Places where something changes, on both sides: zero, subnormals, powers of two, the
    largest."""
    normal = 1 << (form.precision - 1)
    one = form.largest_exponent << (form.precision - 1)
    places = [0, 1, 2]
    places += [edge + step for edge in (normal, one) for step in (-2, -1, 0, 1)]
    places += [form.infinity - 2, form.infinity - 1]
    return [*places, *(-place for place in places[1:])]


@every_dtype
def test_numbers_are_rounded_to_either_float(dtype):
    form = FORMATS[dtype]
    least = Fraction(2) ** form.smallest_exponent / 3
    for place in edges(form):
        low, high = form.value(place), form.value(place + 1)
        assert (form.floor(low), form.ceil(low), form.nearest(low)) == (place, place, place)
        if place > 0:
            assert form.spacing(place) == form.spacing(-place) == high - low
        middle = (low + high) / 2
        assert form.place(middle) == place + Fraction(1, 2)
        nearest = {middle - least: place, middle: place + place % 2, middle + least: place + 1}
        for x, expected in nearest.items():
            assert (form.floor(x), form.ceil(x), form.nearest(x)) == (place, place + 1, expected)
            assert form.rounded(x) == form.value(expected)


def test_what_is_left_of_a_division_decides():
    """Between the floats of 2048 and 2050 units: (2049 + 1/d) units, where d cancels so that 1 is
    left."""
    d = -pow(2049, -1, 2**24) % 2**24
    nearest = FORMATS["float16"].nearest
    assert nearest(Fraction(2049, 2**24)) == 2048
    assert nearest(Fraction(2049 * d + 1, d * 2**24)) == 2049

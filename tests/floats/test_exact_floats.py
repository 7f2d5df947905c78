"""The formats of the dtypes against what PyTorch says of them."""

from fractions import Fraction
from math import frexp

import numpy as np
import pytest
import torch

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format, format_of
from tests.cases import EVERY_DTYPE


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_format_is_that_of_torch(dtype):
    finfo, form = torch.finfo(getattr(torch, dtype)), FORMATS[dtype]
    assert DTYPES[dtype].bits == finfo.bits
    assert (form.eps, form.largest) == (finfo.eps, finfo.max)
    assert 2.0**form.smallest_exponent == finfo.smallest_normal * finfo.eps
    assert format_of(getattr(torch, dtype)) is form
    halfway = (2 - form.eps / 2) * Fraction(2) ** form.largest_exponent
    assert (
        form.nearest(halfway) == form.infinity == form.nearest(halfway - Fraction(1, 10**999)) + 1
    )


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_quantum_is_the_step_between_neighbours(dtype):
    form = FORMATS[dtype]
    for ordinal in (1, 2, 1 << (form.precision - 1), 3 << (form.precision - 1), form.infinity - 2):
        lower, upper = form.value(ordinal), form.value(ordinal + 1)
        assert upper - lower == Fraction(2) ** form.quantum(frexp(lower)[1])


def places(form: Format) -> list[int]:
    """Ordinals of zero, subnormals, both sides of powers of two, and the largest floats, even and odd, and their
    mirror images."""
    normal, one = 1 << (form.precision - 1), form.largest_exponent << (form.precision - 1)
    found = [
        0,
        1,
        2,
        normal - 2,
        normal - 1,
        normal,
        one - 2,
        one - 1,
        one,
        one + 1,
        form.infinity - 2,
    ]
    return [*found, *(-place - 1 for place in found)]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_the_values_are_those_of_the_bit_patterns(dtype):
    form = FORMATS[dtype]
    patterns = torch.arange(0, form.infinity, 7, dtype=torch.int16)
    assert [form.value(place) for place in patterns.tolist()] == patterns.view(
        getattr(torch, dtype)
    ).tolist()
    assert (
        form.infinity
        == torch.tensor(torch.inf, dtype=getattr(torch, dtype)).view(torch.int16).item()
    )


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_number_between_two_floats_is_rounded_to_either(dtype):
    form = FORMATS[dtype]
    for place in places(form):
        low, high = form.value(place), form.value(place + 1)
        assert (form.floor(low), form.ceil(low), form.nearest(low)) == (place, place, place)
        if place >= 0:
            assert form.spacing(place) == form.spacing(-place) == high - low
        middle, least = (low + high) / 2, Fraction(2) ** form.smallest_exponent / 3
        for x, nearest in (
            (middle - least, place),
            (middle, place + place % 2),
            (middle + least, place + 1),
        ):
            assert (form.floor(x), form.ceil(x), form.nearest(x)) == (place, place + 1, nearest)
            assert form.rounded(x) == form.value(nearest)


def test_what_is_left_of_a_division_decides_however_little_it_is():
    """Between the floats of 2048 and 2050 units: (2049 + 1/d) units, where d cancels so that 1 is left."""
    d = -pow(2049, -1, 2**24) % 2**24
    nearest = FORMATS["float16"].nearest
    assert (nearest(Fraction(2049, 2**24)), nearest(Fraction(2049 * d + 1, d * 2**24))) == (
        2048,
        2049,
    )


@pytest.mark.parametrize(
    ("dtype", "digits"), [("float64", 17), ("float32", 9), ("bfloat16", 4), ("float16", 5)]
)
def test_so_many_digits_tell_floats_apart(dtype, digits):
    """As C has them for `DBL_DECIMAL_DIG` and `FLT_DECIMAL_DIG`, and IEEE 754 for its narrowest format."""
    assert FORMATS[dtype].digits == digits


def test_the_format_of_tensor_cores_has_the_exponents_of_float32():
    assert (TF32.eps, TF32.smallest_exponent, TF32.largest) == (
        2.0**-10,
        -136,
        (2 - 2.0**-10) * 2.0**127,
    )


def test_other_names_of_a_dtype_are_those_of_pytorch_or_numpy():
    for name, dtype in DTYPES.items():
        for alias in dtype.aliases:
            if alias.endswith("Tensor"):
                assert torch.tensor([0.0], dtype=getattr(torch, name)).type() == f"torch.{alias}"
            else:
                assert getattr(torch, alias, None) is getattr(torch, name) or np.dtype(
                    alias
                ) == np.dtype(name)

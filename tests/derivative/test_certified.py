"""Exact derivatives against mpmath, and correct rounding against fractions: no float decides."""

import math
from fractions import Fraction

import mpmath
import pytest
import torch

from lib.derivative.certified import certify, exactly
from lib.derivative.formulas import parsed
from lib.experiment.functions import FUNCTIONS
from tests.cases import EVERY_DTYPE
from tests.oracles import FORMATS, as_fraction, exact_derivative, rounded, ulps_off

FLAT = ("exp", "tanh", "sigmoid", "softplus", "gelu")  # far out no fraction holds their slopes


def numbers(dtype: str) -> list[float]:
    """Numbers where something saturates, and powers of two up to both ends."""
    bits, lowest, overflow = FORMATS[dtype]
    powers = [2.0**exponent for exponent in range(lowest, overflow, (overflow - lowest) // 9)]
    edges = [17.328679, 36.7368, 88.72284, 709.782712, 745.133, 0.7517915, 1 - 2.0**-bits, *powers]
    sizes = torch.tensor(edges, dtype=torch.float64).to(getattr(torch, dtype))
    return torch.cat([sizes, -sizes])[sizes.repeat(2).isfinite()].tolist()


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_certified_is_the_derivative_next_to_the_float_line(function, dtype):
    exists = parsed(function).exists
    for x in numbers(dtype):
        if not exists(torch.tensor(x, dtype=torch.float64)) or function in FLAT and abs(x) > 2000:
            continue
        found = certify(function, x, getattr(torch, dtype))
        value = exact_derivative(function, x)
        assert found.nearest == rounded(value, dtype), x.hex()
        if math.isfinite(found.nearest):
            off = ulps_off(Fraction(found.nearest), value, dtype)
            assert abs(off - abs(Fraction(found.residual))) <= Fraction(2) ** -31


@pytest.mark.parametrize(
    ("function", "x", "dtype", "value"),
    [
        ("reciprocal", 2.0**75, "float32", -0.0),  # half-way to the smallest subnormal
        ("(2**24+1)*x", 1.0, "float32", 2.0**24),
        ("(2**24+3)*x", 1.0, "float32", 2.0**24 + 4),
        ("65520*x", 1.0, "float16", math.inf),
        ("-65519*x", 1.0, "float16", -65504.0),
    ],
)
def test_a_tie_goes_to_even(function, x, dtype, value):
    assert certify(function, x, getattr(torch, dtype)).nearest == value


def test_digits_are_the_decimal_ones_and_what_is_beyond_all_floats_is_told_in_words():
    with mpmath.workdps(60):
        found = exactly("tanh", 0.3)
        expected = mpmath.sech(mpmath.mpf(0.3)) ** 2
        assert found.text[:30] == mpmath.nstr(expected, 50)[:30] and not found.known
        assert abs(found.fraction - as_fraction(expected)) < Fraction(10) ** -45
    assert exactly("square", 0.1) == ("0.200000000000000011102230246252", Fraction(0.2), True)
    assert exactly("x*0", 1.5) == ("0", Fraction(), True)
    assert exactly("exp", 3e38) == ("more than 1e6020 in size", Fraction(), False)
    assert exactly("exp", -3e38) == ("within 1e-6020 of 0", Fraction(), False)
    assert exactly("sin(x)**2+cos(x)**2", 1.5).text.startswith("[+/- ")  # an interval around 0

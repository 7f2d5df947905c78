"""Exact derivatives against mpmath, and correct rounding against fractions: no float decides."""

import math
from fractions import Fraction

import mpmath
import pytest
import torch

from lib.derivative.certified import certify
from lib.derivative.formulas import parsed
from lib.experiment.functions import FUNCTIONS
from tests.cases import every_dtype
from tests.oracles import FORMATS, as_fraction, exact_derivative, rounded, ulps_off

FLAT = ("exp", "tanh", "sigmoid", "softplus", "gelu")
"""Far out no fraction holds their slopes."""


def numbers(dtype):
    """Numbers where something saturates, and powers of two up to both ends."""
    bits, lowest, overflow = FORMATS[dtype]
    powers = [2.0**exponent for exponent in range(lowest, overflow, (overflow - lowest) // 9)]
    edges = [17.328679, 36.7368, 88.72284, 709.782712, 745.133, 0.7517915, 1 - 2.0**-bits, *powers]
    sizes = torch.tensor(edges, dtype=torch.float64).to(getattr(torch, dtype))
    return torch.cat([sizes, -sizes])[sizes.repeat(2).isfinite()].tolist()


@pytest.mark.parametrize("function", FUNCTIONS)
@every_dtype
def test_certified_is_beside_the_float_line(function, dtype):
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


def test_digits_are_the_decimal_ones_of_any_number():
    def certified(function, x):
        return certify(function, x, torch.float64)

    for x in (0.3, 300.0):
        found = certified("tanh", x)
        with mpmath.workdps(60):
            expected = mpmath.sech(mpmath.mpf(x)) ** 2
            assert abs(mpmath.mpf(found.text) / expected - 1) < mpmath.mpf(10) ** -29
            assert abs(found.fraction / as_fraction(expected) - 1) < Fraction(10) ** -29
        assert len(found.text.partition("e")[0]) >= 31 and not found.is_float
    square = certified("square", 0.1)
    assert square.text == "0.200000000000000011102230246252"
    assert square.is_float and square.fraction == Fraction(0.2)
    assert certified("x*0", 1.5).text == "0" and certified("x*0", 1.5).is_float
    assert (
        certified("exp", 3e38).text.startswith("8.7174036060984")
        and not certified("exp", 3e38).is_float
    )
    tiny = certified("exp", -3e38)
    assert "e-130288344570" in tiny.text and tiny.fraction == 0 and not tiny.is_float
    zero = certified("sin(x)**2+cos(x)**2", 1.5)
    # an interval around 0
    assert zero.text.startswith("[+/- ") and not zero.is_float

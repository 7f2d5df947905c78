"""Exact derivatives against mpmath, and correct rounding against fractions: no float decides."""

import math
import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import pytest
import torch
from flint import ctx
from hypothesis import example, given
from hypothesis import strategies as st

from lib.derivative.certified import Certified, certify, exactly, nearest
from lib.derivative.formulas import computed
from lib.experiment.functions import FUNCTIONS
from lib.floats.exact_floats import format_of
from tests import oracles
from tests.cases import EVERY_DTYPE
from tests.oracles import FORMATS, as_fraction, rounded, ulp_exponent

DRAW = random.Random(1)
TYPICAL = [DRAW.gauss(0, 1) for _ in range(12)] + [DRAW.uniform(-40, 40) for _ in range(12)]


def numbers(dtype: str) -> list[float]:
    """Typical numbers, those where something saturates, and powers of two up to both ends."""
    bits, lowest, overflow = FORMATS[dtype]
    powers = [2.0**exponent for exponent in range(lowest, overflow, (overflow - lowest) // 9)]
    edges = [17.328679, 36.7368, 88.72284, 709.782712, 745.133, 0.7517915, 1 - 2.0**-bits, *powers]
    sizes = [rounded(Fraction(value), dtype) for value in [*TYPICAL, *edges]]
    return [sign * size for size in sizes if size < math.inf for sign in (1, -1)]


FLAT = {"exp": (0, math.inf), "tanh": (0, 0), "sigmoid": (0, 0), "softplus": (0, 1), "gelu": (0, 1)}
"""The floats nearest to derivatives beyond −2,000 and 2,000, where no fraction could hold them."""


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_certified_is_the_derivative_next_to_the_float_line(function, dtype):
    exists = computed(function).exists
    for x in numbers(dtype):
        if not exists(torch.tensor(x, dtype=torch.float64)):
            continue
        found = certify(function, x, getattr(torch, dtype))
        if function in FLAT and abs(x) > 2000:
            assert found == Certified(FLAT[function][x > 0])
            continue
        with mpmath.workprec(400):
            value = as_fraction(mpmath.mpf(oracles.DERIVATIVES[function](mpmath.mpf(x))))
        assert found.nearest == rounded(value, dtype), x.hex()
        if math.isfinite(found.nearest):
            float_ = Fraction(found.nearest)
            ulp = Fraction(2) ** ulp_exponent(float_ or Fraction(2) ** -9999, dtype)
            assert abs((value - float_) / ulp - Fraction(found.residual)) <= Fraction(2) ** -31


@pytest.mark.parametrize(
    ("function", "x", "dtype", "value"),
    [
        # −2**-150 is half-way between 0 and the smallest subnormal.
        ("reciprocal", 2.0**75, "float32", -0.0),
        ("reciprocal", -(2.0**74), "float32", -(2.0**-148)),
        ("reciprocal", 2.0**538, "float64", 0.0),
        ("reciprocal", 2.0**-64, "float32", -math.inf),
        ("reciprocal", 2.0**-63, "float32", -(2.0**126)),
        ("sqrt", 2.0**-1074, "float64", 2.0**536),
        ("square", 2.0**1023, "float64", math.inf),
        ("softplus", -0.0, "float64", 0.5),
        ("exp", 89.0, "float32", math.inf),
        ("exp", -104.0, "float32", 0.0),
        ("exp", 3e38, "float32", math.inf),
    ],
)
def test_ties_and_ends(function, x, dtype, value):
    assert certify(function, x, getattr(torch, dtype)).nearest == value


WHOLE = st.one_of(st.integers(-(2**70), 2**70), st.integers(-500, 500), st.integers(0, 2**600))


@given(WHOLE, st.integers(-1300, 1100), st.sampled_from(EVERY_DTYPE))
@example(0, 5, "float32")
@example(2**24 + 1, 0, "float32")
@example(2**24 + 3, 0, "float32")
@example(1, -150, "float32")
@example(3, -151, "float32")
@example(2**25 - 1, 103, "float32")
@example(2**25 - 2, 103, "float32")
@example(1, -5000, "float16")
def test_rounding_is_that_of_fractions(number, exponent, dtype):
    expected = rounded(Fraction(number) * Fraction(2) ** exponent, dtype)
    assert nearest(number, exponent, format_of(getattr(torch, dtype))) == expected


def test_threads_do_not_disturb_each_others_precision():
    def work(dtype: torch.dtype) -> list[Certified]:
        return [certify("gelu", x, dtype) for x in TYPICAL * 4]

    dtypes = [torch.float64, torch.float16] * 2
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, dtypes)) == [work(dtype) for dtype in dtypes]
    assert ctx.prec == 53


def test_digits_are_the_decimal_ones():
    assert exactly("log", 3.0).text == "0." + "3" * 30
    with mpmath.workdps(60):
        found = exactly("tanh", 0.3)
        expected = mpmath.sech(mpmath.mpf(0.3)) ** 2
        assert found.text[:30] == mpmath.nstr(expected, 50)[:30] and not found.known
        assert abs(found.fraction - as_fraction(expected)) < Fraction(10) ** -45
    assert exactly("square", 0.1) == ("0.200000000000000011102230246252", Fraction(0.2), True)
    assert exactly("x*0", 1.5) == ("0", Fraction(), True)


def test_what_is_far_beyond_all_floats_is_told_in_words():
    assert exactly("exp", 3e38) == ("more than 1e6020 in size", Fraction(), False)
    assert exactly("exp", -3e38) == ("within 1e-6020 of 0", Fraction(), False)
    assert exactly("sin(x)**2+cos(x)**2", 1.5).text.startswith("[+/- ")  # an interval around 0

"""Exact derivatives against mpmath, and correct rounding against fractions: no float has a say in it."""

import math
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch
from flint import arb, ctx
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.derivative.certified import Certified, certify, exactly, nearest
from lib.derivative.formulas import COMPUTED
from lib.derivative.reference import exists_at
from lib.experiment import functions
from lib.floats.exact_floats import format_of
from tests import oracles
from tests.cases import EVERY_DTYPE
from tests.oracles import FORMATS, as_fraction, rounded, ulp_exponent

FLAT = {"exp": (0, 0), "tanh": (0, 0), "sigmoid": (0, 0), "softplus": (0, 1), "gelu": (0, 1)}
"""The limits of derivatives that are nearer to them than any float beyond some x; that of exp is 0 on the left."""

every_function = pytest.mark.parametrize("function", functions.FUNCTIONS)
every_dtype = pytest.mark.parametrize("dtype", EVERY_DTYPE)

TYPICAL = [random.Random(1).gauss(0, 1) for _ in range(40)] + [
    random.Random(2).uniform(-40, 40) for _ in range(40)
]


def extreme(dtype: str) -> list[float]:
    """Both ends of the float line, powers of two and their neighbours, and where something saturates or vanishes."""
    bits, lowest, overflow = FORMATS[dtype]
    step = 2.0 ** (1 - bits)
    powers = [2.0**e for e in range(lowest, overflow, max((overflow - lowest) // 40, 1))]
    known = [
        17.328679,
        36.7368,
        88.72284,
        709.782712,
        745.133,
        103.97208,
        0.7517915,
        20.0,
        5.5,
        13.2,
        1023.0,
        1025.0,
    ]
    ends = [
        2.0**lowest,
        3 * 2.0**lowest,
        2.0 ** (overflow - 1) * (2 - step),
        1 - step,
        1 + step,
        0.5,
        2.0,
        4.0,
    ]
    x = [rounded(Fraction(v), dtype) for v in [*powers, *known, *ends]]
    return [sign * v for v in x if 0 < v < math.inf for sign in (1, -1)]


def where_it_exists(function: str, x: list[float]) -> list[float]:
    return [v for v in x if exists_at(function, np.array(v))]


def exact(function: str, x: float) -> Fraction:
    """The derivative to 400 bits, for oracles of what is compared at less; 0 where it is below 2**-4000."""
    with mpmath.workprec(400):
        return as_fraction(oracles.DERIVATIVES[function](mpmath.mpf(x)))


def test_every_function_has_its_oracle():
    assert set(functions.FUNCTIONS) == set(oracles.DERIVATIVES)


@every_function
@every_dtype
def test_certified_is_the_derivative_next_to_the_float_line(function, dtype):
    x = [rounded(Fraction(v), dtype) for v in TYPICAL] + extreme(dtype)
    for v in where_it_exists(function, x):
        found = certify(function, v, getattr(torch, dtype))
        if function in FLAT and abs(v) > 2000:
            assert found.nearest == (
                math.inf if function == "exp" and v > 0 else FLAT[function][v > 0]
            )
            assert found.residual == 0
            continue
        value = exact(function, v)
        assert found.nearest == rounded(value, dtype), v.hex()
        if math.isinf(found.nearest):
            continue
        assert found.ulp == ulp_exponent(Fraction(found.nearest) or Fraction(2) ** -9999, dtype), (
            v.hex()
        )
        rest = (value - Fraction(found.nearest)) / Fraction(2) ** found.ulp
        assert abs(rest - Fraction(found.residual)) <= Fraction(2) ** -31


@pytest.mark.parametrize(
    ("function", "x", "dtype", "value"),
    [
        (
            "reciprocal",
            2.0**75,
            "float32",
            -0.0,
        ),  # −2**-150 is half-way between 0 and the smallest subnormal
        ("reciprocal", -(2.0**74), "float32", -(2.0**-148)),
        ("reciprocal", 2.0**537, "float64", -(2.0**-1074)),
        ("reciprocal", 2.0**538, "float64", 0.0),
        ("reciprocal", 2.0**-64, "float32", -math.inf),
        ("reciprocal", 2.0**-63, "float32", -(2.0**126)),
        ("sqrt", 2.0**-1074, "float64", 2.0**536),
        ("sqrt", 4.0, "bfloat16", 0.25),
        ("log", 2.0**-149, "float32", math.inf),
        ("square", 2.0**1023, "float64", math.inf),
        ("square", -(2.0**-24), "float16", -(2.0**-23)),
        ("exp", 0.0, "float16", 1.0),
        ("tanh", 0.0, "float32", 1.0),
        ("sigmoid", 0.0, "float32", 0.25),
        ("softplus", -0.0, "float64", 0.5),
        ("gelu", 0.0, "bfloat16", 0.5),
        ("abs", -3.0, "float32", -1.0),
        ("relu", -3.0, "float32", 0.0),
        ("relu", 3.0, "float32", 1.0),
        ("exp", 89.0, "float32", math.inf),
        ("exp", -104.0, "float32", 0.0),
    ],
)
def test_exact_values_ties_and_ends(function, x, dtype, value):
    found = certify(function, x, getattr(torch, dtype))
    assert found.nearest == value
    if function not in ("exp",) and value and math.isfinite(value):
        assert found.residual == 0


def test_an_undecided_rounding_is_an_error(monkeypatch):
    half_way = Fraction(1) + Fraction(2) ** -24
    undecided = replace(
        COMPUTED["exp"], exact=lambda x: arb(float(half_way)) + (-((x + 5) ** 2) * 10**9).exp() / 3
    )
    monkeypatch.setitem(COMPUTED, "exp", undecided)
    with pytest.raises(
        ArithmeticError, match=r"3000 bits do not decide the torch.float32 nearest to exp'\(0x1.0"
    ):
        certify("exp", 1.0, torch.float32)


numbers = st.one_of(
    st.integers(-(2**70), 2**70), st.integers(-(2**9), 2**9), st.integers(0, 2**600)
)


@settings(max_examples=400)
@given(numbers, st.integers(-1300, 1100), st.sampled_from(EVERY_DTYPE))
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
    x = [random.Random(3).gauss(0, 1) for _ in range(300)]

    def work(dtype: torch.dtype) -> list[Certified]:
        return [certify("gelu", v, dtype) for v in x]

    dtypes = [torch.float64, torch.float16] * 2
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, dtypes)) == [work(dtype) for dtype in dtypes]
    assert ctx.prec == 53


def test_digits_are_the_decimal_ones():
    assert exactly("log", 3.0).text == "0." + "3" * 30
    with mpmath.workdps(60):
        found, expected = exactly("tanh", 0.3), mpmath.sech(mpmath.mpf(0.3)) ** 2
        assert found.text[:30] == mpmath.nstr(expected, 50)[:30] and not found.known
        assert abs(found.fraction - as_fraction(expected)) < Fraction(10) ** -45
    assert (
        exactly("exp", 3e38).text == "more than 1e6020 in size"
        and exactly("exp", -3e38).text == "within 1e-6020 of 0"
    )
    assert exactly("square", 0.1) == ("0.200000000000000011102230246252", Fraction(0.2), True)

"""Exact sums and fused multiply-adds against fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.floats.exact_arrays import ExactSum, multiply_add
from tests.oracles import rounded

UNIT = Fraction(2) ** -1126
VALUES = st.lists(st.floats(0, allow_infinity=False, allow_nan=False), max_size=20)


def sum_of(values: list[float]) -> ExactSum:
    return ExactSum.of(np.array(values, np.float64))


@given(VALUES, VALUES)
@example([2.0**-1074], [np.finfo(np.float64).max.item()])
def test_the_sum_is_that_of_fractions_and_the_mean_is_correctly_rounded(first, second):
    exact = sum(map(Fraction, first + second), Fraction())
    tally = sum_of(first) + sum_of(second)
    assert tally == sum_of(first + second)
    assert (tally.units * UNIT, tally.count) == (exact, len(first + second))
    assert tally.mean == float(exact / max(1, tally.count))


def test_many_values_of_one_binade_add_up_exactly():
    """All 53 bits are ones, and the low 32 of them alone add up to more than float64 holds
    exactly."""
    count = 2**21 + 3
    value = np.nextafter(2.0, 1.0)
    assert ExactSum.of(np.full((count, 1), value)).units * UNIT == count * Fraction(value)


NUMBERS = {"float32": np.float32, "float64": np.float64}


def moderate(dtype: str) -> st.SearchStrategy[float]:
    """Floats whose products neither overflow nor leave the normal range."""
    bound, width = (2.0**50, 32) if dtype == "float32" else (2.0**200, 64)
    positive = st.floats(1 / bound, bound, width=width)
    return st.just(0.0) | positive | positive.map(lambda x: -x)


@pytest.mark.parametrize("dtype", NUMBERS)
@given(data=st.data())
def test_fused_rounds_once_and_otherwise_twice(dtype, data):
    a, b = data.draw(st.tuples(*[moderate(dtype)] * 2))
    near = NUMBERS[dtype](-a * b)  # so that what the rounding of the product lost is all there is
    beside = [float(near), float(np.nextafter(near, near * 2))]
    c = data.draw(moderate(dtype) | st.sampled_from(beside))
    arrays = [np.array([x], NUMBERS[dtype]) for x in (a, b, c)]
    exact = Fraction(a) * Fraction(b)
    assert multiply_add(*arrays, fused=True)[0] == rounded(exact + Fraction(c), dtype)
    twice = rounded(Fraction(rounded(exact, dtype)) + Fraction(c), dtype)
    assert multiply_add(*arrays, fused=False)[0] == twice


@pytest.mark.parametrize("dtype", NUMBERS)
def test_beside_a_tie_the_side_decides_whatever_the_signs(dtype):
    """c is a float of either sign next to 1, and a·b nearly half an ulp to either side of it: so
    little less that the sum, first rounded to 53 bits, is on the tie, where the even neighbour
    would be taken."""
    one = NUMBERS[dtype](1)
    eps = float(np.finfo(NUMBERS[dtype]).eps)
    starts = [float(np.nextafter(one, one - 1)), 1.0, float(np.nextafter(one, one + 1))]
    cases = [
        (sign * half * (1 + eps), 1 - eps, way * start)
        for sign, way, start, half in product((1, -1), (1, -1), starts, (eps / 2, eps / 4))
    ]
    a, b, c = (np.array(part, NUMBERS[dtype]) for part in zip(*cases, strict=True))
    expected = [rounded(Fraction(x) * Fraction(y) + Fraction(z), dtype) for x, y, z in cases]
    assert multiply_add(a, b, c, fused=True).tolist() == expected
    assert multiply_add(a, b, c, fused=False).tolist() != expected

"""Exact sums and fused multiply-adds against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.floats.exact_arrays import ExactSum, multiply_add
from tests.oracles import rounded

UNIT = Fraction(2) ** -1126
VALUES = st.lists(st.floats(0, allow_infinity=False, allow_nan=False), max_size=20)


def sum_of(values: list[float]) -> ExactSum:
    return ExactSum.of(np.array(values, np.float64))


@given(VALUES)
def test_the_sum_is_that_of_fractions_and_the_mean_is_correctly_rounded(values):
    found, exact = sum_of(values), sum(map(Fraction, values), Fraction())
    assert (found.units * UNIT, found.count) == (exact, len(values))
    assert found.mean == float(exact / max(1, len(values)))


@given(VALUES, VALUES, VALUES)
def test_no_order_of_adding_changes_it(one, two, three):
    a, b, c = map(sum_of, (one, two, three))
    assert (a + b) + c == a + (b + c) == (c + a) + b == sum_of(one + two + three)


def test_many_values_of_one_binade_add_up_exactly():
    """All 53 bits are ones, and the low 32 of them alone add up to more than float64 holds exactly."""
    count, value = 2**21 + 3, np.nextafter(2.0, 1.0)
    assert ExactSum.of(np.full((count, 1), value)).units * UNIT == count * Fraction(value)


def test_the_ends_of_float64_are_whole_numbers_of_units():
    smallest, largest = 2.0**-1074, np.finfo(np.float64).max.item()
    assert sum_of([smallest, largest]).units * UNIT == Fraction(smallest) + Fraction(largest)


NUMBERS = {"float32": np.float32, "float64": np.float64}


def moderate(dtype: str) -> st.SearchStrategy[float]:
    """Floats whose products neither overflow nor leave the normal range."""
    bound, width = (2.0**50, 32) if dtype == "float32" else (2.0**200, 64)
    positive = st.floats(1 / bound, bound, width=width)
    return st.one_of(st.just(0.0), positive, positive.map(lambda x: -x))


@pytest.mark.parametrize("dtype", NUMBERS)
@given(data=st.data())
def test_fused_rounds_once_and_otherwise_twice(dtype, data):
    a, b = (data.draw(moderate(dtype)) for _ in range(2))
    near = NUMBERS[dtype](-a * b)  # so that what the rounding of the product lost is all there is
    c = data.draw(
        st.one_of(
            moderate(dtype), st.sampled_from([float(near), float(np.nextafter(near, near * 2))])
        )
    )
    of = [np.array([x], NUMBERS[dtype]) for x in (a, b, c)]
    product = Fraction(a) * Fraction(b)
    assert multiply_add(*of, fused=True)[0] == rounded(product + Fraction(c), dtype)
    assert multiply_add(*of, fused=False)[0] == rounded(
        Fraction(rounded(product, dtype)) + Fraction(c), dtype
    )


def beside_a_tie(dtype: str) -> list[tuple[float, float, float]]:
    """a, b, c with c a float of either sign next to 1, and a·b nearly half an ulp to either side of it: so little less
    that the sum, first rounded to 53 bits, is on the tie, where the even neighbour would be taken."""
    one, eps = NUMBERS[dtype](1), float(np.finfo(NUMBERS[dtype]).eps)
    starts = [float(np.nextafter(one, one - 1)), 1.0, float(np.nextafter(one, one + 1))]
    return [
        (sign * half * (1 + eps), 1 - eps, way * start)
        for sign in (1, -1)
        for way in (1, -1)
        for start in starts
        for half in (eps / 2, eps / 4)
    ]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_beside_a_tie_the_side_decides_whatever_the_signs(dtype):
    cases = beside_a_tie(dtype)
    a, b, c = (np.array(part, NUMBERS[dtype]) for part in zip(*cases, strict=True))
    expected = [rounded(Fraction(x) * Fraction(y) + Fraction(z), dtype) for x, y, z in cases]
    assert multiply_add(a, b, c, fused=True).tolist() == expected
    assert multiply_add(a, b, c, fused=False).tolist() != expected

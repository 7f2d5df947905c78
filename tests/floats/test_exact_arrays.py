"""Exact sums and fused multiply-adds against fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.floats.exact_arrays import ExactSum, multiply_add
from tests.oracles import rounded

VALUES = st.lists(st.floats(0, allow_infinity=False, allow_nan=False), max_size=20)
MANY = [float(np.nextafter(2.0, 1.0))] * (2**21 + 3)
"""All 53 bits are ones, and the low 32 of them alone add up to more than float64 holds exactly."""


@given(VALUES, VALUES)
@example([2.0**-1074], [np.finfo(np.float64).max.item()])
@example(MANY, [])
def test_the_sum_is_that_of_fractions_and_the_mean_is_correctly_rounded(first, second):
    both = first + second
    exact = len(MANY) * Fraction(MANY[0]) if both == MANY else sum(map(Fraction, both), Fraction())
    tally = ExactSum.of(np.array(first)) + ExactSum.of(np.array(second))
    assert tally == ExactSum.of(np.array(both)) and tally.count == len(both)
    assert tally.units * Fraction(2) ** -1126 == exact
    assert tally.mean == float(exact / max(1, tally.count))


def moderate(dtype: str) -> st.SearchStrategy[float]:
    """Floats whose products neither overflow nor leave the normal range."""
    bound, width = (2.0**50, 32) if dtype == "float32" else (2.0**200, 64)
    positive = st.floats(1 / bound, bound, width=width)
    return st.just(0.0) | positive | positive.map(lambda x: -x)


every_dtype = pytest.mark.parametrize("dtype", ["float32", "float64"])


def assert_rounds_once_or_twice(dtype: str, *cases: tuple[float, float, float]) -> None:
    a, b, c = (np.array(part, dtype) for part in zip(*cases, strict=True))
    products = [Fraction(x) * Fraction(y) for x, y, _ in cases]
    once = [rounded(p + Fraction(z), dtype) for p, z in zip(products, c.tolist(), strict=True)]
    assert multiply_add(a, b, c, fused=True).tolist() == once
    twice = [Fraction(rounded(p, dtype)) for p in products]
    twice = [rounded(p + Fraction(z), dtype) for p, z in zip(twice, c.tolist(), strict=True)]
    assert multiply_add(a, b, c, fused=False).tolist() == twice


@every_dtype
@given(data=st.data())
def test_fused_rounds_once_and_otherwise_twice(dtype, data):
    a, b = data.draw(st.tuples(*[moderate(dtype)] * 2))
    near = np.dtype(dtype).type(-a * b)  # so that what the rounding of the product lost is left
    beside = [float(near), float(np.nextafter(near, near * 2))]
    c = data.draw(moderate(dtype) | st.sampled_from(beside))
    assert_rounds_once_or_twice(dtype, (a, b, c))


@every_dtype
def test_beside_a_tie_the_side_decides_whatever_the_signs(dtype):
    """c is a float of either sign next to 1, and a·b nearly half an ulp to either side of it: so
    little less that the sum, first rounded to 53 bits, is on the tie, where the even neighbour
    would be taken."""
    eps = float(np.finfo(dtype).eps)
    signs = (1, -1)
    factors = [sign * half * (1 + eps) for sign in signs for half in (eps / 2, eps / 4)]
    starts = [sign * start for sign in signs for start in (1 - eps / 2, 1.0, 1 + eps)]
    cases = [(factor, 1 - eps, start) for factor, start in product(factors, starts)]
    assert_rounds_once_or_twice(dtype, *cases)

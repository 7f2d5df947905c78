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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fused_rounds_once_and_otherwise_twice(dtype):
    """Also where c leaves little of a·b, and where a·b is nearly half an ulp of c to either side:
    so little less that the sum, first rounded to 53 bits, is on the tie."""
    eps = float(np.finfo(dtype).eps)
    a, b, c = np.random.default_rng(0).normal(size=(3, 300)).astype(dtype)
    near = -a * b
    factors = [sign * half * (1 + eps) for sign in (1, -1) for half in (eps / 2, eps / 4)]
    starts = [sign * start for sign in (1, -1) for start in (1 - eps / 2, 1.0, 1 + eps)]
    ties = np.array([*product(factors, [1 - eps], starts), (0, 0, 0)], dtype).T
    for x, y, z in ((a, b, c), (a, b, near), (a, b, np.nextafter(near, 2 * near)), ties):
        exact = [Fraction(p) * Fraction(q) for p, q in zip(x.tolist(), y.tolist(), strict=True)]
        products = {True: exact, False: [Fraction(rounded(p, dtype)) for p in exact]}
        for fused, terms in products.items():
            sums = zip(terms, z.tolist(), strict=True)
            expected = [rounded(term + Fraction(add), dtype) for term, add in sums]
            assert multiply_add(x, y, z, fused).tolist() == expected

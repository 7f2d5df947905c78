"""Exact sums and fused multiply-adds against fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.floats.exact_arrays import multiply_add, sum_by_key
from tests.oracles import rounded

WHOLE = st.tuples(st.integers(-5, 5), st.integers(0, 2**53))


@given(st.lists(WHOLE, max_size=20))
@example([(0, 2**53 - 1), (0, 2)])
@example([(0, 2**53 - 1)] * (2**21 + 3))
def test_the_sum_of_each_key_is_exact(pairs):
    """Also where the low halves of all add up to more than float64 holds exactly."""
    expected = {}
    for key, whole in pairs:
        expected[key] = expected.get(key, 0) + whole
    keys, numbers = np.array(pairs, np.int64).reshape(-1, 2).T
    assert sum_by_key(keys, numbers.astype(np.float64)) == expected


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

"""Exact sums against fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lib.floats.exact_sum import ExactSum

UNIT = Fraction(2) ** -1126
VALUES = st.lists(st.floats(0, allow_infinity=False, allow_nan=False), max_size=20)


def sum_of(values: list[float]) -> ExactSum:
    return ExactSum.of(np.array(values, np.float64))


@given(VALUES)
def test_the_sum_is_that_of_fractions(values):
    assert sum_of(values).units * UNIT == sum(map(Fraction, values))
    assert sum_of(values).count == len(values)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_mean_is_that_of_fractions_correctly_rounded(values):
    assert sum_of(values).mean == float(sum(map(Fraction, values)) / len(values))


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


def test_the_mean_of_nothing_is_zero():
    assert ExactSum().mean == sum_of([]).mean == 0 and sum_of([]) == ExactSum()

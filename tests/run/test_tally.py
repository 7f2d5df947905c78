"""Counting against Python's own integers, and the laws of a tally however its samples were cut."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.run.tally import Extreme, FirstPlaces, Histogram, Place, Sums

LOWEST, HIGHEST = -(2**63), 2**63 - 1
spread = st.lists(st.tuples(st.integers(LOWEST, HIGHEST), st.integers(0, 2**45)))
dense = st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 2**45)))


@given(spread | dense, st.booleans(), st.integers(0, 40))
@example([(HIGHEST, 1), (HIGHEST - 2, 1)], False, 1)
@example([(LOWEST, 1), (HIGHEST, 0), (HIGHEST, 2)], True, 1)
@example([(5, 1), (5 + 4 * 2 + 1023, 1)], False, 2)
@example([(5, 1), (5 + 4 * 2 + 1024, 1)], False, 2)
def test_a_histogram_counts_like_a_counter(weighted, are_one, cut):
    """However its values were cut."""
    keys, weights = np.array(weighted, np.int64).reshape(-1, 2).T
    weights = np.ones_like(weights) if are_one else weights
    histogram = Histogram.of(keys, None if are_one else weights)
    expected = Counter()
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        expected[key] += weight
    expected = dict(sorted((+expected).items()))
    assert histogram.keys.tolist() == list(expected)
    assert histogram.counts.tolist() == list(expected.values())
    assert histogram.keys.dtype == histogram.counts.dtype == np.int64
    assert histogram.total == sum(expected.values())
    assert all(histogram[key] == expected.get(key, 0) for key in [*expected, 3])
    first = Histogram.of(keys[:cut], weights[:cut])
    assert first + Histogram.of(keys[cut:], weights[cut:]) == histogram
    three = Histogram.of(np.array([3]))
    assert histogram != histogram + three and three != Histogram.of(np.array([4])) and three != 3


tables = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1)
)
"""Tables of small numbers, so that ties are frequent: a row is a sample, a column a component."""


@given(tables, st.integers(0, 10))
def test_extremes_and_places_are_of_a_loop(rows, cut):
    """However the samples were cut."""
    first = {}
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            first.setdefault(value, Place(7, 100 + i, j))
    largest = max(first)
    expected = Extreme(largest, first[largest]) if largest else Extreme()
    table = np.array(rows, np.int8)
    assert Extreme.of(table, 7, 100) == expected
    assert Extreme.of(table[cut:], 7, 100 + cut) + Extreme.of(table[:cut], 7, 100) == expected
    later, earlier = (
        FirstPlaces.of(table[part], range(-9, 9), 7, 100 + (part.start or 0))
        for part in (slice(cut, None), slice(cut))
    )
    assert later + earlier == FirstPlaces(first)
    assert FirstPlaces.of(table, [largest], 7, 100).places == {largest: first[largest]}


@pytest.mark.parametrize("value", [np.uint64(2**64 - 1), np.float64(5e-324)])
def test_an_extreme_keeps_the_number_as_it_is(value):
    extreme = Extreme.of(np.array([[0, 0], [0, value]], value.dtype), 2, 30)
    assert extreme == Extreme(value.item(), Place(2, 31, 1))
    assert type(extreme.value) in (int, float)


summands = st.lists(
    st.tuples(st.integers(-5, 70), st.one_of(st.floats(0, 10), st.floats(0, 2.0**999)))
)
LARGE = 2.0**33 - 2.0**-20
"""With 53 bits: float64 does not hold the sum of three."""


@given(summands, st.integers(0, 10))
@example([(0, LARGE / 2 + 2.0**-21)] * 3, 1)
@example([(0, LARGE)] * 3, 2)
@example([(0, 2.0**60 + 2.0**8)] * 3, 2)
@example([(0, 2.0**901)], 1)
def test_sums_are_exact_however_they_were_cut(summands, cut):
    """A number that is too large counts as the largest."""
    keys = np.array([key for key, _ in summands], np.int64)
    values = np.array([value for _, value in summands], np.float64)
    expected = Counter()
    for key, value in summands:
        expected[key] += round(Fraction(min(value, 2.0**900)) * 2**20)
    sums = Sums.of(keys, values)
    assert sums.units == expected
    assert sums == Sums.of(keys[cut:], values[cut:]) + Sums.of(keys[:cut], values[:cut])
    assert sums.total == float(Fraction(sum(expected.values()), 2**20))
    assert all(sums[key] == float(Fraction(expected[key], 2**20)) for key in range(-6, 72))

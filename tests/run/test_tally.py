"""Counting against Python's own integers, and the laws of a tally however its samples were cut."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.run.tally import Extreme, FirstPlaces, Histogram, Place, Sums
from tests.strategies import HIGHEST, LOWEST, MERGEABLE, extremes_over_x, values


@given(values, st.data())
@example([], None)
@example([HIGHEST, HIGHEST - 2], None)
@example([LOWEST, LOWEST + 2], None)
@example([LOWEST, HIGHEST, HIGHEST], None)
@example([-(2**62), 2**62], None)
@example([5, 5 + 4 * 2 + 1023, 5 + 4 * 2 + 1024], None)
def test_a_histogram_counts_like_a_counter_however_its_values_were_cut(values, data):
    array = np.array(values, np.int64)
    cut = data.draw(st.integers(0, len(values))) if data else 1
    histogram = Histogram.of(array)
    assert Histogram.of(array[:cut]) + Histogram.of(array[cut:]) == histogram
    expected = sorted(Counter(values).items())
    assert list(zip(histogram.keys.tolist(), histogram.counts.tolist(), strict=True)) == expected
    assert histogram.keys.dtype == histogram.counts.dtype == np.int64
    assert histogram.total == len(values)
    assert all(histogram[key] == count for key, count in expected)
    assert histogram != Histogram.of(np.array([*values, 3]))


weighted = st.tuples(
    st.one_of(st.integers(-9, 9), st.integers(-(2**62), 2**62)), st.integers(0, 2**45)
)


@given(st.lists(weighted))
def test_weights_say_how_often_a_value_counts(weighted):
    keys, weights = (np.array([pair[i] for pair in weighted], np.int64) for i in (0, 1))
    expected = Counter()
    for key, weight in weighted:
        expected[key] += weight
    histogram = Histogram.of(keys, weights)
    assert histogram.keys.tolist() == sorted(key for key in expected if expected[key])
    assert histogram.counts.tolist() == [expected[key] for key in histogram.keys.tolist()]
    assert histogram.counts.dtype == np.int64


@pytest.mark.parametrize(("part", "parts"), [*MERGEABLE.items(), (Extreme, extremes_over_x)])
@settings(max_examples=60)
@given(data=st.data())
def test_merging_is_associative_and_commutative(part, parts, data):
    a, b, c = (data.draw(parts) for _ in range(3))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + part() == part() + a == a and type(a + b) is part


tables = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1)
)
"""Tables of small numbers, so that ties are frequent: a row is a sample, a column a component."""


@given(tables, st.integers(0, 10))
def test_the_extreme_and_the_first_places_are_those_of_a_loop_however_samples_were_cut(rows, cut):
    first: dict[int, Place] = {}
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            first.setdefault(value, Place(7, 100 + i, j))
    largest = max(first)
    expected = Extreme(largest, first[largest]) if largest else Extreme()
    table = np.array(rows, np.int8)
    assert Extreme.of(table, 7, 100) == expected
    assert Extreme.of(table[cut:], 7, 100 + cut) + Extreme.of(table[:cut], 7, 100) == expected
    halves = [FirstPlaces.of(table[cut:], range(-9, 9), 7, 100 + cut)]
    halves.append(FirstPlaces.of(table[:cut], range(-9, 9), 7, 100))
    assert halves[0] + halves[1] == FirstPlaces(first)
    assert FirstPlaces.of(table, [largest], 7, 100).places == {largest: first[largest]}


@pytest.mark.parametrize("dtype", [np.uint64, np.float64])
def test_an_extreme_keeps_the_number_as_it_is(dtype):
    value = np.iinfo(np.uint64).max if dtype is np.uint64 else 5e-324
    extreme = Extreme.of(np.array([[0, 0], [0, value]], dtype), 2, 30)
    assert extreme == Extreme(int(value) if dtype is np.uint64 else 5e-324, Place(2, 31, 1))
    assert type(extreme.value) in (int, float)


summands = st.lists(
    st.tuples(st.integers(-5, 70), st.one_of(st.floats(0, 10), st.floats(0, 2.0**899)))
)
THREE_OF_53_BITS = [(0, 2.0**32 + 2.0**-20)] * 3  # odd numbers: float64 does not hold their sum


@given(summands, st.integers(0, 10))
@example([(0, 2.0**11), (0, 2.0**12), (0, 2.0**12 + 2**-20)], 1)
@example(THREE_OF_53_BITS, 1)
@example([(0, 2.0**33 - 2.0**-20)] * 3, 2)
def test_sums_are_exact_however_they_were_cut(summands, cut):
    keys = np.array([key for key, _ in summands], np.int64)
    values = np.array([value for _, value in summands], np.float64)
    expected = Counter()
    for key, value in summands:
        expected[key] += round(Fraction(value) * 2**20)
    sums = Sums.of(keys, values)
    assert sums.units == expected
    assert sums == Sums.of(keys[cut:], values[cut:]) + Sums.of(keys[:cut], values[:cut])
    assert sums.total == float(Fraction(sum(expected.values()), 2**20))
    assert all(sums[key] == float(Fraction(expected[key], 2**20)) for key in range(-6, 72))


def test_a_number_too_large_for_a_sum_counts_as_the_largest():
    assert Sums.of(np.array([3]), np.array([2.0**1000])).units == {3: 2**920}

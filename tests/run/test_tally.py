"""Counting against Python's own integers, and the laws that make a tally the same however its samples were cut."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.run.runs import bytes_held
from lib.run.tally import ByName, Extreme, FirstPlaces, Histogram, Place, Sums, Tally
from tests.strategies import HIGHEST, LOWEST, MERGEABLE, SmallTally, extremes_over_x, values

law = settings(max_examples=200)


def as_counter(histogram):
    return Counter(dict(zip(histogram.keys.tolist(), histogram.counts.tolist(), strict=True)))


@law
@given(values, st.integers(0, 40))
@example([], 0)
@example([HIGHEST, HIGHEST - 2], 1)
@example([LOWEST, LOWEST + 2], 1)
@example([LOWEST, HIGHEST, HIGHEST], 1)
@example([-(2**62), 2**62], 1)
@example([5, 5 + 4 * 2 + 1023, 5 + 4 * 2 + 1024], 1)
def test_a_histogram_counts_like_a_counter_however_its_values_were_cut(values, cut):
    array = np.array(values, np.int64)
    histogram = Histogram.of(array)
    assert Histogram.of(array[:cut]) + Histogram.of(array[cut:]) == histogram
    assert as_counter(histogram) == Counter(values)
    assert histogram.keys.tolist() == sorted(set(values))
    assert histogram.keys.dtype == histogram.counts.dtype == np.int64
    assert histogram.total == len(values)


@law
@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(-9, 9), st.integers(-(2**62), 2**62)), st.integers(0, 2**45)
        )
    )
)
def test_weights_say_how_often_a_value_counts(weighted):
    keys, weights = (np.array([pair[i] for pair in weighted], np.int64) for i in (0, 1))
    expected = sum((Counter({key: weight}) for key, weight in weighted), Counter())
    histogram = Histogram.of(keys, weights)
    assert as_counter(histogram) == expected
    assert histogram.counts.dtype == np.int64


def test_a_histogram_is_read_by_key():
    histogram = Histogram.of(np.array([4, -2, 4]))
    assert [histogram[key] for key in (-2, 0, 4)] == [1, 0, 2]
    assert histogram != Histogram.of(np.array([4, -2])) and histogram != Counter([4, -2, 4])


PARTS = [*MERGEABLE.items(), (Extreme, extremes_over_x)]


@pytest.mark.parametrize(("part", "parts"), PARTS)
@law
@given(data=st.data())
def test_merging_is_associative_and_commutative(part, parts, data):
    a, b, c = (data.draw(parts) for _ in range(3))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + part() == part() + a == a and type(a + b) is part


samples = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1)
)
"""Tables of small numbers, so that ties are frequent: a row is a sample, a column a component."""


@law
@given(samples, st.integers(0, 10))
def test_an_extreme_is_the_first_of_the_largest_however_the_samples_were_cut(samples, cut):
    table = np.array(samples)
    largest = max(map(max, samples))
    first = next(
        (row, columns.index(largest)) for row, columns in enumerate(samples) if largest in columns
    )
    expected = Extreme(largest, Place(7, 100 + first[0], first[1])) if largest else Extreme()
    assert Extreme.of(table, 7, 100) == expected
    assert Extreme.of(table[cut:], 7, 100 + cut) + Extreme.of(table[:cut], 7, 100) == expected


@pytest.mark.parametrize("dtype", [np.uint64, np.float64])
def test_an_extreme_keeps_the_number_as_it_is(dtype):
    value = np.iinfo(np.uint64).max if dtype is np.uint64 else 5e-324
    extreme = Extreme.of(np.array([[0, 0], [0, value]], dtype), 2, 30)
    assert extreme == Extreme(int(value) if dtype is np.uint64 else 5e-324, Place(2, 31, 1))
    assert type(extreme.value) in (int, float)


summands = st.lists(
    st.tuples(st.integers(-5, 70), st.one_of(st.floats(0, 10), st.floats(0, 2.0**899)))
)


@law
@given(summands, st.integers(0, 10))
@example([(0, 2.0**11), (0, 2.0**12), (0, 2.0**12 + 2**-20)], 1)
@example(
    [(0, 2.0**32 + 2.0**-20)] * 3, 1
)  # three odd numbers of 53 bits: float64 does not hold their sum
@example([(0, 2.0**33 - 2.0**-20)] * 3, 2)
def test_sums_are_exact_however_they_were_cut(summands, cut):
    keys, values = (
        np.array([k for k, _ in summands], np.int64),
        np.array([v for _, v in summands], np.float64),
    )
    expected = Counter()
    for key, value in summands:
        expected[key] += round(Fraction(value) * 2**20)
    sums = Sums.of(keys, values)
    assert sums.units == expected
    assert sums == Sums.of(keys[cut:], values[cut:]) + Sums.of(keys[:cut], values[:cut])
    assert sums.total == float(Fraction(sum(expected.values()), 2**20))
    assert all(sums[key] == float(Fraction(expected[key], 2**20)) for key in range(-6, 72))


@law
@given(
    st.lists(st.tuples(*[st.integers(-128, 127)] * 3), min_size=1, max_size=9), st.integers(0, 9)
)
def test_the_first_place_of_each_key_is_that_of_a_loop_however_the_samples_were_cut(rows, cut):
    found: dict[int, Place] = {}
    for i, row in enumerate(rows):
        for j, key in enumerate(row):
            found.setdefault(key, Place(3, 40 + i, j))

    def places(start: int, stop: int) -> FirstPlaces:
        return FirstPlaces.of(
            np.array(rows[start:stop], np.int8).reshape(-1, 3), range(-128, 128), 3, 40 + start
        )

    assert places(0, 9) == places(cut, 9) + places(0, cut) == FirstPlaces(found)


@dataclass(frozen=True)
class Named(Tally):
    named: ByName = ByName()
    sums: Sums = Sums()


def test_the_memory_of_a_tally_is_that_of_its_counts_and_200_bytes_for_each_name_or_key():
    counted = SmallTally(
        1, counts=Histogram.of(np.arange(10)), more_counts=Histogram.of(np.arange(5))
    )
    assert bytes_held(counted) == 2 * 8 * (10 + 5)
    assert bytes_held(
        Named(ByName({"a": counted, "b": counted}), Sums({0: 1}))
    ) == 3 * 200 + bytes_held(counted), "what is held twice counts once"

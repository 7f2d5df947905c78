"""The first place of each key against a plain loop, however the samples were cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.run.firsts import Firsts
from lib.run.tally import Place

law = settings(max_examples=200)
SPREAD = {"bytes": st.integers(-8, 8), "few far apart": st.sampled_from([-(2**60), 0, 7, 2**60])}
SPREAD["many"] = st.integers(-(2**62), 2**62)


def by_loop(rows, block, index, counted=None):
    found = {}
    for i, row in enumerate(rows):
        for j, key in enumerate(row):
            if counted is None or counted[i][j]:
                found.setdefault(key, Place(block, index + i, j))
    return found


def by_numpy(rows, block, index, counted=None):
    keys = np.array(rows, np.int64)
    counted = None if counted is None else np.array(counted, bool)
    return Firsts.of(keys, np.unique(keys if counted is None else keys[counted]), block, index, counted)


def as_dictionary(firsts):
    return {key: firsts[key] for key in firsts.keys.tolist()}


def shaped(entries):
    return st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(entries, min_size=n, max_size=n), min_size=1))


@pytest.mark.parametrize("spread", SPREAD)
@law
@given(data=st.data())
def test_the_first_place_of_each_key_is_that_of_a_loop(spread, data):
    rows = data.draw(shaped(SPREAD[spread]))
    counted = data.draw(
        st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=len(rows), max_size=len(rows))
    )
    counted = [flags[: len(rows[0])] for flags in counted]
    assert as_dictionary(by_numpy(rows, 3, 40)) == by_loop(rows, 3, 40)
    assert as_dictionary(by_numpy(rows, 3, 40, counted)) == by_loop(rows, 3, 40, counted)


def test_more_kinds_than_a_byte_can_name():
    rows = [[key, key // 2] for key in range(700)]
    assert as_dictionary(by_numpy(rows, 0, 0)) == by_loop(rows, 0, 0)


@law
@given(shaped(st.integers(-3, 3)), st.integers(0, 10))
def test_the_first_places_are_the_same_however_the_samples_were_cut(rows, cut):
    parts = [(0, rows[:cut]), (cut, rows[cut:])]
    one, other = (by_numpy(part, 0, start) if part else Firsts() for start, part in parts)
    assert one + other == other + one == by_numpy(rows, 0, 0)


def test_earlier_blocks_come_first_and_unknown_keys_have_no_place():
    early, late = by_numpy([[5, 6]], 1, 9), by_numpy([[6, 7]], 2, 0)
    merged = late + early
    assert as_dictionary(merged) == {5: Place(1, 9, 0), 6: Place(1, 9, 1), 7: Place(2, 0, 1)}
    assert merged[8] is None and Firsts()[0] is None
    assert merged.of_any(np.array([8, 7, 6])) == Place(1, 9, 1)
    assert merged != early and merged.nbytes == 4 * 3 * 8

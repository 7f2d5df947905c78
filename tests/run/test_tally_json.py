"""What is written as JSON comes back the same, to the last bit; nothing else comes out of a file.

`tests/test_tallies` writes and reads the tally of every study.
"""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.run.tally import (
    ByName,
    Constant,
    Extreme,
    FirstPlaces,
    Histogram,
    Place,
    Point,
    Sums,
    Tally,
)
from lib.run.tally_json import from_json, to_json
from tests.strategies import SmallTally

numbers = st.one_of(st.floats(), st.integers(0, 2**64))
PLACES = {
    Extreme: st.builds(Extreme, numbers, st.builds(Point, st.integers(0), st.floats())),
    Constant: st.builds(Constant, st.none() | st.text() | st.floats()),
}


def written(value):
    return json.loads(json.dumps(to_json(value)))


@pytest.mark.parametrize("part", PLACES)
@given(data=st.data())
def test_every_float_comes_back_the_same(part, data):
    """`repr` tells −0 from 0 and 1 from 1.0, and a NaN is like any other."""
    value = data.draw(PLACES[part])
    assert repr(from_json(written(value), part)) == repr(value)


@dataclass(frozen=True)
class Thing:
    names: dict[str, int]
    parts: tuple[range, ...]
    flag: bool = True


def test_dictionaries_and_ranges_come_back_in_their_order():
    thing = Thing({"b": 1, "a": 2}, (range(3, 7), range(2**40, 2**41)))
    assert from_json(written(thing), Thing) == thing
    assert list(from_json(written(thing), Thing).names) == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1.0", int),
        ("true", int),
        ("1", str),
        ("[1, 2.5]", np.ndarray),
        ("[9223372036854775808]", np.ndarray),
        ('{"0": 1}', np.ndarray),
        ("[[1, 2]]", dict[str, int]),
        ("[1, 2, 3]", tuple[int, int]),
        ("7", tuple[int, ...]),
        ('{"block": 1, "index": 2}', Place),
        ('{"block": 1, "index": 2, "component": 3, "more": 4}', Place),
        ("[]", str | float | None),
        ('{"units": [["a", 1]]}', Sums),
        ('{"samples": 1}', SmallTally),
        ('{"type": "Tally"}', Tally),
        ('{"type": "DiscrepancyTally"}', SmallTally),
        ('{"type": ["SmallTally"]}', Tally),
        ('{"tallies": [["a", {"type": "eval", "samples": 1}]]}', ByName),
        ('{"places": [[0, {"block": 1, "index": "2", "component": 3}]]}', FirstPlaces),
        ('{"keys": [1], "counts": null}', Histogram),
    ],
)
def test_what_is_not_of_the_kind_is_refused(text, kind):
    with pytest.raises(ValueError, match="is no"):
        from_json(json.loads(text), kind)

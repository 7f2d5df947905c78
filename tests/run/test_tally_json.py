"""What is written as JSON comes back the same, to the last bit; nothing else comes out of a file.

`tests/test_tallies` writes and reads the tally of every study.
"""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

from lib.run.tally import ByName, Constant, Extreme, FirstPlaces, Place, Point, Tally
from lib.run.tally_json import from_json, to_json


@dataclass(frozen=True)
class Small(Tally):
    samples: int = 0


def test_every_value_comes_back_the_same():
    """`repr` tells −0 from 0, 1 from 1.0 and orders; and a NaN is like any other."""
    for kind, value in (
        (Extreme, Extreme(2**70, Point(2**64, -0.0))),
        (Extreme, Extreme(math.nan, Point(0, -math.inf))),
        (Extreme, Extreme(1.0, Place(1, 2, 3))),
        (Constant, Constant()),
        (Constant, Constant("\ud800")),
        (dict[str, int], {"b": 1, "a": -(2**63)}),
        (tuple[range, ...], (range(3, 7), range(9, 8))),
    ):
        assert repr(from_json(json.loads(json.dumps(to_json(value))), kind)) == repr(value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("true", int),
        ("[1, 2.5]", np.ndarray),
        ("[9223372036854775808]", np.ndarray),
        ('{"0": 1}', np.ndarray),
        ("[[1, 2]]", dict[str, int]),
        ("[1, 2, 3]", tuple[int, int]),
        ('{"block": 1, "index": 2}', Place),
        ("[]", str | float | None),
        ('{"samples": 1}', Small),
        ('{"type": "Tally"}', Tally),
        ('{"tallies": [["a", {"type": "eval", "samples": 1}]]}', ByName),
        ('{"places": [[0, {"block": 1, "index": "2", "component": 3}]]}', FirstPlaces),
    ],
)
def test_what_is_not_of_the_kind_is_refused(text, kind):
    with pytest.raises(ValueError, match="is no"):
        from_json(json.loads(text), kind)

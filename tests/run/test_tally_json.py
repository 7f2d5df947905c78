"""Nothing but what was written comes out of a file.

`tests/test_tallies` writes and reads the tally of every study, and `test_checkpoint` the progress.
"""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from lib.run.tally import ByName, FirstPlaces, Place, Tally
from lib.run.tally_json import from_json


@dataclass(frozen=True)
class Small(Tally):
    samples: int = 0


@pytest.mark.parametrize(
    "text, kind",
    [
        ("true", int),
        ("[1, 2.5]", np.ndarray),
        ("[9223372036854775808]", np.ndarray),
        ("[-9223372036854775809]", np.ndarray),
        ('{"0": 1}', np.ndarray),
        ("[[1, 2]]", dict[str, int]),
        ("[1, 2, 3]", tuple[int, int]),
        ("[1]", tuple[int, int]),
        ('"ab"', tuple[str, str]),
        ('{"block": 1, "index": 2}', Place),
        ("[]", str | float | None),
        ("[]", Place),
        ('{"samples": 1}', Small),
        ('{"type": "Tally"}', Tally),
        ('{"tallies": [["a", {"type": "eval", "samples": 1}]]}', ByName),
        ('{"places": [[0, {"block": 1, "index": "2", "component": 3}]]}', FirstPlaces),
    ],
)
def test_what_is_not_of_the_kind_is_refused(text, kind):
    with pytest.raises(ValueError, match="is no"):
        from_json(json.loads(text), kind)

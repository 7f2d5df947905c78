"""The histogram of distances, against counts by a loop over the tally."""

from collections import Counter

import pytest

from lib.discrepancy.histogram import histogram
from lib.discrepancy.study import BARS, FURTHEST, Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.run.stream import Stream


def bar(distance: int) -> int:
    """The bar of a distance: the number of the smallest power of two that is at least as large."""
    number = 0
    while number < FURTHEST and abs(distance) > 2 ** (number - 1) * (number > 0):
        number += 1
    return number if distance > 0 else -number


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_bar_counts_the_components_at_its_distances(dtype):
    tally = Stream(Discrepancy(Experiment(samples=300, dtype=dtype))).finish()
    counts = Counter()
    for distance in tally.ulps.keys.tolist():
        counts[bar(distance)] += tally.ulps[distance]
    rows = histogram(tally, 3).to_pandas()
    assert rows["bar"].tolist() == list(BARS)
    assert rows["components"].tolist() == [counts[key] for key in BARS]
    assert rows["share"].tolist() == pytest.approx([counts[key] / tally.finite for key in BARS])


def test_a_bar_says_its_distances_and_is_marked():
    texts = {
        0: "equal",
        1: "backward() is 1 float higher",
        2: "backward() is 2 floats higher",
        -3: "the Jacobian is 3 to 4 floats higher",
        4: "backward() is 3 to 4 floats higher",
        5: "backward() is 5 to 8 floats higher",
        1024: "backward() is 513 to 1,024 floats higher",
        1025: "backward() is 1,025 floats or more higher",
        -(2**62): "the Jacobian is 1,025 floats or more higher",
    }
    for distance, text in texts.items():
        rows = histogram(DiscrepancyTally(), distance).to_pandas()
        assert rows.loc[rows["picked"], ["bar", "floats"]].values.tolist() == [
            [bar(distance), text]
        ]

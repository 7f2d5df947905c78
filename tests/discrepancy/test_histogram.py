"""The histogram of distances, against counts by a loop over the tally."""

from collections import Counter

import pytest

from lib.discrepancy.histogram import histogram, words
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


@pytest.mark.parametrize("distance", [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 1024, 1025, 2**20, 2**62])
def test_a_distance_belongs_to_one_bar(distance):
    for signed in (distance, -distance):
        rows = histogram(DiscrepancyTally(), signed).to_pandas()
        assert rows.loc[rows["picked"], "bar"].tolist() == [bar(signed)]


def test_a_bar_says_its_distances():
    assert words(0) == "equal"
    assert words(1) == "backward() is 1 float higher"
    assert words(2) == "backward() is 2 floats higher"
    assert words(-3) == "the Jacobian is 3 to 4 floats higher"
    assert words(FURTHEST) == "backward() is 1,025 floats or more higher"

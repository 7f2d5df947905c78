"""The histogram of distances, against counts by a loop over the tally."""

from collections import Counter

import pytest

from lib.discrepancy.histogram import histogram, words
from lib.discrepancy.study import BARS, FURTHEST, Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.run.stream import Stream


def bar(distance: int) -> int:
    """The bar of a distance: the number of the smallest power of two that is at least as large."""
    far = abs(distance)
    number = (
        0
        if not far
        else next(k for k in range(1, FURTHEST + 1) if 2 ** (k - 1) >= far or k == FURTHEST)
    )
    return number if distance > 0 else -number


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_bar_counts_the_components_at_its_distances(dtype):
    tally = Stream(Discrepancy(Experiment(samples=300, dtype=dtype))).finish()
    counts = Counter()
    for key in tally.ulps.keys.tolist():
        counts[bar(key)] += tally.ulps[key]
    rows = histogram(tally, 3).to_pandas()
    assert dict(zip(rows["bar"], rows["components"], strict=True)) == {
        key: counts[key] for key in BARS
    }
    assert rows["share"].sum() == pytest.approx(1)
    assert rows["share"].tolist() == pytest.approx(
        [count / tally.finite for count in rows["components"]]
    )
    assert rows.loc[rows["picked"], "bar"].tolist() == [bar(3)]


@pytest.mark.parametrize("distance", [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 1024, 1025, 2**20, 2**62])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_distance_belongs_to_one_bar(distance, sign):
    rows = histogram(DiscrepancyTally(), sign * distance).to_pandas()
    assert rows.loc[rows["picked"], "bar"].tolist() == [bar(sign * distance)]


def test_a_bar_says_its_distances():
    assert words(0) == "equal"
    assert words(1) == "backward() is 1 float higher"
    assert words(-3) == "the Jacobian is 3 to 4 floats higher"
    assert words(FURTHEST) == "backward() is 1,025 floats or more higher"

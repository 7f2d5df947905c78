"""The study of named comparisons: its tally against counting one by one, its tables, and that slices do not matter."""

from fractions import Fraction
from math import inf, isfinite, isnan, nan

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.named_comparisons import ComparisonTally, NamedTally
from lib.discrepancy.named_tables import Growth, Point, readable
from lib.reference.compared import Gradients
from lib.run.tally import ByName, Extreme, Place

VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, inf, -inf, nan]) | st.floats(width=32)
SAMPLES = st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), min_size=3, max_size=9)


def gradients_of(samples: list[tuple[float, ...]], index: int = 0) -> Gradients:
    """Samples of block 2 of two components each, given as those of one side and then those of the other."""
    one, other = torch.tensor(samples, dtype=torch.float32).split(2, dim=1)
    return Gradients(2, index, index, torch.zeros_like(one), one, other)


def steps(value: float) -> int:
    """The place of a float32 on the float line, on which both zeros are one."""
    bits = int(np.float32(value).view(np.int32))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF)


@given(SAMPLES)
def test_counts_and_sizes_are_those_of_counting_one_by_one(samples):
    tally = ComparisonTally.of(gradients_of(samples))
    pairs = {(s, i): (sample[i], sample[2 + i]) for s, sample in enumerate(samples) for i in (0, 1)}
    finite = {place: (a, b) for place, (a, b) in pairs.items() if isfinite(a) and isfinite(b)}
    assert tally.samples == len(samples) and tally.components == len(pairs)
    assert (tally.finite, tally.nonfinite) == (len(finite), len(pairs) - len(finite))
    assert tally.equal == sum(a == b for a, b in finite.values())
    assert tally.apart == sum(a != b and not (isnan(a) and isnan(b)) for a, b in pairs.values())
    distances = {place: float(abs(Fraction(a) - Fraction(b))) for place, (a, b) in finite.items()}
    ulps = {place: abs(steps(a) - steps(b)) for place, (a, b) in finite.items()}
    for found, sizes in ((tally.max_abs, distances), (tally.max_ulps, ulps)):
        largest = max(sizes.values(), default=0)
        first = min((place for place, size in sizes.items() if size == largest), default=None)
        assert found == (Extreme(largest, Place(2, *first)) if largest else Extreme())
    # Each distance is rounded to float64, their sum is not.
    mean = float(sum(map(Fraction, distances.values())) / len(distances)) if distances else 0.0
    assert tally.total.mean == mean


def test_a_table_to_read_has_a_dash_for_what_is_not_known():
    tally = NamedTally(
        ByName(
            {
                "some": ComparisonTally.of(gradients_of([(1, 2, 1, 1.5), (1, inf, 1.25, 1)])),
                "none finite": ComparisonTally.of(gradients_of([(nan, inf, 1, 1)])),
            }
        )
    )
    rows = {name: {"called": name.upper()} for name in ("some", "none finite", "nothing yet")}
    assert readable(tally, rows).to_dict("tight")["data"] == [
        ["SOME", "33%", "0.5", "0.25", "1"],
        ["NONE FINITE", "–", "–", "–", "2"],
        ["NOTHING YET", "–", "–", "–", "–"],
    ]


def test_points_and_guides_are_powers_of_the_base():
    growth = Growth("sizes", "eps", "size", 10, {"flat": 0.0, "∝ x": 1.0}, through="b")
    tables = growth.tables([Point("a", 1e-8, 1e-3), Point("b", 1e-6, 1e-5, "mean"), Point("c", 1e-2, 0.0)])
    points, guides = tables["sizes"], tables["sizes guides"]
    np.testing.assert_allclose(points[["x", "y"]], [(-8, -3), (-6, -5)], rtol=1e-6)  # 0 has no place on a log axis
    assert points[["name", "kind", "size"]].to_numpy().tolist() == [["a", "largest", "0.001"], ["b", "mean", "1e-05"]]
    ends = {name: line[["x", "y"]].to_numpy().tolist() for name, line in guides.groupby("name")}
    assert ends["flat"] == [pytest.approx([-8, -5]), pytest.approx([-2, -5])]
    assert ends["∝ x"] == [pytest.approx([-8, -7]), pytest.approx([-2, -1])]
    for points in ([], [Point("a", 1.0, 0.0)], [Point("a", 1.0, 2.0)]):
        few = growth.tables(points)
        assert few.keys() == tables.keys() and few["sizes guides"].empty
        assert all((few[name].dtypes == tables[name].dtypes).all() for name in tables)
    assert Growth("n", "n", "size", 2, {"n": 1.0}).tables([Point("", 8, 2.0)])["n guides"]["y"].tolist() == [1, 1]

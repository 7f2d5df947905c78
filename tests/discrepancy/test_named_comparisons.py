"""The study of named comparisons: its tables and points."""

from math import inf, nan

import numpy as np
import pytest

from lib.discrepancy.named_comparisons import ComparisonTally, NamedTally
from lib.discrepancy.named_tables import Growth, Point, readable
from lib.run.tally import ByName
from tests.discrepancy.test_study import gradients_of


def test_a_table_to_read_has_a_dash_for_what_is_not_known():
    tally = NamedTally(
        ByName(
            {
                "some": ComparisonTally.of(gradients_of([(1, 1), (2, 1.5), (1, 1.25), (inf, 1)])),
                "none finite": ComparisonTally.of(gradients_of([(nan, 1), (inf, 1)])),
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

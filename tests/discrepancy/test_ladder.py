"""Every dtype of the ladder against its own discrepancy study, and the chart."""

from dataclasses import replace
from math import log10

import pytest

from lib.discrepancy.ladder import Ladder, LadderTally, claim, tables
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10}


def finish(query: str) -> LadderTally:
    return Stream(Ladder(Experiment.parse(query))).finish()


@pytest.mark.parametrize(
    "query", ["samples=30&outputs=9&method=jacrev", "samples=9000&evaluation=batched"]
)
def test_every_rung_is_the_discrepancy_study_of_its_dtype(query):
    tally = finish(query)
    rows = {row.pop("dtype"): row for row in tally.figures()["ladder"]}
    assert set(rows) == set(EVERY_DTYPE)
    points = set()
    for dtype, row in rows.items():
        alone = Stream(Discrepancy(replace(Experiment.parse(query), dtype=dtype))).finish()
        assert row.pop("eps") == EPS[dtype]
        for kind, size in (("mean", row.pop("mean_abs")), ("largest", row["max_abs"])):
            points.add((dtype, kind, round(log10(EPS[dtype]), 4), round(log10(size), 4)))
        figures = alone.figures()
        assert row == {name: figures[name] for name in row} and len(row) == 7
        assert f"{row['max_abs']:.3g} in {dtype}" in claim(tally)
    drawn = tables(tally)["ladder"].round(4)
    shown = zip(drawn["name"], drawn["kind"], drawn["x"], drawn["y"], strict=True)
    for name, kind, x, y in shown:
        (point,) = [point for point in points if point[:2] == (name, kind)]
        assert point[2:] == pytest.approx((x, y), abs=2e-4)
    assert len(drawn) == len(points)


def test_without_a_difference_there_is_no_point():
    tally = finish("samples=2&outputs=1&method=rows")
    assert claim(tally) == "There is no difference in any dtype."
    for empty in (tally, Ladder.empty):
        assert all(table.empty for table in tables(empty).values())
    assert claim(Ladder.empty) == "Nothing is measured yet."

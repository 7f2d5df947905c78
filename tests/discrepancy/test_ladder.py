"""The ladder against the discrepancy study of every dtype."""

from dataclasses import replace

import pytest

from lib.discrepancy.ladder import GROWTH, ROWS, Ladder, LadderTally, points
from lib.discrepancy.named_tables import readable
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10}


def finish(experiment: Experiment) -> LadderTally:
    return Stream(Ladder(experiment)).finish()


@pytest.mark.parametrize(
    "query",
    ["samples=60", "samples=30&outputs=9&method=jacrev", "samples=9000&evaluation=batched", "samples=40&outputs=1"],
)
def test_every_rung_is_the_discrepancy_study_of_its_dtype(query):
    experiment = Experiment.parse(query)
    rows = {row["dtype"]: row for row in finish(experiment).figures()["ladder"]}
    assert set(rows) == set(EVERY_DTYPE)
    for dtype, row in rows.items():
        figures = Stream(Discrepancy(replace(experiment, dtype=dtype))).finish().figures()
        assert row.pop("dtype") == dtype and row.pop("eps") == EPS[dtype] and row.pop("mean_abs") >= 0
        assert row == {name: figures[name] for name in row} and len(row) == 7


def test_the_discrepancy_is_proportional_to_eps():
    rows = finish(Experiment(samples=4000, evaluation="batched")).figures()["ladder"]
    for kind in ("max_abs", "mean_abs"):
        ratios = [row[kind] / row["eps"] for row in rows]
        assert max(ratios) < 4 * min(ratios), kind  # while eps spans a factor of 2**45


def test_the_points_and_the_table_have_every_rung():
    tally = finish(Experiment(samples=30))
    rungs = {row["dtype"]: row for row in tally.figures()["ladder"]}
    expected = {
        (name, row["eps"], row[key], kind)
        for name, row in rungs.items()
        for kind, key in (("largest", "max_abs"), ("mean", "mean_abs"))
    }
    assert {(p.name, p.x, p.size, p.kind) for p in points(tally)} == expected
    read = readable(tally, ROWS).set_index("computed in")
    assert set(read.index) == set(rungs) and read.loc["float16", "eps"] == "0.000977"
    (line,) = {tuple(ends) for ends in [GROWTH.tables(points(tally))["ladder guides"]["x"].tolist()]}
    assert line == pytest.approx((-15.6536, -2.1072), abs=1e-4)  # the powers of ten of 2**-52 and 2**-7

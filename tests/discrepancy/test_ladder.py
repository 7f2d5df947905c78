"""Every dtype of the ladder against its own discrepancy study, and the chart."""

from dataclasses import replace
from math import log10

import pytest

from lib.discrepancy.ladder import DTYPE_ROWS, Ladder, claim, tables
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10}


@pytest.mark.parametrize("query", ["samples=30&outputs=9&method=jacrev", "evaluation=batched"])
def test_every_rung_is_the_discrepancy_study_of_its_dtype(query):
    experiment = Experiment.parse(query)
    tally = Stream(Ladder(experiment)).finish()
    rows = {row.pop("dtype"): row for row in tally.figures()["ladder"]}
    assert set(rows) == set(EVERY_DTYPE)
    points = []
    for dtype, row in rows.items():
        figures = Stream(Discrepancy(replace(experiment, dtype=dtype))).finish().figures()
        assert row.pop("eps") == EPS[dtype]
        mean = row.pop("mean_abs")
        assert row == {name: figures[name] for name in row} and len(row) == 7
        assert 0 < mean < row["max_abs"] and f"{row['max_abs']:.3g} in {dtype}" in claim(tally)
        for kind, size in (("largest", row["max_abs"]), ("mean", mean)):
            points += [[log10(EPS[dtype]), log10(size), dtype, kind]]
    drawn = tables(tally)
    shown = drawn["ladder"][["x", "y", "name", "kind"]].to_dict("split")["data"]
    for (*place, name, kind), point in zip(shown, points, strict=True):
        assert place == pytest.approx(point[:2], abs=1e-4) and [name, kind] == point[2:]
    line = drawn["ladder guides"]
    through = log10(tally["float32"].max_abs.value) - log10(EPS["float32"])
    assert (line["y"] - line["x"]).tolist() == pytest.approx([through] * 4, abs=1e-4)
    read = tally.table(DTYPE_ROWS).set_index("computed in")
    assert set(read.index) == set(EVERY_DTYPE) and read.loc["float16", "eps"] == "0.000977"


def test_without_a_difference_there_is_no_point():
    tally = Stream(Ladder(Experiment.parse("samples=2&outputs=1&method=rows"))).finish()
    assert claim(tally) == "There is no difference in any dtype."
    assert all(table.empty for table in tables(tally).values())

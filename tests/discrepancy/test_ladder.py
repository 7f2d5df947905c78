"""The ladder against the discrepancy study of every dtype, and its emulated rungs against products by hand."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from lib.discrepancy.ladder import GROWTH, ROWS, Ladder, LadderTally, points
from lib.discrepancy.named_tables import readable
from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import EVALUATIONS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, JACOBIAN, Subject
from lib.network.emulated import EMULATIONS, emulated
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


@pytest.mark.parametrize("name", EMULATIONS)
@pytest.mark.parametrize("evaluation", EVALUATIONS)
def test_an_emulated_rung_is_a_row_of_its_own_beside_the_same_samples(name, evaluation):
    experiment, emulation = Experiment(samples=40, outputs=3, evaluation=evaluation), EMULATIONS[name]
    tally = finish(experiment)
    (row,) = [row for row in tally.figures()["emulated"] if row["name"] == emulation.label]
    assert "(emulated)" in row["name"] and row["dtype"] == emulation.dtype
    alone = replace(experiment, dtype=emulation.dtype)
    subject, block = Subject(alone, network.build(alone)), sampling.block(alone, 0)
    given = [block] if evaluation == "batched" else [x.clone() for x in block[:40]]
    ways = emulated(BACKWARD, emulation), emulated(JACOBIAN, emulation)
    sides = (torch.cat([way(subject, x).reshape(-1, 5) for x in given])[:40].double() for way in ways)
    distances = [
        abs(Fraction(b) - Fraction(j)) for b, j in zip(*(side.ravel().tolist() for side in sides), strict=True)
    ]
    assert (row["components"], row["equal"]) == (200, distances.count(0)) and row["max_abs"] == float(max(distances))
    assert row["mean_abs"] == float(sum(distances) / 200) != tally[emulation.dtype].total.mean


def test_the_discrepancy_is_proportional_to_eps_and_emulations_are_as_coarse_as_the_16_bit_dtypes():
    """TF32 has as many significant bits as float16, and bfloat16 as its accumulator."""
    found = finish(Experiment(samples=4000, evaluation="batched")).figures()
    rows = {row["dtype"]: row for row in found["ladder"]}
    tf32, accumulator = found["emulated"]
    assert tf32["eps"] == EPS["float16"] and accumulator["eps"] == EPS["bfloat16"]
    for kind in ("max_abs", "mean_abs"):
        ratios = [row[kind] / row["eps"] for row in rows.values()]
        assert max(ratios) < 4 * min(ratios), kind  # while eps spans a factor of 2**45
        assert 0.5 < tf32[kind] / rows["float16"][kind] < 2 and tf32[kind] > 1000 * rows["float32"][kind]
        assert 1.2 < accumulator[kind] / rows["bfloat16"][kind] < 4


def test_the_points_and_the_table_have_every_rung():
    tally = finish(Experiment(samples=30))
    figures = tally.figures()
    rungs = {row["dtype"]: row for row in figures["ladder"]} | {row["name"]: row for row in figures["emulated"]}
    expected = {
        (name, row["eps"], row[key], kind, "(emulated)" in name)
        for name, row in rungs.items()
        for kind, key in (("largest", "max_abs"), ("mean", "mean_abs"))
    }
    assert {(p.name, p.x, p.size, p.kind, p.emulated) for p in points(tally)} == expected
    read = readable(tally, ROWS).set_index("computed in")
    assert set(read.index) == set(rungs)
    assert read.loc["TF32 (emulated)", "eps"] == read.loc["float16", "eps"] == "0.000977"
    (line,) = {tuple(ends) for ends in [GROWTH.tables(points(tally))["ladder guides"]["x"].tolist()]}
    assert line == pytest.approx((-15.6536, -2.1072), abs=1e-4)  # the powers of ten of 2**-52 and 2**-7

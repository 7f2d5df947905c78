"""The ladder against the discrepancy study of every dtype, and its means against fractions."""

from dataclasses import replace
from fractions import Fraction
from math import log10

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import EVALUATIONS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, JACOBIAN, Subject
from lib.network.emulated import EMULATIONS, emulated
from lib.run.stream import Stream
from lib.variations.ladder import Ladder, LadderTally, readable, tables
from tests.cases import EVERY_DTYPE

NEVER, AT_ONCE = float("inf"), 0.0
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10}


def finish(experiment: Experiment) -> LadderTally:
    return Stream(Ladder(experiment)).finish()


@pytest.mark.parametrize(
    "query",
    ["samples=60", "samples=30&outputs=9&method=jacrev", "samples=9000&evaluation=batched", "samples=40&outputs=1"],
)
def test_every_rung_is_the_discrepancy_study_of_its_dtype(query):
    experiment = Experiment.parse(query)
    tally = finish(experiment)
    rows = {row["dtype"]: row for row in tally.figures()["ladder"]}
    assert set(rows) == set(tally.dtypes) == set(EVERY_DTYPE)
    for dtype, row in rows.items():
        alone = replace(experiment, dtype=dtype)
        assert repr(tally[dtype].discrepancy) == repr(Stream(Discrepancy(alone, judged=False)).finish())
        figures = Stream(Discrepancy(alone)).finish().figures()
        assert row.pop("dtype") == dtype and row.pop("eps") == EPS[dtype] and row.pop("mean_abs") >= 0
        assert row == {name: figures[name] for name in row}


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_mean_is_that_of_fractions(dtype):
    experiment = Experiment(samples=40, outputs=3)
    (row,) = [row for row in finish(experiment).figures()["ladder"] if row["dtype"] == dtype]
    measured = Discrepancy(replace(experiment, dtype=dtype)).measure(0, NEVER)
    pairs = zip(to_float64(measured.backward).ravel(), to_float64(measured.jacobian).ravel(), strict=True)
    # The study's discrepancy is rounded to float64, which in these dtypes loses nothing here.
    distances = [abs(Fraction(b) - Fraction(j)) for b, j in pairs]
    assert row["mean_abs"] == float(sum(distances) / len(distances))


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


def test_emulations_are_as_coarse_as_the_16_bit_dtypes():
    """TF32 has as many significant bits as float16, and bfloat16 as its accumulator."""
    found = finish(Experiment(samples=4000, evaluation="batched")).figures()
    rows = {row["dtype"]: row for row in found["ladder"]}
    tf32, accumulator = found["emulated"]
    assert tf32["eps"] == EPS["float16"] and accumulator["eps"] == EPS["bfloat16"]
    for kind in ("max_abs", "mean_abs"):
        assert 0.5 < tf32[kind] / rows["float16"][kind] < 2 and tf32[kind] > 1000 * rows["float32"][kind]
        assert 1.2 < accumulator[kind] / rows["bfloat16"][kind] < 4


@pytest.mark.parametrize("query", ["samples=15", "samples=10000&evaluation=batched"])
def test_the_tally_does_not_depend_on_the_slicing(query):
    experiment = Experiment.parse(query)
    sliced = Stream(Ladder(experiment))
    while not sliced.complete:
        before = sliced.samples
        sliced.advance(AT_ONCE)
        assert {rung.discrepancy.samples for rung in sliced.tally.known.values()} == {sliced.samples}
        assert experiment.evaluation == "batched" or sliced.samples == before + 1
    assert sliced.tally == finish(experiment)


@pytest.fixture(scope="module")
def singles() -> list[LadderTally]:
    """The tallies of twelve samples, one each."""
    study = Ladder(Experiment(samples=12))
    return [study.tally(study.measure(number, AT_ONCE)) for number in range(12)]


@pytest.fixture(scope="module")
def whole() -> LadderTally:
    return finish(Experiment(samples=12))


@given(data=st.data())
def test_tallies_merge_in_any_order(singles, whole, data):
    merged = sum(data.draw(st.permutations(singles)), start=Ladder.empty)
    assert merged == whole


def test_the_discrepancy_is_proportional_to_eps():
    rows = finish(Experiment(samples=4000, evaluation="batched")).figures()["ladder"]
    for kind in ("max_abs", "mean_abs"):
        ratios = [row[kind] / row["eps"] for row in rows]
        assert max(ratios) < 4 * min(ratios), kind  # while eps spans a factor of 2**45


def test_the_tables_have_the_discrepancies_and_the_line_of_slope_one_through_float32():
    tally = finish(Experiment(samples=30))
    shown, rows = tables(tally), tally.figures()["ladder"]
    ladder = shown["ladder"].set_index(["dtype", "kind"])
    assert len(ladder) == 2 * len(rows)
    for row in rows:
        for kind, value in (("largest", row["max_abs"]), ("mean", row["mean_abs"])):
            point = ladder.loc[(row["dtype"], kind)]
            assert point["discrepancy"] == pytest.approx(log10(value), abs=1e-5)
            assert point["eps"] == pytest.approx(log10(row["eps"]), abs=1e-5)
            assert point["equal"] == pytest.approx(row["equal"] / row["components"])
    (x0, y0), (x1, y1) = shown["ladder_line"].to_numpy().tolist()
    assert (x0, x1) == pytest.approx((log10(2.0**-52), log10(2.0**-7)))
    assert y1 - y0 == pytest.approx(x1 - x0, abs=1e-4)
    single = ladder.loc[("float32", "largest")]
    assert single["discrepancy"] - single["eps"] == pytest.approx(y0 - x0, abs=1e-4)


def test_the_emulated_points_stand_apart_and_all_rungs_in_the_table():
    tally = finish(Experiment(samples=30))
    points, rows = tables(tally)["ladder_emulated"].set_index(["dtype", "kind"]), tally.figures()["emulated"]
    assert len(points) == 2 * len(rows) == 4
    for row in rows:
        for kind, value in (("largest", row["max_abs"]), ("mean", row["mean_abs"])):
            point = points.loc[(row["name"], kind)]
            assert point["discrepancy"] == pytest.approx(log10(value), abs=1e-5)
            assert point["eps"] == pytest.approx(log10(row["eps"]), abs=1e-5)
    read = readable(tally).set_index("computed in")
    assert set(read.index) == set(EVERY_DTYPE) | {row["name"] for row in rows}
    assert read.loc["TF32 (emulated)", "eps"] == read.loc["float16", "eps"] == "0.000977"
    assert read.loc["float32", "largest difference"] == f"{tally['float32'].discrepancy.max_abs.value:.3g}"
    assert readable(Ladder.empty).empty


def test_a_discrepancy_of_zero_has_no_place_on_a_log_axis():
    none, some = (tables(finish(Experiment(samples=9, outputs=outputs))) for outputs in (1, 2))
    empty = tables(Ladder.empty)
    for name in some:
        assert len(some[name]) > len(none[name]) == len(empty[name]) == 0
        assert (none[name].dtypes == some[name].dtypes).all() and (empty[name].dtypes == some[name].dtypes).all()

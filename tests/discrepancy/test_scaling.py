"""Every dtype of the ladder and every point of a sweep against its own discrepancy study, and their charts."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from lib.discrepancy.scaling import (
    DTYPE_ROWS,
    LOG_LOG,
    SAMPLES,
    Ladder,
    LogLog,
    Point,
    Scaling,
    points,
    tables,
)
from lib.discrepancy.study import Discrepancy
from lib.discrepancy.variants import VariantsTally
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10}


def finish(study: type, query: str) -> VariantsTally:
    return Stream(study(Experiment.parse(query))).finish()


def swept(experiment: Experiment) -> dict[str, Experiment]:
    return {
        name: variant.experiment
        for (variant,) in Scaling.stages(experiment)
        for name in variant.comparisons
    }


def alone(experiment: Experiment) -> Mapping[str, object]:
    return Stream(Discrepancy(experiment)).finish().figures()


@pytest.mark.parametrize(
    "query",
    [
        "samples=60",
        "samples=30&outputs=9&method=jacrev",
        "samples=9000&evaluation=batched",
        "samples=40&outputs=1",
    ],
)
def test_every_rung_is_the_discrepancy_study_of_its_dtype(query):
    tally, drawn = finish(Ladder, query), set()
    rows = {row["dtype"]: row for row in tally.figures()["ladder"]}
    assert set(rows) == set(EVERY_DTYPE)
    for dtype, row in rows.items():
        drawn |= {
            (dtype, EPS[dtype], row["max_abs"], "largest"),
            (dtype, EPS[dtype], row["mean_abs"], "mean"),
        }
        figures = alone(replace(Experiment.parse(query), dtype=dtype))
        assert (
            row.pop("dtype") == dtype and row.pop("eps") == EPS[dtype] and row.pop("mean_abs") >= 0
        )
        assert row == {name: figures[name] for name in row} and len(row) == 7
    assert {(p.name, p.x, p.size, p.kind) for p in points(tally, "ladder")} == drawn


def test_the_discrepancy_is_proportional_to_eps():
    tally = finish(Ladder, "samples=4000&evaluation=batched")
    for kind in ("max_abs", "mean_abs"):
        ratios = [row[kind] / row["eps"] for row in tally.figures()["ladder"]]
        assert max(ratios) < 4 * min(ratios), kind  # while eps spans a factor of 2**45
    guide = tables(tally, "ladder")["ladder guides"]
    assert guide["x"].tolist() == pytest.approx(
        (-15.6536, -2.1072), abs=1e-4
    )  # the powers of ten of 2**-52 and 2**-7
    read = tally.table(DTYPE_ROWS).set_index("computed in")
    assert set(read.index) == set(EVERY_DTYPE) and read.loc["float16", "eps"] == "0.000977"


def test_the_points_change_one_number_each():
    experiment = Experiment(hidden=(12, 7), dtype="float64", method="rows", seed=3)
    found = swept(experiment)
    expected = {f"width={n}": (5, n, n, 2) for n in (1, 2, 4, 8, 16, 32, 64, 128)}
    expected |= {f"depth={n}": (5, *[12] * n, 2) for n in range(1, 7)}
    expected |= {f"outputs={n}": (5, 12, 7, n) for n in (1, 2, 4, 8, 16, 32, 64)}
    assert {name: at.widths for name, at in found.items()} == expected
    for at in found.values():
        assert replace(at, hidden=(12, 7), outputs=2, samples=experiment.samples) == experiment
        assert at.samples == SAMPLES


def test_a_network_without_hidden_layers_is_swept_with_one_and_none_grows_beyond_the_bound():
    found = swept(Experiment(hidden=()))
    assert [found[name].hidden for name in ("width=4", "depth=3", "outputs=8")] == [
        (4,),
        (10, 10, 10),
        (),
    ]
    wide = Experiment(inputs=64, hidden=(256,) * 5, outputs=18)
    widest = [name for name in swept(wide) if not name.startswith("width")]
    assert widest == [*(f"depth={n}" for n in range(1, 6)), *(f"outputs={2**n}" for n in range(5))]
    assert Scaling.total(wide) == len(swept(wide)) * SAMPLES


@pytest.mark.parametrize(
    "query", ["evaluation=batched", "evaluation=batched&dtype=bfloat16&hidden=3,3&method=jacfwd"]
)
def test_every_point_is_its_discrepancy_study(query):
    tally = finish(Scaling, query)
    shown = {
        f"{sweep}={p.name}": p
        for sweep in LOG_LOG
        if sweep != "ladder"
        for p in points(tally, sweep)
    }
    for name, at in swept(Experiment.parse(query)).items():
        figures, found = alone(at), tally[name]
        counted = {
            "equal": found.equal,
            "components": found.components,
            "max_ulps": found.max_ulps.value,
        }
        assert counted == {key: figures[key] for key in counted}
        assert found.max_units.value == figures["max_units"] == shown[name].size
        assert shown[name].x == int(name.split("=")[1])
    assert tally["outputs=64"].max_units.value > 0


def test_points_and_guides_are_powers_of_the_base():
    chart = LogLog("eps", "size", 10, {"flat": 0.0, "∝ x": 1.0}, through="b")
    drawn = chart.tables(
        "sizes", [Point("a", 1e-8, 1e-3), Point("b", 1e-6, 1e-5, "mean"), Point("c", 1e-2, 0.0)]
    )
    found, guides = drawn["sizes"], drawn["sizes guides"]
    np.testing.assert_allclose(
        found[["x", "y"]], [(-8, -3), (-6, -5)], rtol=1e-6
    )  # 0 has no place on a log axis
    assert found[["name", "kind", "size"]].to_numpy().tolist() == [
        ["a", "largest", "0.001"],
        ["b", "mean", "1e-05"],
    ]
    ends = {name: line[["x", "y"]].to_numpy().tolist() for name, line in guides.groupby("name")}
    assert ends["flat"] == [pytest.approx([-8, -5]), pytest.approx([-2, -5])]
    assert ends["∝ x"] == [pytest.approx([-8, -7]), pytest.approx([-2, -1])]
    for few in ([], [Point("a", 1.0, 0.0)], [Point("a", 1.0, 2.0)]):
        others = chart.tables("sizes", few)
        assert others.keys() == drawn.keys() and others["sizes guides"].empty
        assert all((others[name].dtypes == drawn[name].dtypes).all() for name in drawn)
    assert LogLog("n", "size", 2, {"n": 1.0}).tables("n", [Point("", 8, 2.0)])["n guides"][
        "y"
    ].tolist() == [1, 1]

"""The scaling study against the discrepancy study of each point."""

from dataclasses import replace

import pytest

from lib.discrepancy.scaling import SAMPLES, SWEEPS, Scaling, growth, points
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.stream import Stream

BATCHED = Experiment(evaluation="batched")


def swept(experiment: Experiment) -> dict[str, Experiment]:
    return {name: variant.experiment for (variant,) in Scaling.stages(experiment) for name in variant.comparisons}


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


def test_a_network_without_hidden_layers_is_swept_with_one():
    found = swept(Experiment(hidden=()))
    hidden = [found[name].hidden for name in ("width=4", "depth=3", "outputs=8")]
    assert hidden == [(4,), (10, 10, 10), ()]


def test_no_network_grows_beyond_the_bound():
    wide = Experiment(inputs=64, hidden=(256,) * 5, outputs=18)
    found = swept(wide)
    assert [name for name in found if not name.startswith("width")] == [
        *(f"depth={n}" for n in range(1, 6)),
        *(f"outputs={2**n}" for n in range(5)),
    ]
    assert Scaling.total(wide) == len(found) * SAMPLES


@pytest.mark.parametrize("query", ["evaluation=batched", "evaluation=batched&dtype=bfloat16&hidden=3,3&method=jacfwd"])
def test_every_point_is_its_discrepancy_study(query):
    experiment = Experiment.parse(query)
    tally = Stream(Scaling(experiment)).finish()
    shown = {f"{sweep}={point.name}": point for sweep in SWEEPS for point in points(tally, sweep)}
    for name, at in swept(experiment).items():
        alone, found = Stream(Discrepancy(at)).finish().figures(), tally[name]
        assert (found.equal, found.components, found.max_ulps.value) == tuple(
            alone[key] for key in ("equal", "components", "max_ulps")
        )
        assert found.max_units.value == alone["max_units"] == shown[name].size
        assert shown[name].x == int(name.split("=")[1])


def test_growth_is_from_the_first_point_with_a_difference_to_the_last():
    tally = Stream(Scaling(BATCHED)).finish()
    assert tally["outputs=1"].max_units.value == 0  # a single row, with nothing to add up
    units = {n: tally[f"outputs={n}"].max_units.value for n in (2, 64)}
    assert growth(tally, "outputs") == units[64] / units[2] > 0
    assert growth(Scaling.empty, "outputs") is None

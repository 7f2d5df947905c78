"""The scaling study against the discrepancy study of each point, and its figures against counting one by one."""

from dataclasses import replace
from fractions import Fraction
from math import ceil, log2

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import MOST_COST, Experiment
from lib.reference.compared import Gradients
from lib.run.stream import Stream
from lib.run.tally import ByName
from lib.variations import scaling
from lib.variations.scaling import SAMPLES, ULPS, UNITS, PointTally, Scaling, ScalingTally, points, table_name, tables

NEVER, AT_ONCE = float("inf"), 0.0
BATCHED = Experiment(evaluation="batched")


def finish(experiment: Experiment) -> ScalingTally:
    return Stream(Scaling(experiment)).finish()


def test_the_points_change_one_number_each():
    experiment = Experiment(hidden=(12, 7), dtype="float64", method="rows", seed=3)
    for point in points(experiment):
        widths = {
            "width": (5, point.value, point.value, 2),
            "depth": (5, *[12] * point.value, 2),
            "outputs": (5, 12, 7, point.value),
        }
        assert point.experiment.widths == widths[point.sweep]
        kept = replace(point.experiment, hidden=(12, 7), outputs=2, samples=experiment.samples)
        assert kept == experiment and point.experiment.samples == SAMPLES
    assert [point.value for point in points(experiment)] == [2**n for n in range(8)] + [1, 2, 3, 4, 5, 6] + [
        2**n for n in range(7)
    ]


def test_a_network_without_hidden_layers_is_swept_with_one():
    hidden = {point.name: point.experiment.hidden for point in points(Experiment(hidden=()))}
    assert hidden["width=4"] == (4,) and hidden["depth=3"] == (10, 10, 10) and hidden["outputs=8"] == ()


def test_no_network_grows_beyond_the_bound():
    wide = Experiment(inputs=64, hidden=(256,) * 5, outputs=18)
    found = points(wide)
    assert [point.value for point in found if point.sweep == "outputs"] == [1, 2, 4, 8, 16]
    assert [point.value for point in found if point.sweep == "depth"] == [1, 2, 3, 4, 5]
    assert all(point.experiment.cost <= MOST_COST for point in found)
    assert Scaling.total(wide) == len(found) * SAMPLES


@pytest.mark.parametrize("query", ["evaluation=batched", "evaluation=batched&dtype=bfloat16&hidden=3,3&method=jacfwd"])
def test_every_point_is_its_discrepancy_study(query):
    experiment = Experiment.parse(query)
    tally = finish(experiment)
    assert tally.samples == Scaling.total(experiment)
    rows = {(row["sweep"], row["value"]): row for row in tally.figures()["scaling"]}
    for point in points(experiment):
        alone = Stream(Discrepancy(point.experiment)).finish().figures()
        row = rows.pop((point.sweep, point.value))
        shared = row.keys() & alone.keys()
        assert len(shared) == 7 and all(row[name] == alone[name] for name in shared)
    assert not rows


def test_with_one_output_there_is_nothing_to_scale():
    (row,) = [r for r in finish(BATCHED).figures()["scaling"] if (r["sweep"], r["value"]) == ("outputs", 1)]
    assert row["equal"] == row["components"] == 5 * SAMPLES
    assert row["max_ulps"] == row["ulps_nine_of_ten"] == row["mean_relative"] == row["max_relative"] == 0


def test_the_tally_does_not_depend_on_the_slicing(monkeypatch):
    monkeypatch.setattr(scaling, "SAMPLES", 3)
    for experiment in (Experiment(), BATCHED):
        sliced = Stream(Scaling(experiment))
        while not sliced.complete:
            sliced.advance(AT_ONCE)
        assert sliced.tally == finish(experiment)
        assert {tally.discrepancy.samples for tally in sliced.tally.known.values()} == {3}


any32 = st.floats(width=32)
PAIRS = st.lists(st.tuples(any32, any32, any32, any32), min_size=1, max_size=8)


def gradients_of(samples: list[tuple[float, float, float, float]], number: int = 0) -> Gradients:
    """Samples of two components, given as (backward, backward, jacobian, jacobian)."""
    backward, jacobian = torch.tensor(samples, dtype=torch.float32).split(2, dim=1)
    return Gradients(0, number, number, torch.zeros_like(backward), backward, jacobian)


@given(PAIRS)
def test_the_relative_discrepancy_is_that_of_fractions(samples):
    tally = PointTally.of(gradients_of(samples))
    expected = []
    for *backward, first, second in samples:
        pairs = [(b, j) for b, j in zip(backward, (first, second), strict=True) if np.isfinite(b) and np.isfinite(j)]
        size = max((abs(Fraction(b)) for b, _ in pairs), default=0)
        expected += [abs(Fraction(b) - Fraction(j)) / (size * Fraction(2) ** -23) for b, j in pairs if size]
    assert tally.relative.count == len(expected)
    assert tally.max_relative.value == pytest.approx(float(max(expected, default=0)), rel=1e-12)
    mean = sum(expected) / len(expected) if expected else 0
    assert tally.relative.mean == pytest.approx(float(mean), rel=1e-12)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40))
def test_nine_of_ten_are_within(steps):
    one = int(np.float32(1).view(np.int32))
    jacobian = torch.from_numpy(np.array([one + step for step in steps], np.int32).view(np.float32))[:, None]
    backward = torch.ones_like(jacobian)
    tally = PointTally.of(Gradients(0, 0, 0, backward, backward, jacobian))
    assert tally.ulps_nine_of_ten == sorted(map(abs, steps))[ceil(9 * len(steps) / 10) - 1]


@given(st.lists(PAIRS, min_size=3, max_size=3), st.permutations(range(3)), st.lists(st.integers(0, 1), min_size=3))
def test_tallies_merge_in_any_order(samples, order, places):
    at = ["depth=1", "width=8"]
    starts = (0, len(samples[0]), len(samples[0]) + len(samples[1]))
    parts = [
        ScalingTally(ByName({at[place]: PointTally.of(gradients_of(part, start))}), len(part))
        for part, start, place in zip(samples, starts, places, strict=False)
    ]
    a, b, c = (parts[i] for i in order)
    assert repr((a + b) + c) == repr(a + (b + c))
    assert sum((parts[i] for i in order), start=Scaling.empty).figures() == sum(parts, start=Scaling.empty).figures()


def test_the_tables_say_what_the_figures_say():
    tally = finish(BATCHED)
    shown = tables(tally)
    for quantity, field in ((UNITS, "max_units"), (ULPS, "ulps_nine_of_ten")):
        for sweep, values in scaling.SWEEPS.items():
            of_sweep = {row["value"]: row[field] for row in tally.figures()["scaling"] if row["sweep"] == sweep}
            points_ = shown[table_name(sweep, quantity, "points")]
            expected = {value: log2(of_sweep[value]) for value in values if of_sweep[value]}
            assert dict(zip(points_["value"], points_["y"], strict=True)) == pytest.approx(expected, abs=1e-5)
            for name, line in shown[table_name(sweep, quantity, "guides")].groupby("name"):
                (x0, x1), (y0, y1) = line["x"], line["y"]
                assert (x0, y0) == tuple(points_.iloc[0][["x", "y"]]) and x1 == pytest.approx(log2(values[-1]))
                assert (y1 - y0) / (x1 - x0) == pytest.approx({"√n": 0.5, "n": 1.0}[name], abs=1e-5)


def test_the_tables_have_their_columns_whatever_there_is():
    full, empty = tables(finish(BATCHED)), tables(Scaling.empty)
    for name in full:
        assert len(full[name]) > len(empty[name]) == 0
        assert (full[name].dtypes == empty[name].dtypes).all()

"""The tables of the charts, the first samples and the component that is shown, against counting the
distances of the measured values one by one."""

from collections import Counter
from dataclasses import replace
from math import frexp, inf

import numpy as np
import pytest

from lib.discrepancy import picks
from lib.discrepancy.component import component_of
from lib.discrepancy.histogram import histogram
from lib.discrepancy.picks import first_component, next_component, sample_and_component
from lib.discrepancy.rounding_units import RoundingUnits, RoundingUnitsTally, tables
from lib.discrepancy.rows import first_rows
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.run.tally import Constant, Histogram
from tests.cases import EVERY_DTYPE, finish
from tests.oracles import place_of

OVERFLOWING = Experiment(
    inputs=2, hidden=(), outputs=1, dtype="float16", method="finite-difference", step=-60, samples=1
)


def distances_of(experiment, count):
    """The signed distance of every component of the first samples, in order."""
    measured = Discrepancy(replace(experiment, samples=min(count, experiment.samples)))
    first, second = (
        [place_of(value, experiment.dtype) for value in side.ravel().tolist()]
        for side in measured.measure(0, inf).values
    )
    return {
        divmod(number, experiment.inputs): backward - jacobian
        for number, (backward, jacobian) in enumerate(zip(first, second, strict=True))
    }


def bar(distance):
    """The bar of a distance: the number of the smallest power of two that is at least as large."""
    number = 0
    while number < 12 and abs(distance) > 2 ** (number - 1) * (number > 0):
        number += 1
    return number if distance > 0 else -number


def test_bars_count_components_at_distances():
    experiment = Experiment(samples=64)
    counts = Counter(map(bar, distances_of(experiment, 64).values()))
    rows = histogram(finish(Discrepancy, experiment)).to_pandas().set_index("bar")
    assert rows["components"].to_dict() == {key: counts[key] for key in range(-12, 13)}
    assert rows["share"].tolist() == pytest.approx(rows["components"] / counts.total())


@pytest.mark.parametrize(
    "distance, text",
    [
        (0, "equal"),
        (1, "backward() is 1 float higher"),
        (-4, "the Jacobian is 3 to 4 floats higher"),
        (1024, "backward() is 513 to 1,024 floats higher"),
        (-(2**62), "the Jacobian is 1,025 floats or more higher"),
    ],
)
def test_the_bar_of_a_distance_is_marked(distance, text):
    """And says so."""
    rows = histogram(DiscrepancyTally(), distance).to_pandas()
    (marked,) = rows.loc[rows["picked"], ["bar", "floats"]].values.tolist()
    assert marked == [bar(distance), text]


def test_the_first_rows_have_their_distances():
    """The scripts print their values."""
    experiment = Experiment(samples=7)
    distances = distances_of(experiment, 5)
    rows = first_rows(experiment)
    assert rows["floats apart"].tolist() == [*distances.values()]
    first, second = (
        rows[side].astype("float32").astype(float) for side in ("backward()", "Jacobian")
    )
    differences = rows["difference"].astype(float).tolist()
    assert differences == pytest.approx((first - second).tolist(), rel=0.01)
    assert first_rows(OVERFLOWING)["floats apart"].isna().all()


@pytest.mark.parametrize(
    "experiment",
    [
        *(Experiment(dtype=dtype) for dtype in EVERY_DTYPE),
        Experiment(outputs=1),
        Experiment(output_activation="softmax", samples=40),
        Experiment(evaluation="batched", samples=10**6),
    ],
)
def test_the_first_component_is_nearest(experiment):
    """Of those that differ."""
    distances = distances_of(experiment, 64)
    nearest = min((abs(ulps) for ulps in distances.values() if ulps), default=0)
    places = [place for place, ulps in distances.items() if abs(ulps) == nearest]
    assert first_component(experiment) == places[0]


def test_else_the_first_component_is_shown():
    """If none is finite."""
    assert first_component(OVERFLOWING) == (0, 0)


@pytest.mark.parametrize("evaluation, most", [("per-sample", 5), ("batched", 60)])
def test_the_search_is_bounded_and_starts_again(monkeypatch, evaluation, most):
    """But a batched block is searched as a whole."""
    experiment = Experiment(samples=60, evaluation=evaluation)
    bars = {place: bar(ulps) for place, ulps in distances_of(experiment, 60).items()}
    monkeypatch.setattr(picks, "_MOST_SEARCHED", {evaluation: 5})
    for place in [*bars][150::10]:
        alike = [other for other in bars if bars[other] == bars[place]]
        ahead = [other for other in alike if place < other < (place[0] + most, 0)]
        again = [other for other in alike if other < (most, 0)]
        assert next_component(experiment, *place) == [*ahead, *again, place][0]


def test_the_worst_is_found_again_by_its_place():
    """Also in a later block, of which only the end is measured."""
    experiment = Experiment(evaluation="batched", samples=40_000)
    study = Discrepancy(experiment)
    tally = study.tally(study.measure(study.block_size + 7, inf))
    for extreme in (tally.max_abs, tally.max_ulps, tally.verdict.max_units):
        assert extreme.place.block == 1 and extreme.place.index >= 7
        shown = component_of(experiment, *sample_and_component(experiment, extreme.place))
        difference = abs(shown.backward - shown.jacobian)
        unit = 2.0**-24 * shown.condition * abs(float(shown.exact))
        sizes = [difference, abs(shown.ulps), difference / unit]
        assert pytest.approx(extreme.value) in sizes


def test_rounding_units_are_counted_by_binade():
    measured = RoundingUnits(Experiment(samples=50)).measure(0, inf)
    judged = measured.judged
    tally = RoundingUnits.tally(measured)
    for counted, sizes in (
        (tally.backward_errors, judged.first_errors),
        (tally.jacobian_errors, judged.second_errors),
        (tally.discrepancies, abs(np.subtract(*measured.values))),
    ):
        units = (sizes / judged.unit).ravel().tolist()
        binades = Counter(frexp(size)[1] - 1 if size else -1075 for size in units)
        assert {key: counted[key] for key in counted.keys.tolist()} == binades
    assert tally.bound_units.value == judged.bound_units


@pytest.mark.parametrize(
    "power, column, size, bound",
    [
        (-1075, -10, "0", None),
        (-8, -8, "below 2^-7", None),
        (-7, -7, "2^-7 to 2^-6", [-7, "bound: 0.00781"]),
        (8, 8, "2^8 to 2^9", [8, "bound: 256"]),
        (22, 9, "2^9 and more", [10, "bound: 4.19e+06 →"]),
    ],
)
def test_rounding_units_say_which_sizes_they_hold(power, column, size, bound):
    """The bound is drawn where it is, or at the end."""
    errors = Histogram.of(np.array([power, power, 0]))
    limit = Constant(bound and 2.0**power)
    drawn = tables(RoundingUnitsTally(jacobian_errors=errors, bound_units=limit))
    units = drawn["units"][drawn["units"]["share"] > 0].set_index("x")
    assert set(units["series"]) == {"error of the Jacobian"}
    assert units["share"].to_dict() == pytest.approx({column: 2 / 3, 0: 1 / 3})
    assert units.loc[column, "size"] == size
    assert drawn["bound"].values.tolist() == [bound] * bool(bound)

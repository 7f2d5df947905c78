"""The errors of both gradients and their discrepancy, counted in fractions, and the tables of the charts."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lib.discrepancy import agreement
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.rounding_units import SERIES, RoundingUnits, RoundingUnitsTally, tables
from lib.discrepancy.study import Discrepancy
from lib.discrepancy.verdict import LABELS, VerdictTally
from lib.experiment.query import Experiment
from lib.network import network
from lib.run.stream import Stream
from lib.run.tally import Constant, Histogram
from tests.exact_networks import rational_gradient

NEVER = float("inf")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_errors_and_units_are_counted_by_binade(dtype):
    experiment = Experiment(output_activation="identity", samples=50, dtype=dtype)
    study = RoundingUnits(experiment)
    measured = study.measure(0, NEVER)
    net, found = network.build(experiment), study.tally(measured)
    exact = [rational_gradient(net, x) for x in measured.x.tolist()]
    rounding = 0 if dtype == "float64" else 1e-13  # of the float64 reference
    np.testing.assert_allclose(measured.judged.exact, np.array(exact, float), rounding, rounding)
    for values, histogram in zip(
        measured.values, (found.backward_errors, found.jacobian_errors), strict=True
    ):
        errors = [
            [float(abs(Fraction(v) - e)) for v, e in zip(row, of_sample, strict=True)]
            for row, of_sample in zip(values.tolist(), exact, strict=True)
        ]
        sizes = (np.array(errors) / measured.judged.unit).ravel()
        keys = [math.frexp(size)[1] - 1 if size else -1075 for size in sizes]
        counted = zip(histogram.keys.tolist(), histogram.counts.tolist(), strict=True)
        apart = sum(abs(n - keys.count(k)) for k, n in counted)
        assert (
            apart <= 2
        )  # the float64 reference may be a rounding off, and so may a size be at the edge of its binade
    units = np.abs(measured.discrepancy) / measured.judged.unit
    assert Discrepancy.tally(measured).verdict.max_units.value == units.max()
    assert found.discrepancies == Histogram.of(np.where(units == 0, -1075, np.frexp(units)[1] - 1))


def test_cancellation_explains_as_many_floats_as_the_condition_number():
    """Whatever condition numbers there are; 0 explains equal values alone."""
    measured = RoundingUnits(Experiment(samples=400)).measure(0, NEVER)
    vars(measured)["condition"] = condition = np.random.default_rng(0).choice(
        [0, 1, 2.5, 8, np.inf], (400, 5)
    )
    b, j = (
        side.numpy().view(np.int32).astype(np.int64)
        for side in (measured.backward, measured.jacobian)
    )
    assert (
        np.signbit(measured.values[0]) == np.signbit(measured.values[1])
    ).all()  # so that bits count floats
    tally = RoundingUnitsTally.of(measured)
    assert (tally.within, tally.components) == (np.count_nonzero(np.abs(b - j) <= condition), 2000)
    assert 0 < tally.within < 2000


@pytest.fixture(scope="module", params=["float32", "bfloat16"])
def tally(request) -> RoundingUnitsTally:
    return Stream(RoundingUnits(Experiment(samples=300, dtype=request.param))).finish()


@pytest.mark.parametrize(
    "power, size",
    [(-40, "below 2^-7"), (-7, "2^-7 to 2^-6"), (8, "2^8 to 2^9"), (22, "2^9 and more")],
)
def test_a_column_of_the_chart_says_which_sizes_it_holds(power, size):
    """2^22 units, as of a single call, are in the last column."""
    units = tables(RoundingUnitsTally(discrepancies=Histogram.of(np.array([power]))))["units"]
    assert set(units[(units["share"] > 0) & (units["size"] != "")]["size"]) == {size}


def test_an_empty_tally_gives_tables_of_the_same_columns_and_types(tally):
    verdict, methods = (
        VerdictTally(verdicts=Histogram.of(np.arange(4))),
        Stream(Agreement(Experiment(samples=2))),
    )
    pairs = [
        (tables(RoundingUnitsTally()), tables(tally)),
        (VerdictTally().tables(), verdict.tables()),
        (agreement.tables(Agreement.empty), agreement.tables(methods.finish())),
    ]
    for empty, full in pairs:
        assert empty.keys() == full.keys() and all(
            (empty[name].dtypes == full[name].dtypes).all() for name in full
        )


def test_the_verdicts_are_those_of_the_tally():
    tally = Stream(Discrepancy(Experiment(samples=300))).finish().verdict
    table = tally.tables()["closer"].set_index("verdict")
    assert table["components"].to_dict() == {
        LABELS[name]: count for name, count in tally.closer.items()
    }
    np.testing.assert_allclose(table["share"], table["components"] / 1500, rtol=1e-6)


def test_the_octaves_of_rounding_units_hold_all_components_with_the_tails_gathered(tally):
    far = Histogram.of(np.array([-1075, -300, -3, 9, 300]))
    units = tables(replace(tally, jacobian_errors=far))["units"]
    for name, histogram in zip(
        SERIES, (tally.backward_errors, far, tally.discrepancies), strict=True
    ):
        rows = units[units["series"] == name].set_index("x")
        counts = dict.fromkeys(range(-10, 11), 0)
        for key, count in zip(histogram.keys.tolist(), histogram.counts.tolist(), strict=True):
            counts[-10 if key == -1075 else max(-8, min(key, 9))] += count
        np.testing.assert_allclose(
            rows["share"], np.array(list(counts.values())) / histogram.total, rtol=1e-6
        )
        assert rows.loc[-3, "size"] == "2^-3 to 2^-2"


@pytest.mark.parametrize(
    ("bound", "row"),
    [(None, []), (14.0, [(np.log2(14), "bound: 14")]), (2.0**12, [(10, "bound: 4,096 →")])],
)
def test_the_bound_is_drawn_where_it_is_or_at_the_end(bound, row):
    drawn = tables(RoundingUnitsTally(bound_units=Constant(bound)))["bound"]
    assert list(drawn["name"]) == [name for _, name in row]
    np.testing.assert_allclose(drawn["x"], [x for x, _ in row], rtol=1e-6)

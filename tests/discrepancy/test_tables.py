"""The tables of the charts and the first samples, against counts by a loop and in fractions."""

from collections import Counter
from fractions import Fraction
from math import frexp, inf

import numpy as np
import pytest

from lib.discrepancy.histogram import histogram
from lib.discrepancy.rounding_units import RoundingUnits, RoundingUnitsTally, tables
from lib.discrepancy.rows import first_rows
from lib.discrepancy.study import BARS, FURTHEST, Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.network import network
from lib.run.stream import Stream
from lib.run.tally import Constant, Histogram
from tests.exact_networks import rational_gradient


def bar(distance: int) -> int:
    """The bar of a distance: the number of the smallest power of two that is at least as large."""
    number = 0
    while number < FURTHEST and abs(distance) > 2 ** (number - 1) * (number > 0):
        number += 1
    return number if distance > 0 else -number


def test_a_bar_counts_the_components_at_its_distances():
    tally = Stream(Discrepancy(Experiment(samples=300))).finish()
    counts = Counter()
    for distance in tally.ulps.keys.tolist():
        counts[bar(distance)] += tally.ulps[distance]
    rows = histogram(tally, 3).to_pandas()
    assert rows["bar"].tolist() == list(BARS)
    assert rows["components"].tolist() == [counts[key] for key in BARS]
    assert rows["share"].tolist() == pytest.approx([counts[key] / tally.finite for key in BARS])


def test_a_bar_says_its_distances_and_is_marked():
    texts = {
        0: "equal",
        1: "backward() is 1 float higher",
        -4: "the Jacobian is 3 to 4 floats higher",
        5: "backward() is 5 to 8 floats higher",
        1024: "backward() is 513 to 1,024 floats higher",
        -(2**62): "the Jacobian is 1,025 floats or more higher",
    }
    for distance, text in texts.items():
        rows = histogram(DiscrepancyTally(), distance).to_pandas()
        assert rows.loc[rows["picked"], ["bar", "floats"]].values.tolist() == [
            [bar(distance), text]
        ]


def test_the_first_rows_have_their_places_and_distances():
    """Scripts have tests that print the same values."""
    gradients = Discrepancy(Experiment(samples=7)).measure(0, inf)
    first, second = (side[:3].ravel() for side in gradients.values)
    rows = first_rows(Experiment(samples=7), 3)
    assert rows[["sample", "component"]].values.tolist() == [[i // 5, i % 5] for i in range(15)]
    assert rows["floats apart"].tolist() == gradients.steps[:3].ravel().tolist()
    assert rows["difference"].tolist() == (first - second).tolist()
    assert rows["equal"].tolist() == (first == second).tolist()
    overflowing = Experiment(
        inputs=2, hidden=(), outputs=1, dtype="float16", method="finite-difference", step=-60
    )
    assert first_rows(overflowing, 1)["floats apart"].isna().all()


def test_errors_and_differences_in_rounding_units_are_counted_by_binade():
    """But for two: the float64 reference may be a rounding off, and so may a size at the edge of
    its binade."""
    experiment = Experiment(output_activation="identity", samples=50)
    measured = RoundingUnits(experiment).measure(0, inf)
    tally = RoundingUnits.tally(measured)
    net = network.build(experiment)
    exact = [rational_gradient(net, x) for x in measured.x.tolist()]
    first, second = ([list(map(Fraction, row)) for row in of.tolist()] for of in measured.values)
    for counted, sides in (
        (tally.backward_errors, (first, exact)),
        (tally.jacobian_errors, (second, exact)),
        (tally.discrepancies, (first, second)),
    ):
        sizes = abs(np.subtract(*(np.array(side, object) for side in sides)))
        units = (sizes.astype(float) / measured.judged.unit).ravel().tolist()
        expected = Counter(frexp(size)[1] - 1 if size else -1075 for size in units)
        counts = Counter(dict(zip(counted.keys.tolist(), counted.counts.tolist(), strict=True)))
        assert (expected - counts).total() <= 2 and (counts - expected).total() <= 2
    assert tally.bound_units.value == measured.judged.bound_units


@pytest.mark.parametrize(
    ("power", "column", "size"),
    [
        (-1075, -10, "0"),
        (-8, -8, "below 2^-7"),
        (-7, -7, "2^-7 to 2^-6"),
        (8, 8, "2^8 to 2^9"),
        (22, 9, "2^9 and more"),
    ],
)
def test_a_column_of_rounding_units_says_which_sizes_it_holds(power, column, size):
    tally = RoundingUnitsTally(jacobian_errors=Histogram.of(np.array([power, power, 0])))
    units = tables(tally)["units"]
    drawn = units[units["share"] > 0].set_index("x")
    assert set(drawn["series"]) == {"error of the Jacobian"}
    assert drawn["share"].to_dict() == pytest.approx({column: 2 / 3, 0: 1 / 3})
    assert drawn.loc[column, "size"] == size


def test_the_bound_is_drawn_where_it_is_or_at_the_end():
    for bound, rows in (
        (None, []),
        (16.0, [[4, "bound: 16"]]),
        (2.0**12, [[10, "bound: 4,096 →"]]),
    ):
        drawn = tables(RoundingUnitsTally(bound_units=Constant(bound)))["bound"]
        assert drawn.values.tolist() == rows

"""The errors of both gradients and their discrepancy in rounding units, counted in fractions, and
the chart."""

from collections import Counter
from fractions import Fraction
from math import frexp, log2

import numpy as np
import pytest

from lib.discrepancy.rounding_units import SERIES, RoundingUnits, RoundingUnitsTally, tables
from lib.experiment.query import Experiment
from lib.network import network
from lib.run.tally import Constant, Histogram
from tests.exact_networks import rational_gradient


def test_errors_and_units_are_counted_by_binade():
    """But for two: the float64 reference may be a rounding off, and so may a size at the edge of
    its binade."""
    experiment = Experiment(output_activation="identity", samples=50)
    measured = RoundingUnits(experiment).measure(0, float("inf"))
    tally = RoundingUnits.tally(measured)
    net = network.build(experiment)
    exact = [rational_gradient(net, x) for x in measured.x.tolist()]
    first, second = (
        [[Fraction(v) for v in row] for row in side.tolist()] for side in measured.values
    )
    pairs = {"backward_errors": (first, exact), "jacobian_errors": (second, exact)}
    pairs["discrepancies"] = (first, second)
    for name, sides in pairs.items():
        sizes = abs(np.subtract(*(np.array(side, object) for side in sides)))
        units = (sizes.astype(float) / measured.judged.unit).ravel().tolist()
        counts = Counter(frexp(size)[1] - 1 if size else -1075 for size in units)
        histogram = getattr(tally, name)
        found = Counter(dict(zip(histogram.keys.tolist(), histogram.counts.tolist(), strict=True)))
        assert (counts - found).total() <= 2 and (found - counts).total() <= 2
    assert tally.samples == 50 and tally.bound_units.value == measured.judged.bound_units


@pytest.mark.parametrize(
    ("power", "column", "size"),
    [
        (-1075, -10, "0"),
        (-40, -8, "below 2^-7"),
        (-8, -8, "below 2^-7"),
        (-7, -7, "2^-7 to 2^-6"),
        (8, 8, "2^8 to 2^9"),
        (9, 9, "2^9 and more"),
        (22, 9, "2^9 and more"),
    ],
)
def test_a_column_of_the_chart_says_which_sizes_it_holds(power, column, size):
    """2^22 units are those of a single call. The last column is repeated at its end."""
    tally = RoundingUnitsTally(jacobian_errors=Histogram.of(np.array([power, power, 0])))
    units = tables(tally)["units"].set_index("x")
    assert units["series"].value_counts().to_dict() == dict.fromkeys(SERIES, 21)
    jacobian = units[units["series"] == "error of the Jacobian"]
    assert jacobian["share"].sum() == pytest.approx(1)
    assert jacobian.loc[column, "share"] == pytest.approx(2 / 3)
    assert jacobian.loc[column, "size"] == size
    assert not units[units["series"] != "error of the Jacobian"]["share"].any()


@pytest.mark.parametrize(
    ("bound", "rows"),
    [(None, []), (14.0, [(log2(14), "bound: 14")]), (2.0**12, [(10, "bound: 4,096 →")])],
)
def test_the_bound_is_drawn_where_it_is_or_at_the_end(bound, rows):
    drawn = tables(RoundingUnitsTally(bound_units=Constant(bound)))["bound"]
    assert list(drawn["name"]) == [name for _, name in rows]
    assert drawn["x"].tolist() == pytest.approx([x for x, _ in rows])

"""There and back, against fractions that are rounded after each operation."""

from fractions import Fraction
from math import isfinite

from lib.derivative.round_trips import round_trips
from lib.experiment.query import Experiment
from lib.floats.quantities import distance, percent
from lib.network.sampling import points
from tests.cases import EVERY_DTYPE
from tests.oracles import place_of, rounded


def test_the_x_that_come_back_are_exact_ones():
    """Where 1/x overflows, x does not come back, and is no number of floats away."""
    table, _ = round_trips(Experiment(samples=200, x_from="log-uniform"))
    for row, dtype in zip(table.to_dict("records"), EVERY_DTYPE, strict=True):
        x = points(Experiment(dtype=dtype, x_from="log-uniform"), 0)[:200].double().tolist()

        def float_(value, dtype=dtype):
            return rounded(value, dtype)

        there = [float_(1 / Fraction(value)) for value in x]
        back = [float_(1 / Fraction(value)) if isfinite(value) else 0.0 for value in there]
        off = [abs(place_of(a, dtype) - place_of(b, dtype)) for a, b in zip(back, x, strict=True)]
        assert row["1/(1/x) is x"] == percent(off.count(0), 200)
        assert row["farthest off"] == distance(max(off))
        assert off[x.index(float_(Fraction(row["at x"])))] == max(off) > 1
        percents = float_(Fraction(float_(Fraction(29, 100))) * 100)
        assert float_(Fraction(row["29/100*100"])) == percents


def test_the_lines_are_those_of_python():
    """Python's floats are float64, and its division is correctly rounded."""
    _, lines = round_trips(Experiment(samples=50, dtype="bfloat16", seed=3))
    for text, *row in lines.itertuples(index=False):
        x = float(text)
        first = -(1 / x) * (1 / x)
        second = -1 / (x * x)
        assert row == [repr(first), repr(second), repr(first == second), repr(first - second)]

"""There and back, against fractions that are rounded after each operation."""

from fractions import Fraction

from lib.derivative.round_trips import LINES, round_trips
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.network.sampling import points
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded


def test_the_x_that_come_back_are_those_of_exact_arithmetic_rounded_twice():
    table, _ = round_trips(Experiment(samples=200))
    assert table["dtype"].tolist() == EVERY_DTYPE
    for row, dtype in zip(table.to_dict("records"), EVERY_DTYPE, strict=True):
        x = points(Experiment(dtype=dtype), 0)[:200].double().tolist()

        def float_(value: Fraction, dtype=dtype) -> Fraction:
            return Fraction(rounded(value, dtype))

        there = [float_(1 / Fraction(value)) for value in x]
        away = [value for value, y in zip(x, there, strict=True) if float_(1 / y) != value]
        assert row["1/(1/x) is x"] == percent(200 - len(away), 200)
        assert row["farthest off"] == "1 float"
        assert float_(Fraction(row["at x"])) in away
        percents = float_(float_(Fraction(29, 100)) * 100)
        assert float_(Fraction(row["29/100*100"])) == percents


def test_the_lines_are_those_of_python():
    """Python's floats are float64, and its division is correctly rounded."""
    _, lines = round_trips(Experiment(samples=50, dtype="bfloat16", seed=3))
    assert len(lines) == LINES
    for text, *row in lines.itertuples(index=False):
        x = float(text)
        first = -(1 / x) * (1 / x)
        second = -1 / (x * x)
        assert row == [repr(first), repr(second), repr(first == second), repr(first - second)]


def test_where_1_over_x_overflows_x_does_not_come_back():
    table, _ = round_trips(Experiment(samples=2000, x_from="log-uniform"))
    halves = table.set_index("dtype").loc["float16"]
    assert halves["1/(1/x) is x"] != "100%" and halves["farthest off"] != "1 float"

"""There and back, against fractions that are rounded after each operation."""

from fractions import Fraction

import pytest

from lib.derivative.round_trips import round_trips
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.network.sampling import points
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded


@pytest.mark.parametrize("x_from", ["normal", "log-uniform"])
def test_the_x_that_come_back_are_those_of_exact_arithmetic_rounded_twice(x_from):
    """In float16, 1/x overflows for small x, which then do not come back."""
    table = round_trips(Experiment(samples=200, x_from=x_from))
    assert table["dtype"].tolist() == EVERY_DTYPE
    for row, dtype in zip(table.to_dict("records"), EVERY_DTYPE, strict=True):
        x = points(Experiment(dtype=dtype, x_from=x_from), 0)[:200].double().tolist()
        there = [rounded(1 / Fraction(value), dtype) for value in x]
        back = [y and rounded(1 / Fraction(y), dtype) if abs(y) < 2**1023 else 0 for y in there]
        away = [value for value, z in zip(x, back, strict=True) if z != value]
        assert row["1/(1/x) is x"] == percent(200 - len(away), 200)
        if x_from == "normal":
            assert row["farthest off"] == "1 float"
        assert rounded(Fraction(row["at x"]), dtype) in away
        percents = rounded(Fraction(rounded(Fraction(29, 100), dtype)) * 100, dtype)
        assert rounded(Fraction(row["29/100*100"]), dtype) == percents

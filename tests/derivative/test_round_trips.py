"""There and back, against fractions that are rounded after each operation."""

from fractions import Fraction

from lib.derivative.round_trips import LINES, round_trips
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.network.sampling import points
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded

SAMPLES = 200


def test_the_x_that_come_back_are_those_of_exact_arithmetic_rounded_twice():
    table, _ = round_trips(Experiment(samples=SAMPLES))
    assert table["dtype"].tolist() == EVERY_DTYPE
    for row, dtype in zip(table.to_dict("records"), EVERY_DTYPE, strict=True):
        x = [Fraction(value) for value in points(Experiment(dtype=dtype), 0)[:SAMPLES].tolist()]
        back = [_float(1 / _float(1 / value, dtype), dtype) for value in x]
        same = sum(one == other for one, other in zip(x, back, strict=True))
        assert row["1/(1/x) is x"] == percent(same, SAMPLES)
        assert row["infinite"] == "0"
        percents = _float(_float(Fraction(29, 100), dtype) * 100, dtype)
        assert _float(Fraction(row["29/100*100"]), dtype) == percents
        assert row["farthest off"] == "1 float"
        worst = _float(Fraction(row["at x"]), dtype)
        assert (worst, worst) not in zip(x, back, strict=True) and worst in x


def _float(value: Fraction, dtype: str) -> Fraction:
    return Fraction(rounded(value, dtype))


def test_the_lines_are_those_of_python():
    """Python's floats are float64, and its division is correctly rounded."""
    _, lines = round_trips(Experiment(samples=SAMPLES, dtype="bfloat16", seed=3))
    assert len(lines) == LINES
    for x, first, second, equal, difference in lines.itertuples(index=False):
        x = float(x)
        assert (float(first), float(second)) == (-(1 / x) * (1 / x), -1 / (x * x))
        assert (equal, float(difference)) == (
            str(float(first) == float(second)),
            float(first) - float(second),
        )


def test_where_1_over_x_overflows_x_does_not_come_back():
    table, _ = round_trips(Experiment(samples=2000, x_from="log-uniform"))
    halves = table.set_index("dtype").loc["float16"]
    assert halves["1/(1/x) is x"] != "100%" and halves["farthest off"] != "1 float"

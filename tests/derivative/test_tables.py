"""The derivative's tables: shares that add up, means that are those of the tally, axes that hold what is drawn."""

from math import log2

import numpy as np
import pandas as pd
import pytest
import torch

from lib.derivative.bins import bin_from, bin_of_x
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.points import edges, explain, python_tables
from lib.derivative.study import Derivative
from lib.derivative.tables import comparison, edge_rows, explained, printed, tables
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS, X_FROM
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.sampling import points
from lib.run.stream import Stream

EXPERIMENTS = [
    Experiment(function=function, x_from=x_from, samples=700)
    for function, x_from in zip(FUNCTIONS, [*X_FROM] * len(FUNCTIONS), strict=False)
]


def finish(experiment: Experiment) -> DerivativeTally:
    return Stream(Derivative(experiment)).finish()


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.query)
def test_the_shares_of_each_derivative_add_up(experiment):
    tally = finish(experiment)
    table = tables(tally, experiment)["errors"]
    assert list(dict.fromkeys(table["series"])) == [AUTOGRAD, *FUNCTIONS[experiment.function].formulas]
    for name, part in table.groupby("series"):
        assert part["x"].tolist() == [i / 8 for i in range(34)]
        assert part["share"].iloc[:-1].sum() == pytest.approx(1 if tally.series.tallies[name].finite else 0, rel=1e-5)
        assert part["share"].iloc[-1] == part["share"].iloc[-2]


def test_a_column_has_the_x_with_such_an_error():
    experiment = Experiment(samples=900)
    errors = Derivative(experiment).measure(0, float("inf")).errors["-1/x**2"]
    expected = np.histogram(errors, [*np.arange(33) / 8, np.inf])[0] / 900
    table = tables(finish(experiment), experiment)["errors"].query("series == '-1/x**2'")
    assert table["share"].iloc[:-1].tolist() == pytest.approx(expected.tolist(), rel=1e-6)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.query)
def test_all_means_are_within_the_labels_of_the_axes(experiment):
    made = tables(finish(experiment), experiment)
    for ticks, column in (("x_ticks", "x"), ("mean_ticks", "mean")):
        ends = made[ticks][column]
        assert made["by_x"][column].between(ends.min(), ends.max()).all()
        assert ends.is_monotonic_increasing and made[ticks]["label"].is_unique


def test_the_mean_by_mantissa_is_that_of_the_errors():
    experiment = Experiment(samples=2000)
    measured = Derivative(experiment).measure(0, float("inf"))
    made = tables(finish(experiment), experiment)["by_x"].query("series == 'autograd'")
    mantissa = np.floor(np.frexp(np.abs(measured.x))[0] * 128).astype(int) - 64
    expected = pd.Series(measured.errors[AUTOGRAD]).groupby(mantissa).mean()
    assert (np.log2(1 + expected)).tolist() == pytest.approx(made["mean"].tolist(), abs=1e-5)
    assert [1 + (key + 0.5) / 64 for key in expected.index] == pytest.approx(made["x"].tolist())


def test_x_far_out_and_near_zero_are_in_the_end_columns():
    experiment = Experiment(function="tanh", x_from="log-uniform", samples=3000)
    made = tables(finish(experiment), experiment)
    x = np.abs(to_float64(points(experiment, 0)[:3000]))
    assert (x < 2.0**-32).any() and (x >= 2.0**10).any()
    assert made["by_x"]["x"].abs().min() == 0.5
    assert made["x_ticks"]["label"].iloc[[0, -1]].tolist() == ["−2¹⁰", "2¹⁰"]


def test_the_bin_that_begins_at_a_power_of_two():
    for exponent in range(-32, 10):
        at, below = (bin_of_x(np.array([x]), "binade")[0] for x in (2.0**exponent, np.nextafter(2.0**exponent, 0)))
        assert at == bin_from(exponent) == below + 1


def test_the_labels_of_x_are_at_their_powers():
    experiment = Experiment(function="exp")
    ticks = tables(Derivative.empty, experiment)["x_ticks"].set_index("label")["x"]
    assert ticks["0"] == 0 and ticks["2³"] == -ticks["−2³"] == bin_from(3) - bin_from(-8)


def test_a_large_error_has_an_axis_in_powers_of_ten():
    experiment = Experiment(function="tanh", x_from="uniform", samples=500)
    ticks = tables(finish(experiment), experiment)["mean_ticks"]
    assert ticks["label"].tolist()[:3] == ["0", "10²", "10⁴"]
    assert ticks["mean"].tolist()[1] == pytest.approx(log2(101))


@pytest.mark.parametrize("query", ["", "function=gelu"])
def test_the_tables_of_nothing_have_the_same_columns(query):
    experiment = Experiment.parse(query)
    empty, full = tables(Derivative.empty, experiment), tables(finish(experiment), experiment)
    for name in empty:
        assert list(empty[name].dtypes.items()) == list(full[name].dtypes.items())


def test_the_comparison_has_the_figures_of_the_tally():
    experiment = Experiment(samples=400)
    tally = finish(experiment)
    rows = comparison(tally, torch.float32).set_index("derivative")
    figures = tally.figures()
    for name, expected in {AUTOGRAD: figures["autograd"], **figures["formulas"]}.items():
        row = rows.loc[f"`{name}`"]
        assert float(row["correctly rounded"].rstrip("%")) == pytest.approx(expected["correctly_rounded"] / 4, abs=0.51)
        assert float(row["equal to autograd"].rstrip("%")) == pytest.approx(expected["equal"] / 4, abs=0.51)
        assert float(row["mean error"]) == pytest.approx(expected["mean_ulps"], rel=0.006)
        assert float(row["largest error"]) == pytest.approx(expected["max_ulps"], rel=0.006)
        assert float(np.float32(row["at x"])) == expected["max_ulps_at"]["x"]


def test_a_comparison_outside_the_domain_has_no_errors():
    tally = finish(Experiment(function="log", samples=1))
    assert tally.outside == 1
    assert set(comparison(tally, torch.float32)["mean error"]) == {"–"}


def test_the_posts_x_formula_by_formula():
    table = explained(explain("reciprocal", 1.0497568845748901, "float32"), torch.float32).set_index("derivative")
    assert table.loc["`autograd`", ["value", "correctly rounded"]].tolist() == ["-0.9074496", "✗"]
    assert table.loc["`-1/x**2`", ["value", "correctly rounded"]].tolist() == ["-0.90744966", "✓"]
    values = [float.fromhex(text) for text in table["hexadecimal"]]
    assert values[0] - values[1] == 2.0**-24


def test_a_table_of_the_post():
    lines = python_tables(Experiment()).round_trip
    table = printed(lines, torch.float64)
    for row, line in zip(table.itertuples(index=False), lines, strict=True):
        x = float(row.x)
        assert (row.equal, row[2]) == (str(x == 1 / (1 / x)), f"{x - 1 / (1 / x):.6g}")
        assert line.x == x


def test_the_edges_as_a_table():
    table = edge_rows(edges(Experiment(function="sqrt")), torch.float32).set_index("x")
    assert table.loc["zero: 0.0", "correctly rounded"] == "none" and table.loc["zero: 0.0", AUTOGRAD] == "inf"
    assert table.loc["a negative number: -1.0", "f(x)"] == "nan"
    assert len(table) == 9

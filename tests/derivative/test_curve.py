"""The errors over x: each bin has the tally's figures of its x."""

import numpy as np
import pytest

from lib.derivative.axis import axis_of
from lib.derivative.curve import better, compared, errors_over_x, here, worst_x
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.quantities import ulps
from lib.floats.tables import UNKNOWN
from lib.run.stream import Stream


def finish(experiment: Experiment) -> DerivativeTally:
    return Stream(Derivative(experiment)).finish()


@pytest.mark.parametrize("query", ["dtype=float32", "function=tanh&dtype=bfloat16", "function=log"])
def test_every_bin_shows_the_errors_of_its_x(query):
    """And its worst x is that of the series that is farther off there."""
    experiment = Experiment.parse(f"samples=300&{query}")
    tally = finish(experiment)
    formula = FUNCTIONS[experiment.function].formulas[0]
    measured = Derivative(experiment).measure(0, np.inf)
    axis = axis_of(experiment)
    bins = axis.bin_of(measured.x)
    errors = {
        name: measured.reference.errors(measured.computed[name]) for name in (AUTOGRAD, formula)
    }
    farther = np.fmax(*errors.values())
    rows = errors_over_x(tally, experiment, formula, 1, axis.bins)
    assert rows["bin"].tolist() == [*range(1, axis.bins)] * 2
    for row in rows.itertuples():
        name = AUTOGRAD if row.derivative == AUTOGRAD else formula
        assert row.derivative in (name, on_paper(name))
        inside = errors[name][(bins == row.bin) & ~np.isnan(errors[name])]
        size = 2.0**row.place if axis.scale == "log" else row.place
        assert axis.bin_of(np.array([size])) == [row.bin]
        part = tally.within(row.bin, row.bin + 1)
        correct = measured.computed[name] == measured.reference.nearest
        assert part.of_name(name).correct == np.count_nonzero(correct & (bins == row.bin))
        worst = worst_x(part, formula)
        if not inside.size:
            assert np.isnan(row.mean) and row.error == row.worst == UNKNOWN and worst is None
            continue
        assert row.mean == pytest.approx(inside.mean(), abs=1e-5)
        assert (row.error, row.worst) == (ulps(row.mean), ulps(inside.max()))
        assert farther[measured.x == worst][0] == np.nanmax(farther[bins == row.bin])
    assert farther[measured.x == worst_x(tally, formula)][0] == np.nanmax(farther)


def test_the_formula_compared_is_the_one_asked_for_or_the_first_that_differs():
    tally = finish(Experiment(samples=500))
    assert compared(tally, Experiment(), "no such formula") == "-1/x**2"
    assert compared(tally, Experiment(), "-(1/x)*(1/x)") == "-(1/x)*(1/x)"
    exp = Experiment(function="exp", samples=500)
    assert compared(finish(exp), exp) == "1/exp(-x)"
    assert compared(Derivative.empty, exp) == "exp(x)"
    own = Experiment(df="-1/(x*x)", samples=500)
    assert compared(tally, own, "no such") == "-1/(x*x)"
    assert compared(tally, own, "-x**-2") == "-x**-2"


@pytest.mark.parametrize(
    ("query", "formula", "best"),
    [
        ("function=tanh", "1-tanh(x)**2", "1/cosh(x)**2"),
        ("function=tanh&x_from=uniform", "1-tanh(x)**2", "1/cosh(x)**2"),  # which loses some
        ("function=square&x_from=log-uniform", "2*x**2/x", "autograd"),
        ("dtype=float32", "-1/x**2", ""),
        # Autograd's mean error is the smallest, another's largest error.
        ("function=sigmoid&dtype=float32", "exp(-x)/(1+exp(-x))**2", ""),
    ],
)
def test_a_better_formula_is_known_where_one_is_needed(query, formula, best):
    assert better(finish(Experiment.parse(f"samples=2000&{query}")), formula) == best


def test_a_formula_that_is_another_function_is_not_the_one_to_take():
    own = "1/cosh(x)**2*(1+1e-12)"
    tally = finish(Experiment(function="tanh", x_from="uniform", samples=2000, df=own))
    assert better(tally, "1-tanh(x)**2") == own
    assert better(tally, "1-tanh(x)**2", own) == ""


def test_a_range_of_x_that_needs_no_better_formula_names_none():
    tally = finish(Experiment(function="tanh", samples=2000))
    assert better(tally.within(14, 18), "1-tanh(x)**2") == ""  # x from -0.5 to 0.5
    assert better(tally.within(24, 32), "1-tanh(x)**2") == "1/cosh(x)**2"


def test_without_an_x_there_is_no_error():
    rows = errors_over_x(Derivative.empty, Experiment(), "-1/x**2", 0, 9)
    assert rows["mean"].isna().all() and rows["mean"].dtype == float
    assert worst_x(Derivative.empty, "-1/x**2") is None
    assert better(Derivative.empty, "-1/x**2") == ""
    assert here(Experiment(), -2.0)["place"].tolist() == [1.0]

"""The errors over x: each bin has the tally's figures of its x."""

from dataclasses import replace

import numpy as np
import pytest

from lib.derivative.axis import axis_of
from lib.derivative.curve import best_formula, errors_over_x, formula_to_compare, worst_x
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.study import Derivative
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.quantities import UNKNOWN, in_floats
from tests.cases import finish


@pytest.mark.parametrize("query", ["dtype=float32", "function=tanh&dtype=bfloat16", "function=log"])
def test_bins_have_the_errors_of_their_x(query):
    experiment = Experiment.parse(f"samples=300&{query}")
    tally = finish(Derivative, experiment)
    measured = Derivative(experiment).measure(0, np.inf)
    axis = axis_of(experiment)
    bins = axis.bin_of(measured.x)
    formula = FUNCTIONS[experiment.function].formulas[0]
    names = {AUTOGRAD: AUTOGRAD, on_paper(formula): formula}
    errors = {
        name: measured.reference.errors(measured.computed[formula])
        for name, formula in names.items()
    }
    rows = errors_over_x(tally, experiment, formula)
    assert rows["bin"].tolist() == [*range(axis.bins)] * 2
    for row in rows.itertuples():
        inside = errors[row.derivative][(bins == row.bin) & ~np.isnan(errors[row.derivative])]
        middle = (row.bin + 0.5) / axis.bins
        assert row.place == pytest.approx(axis.low + (axis.high - axis.low) * middle)
        assert row.error == (f"{in_floats(row.mean)} ulps" if inside.size else UNKNOWN)
        assert row.worst == (f"{in_floats(inside.max())} ulps" if inside.size else UNKNOWN)
        mean = inside.mean() if inside.size else np.nan
        assert row.mean == pytest.approx(mean, abs=1e-5, nan_ok=True)
    farther = np.fmax(*errors.values())
    bin_ = bins[np.nanargmin(farther)]
    x = worst_x(tally, formula, bin_)
    assert farther[measured.x == x][0] == np.nanmax(farther[bins == bin_])
    assert worst_x(tally, formula, 1000) is None


def test_the_formula_is_asked_for_or_differs_first():
    exp = Experiment(function="exp", samples=500, df="exp(x)")
    tally = finish(Derivative, exp)
    listed = replace(exp, df="")
    assert formula_to_compare(tally, exp, "no such formula") == "exp(x)"
    assert formula_to_compare(tally, exp, "exp(x/2)**2") == "exp(x/2)**2"
    assert formula_to_compare(tally, listed) == "1/exp(-x)"
    assert formula_to_compare(Derivative.empty, listed) == "exp(x)"


@pytest.mark.parametrize(
    "query, formula, best",
    [
        ("function=tanh", "1-tanh(x)**2", "1/cosh(x)**2"),
        # it loses as many
        ("function=tanh&x_from=uniform&dtype=float16", "1-tanh(x)**2", ""),
        ("function=square&x_from=log-uniform", "2*x**2/x", "autograd"),
        ("dtype=float32", "-1/x**2", ""),
        # Autograd's mean error is the smallest, another's largest error.
        ("function=sigmoid&dtype=float32", "exp(-x)/(1+exp(-x))**2", ""),
    ],
)
def test_a_better_formula_is_known(query, formula, best):
    """Where one is needed."""
    assert (
        best_formula(finish(Derivative, Experiment.parse(f"samples=2000&{query}")), formula) == best
    )


def test_another_function_is_not_the_one_to_take():
    own = "1/cosh(x)**2*(1+1e-12)"
    tally = finish(Derivative, Experiment(function="tanh", x_from="uniform", samples=2000, df=own))
    assert best_formula(tally, "1-tanh(x)**2") == own
    assert best_formula(tally, "1-tanh(x)**2", own) == ""
    assert best_formula(Derivative.empty, "1-tanh(x)**2") == ""

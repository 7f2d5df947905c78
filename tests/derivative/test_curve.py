"""The errors over x: each bin has the tally's figures of its x."""

import numpy as np
import pytest

from lib.derivative.axis import Axis, axis_of
from lib.derivative.curve import better, compared, errors_over_x, worst_x
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.quantities import percent, ulps
from lib.floats.tables import UNKNOWN
from lib.run.stream import Stream

EXPERIMENTS = [Experiment(function=function, samples=3000) for function in FUNCTIONS]
EXPERIMENTS += [Experiment(function="tanh", dtype="bfloat16", x_from="log-uniform", samples=2000)]


def finish(experiment: Experiment) -> DerivativeTally:
    return Stream(Derivative(experiment)).finish()


def size_at(bounds: Axis, place: float) -> float:
    return 2.0**place if bounds.scale == "log" else place


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.query)
def test_every_bin_shows_the_figures_of_its_x(experiment):
    """And the worst x of a bin is that of the series that is farther off there."""
    tally = finish(experiment)
    formula = compared(tally, experiment)
    rows = errors_over_x(tally, experiment, formula)
    bounds = axis_of(experiment)
    for place in range(bounds.bins):
        part, worst = tally.within(place, place + 1), None
        for name, key in ((AUTOGRAD, AUTOGRAD), (on_paper(formula), formula)):
            series = part.series.tallies[key]
            (row,) = rows[(rows["bin"] == place) & (rows["derivative"] == name)].itertuples()
            assert (row.nearest, row.lost) == (
                percent(series.correct.total, part.exist),
                series.lost.total,
            )
            assert bounds.low <= row.place <= bounds.high
            assert bounds.bin_of(np.array([size_at(bounds, row.place)])) == [place]
            if not series.finite.total:
                assert np.isnan(row.mean) and row.error == row.worst == UNKNOWN
                continue
            mean, largest = series.sums.total / series.finite.total, series.worst.largest
            assert row.mean == pytest.approx(mean)
            assert (row.error, row.worst) == (ulps(mean), ulps(largest.value))
            worst = max([one for one in (worst, largest) if one], key=lambda one: one.value)
        assert worst_x(tally, [place], formula) == (
            worst.place.x if worst and worst.place else None
        )


def test_the_formula_compared_is_the_one_asked_for_or_the_first_that_differs():
    tally = finish(Experiment(samples=500))
    assert (
        compared(tally, Experiment())
        == compared(tally, Experiment(), "no such formula")
        == "-1/x**2"
    )
    assert compared(tally, Experiment(), "-(1/x)*(1/x)") == "-(1/x)*(1/x)"
    exp, relu = (Experiment(function=function, samples=500) for function in ("exp", "relu"))
    assert compared(finish(exp), exp) == "1/exp(-x)"
    assert compared(finish(relu), relu) == FUNCTIONS["relu"].formulas[0]
    assert compared(Derivative.empty, exp) == "exp(x)"


def test_the_visitors_own_formula_is_compared_unless_another_is_asked_for():
    experiment = Experiment(df="-1/(x*x)", samples=500)
    tally = finish(experiment)
    assert (
        compared(tally, experiment) == compared(tally, experiment, "no such formula") == "-1/(x*x)"
    )
    assert compared(tally, experiment, "-x**-2") == "-x**-2"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_better_formula_is_the_most_accurate_and_only_where_one_is_needed(function):
    tally = finish(Experiment(function=function, x_from="uniform", samples=3000))
    figures = tally.figures()
    ways = {AUTOGRAD: figures["autograd"], **figures["formulas"]}
    faults = {name: way["nonfinite"] + way["zero"] for name, way in ways.items()}
    for formula in figures["formulas"]:
        compared_ways = AUTOGRAD, formula
        needed = any(faults[name] or (ways[name]["max_ulps"] or 0) > 4 for name in compared_ways)
        found = better(tally, formula)
        if not needed:
            assert found is None
        if found:
            assert not faults[found[0]] and found[1] == ways[found[0]]["max_ulps"]
            assert all(faults[name] or ways[name]["max_ulps"] >= found[1] for name in ways)


def test_the_better_derivative_of_tanh_has_no_difference_of_near_numbers():
    tally = finish(Experiment(function="tanh", samples=3000))
    assert better(tally, "1-tanh(x)**2")[0] == "1/cosh(x)**2"


def test_without_an_x_there_is_no_curve():
    assert errors_over_x(Derivative.empty, Experiment(), "-1/x**2").empty
    assert worst_x(Derivative.empty, [3], "-1/x**2") is None
    assert better(Derivative.empty, "-1/x**2") is None

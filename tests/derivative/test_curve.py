"""The errors over x as a picture: sums over bins are the tally's."""

import json
from math import isfinite

import numpy as np
import pytest

from lib.derivative.axis import axis_of
from lib.derivative.curve import compared, errors_over_x, worst_x
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.run.stream import Stream

EXPERIMENTS = [Experiment(function=function, samples=3000) for function in FUNCTIONS]
EXPERIMENTS += [Experiment(function="tanh", dtype="bfloat16", x_from="log-uniform", samples=2000)]


def finish(experiment: Experiment) -> DerivativeTally:
    return Stream(Derivative(experiment)).finish()


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.query)
def test_the_figures_of_all_bins_are_those_of_the_tally(experiment):
    tally = finish(experiment)
    formula = compared(tally, experiment)
    drawn = json.loads(json.dumps(errors_over_x(tally, experiment, formula), allow_nan=False))
    bins = axis_of(experiment).bins
    assert len(drawn["edges"]) == bins + 1 and sum(drawn["exist"]) == tally.exist
    assert sum(drawn["equal"]) == tally.formulas[formula].equal.total
    for shown, name in zip(drawn["series"], (AUTOGRAD, formula), strict=True):
        series = tally.series.tallies[name]
        assert sum(shown["correct"]) == series.correct.total
        assert sum(shown["lost"]) == series.lost.total
        assert max(size for size in shown["size"] if size is not None) == series.worst.largest.value
        assert {len(shown[key]) for key in ("height", "mean", "correct", "lost", "worst", "size")} == {bins}
        assert all(height is None or 0 <= height <= 1 for height in shown["height"])
    assert drawn["levels"][-1]["at"] == 1 and len(json.dumps(drawn)) < 20_000


def test_a_bin_is_picked_by_its_worst_x():
    experiment = Experiment(samples=3000)
    tally, measured = finish(experiment), Derivative(experiment).measure(0, float("inf"))
    bins = axis_of(experiment).bin_of(measured.x)
    for bin_ in set(bins.tolist()):
        errors = np.maximum(measured.errors(AUTOGRAD), measured.errors("-1/x**2"))
        assert errors[measured.x == worst_x(tally, bin_, "-1/x**2")].max() == errors[bins == bin_].max()
    assert worst_x(DerivativeTally(), 3, "-1/x**2") is None


def test_the_formula_compared_is_the_one_asked_for_or_the_first_that_differs():
    tally = finish(Experiment(samples=500))
    assert compared(tally, Experiment()) == compared(tally, Experiment(), "no such formula") == "-1/x**2"
    assert compared(tally, Experiment(), "-(1/x)*(1/x)") == "-(1/x)*(1/x)"
    exp, relu = (Experiment(function=function, samples=500) for function in ("exp", "relu"))
    assert compared(finish(exp), exp) == "1/exp(-x)"
    assert compared(finish(relu), relu) == FUNCTIONS["relu"].formulas[0]
    assert compared(Derivative.empty, exp) == "exp(x)"


def test_the_visitors_own_formula_is_compared_unless_another_is_asked_for():
    experiment = Experiment(df="-1/(x*x)", samples=500)
    tally = finish(experiment)
    assert compared(tally, experiment) == compared(tally, experiment, "no such formula") == "-1/(x*x)"
    assert compared(tally, experiment, "-x**-2") == "-x**-2"


def test_heights_are_means_on_an_axis_of_log2():
    experiment = Experiment(samples=3000)
    measured = Derivative(experiment).measure(0, float("inf"))
    drawn = errors_over_x(finish(experiment), experiment, "-1/x**2")
    top = np.log2(1 + float(drawn["levels"][-1]["text"]))
    for level in drawn["levels"]:
        assert level["at"] * top == pytest.approx(np.log2(1 + float(level["text"])))
    for shown, name in zip(drawn["series"], (AUTOGRAD, "-1/x**2"), strict=True):
        for bin_ in set(measured.bins.tolist()):
            mean = measured.errors(name)[measured.bins == bin_].mean()
            assert shown["height"][bin_] * top == pytest.approx(np.log2(1 + mean), abs=1e-3)


def test_a_part_of_the_x_has_the_figures_of_its_bins():
    experiment = Experiment(samples=3000, function="tanh", dtype="bfloat16", x_from="uniform")
    measured, tally = Derivative(experiment).measure(0, float("inf")), finish(experiment)
    part, inside = tally.within(20, 31), (measured.bins >= 20) & (measured.bins < 31)
    assert 0 < part.exist == inside.sum() < 3000
    for name, series in part.series.tallies.items():
        values, errors = measured.computed[name][inside], measured.errors(name)[inside]
        assert series.correct.total == (values == measured.reference.nearest[inside]).sum()
        assert series.zero.total == ((values == 0) & (measured.reference.nearest[inside] != 0)).sum()
        assert series.worst.largest.value == errors.max() and series.mean == pytest.approx(errors.mean(), rel=1e-5)
    assert tally.within(0, axis_of(experiment).bins) == tally


@pytest.mark.parametrize("dtype, x_from", [("float16", "uniform"), ("float16", "normal"), ("float32", "uniform")])
@pytest.mark.parametrize("function", ["softplus", "reciprocal", "tanh", "exp"])
def test_what_is_infinite_or_nan_by_mistake_is_counted_bin_by_bin(function, dtype, x_from):
    """Against a loop over x, in which a value is held against the correctly rounded derivative."""
    experiment = Experiment(function=function, dtype=dtype, x_from=x_from, samples=500)
    measured, tally = Derivative(experiment).measure(0, float("inf")), finish(experiment)
    bins = axis_of(experiment).bin_of(measured.x).tolist()
    for name in FUNCTIONS[function].formulas:
        lost, no_infinity = [0] * axis_of(experiment).bins, 0
        for bin_, value, nearest, exists in zip(
            bins, measured.computed[name], measured.reference.nearest, measured.reference.exists, strict=True
        ):
            lost[bin_] += bool(exists) and not isfinite(value) and value != nearest
            no_infinity += bool(exists) and isfinite(value) and not isfinite(nearest)
        assert errors_over_x(tally, experiment, name)["series"][1]["lost"] == lost
        assert tally.formulas[name].no_infinity.total == no_infinity
        if function == "softplus" and dtype == "float16" and name == "exp(x)/(1+exp(x))" and x_from == "uniform":
            assert sum(lost) > 100


def test_without_an_x_there_are_no_curves():
    drawn = errors_over_x(Derivative.empty, Experiment(), "-1/x**2")
    assert drawn["series"] == [] and sum(drawn["exist"]) == 0

"""The errors over x as a picture: each bin has the tally's figures of its x."""

import json

import numpy as np
import pytest

from lib.derivative.axis import axis_of
from lib.derivative.curve import compared, errors_over_x, worst_x
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.quantities import ulps
from lib.run.stream import Stream
from tests.sentences import read

EXPERIMENTS = [Experiment(function=function, samples=3000) for function in FUNCTIONS]
EXPERIMENTS += [Experiment(function="tanh", dtype="bfloat16", x_from="log-uniform", samples=2000)]


def finish(experiment: Experiment) -> DerivativeTally:
    return Stream(Derivative(experiment)).finish()


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.query)
def test_every_bin_shows_the_figures_of_its_x(experiment):
    """And it is picked by its worst x."""
    tally = finish(experiment)
    formula = compared(tally, experiment)
    drawn = json.loads(json.dumps(errors_over_x(tally, experiment, formula), allow_nan=False))
    bins = axis_of(experiment).bins
    assert len(drawn["edges"]) == bins + 1 and len(json.dumps(drawn)) < 20_000
    top = read(drawn["levels"][-1]["text"])

    def place(mean: float) -> float:  # even while it is small, then logarithmic
        return mean / top if top <= 4 else np.log1p(mean) / np.log1p(top)

    for level in drawn["levels"]:
        assert level["at"] == pytest.approx(place(read(level["text"])))
    for bin_ in range(bins):
        part, worst = tally.within(bin_, bin_ + 1), None
        assert drawn["exist"][bin_] == part.exist
        for shown, name in zip(drawn["series"], (AUTOGRAD, formula), strict=True):
            series = part.series.tallies[name]
            assert (shown["correct"][bin_], shown["lost"][bin_]) == (series.correct.total, series.lost.total)
            if not series.finite.total:
                assert shown["height"][bin_] is None and not shown["worst"][bin_]
                continue
            mean, largest = series.sums.total / series.finite.total, series.worst.largest
            assert shown["height"][bin_] == pytest.approx(place(mean), abs=1e-4)
            assert shown["worst"][bin_] == ulps(largest.value)
            worst = max([one for one in (worst, largest) if one], key=lambda one: one.value)
        assert worst_x(tally, bin_, formula) == (worst.place.x if worst and worst.place else None)


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


def test_without_an_x_there_are_no_curves():
    drawn = errors_over_x(Derivative.empty, Experiment(), "-1/x**2")
    assert drawn["series"] == [] and sum(drawn["exist"]) == 0
    assert worst_x(Derivative.empty, 3, "-1/x**2") is None

"""The derivative study against counting one by one in fractions."""

from fractions import Fraction
from math import isfinite, isinf

import numpy as np
import pytest

from lib.derivative.formulas import AUTOGRAD, derivatives_at
from lib.derivative.study import Derivative
from lib.experiment.functions import LISTED
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network.sampling import points
from tests.cases import every_dtype, finish
from tests.oracles import NOT_AT_0, POSITIVE, exact_derivative, rounded, ulps_off

WIDE = (*POSITIVE, *NOT_AT_0, "square")
"""Functions whose derivatives are fractions of a moderate size at every x of a dtype."""


def run(query):
    return finish(Derivative, Experiment.parse(query))


@every_dtype
@pytest.mark.parametrize("function", LISTED)
def test_figures_are_of_counting_one_by_one(function, dtype):
    x_from = "log-uniform" if function in WIDE else "uniform"
    experiment = Experiment(function=function, dtype=dtype, x_from=x_from, samples=40, seed=1)
    tally = run(experiment.query)
    figures = tally.figures()
    block = points(experiment, 0)
    x = to_float64(block).tolist()[:40]
    computed = {name: of.tolist()[:40] for name, of in derivatives_at(function, block).items()}
    exact = {i: value for i in range(40) if (value := exact_derivative(function, x[i])) is not None}
    nearest = {i: rounded(value, dtype) for i, value in exact.items()}
    assert (figures["samples"], figures["outside"], figures["undecided"]) == (
        40,
        40 - len(exact),
        0,
    )
    assert figures["overflow"] == sum(map(isinf, nearest.values()))
    assert sum(figures["reference"].values()) == len(exact)
    autograd = computed[AUTOGRAD]
    for name, by_name in {AUTOGRAD: figures["autograd"], **figures["formulas"]}.items():
        values = computed.pop(name)
        both = [i for i in exact if isfinite(values[i]) and isfinite(nearest[i])]
        errors = {i: float(ulps_off(Fraction(values[i]), exact[i], dtype)) for i in both}
        wrong = [i for i in exact if values[i] != nearest[i]]
        largest, place = by_name.pop("max_ulps"), by_name.pop("max_ulps_at")
        assert largest == pytest.approx(max(errors.values()), rel=1e-6, abs=1e-5)
        assert errors[place["number"]] == pytest.approx(largest, rel=1e-6, abs=1e-5)
        assert place["x"] == float.fromhex(place["hex"]) == x[place["number"]]
        mean = sum(errors.values()) / len(both)
        assert by_name.pop("mean_ulps") == pytest.approx(mean, rel=1e-6, abs=1e-5)
        equal = np.equal(values, autograd)
        equal |= np.isnan(values) & np.isnan(autograd)
        assert by_name == {
            "equal": int(equal[[*exact]].sum()),
            "equal_anywhere": int(equal.sum()),
            "correctly_rounded": len(exact) - len(wrong),
            "finite": len(both),
            "nonfinite": len({*wrong} - {*both}),
            "zero": sum(values[i] == 0 for i in wrong if i in errors),
        }
        first = tally.of_name(name).first_apart.place
        assert (first and first.number) == next((i for i in exact if not equal[i]), None)
    assert not computed


def test_an_error_that_float64_cannot_hold_is_null():
    figures = run("f=(1-cos(x))/x**2&dtype=float64&x_from=log-uniform&samples=500").figures()
    assert figures["autograd"]["max_ulps"] is figures["autograd"]["mean_ulps"] is None
    assert figures["autograd"]["finite"] > 0


def test_a_call_is_short(monkeypatch):
    """Ball arithmetic certifies 512 x in a call; a block is computed once."""
    study = Derivative(Experiment(dtype="float64"))
    assert len(study.measure(0, 0)) == 512
    monkeypatch.setattr("lib.derivative.study.derivatives_at", None)
    assert len(study.measure(512, 0)) == 512


def test_the_undecided_are_in_no_share_or_mean():
    """Beyond x = 710 or so, 3,000 bits do not tell the cosine of exp(x)."""
    tally = run("f=sin(exp(x))&dtype=float64&x_from=log-uniform&samples=300")
    assert tally.undecided == tally.samples - tally.existing > 20 and tally.outside == 0
    assert tally.autograd.lost == 0 and tally.autograd.worst.largest.place.x < 710
    nowhere = run("f=where(x*x-x**2>0,x,-x)&df=-1&samples=30").figures()
    assert nowhere["undecided"] == nowhere["formulas"]["-1"]["equal_anywhere"] == 30
    assert nowhere["autograd"]["finite"] == nowhere["formulas"]["-1"]["equal"] == 0

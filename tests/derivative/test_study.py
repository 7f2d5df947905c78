"""The derivative study against counting one by one in fractions, and the posts' findings."""

import json
import math
from collections import Counter
from fractions import Fraction

import mpmath
import pytest

from lib.derivative.formulas import AUTOGRAD, derivatives_at
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.experiment import functions
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network.sampling import POINTS, points
from lib.run.stream import Stream
from lib.run.tally import Point
from tests import oracles
from tests.cases import EVERY_DTYPE
from tests.oracles import as_fraction, rounded, ulps_off

POSITIVE = ("sqrt", "log")
NOT_AT_0 = ("reciprocal", "ones-over-x", "abs", "relu")
WIDE = (*POSITIVE, *NOT_AT_0, "square")
"""Functions whose derivatives are fractions of a moderate size at every x of a dtype."""


def run(query: str) -> DerivativeTally:
    return Stream(Derivative(Experiment.parse(query))).finish()


def exact_derivative(function: str, x: float) -> Fraction | None:
    if function in POSITIVE and x <= 0 or function in NOT_AT_0 and x == 0:
        return None
    with mpmath.workprec(400):
        return as_fraction(mpmath.mpf(oracles.DERIVATIVES[function](mpmath.mpf(x))))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("function", functions.FUNCTIONS)
def test_the_tally_is_that_of_counting_one_by_one(function, dtype):
    x_from = "log-uniform" if function in WIDE else "uniform"
    experiment = Experiment(function=function, dtype=dtype, x_from=x_from, samples=70, seed=1)
    tally = Stream(Derivative(experiment)).finish()
    block = points(experiment, 0)
    x = to_float64(block).tolist()[: experiment.samples]
    computed = {name: values.tolist() for name, values in derivatives_at(function, block).items()}
    exact = [exact_derivative(function, value) for value in x]
    known = [i for i, value in enumerate(exact) if value is not None]
    assert (tally.samples, tally.outside, tally.undecided) == (len(x), len(x) - len(known), 0)
    assert tally.exist == len(known)
    assert list(tally.series.tallies) == list(computed)
    for name in computed:
        check_series(tally.of_name(name), name, computed, exact, known, dtype)


def check_series(series, name, computed, exact, known, dtype):
    kinds = Counter()
    errors = {}
    relative = [0.0]
    for i in known:
        value = computed[name][i]
        nearest = rounded(exact[i], dtype)
        kinds["equal"] += value == computed[AUTOGRAD][i]
        kinds["correct"] += value == nearest
        kinds["overflow"] += math.isinf(nearest)
        if math.isfinite(value) and math.isfinite(nearest):
            errors[i] = float(ulps_off(Fraction(value), exact[i], dtype))
            kinds["zero"] += value == 0 != nearest
            if value != nearest:
                relative.append(float(abs((Fraction(value) - exact[i]) / exact[i])))
        elif value != nearest:
            kinds["nonfinite"] += 1
    for kind in ("equal", "correct", "overflow", "zero", "nonfinite"):
        assert getattr(series, kind) == kinds[kind], (name, kind)
    assert series.lost == kinds["zero"] + kinds["nonfinite"]
    assert series.finite == len(errors)
    worst = series.worst.largest
    assert worst.value == pytest.approx(max(errors.values(), default=0), rel=1e-6, abs=1e-5)
    assert worst.place is None or errors[worst.place.number] == pytest.approx(worst.value, abs=1e-5)
    assert series.sums.total == pytest.approx(sum(errors.values()), rel=1e-6, abs=1e-3)
    assert series.relative.value == pytest.approx(max(relative), rel=1e-6)
    apart = [i for i in known if computed[name][i] != computed[AUTOGRAD][i]]
    first = series.first_apart.place
    assert (first.number if first else None) == (apart[0] if apart else None)


def test_samples_beyond_the_first_block_come_from_the_next_which_is_cut():
    experiment = Experiment(samples=POINTS + 50, function="gelu")
    measured = Derivative(experiment).measure(POINTS, math.inf)
    assert (measured.number, len(measured)) == (POINTS, 50)
    block = points(experiment, 1)
    assert measured.x.tolist() == block[:50].tolist()
    for name, values in derivatives_at("gelu", block).items():
        assert measured.computed[name].tolist() == values[:50].tolist()
    assert measured.at(3) == Point(POINTS + 3, measured.x[3])


def test_figures_are_the_contract():
    tally = run("samples=400&function=sqrt&dtype=float64")
    figures = json.loads(json.dumps(tally.figures(), allow_nan=False))
    assert figures["reference"] == {"float64": 0, "certified": 400 - figures["outside"]}
    worst = tally.autograd.worst.largest
    of_autograd = figures["autograd"]
    assert of_autograd.pop("max_ulps_at") == {**vars(worst.place), "hex": worst.place.x.hex()}
    assert of_autograd["mean_ulps"] == tally.autograd.sums.total / tally.exist
    names = "equal equal_anywhere correctly_rounded max_ulps mean_ulps finite nonfinite zero"
    assert list(of_autograd) == names.split()
    assert Derivative.empty.figures()["formulas"] == {}


def test_an_error_that_float64_cannot_hold_is_null():
    figures = run("f=(1-cos(x))/x**2&dtype=float64&x_from=log-uniform&samples=500").figures()
    assert figures["autograd"]["max_ulps"] is figures["autograd"]["mean_ulps"] is None
    assert figures["autograd"]["finite"] > 0


def test_what_is_undecided_is_in_no_share_and_no_mean():
    """Beyond x = 710 or so, 3,000 bits do not tell the cosine of exp(x)."""
    experiment = Experiment(f="sin(exp(x))", dtype="float64", x_from="log-uniform", samples=300)
    measured = Derivative(experiment).measure(0, math.inf)
    tally = DerivativeTally.of(measured)
    assert measured.reference.undecided[measured.x > 3000].all()
    assert tally.undecided == tally.samples - tally.exist > 20 and tally.outside == 0
    assert tally.autograd.lost == 0 and tally.autograd.worst.largest.place.x < 710
    assert tally.figures()["undecided"] == tally.undecided


def test_values_are_compared_also_where_no_derivative_is_known():
    tally = run("f=where(x-x>0,x,-x)&df=-1&samples=30")
    assert tally.undecided == 30 and tally.exist == 0
    assert tally.formulas["-1"].equal_anywhere == 30 and tally.formulas["-1"].equal == 0

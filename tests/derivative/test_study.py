"""The derivative study against counting one by one in fractions, and the posts' findings."""

import json
import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch
from torch.testing import assert_close
from torch.testing._comparison import default_tolerances

from lib.derivative.axis import axis_of
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
    """In all bins of x, and in the upper half of them."""
    x_from = "log-uniform" if function in WIDE else "uniform"
    experiment = Experiment(function=function, dtype=dtype, x_from=x_from, samples=70, seed=1)
    tally = Stream(Derivative(experiment)).finish()
    block = points(experiment, 0)
    x = to_float64(block).tolist()[: experiment.samples]
    computed = {name: values.tolist() for name, values in derivatives_at(function, block).items()}
    exact = [exact_derivative(function, value) for value in x]
    known = [i for i, value in enumerate(exact) if value is not None]
    assert (tally.samples, tally.outside, tally.undecided) == (len(x), len(x) - len(known), 0)
    axis = axis_of(experiment)
    middle = axis.bins // 2
    size = np.abs(x) if axis.scale == "log" else x
    upper = [i for i in known if size[i] >= axis.edges[middle]]
    for part, chosen in ((tally, known), (tally.within(middle, axis.bins), upper)):
        assert part.exist == len(chosen)
        assert list(part.series.tallies) == list(computed)
        for name in computed:
            check_series(part.of_name(name), name, computed, x, exact, chosen, dtype)


def check_series(series, name, computed, x, exact, chosen, dtype):
    kinds = Counter()
    errors = {}
    relative = [0.0]
    for i in chosen:
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
        assert getattr(series, kind).total == kinds[kind], (name, kind)
    assert series.lost == kinds["zero"] + kinds["nonfinite"]
    assert series.finite.total == len(errors)
    worst = series.worst.largest
    assert worst.value == pytest.approx(max(errors.values(), default=0), rel=1e-6, abs=1e-5)
    assert worst.place is None or errors[worst.place.number] == pytest.approx(worst.value, abs=1e-5)
    assert series.sums.total == pytest.approx(sum(errors.values()), rel=1e-6, abs=1e-3)
    assert series.relative.largest.value == pytest.approx(max(relative), rel=1e-6)
    check_tolerances(
        series, *([computed[way][i] for i in chosen] for way in (AUTOGRAD, name)), dtype
    )


def check_tolerances(series, autograd, by_hand, dtype):
    pairs = [pair for pair in zip(autograd, by_hand, strict=True) if all(map(math.isfinite, pair))]
    first, second = (
        torch.tensor(pairs, dtype=torch.float64).reshape(-1, 2).T.to(getattr(torch, dtype))
    )
    rtol, atol = default_tolerances(first.dtype)
    close = torch.isclose(first, second, rtol, atol) & torch.isclose(second, first, rtol, atol)
    assert series.far.total == (~close).sum()
    if close.all():
        return
    assert_close(first, second, rtol=0, atol=series.distance.largest.value)
    sizes = [(abs(one - other), min(abs(one), abs(other))) for one, other in pairs]
    needed = max((away - atol) / size if size else math.inf for away, size in sizes if away > atol)
    largest = series.rtol.largest.value
    assert needed <= largest <= needed * (1 + 40 * torch.finfo(first.dtype).eps)
    if largest < 1:
        assert_close(first, second, rtol=largest, atol=atol)
        assert_close(second, first, rtol=largest, atol=atol)


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
    assert figures["undecided"] == 0 < figures["outside"]
    assert list(figures["formulas"]) == list(functions.FUNCTIONS["sqrt"].formulas)
    series = tally.autograd
    worst = series.worst.largest
    assert figures["autograd"] == {
        "equal": tally.exist,
        "equal_anywhere": tally.exist,
        "correctly_rounded": series.correct.total,
        "max_ulps": worst.value,
        "max_ulps_at": {**vars(worst.place), "hex": worst.place.x.hex()},
        "mean_ulps": series.sums.total / tally.exist,
        "finite": tally.exist,
        "nonfinite": 0,
        "zero": 0,
    }
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
    far = measured.x > 3000
    assert far.sum() > 20
    assert measured.reference.undecided[far].all() and not measured.reference.exists[far].any()
    assert tally.undecided == tally.samples - tally.exist and tally.outside == 0
    assert tally.autograd.lost == 0 and tally.autograd.worst.largest.place.x < 710
    assert tally.figures()["undecided"] == tally.undecided


def test_values_are_compared_also_where_no_derivative_is_known():
    tally = run("f=where(x-x>0,x,-x)&df=-1&samples=30")
    assert tally.undecided == 30 and tally.exist == 0
    assert tally.formulas["-1"].equal_anywhere == 30 and tally.formulas["-1"].equal.total == 0

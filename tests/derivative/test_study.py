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
from lib.floats.line import to_float64
from lib.network.sampling import POINTS, points
from lib.run.stream import Stream
from lib.run.tally import Extreme, Point
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
@pytest.mark.parametrize("x_from", ["uniform", "log-uniform"])
def test_the_tally_is_that_of_counting_one_by_one(function, dtype, x_from):
    """In all bins of x, and in the upper half of them."""
    x_from = "normal" if x_from == "log-uniform" and function not in WIDE else x_from
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


def test_the_first_x_apart_and_the_first_of_equal_errors_count():
    tally = run("samples=700&function=relu&x_from=uniform")
    x = points(Experiment(x_from="uniform"), 0)
    assert tally.autograd.worst.largest == Extreme(0.0, tally.autograd.worst.largest.place)
    numbers = {number for _, number, _ in tally.autograd.worst.of_bin.values()}
    assert 0 in numbers and tally.autograd.first_apart == Extreme()
    apart = run("samples=700").formulas["-1/x**2"].first_apart.place
    block = points(Experiment(), 0)
    values = derivatives_at("reciprocal", block)
    first = int((values[AUTOGRAD] != values["-1/x**2"]).nonzero()[0])
    assert apart == Point(first, block[first].item()) and x.shape == block.shape


def test_figures_are_the_contract():
    tally = run("samples=400&function=sqrt&dtype=float64")
    figures = json.loads(json.dumps(tally.figures(), allow_nan=False))
    assert (figures["function"], figures["samples"]) == ("sqrt", 400)
    assert figures["reference"] == {"float64": 0, "certified": 400 - figures["outside"]}
    assert list(figures["formulas"]) == list(functions.FUNCTIONS["sqrt"].formulas)
    for name, row in [(AUTOGRAD, figures["autograd"]), *figures["formulas"].items()]:
        series = tally.of_name(name)
        worst = series.worst.largest
        assert (row["equal"], row["correctly_rounded"]) == (
            series.equal.total,
            series.correct.total,
        )
        assert (row["finite"], row["nonfinite"], row["zero"]) == (series.finite.total, 0, 0)
        assert row["max_ulps"] == worst.value
        place = {"number": worst.place.number, "x": worst.place.x, "hex": worst.place.x.hex()}
        assert row["max_ulps_at"] == place
        assert row["mean_ulps"] == pytest.approx(series.sums.total / series.finite.total)
    nothing = Derivative.empty.figures()
    assert json.loads(json.dumps(nothing))["samples"] == 0 and nothing["formulas"] == {}


def test_an_error_that_float64_cannot_hold_is_null():
    figures = run("f=(1-cos(x))/x**2&dtype=float64&x_from=log-uniform&samples=500").figures()
    assert figures["autograd"]["max_ulps"] is figures["autograd"]["mean_ulps"] is None
    assert figures["autograd"]["finite"] > 0


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_autograd_is_the_less_accurate_of_the_two(dtype):
    """Half of 3,000 normal x against three quarters, with room for chance."""
    tally = run(f"samples=3000&dtype={dtype}")
    product = tally.formulas["-(1/x)*(1/x)"]
    quotient = tally.formulas["-1/x**2"]
    assert product.equal.total == 3000 and product.correct.total == tally.autograd.correct.total
    assert tally.autograd.correct.total / 3000 == pytest.approx(0.5, abs=0.1)
    assert quotient.correct.total / 3000 == pytest.approx(0.75, abs=0.07)
    assert quotient.equal.total / 3000 == pytest.approx(0.5, abs=0.1)
    assert tally.autograd.worst.largest.value < 2
    # In float16 x² is subnormal for small x.
    assert quotient.worst.largest.value < (64 if dtype == "float16" else 1.5)


def test_y_times_1_minus_y_saturates():
    """Where 1 + exp(−x) rounds to 1, y is 1 and 1 − y is 0; the derivative there is far from 0."""
    tally = run("function=sigmoid&x_from=uniform&samples=4000")
    saturated = tally.formulas["y*(1-y)"]
    assert saturated.zero.total > 100 and saturated.relative.largest.value == 1
    assert 16.6 <= saturated.relative.largest.place.x
    assert tally.formulas["sigmoid(x)*sigmoid(-x)"].worst.largest.value < 10


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


def test_without_a_derivative_no_arithmetic_decides_one():
    figures = run("f=log(x)&samples=200").figures()
    assert 60 < figures["outside"] < 140 and figures["undecided"] == 0
    assert figures["reference"] == {"float64": 0, "certified": 200 - figures["outside"]}


def test_values_are_compared_also_where_no_derivative_is_known():
    tally = run("f=where(x-x>0,x,-x)&df=-1&samples=30")
    assert tally.undecided == 30 and tally.exist == 0
    assert tally.formulas["-1"].equal_anywhere == 30 and tally.formulas["-1"].equal.total == 0

"""The derivative study against counting one by one in fractions, and the post's findings as it counts them."""

import json
import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from lib.derivative.axis import axis_of, bin_of_error, error_ends
from lib.derivative.formulas import AUTOGRAD, derivatives_at
from lib.derivative.reference import ComputedDerivatives, Reference
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment import functions
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.sampling import POINTS, points
from lib.run.run import bytes_held
from lib.run.stream import Stream
from lib.run.tally import Extreme, Point
from tests import oracles
from tests.cases import EVERY_DTYPE
from tests.derivative.test_axis import ends_of
from tests.oracles import as_fraction, floats_off, rounded

NEVER = float("inf")


def run(query: str) -> DerivativeTally:
    return Stream(Derivative(Experiment.parse(query))).finish()


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("function", functions.FUNCTIONS)
def test_counts_are_those_of_counting_one_by_one(function, dtype):
    """x by x: the exact derivative from mpmath at 400 bits, everything else in fractions."""
    experiment = Experiment(function=function, dtype=dtype, x_from="uniform", samples=150, seed=1)
    tally = Stream(Derivative(experiment)).finish()
    block = points(experiment, 0)
    computed = {
        name: to_float64(values).tolist()
        for name, values in derivatives_at(function, block).items()
    }
    x = to_float64(block).tolist()
    counts = {name: Counter() for name in computed}
    errors = {name: [] for name in computed}
    outside = overflow = 0
    for i in range(experiment.samples):
        if (function in ("sqrt", "log") and x[i] <= 0) or (
            function in ("abs", "relu", "reciprocal") and x[i] == 0
        ):
            outside += 1
            continue
        with mpmath.workprec(400):
            exact = as_fraction(oracles.DERIVATIVES[function](mpmath.mpf(x[i])))
        nearest = rounded(exact, dtype)
        overflow += math.isinf(nearest)
        for name, values in computed.items():
            value, count = values[i], counts[name]
            count["equal"] += value == computed[AUTOGRAD][i]
            count["correct"] += value == nearest
            count["nonfinite"] += math.isfinite(value) != math.isfinite(nearest)
            count["zero"] += value == 0 != nearest and math.isfinite(nearest)
            if math.isfinite(value) and math.isfinite(nearest):
                errors[name].append((floats_off(Fraction(value), exact, dtype), x[i], i))
    assert (tally.samples, tally.outside, tally.overflow) == (150, outside, overflow)
    assert list(tally.series.tallies) == list(computed)
    for name, count in counts.items():
        series = tally.series.tallies[name]
        found = {"equal": series.equal.total, "correct": series.correct.total}
        found |= {"nonfinite": series.nonfinite, "zero": series.zero.total}
        assert {key: count[key] for key in found} == found, name
        assert series.finite.total == len(errors[name])
        worst, at, number = max(errors[name], key=lambda row: (row[0], -row[2]))
        assert series.worst.largest.value == pytest.approx(float(worst), rel=1e-6, abs=1e-6)
        if worst > 0.001:
            assert series.worst.largest.place == Point(number, at)
        total = sum(error for error, _, _ in errors[name])
        assert series.sums.total == pytest.approx(float(total), rel=1e-6, abs=1e-3)


def test_samples_beyond_the_first_block_come_from_the_next():
    experiment = Experiment(samples=POINTS + 50)
    second = Derivative(experiment).measure(POINTS, NEVER)
    assert (second.number, len(second)) == (POINTS, 50)
    assert second.x.tolist() == points(experiment, 1)[:50].tolist()


def test_a_cut_block_is_the_start_of_the_whole_one():
    few, many = (
        Derivative(Experiment(function="gelu", samples=n)).measure(0, NEVER) for n in (7, POINTS)
    )
    for name in many.computed:
        np.testing.assert_array_equal(few.computed[name], many.computed[name][:7])


def test_what_does_not_belong_to_the_study_does_not_change_it():
    others = {
        "inputs": 7,
        "hidden": (3, 3),
        "method": "rows",
        "evaluation": "batched",
        "distribution": "normal",
    }
    assert Stream(Derivative(Experiment(samples=300, **others))).finish() == run("samples=300")


def test_special_values_are_counted_apart():
    inf, nan = math.inf, math.nan
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, -6.0, 0.0])
    nearest = np.array([1.0, 1.0, inf, inf, 1.0, 1.0, nan])
    found = Reference(
        nearest,
        np.zeros(7),
        np.full(7, -23, np.int32),
        np.array([0, 1, 4, 5]),
        2,
        np.full(7, False),
    )
    values = np.array([inf, nan, inf, 7.0, 0.0, 0.0, nan])
    computed = {AUTOGRAD: np.array([inf, nan, inf, 7.0, 1.0, 1.0, nan]), "formula": values}
    tally = DerivativeTally.of(
        ComputedDerivatives(Experiment(function="tanh"), 10, x, computed, found)
    )
    series = tally.formulas["formula"]
    assert (tally.outside, tally.overflow, tally.certified) == (1, 2, 2)
    assert (series.equal.total, series.correct.total, series.finite.total) == (3, 1, 2)
    assert (series.nonfinite, series.zero.total) == (3, 2)
    assert (series.zero_above, series.zero_below) == (
        Extreme(-5.0, Point(14, 5.0)),
        Extreme(-6.0, Point(15, -6.0)),
    )
    assert (
        series.worst.largest == Extreme(2.0**24, Point(14, 5.0))
        and series.sums.total == 2 * 2.0**24
    )
    assert tally.autograd.correct.total == 3 and tally.autograd.nonfinite == 3


@pytest.mark.parametrize(
    "query",
    [
        *("function=tanh&dtype=bfloat16&x_from=uniform", "function=sqrt&x_from=uniform"),
        *(
            "x_from=log-uniform&dtype=float16",
            "function=softplus&x_from=uniform&dtype=float16",
            "function=exp",
        ),
    ],
)
def test_errors_are_binned_by_size_and_by_x(query):
    """Bin by bin, by comparing every x with the ends of the bin."""
    experiment = Experiment.parse(f"samples=900&{query}")
    measured, axis = Derivative(experiment).measure(0, NEVER), axis_of(experiment)
    tally, at = (
        DerivativeTally.of(measured),
        np.abs(measured.x) if axis.scale == "log" else measured.x,
    )
    assert tally.within(0, axis.bins) == tally
    nearest, autograd = measured.reference.nearest, measured.computed[AUTOGRAD]
    for name, series in tally.series.tallies.items():
        errors, values = measured.errors(name), measured.computed[name]
        finite = errors[~np.isnan(errors)]
        assert dict(zip(series.errors.keys, series.errors.counts, strict=True)) == Counter(
            bin_of_error(finite).tolist()
        )
        counted = {
            "equal": values == autograd,
            "correct": values == nearest,
            "finite": ~np.isnan(errors),
            "lost": ~np.isfinite(values) & (values != nearest),
            "no_infinity": np.isfinite(values) & ~np.isfinite(nearest),
            "zero": (values == 0) & (nearest != 0) & np.isfinite(nearest),
        }
        for bin_ in range(axis.bins):
            low, high = ends_of(axis, bin_)
            inside = (low <= at) & (at < high) & ~np.isnan(nearest)
            part = tally.within(bin_, bin_ + 1)
            of_bin = part.series.tallies[name]
            assert part.exist == inside.sum()
            for kind, holds in counted.items():
                assert getattr(of_bin, kind).total == (inside & holds).sum(), kind
            there = np.flatnonzero(inside & counted["finite"])
            assert of_bin.sums.total == pytest.approx(errors[there].sum(), abs=1e-3)
            worst = max(there, key=lambda i, errors=errors: (errors[i], -i), default=None)
            expected = (
                Extreme()
                if worst is None
                else Extreme(errors[worst], Point(int(worst), measured.x[worst]))
            )
            assert of_bin.worst[bin_] == of_bin.worst.largest == expected
        apart = np.flatnonzero(~np.isnan(nearest) & (values != autograd))
        assert series.first_apart.place == (
            Point(int(apart[0]), measured.x[apart[0]]) if apart.size else None
        )


def test_figures_are_the_contract():
    tally = run("samples=400&function=sqrt&dtype=float64")
    figures = json.loads(json.dumps(tally.figures(), allow_nan=False))
    assert (figures["function"], figures["samples"]) == ("sqrt", 400)
    assert figures["reference"] == {"float64": 0, "certified": 400 - figures["outside"]}
    assert list(figures["formulas"]) == list(functions.FUNCTIONS["sqrt"].formulas)
    for name, series in [(AUTOGRAD, figures["autograd"]), *figures["formulas"].items()]:
        counted = tally.series.tallies[name]
        assert (series["equal"], series["correctly_rounded"]) == (
            counted.equal.total,
            counted.correct.total,
        )
        assert (
            series["max_ulps"] == counted.worst.largest.value
            and float.fromhex(series["max_ulps_at"]["hex"]) > 0
        )
        assert series["mean_ulps"] == pytest.approx(counted.sums.total / counted.finite.total)
        assert sum(count for _, _, count in series["ulps"]) == series["finite"]
        assert series["ulps"][0][:2] == list(error_ends(int(counted.errors.keys[0])))


def test_an_empty_tally_has_figures_too():
    figures = Derivative.empty.figures()
    assert json.loads(json.dumps(figures, allow_nan=False))["samples"] == 0
    assert figures["formulas"] == {} and figures["autograd"] == SeriesTally().figures()


def test_a_tally_stays_small():
    assert (
        bytes_held(run("samples=200000&function=sigmoid&x_from=log-uniform&dtype=float32"))
        < 500_000
    )


# The post's findings, and what the page says of them.


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_autograd_is_the_less_accurate_of_the_two(dtype):
    """Half of 3,000 normal x against three quarters, with room for chance. In float16 x² is subnormal for small x."""
    tally = run(f"samples=3000&dtype={dtype}")
    product, quotient = (tally.formulas[name] for name in ("-(1/x)*(1/x)", "-1/x**2"))
    assert product.equal.total == 3000 and product.correct.total == tally.autograd.correct.total
    assert tally.autograd.correct.total / 3000 == pytest.approx(0.5, abs=0.1)
    assert quotient.correct.total / 3000 == pytest.approx(0.75, abs=0.07)
    assert quotient.equal.total / 3000 == pytest.approx(0.5, abs=0.1)
    assert tally.autograd.worst.largest.value < 2 and quotient.worst.largest.value < (
        64 if dtype == "float16" else 1.5
    )


@pytest.mark.parametrize(
    ("dtype", "begins"), [("float32", 16.6), ("bfloat16", 6.0), ("float16", 8.3), ("float64", 36.7)]
)
def test_where_y_times_1_minus_y_saturates(dtype, begins):
    """y is 1 where 1 + exp(−x) rounds to 1 or, of the 16-bit types, y itself; the derivative there is far from 0."""
    tally = run(f"function=sigmoid&x_from=uniform&samples=4000&dtype={dtype}")
    saturated, accurate = tally.formulas["y*(1-y)"], tally.formulas["sigmoid(x)*sigmoid(-x)"]
    assert begins <= saturated.zero_above.place.x < begins + 0.5
    assert saturated.zero.total > 100 and saturated.worst.largest.value > 2.0 ** (
        oracles.FORMATS[dtype][0] - 5
    )
    assert saturated.zero_below.place is None
    assert accurate.worst.largest.value < 10 and accurate.zero.total <= 40


def test_the_square_is_exact():
    tally = run("function=square&samples=1000")
    assert tally.autograd.correct.total == tally.formulas["x+x"].correct.total == 1000
    assert tally.autograd.worst.largest == Extreme(0.0, Point(0, points(Experiment(), 0)[0].item()))
    assert tally.formulas["((x+1)**2-(x-1)**2)/2"].correct.total < 900


def test_what_is_undecided_is_in_no_share_and_no_mean():
    """At x beyond 710 or so, 3,000 bits do not tell the cosine of exp(x), however wide the ball around it is."""
    experiment = Experiment(f="sin(exp(x))", dtype="float64", x_from="log-uniform", samples=300)
    measured = Derivative(experiment).measure(0, math.inf)
    tally = DerivativeTally.of(measured)
    far = measured.x > 3000
    assert (
        far.sum() > 20
        and measured.reference.undecided[far].all()
        and not measured.reference.exists[far].any()
    )
    assert tally.undecided == tally.samples - tally.exist and tally.outside == 0
    assert (
        tally.autograd.correct.total <= tally.exist
        and tally.autograd.lost.total == tally.autograd.nonfinite == 0
    )
    assert (
        tally.autograd.worst.largest.place.x < 710
        and tally.figures()["undecided"] == tally.undecided
    )


def test_without_a_derivative_no_arithmetic_decides_one():
    experiment = Experiment(f="log(x)", samples=200)
    figures = DerivativeTally.of(Derivative(experiment).measure(0, math.inf)).figures()
    assert 60 < figures["outside"] < 140 and figures["undecided"] == 0
    assert figures["reference"] == {"float64": 0, "certified": 200 - figures["outside"]}


def test_whole_errors_are_whole_and_what_float64_cannot_hold_is_null():
    found = Reference(
        np.ones(3),
        np.array([1e-9, -1e-9, 0.25]),
        np.full(3, -10, np.int32),
        np.arange(3),
        0,
        np.full(3, False),
    )
    assert found.errors(1 + np.array([3.0, 0.0, 1.0]) * 2.0**-10).tolist() == [3, 0, 0.75]
    exact = run("function=relu&dtype=float64&samples=200").autograd
    assert exact.worst.largest.value == exact.mean == 0
    figures = run("f=(1-cos(x))/x**2&dtype=float64&x_from=log-uniform&samples=500").figures()
    assert figures["autograd"]["max_ulps"] is figures["autograd"]["mean_ulps"] is None
    assert figures["autograd"]["ulps"][-1][1] is None and figures["autograd"]["finite"] > 0

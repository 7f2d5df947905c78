"""Two spellings against mpmath: which float is nearest, how far off each is, and where; and two functions."""

import math

import mpmath
import numpy as np
import pytest

from lib.derivative.axis import axis_of
from lib.derivative.different import Witness
from lib.derivative.spelling_sentences import spelling_where
from lib.derivative.spelling_tables import by_range, by_spelling
from lib.derivative.two_spellings import MOST_X, compare
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import sampling
from tests.expressions import in_mpmath, in_torch

CASES = [
    ("log(1+x)", "log1p(x)", "normal", "float32"),
    ("exp(x)-1", "expm1(x)", "uniform", "float64"),
    ("tanh(x)", "(exp(2*x)-1)/(exp(2*x)+1)", "uniform", "float32"),
    ("log(x*x)", "2*log(x)", "normal", "float32"),
    ("sqrt(1+x)-1", "x/(sqrt(1+x)+1)", "log-uniform", "float64"),
]


def off(value: float, exact: mpmath.mpf, precision: int) -> float:
    """How far a float is from the exact value, in spacings of the floats there."""
    smallest = -149 if precision == 24 else -1074
    binade = math.floor(mpmath.log(abs(exact), 2))
    return float(abs(value - exact) / mpmath.mpf(2) ** max(binade + 1 - precision, smallest))


@pytest.mark.parametrize(("f", "g", "x_from", "dtype"), CASES)
def test_the_figures_are_those_of_mpmath(f, g, x_from, dtype):
    experiment = Experiment(f=f, x_from=x_from, dtype=dtype, samples=150)
    found = compare(experiment, g)
    block = sampling.points(experiment, 0)
    x, of_numpy, precision = to_float64(block)[:150], np.dtype(dtype).type, 24 if dtype == "float32" else 53
    floats = {"f": to_float64(in_torch(f, block))[:150], "g": to_float64(in_torch(g, block))[:150]}
    exact = {}
    with mpmath.workdps(1000):  # half of a tiny x is nearly half-way between two subnormals
        for i, at in enumerate(x.tolist()):
            value = in_mpmath(f, mpmath.mpf(at)) if not ("log(1+" in f or "sqrt" in f) or at > -1 else None
            if value is not None:
                exact[i] = value
        errors = {
            name: {i: off(values[i], exact[i], precision) for i in exact if math.isfinite(values[i]) and exact[i]}
            for name, values in floats.items()
        }
        steps = {
            name: {i: [abs(step - exact[i]) for step in around(values[i], of_numpy)] for i in errors[name]}
            for name, values in floats.items()
        }
    assert found.samples == 150 and found.overflow == 0 and found.different is None
    assert found.whole.exist == len(exact)
    assert found.whole.equal == sum(floats["f"][i] == floats["g"][i] for i in exact)
    for name, one in {"f": found.whole.f, "g": found.whole.g}.items():
        assert one.correct == sum(own == min(own, *others) for own, *others in steps[name].values())
        assert one.lost == len(exact) - len(errors[name])
        assert one.mean == pytest.approx(sum(errors[name].values()) / len(errors[name]), rel=1e-6)
        assert one.worst == pytest.approx(max(errors[name].values()), rel=1e-6)
        assert errors[name][x.tolist().index(one.at)] == pytest.approx(one.worst, rel=1e-6)


def around(value: np.float64, of_numpy: type) -> list[float]:
    """A float and its two neighbours."""
    return [value.item(), *(float(np.nextafter(of_numpy(value), of_numpy(end))) for end in (-np.inf, np.inf))]


@pytest.mark.parametrize("function", ["reciprocal", "tanh"])
@pytest.mark.parametrize("x_from", ["normal", "log-uniform"])
def test_the_ranges_share_out_all_x(function, x_from):
    experiment = Experiment(function=function, x_from=x_from, samples=10**6)
    found = compare(experiment, "1/x" if function == "reciprocal" else "tanh(x)")
    assert found.samples == MOST_X and len(found.ranges) <= 8
    assert sum(part.exist for part in found.ranges) == found.whole.exist
    assert sum(part.equal for part in found.ranges) == found.whole.equal == found.whole.exist
    assert sum(part.f.correct for part in found.ranges) == found.whole.f.correct
    assert max(part.f.worst for part in found.ranges if part.f.worst is not None) == found.whole.f.worst
    edges = axis_of(experiment).edges
    assert found.ranges[-1].range.endswith(" on") and edges[-1] > edges[0]


@pytest.mark.parametrize(
    ("f", "g"), [("log(1+x)", "log(x)"), ("x*x", "x**2+1e-30"), ("sqrt(x-9)", "sqrt(x-8)"), ("sin(x)", "x")]
)
def test_two_functions_are_told_apart_by_values(f, g):
    """Also where only the x of the experiment show it: the roots have no value at any x near 0 that is tried."""
    found = compare(Experiment(f=f, samples=50, x_from="uniform"), g).different
    assert isinstance(found, Witness) and found.one != found.other
    with mpmath.workdps(90):
        for text, told in ((f, found.one), (g, found.other)):
            exact = in_mpmath(text, mpmath.mpf(found.x))
            assert abs(mpmath.mpf(told) - exact) <= abs(exact) * mpmath.mpf(10) ** (1 - len(told.strip("-0.")) // 2)


def test_two_functions_are_told_apart_in_a_range_where_only_the_largest_error_leads():
    narrow = "where(x > 0.07, where(x < 0.075, 0, x), x)"
    found = compare(Experiment(f="x"), narrow).different
    assert 0.07 < found.x < 0.075 and found.other == "0"


def test_the_tables_have_what_was_found():
    found = compare(Experiment(f="log(1+x)", samples=400), "log1p(x)")
    both = by_spelling(found, sampling.points(Experiment(), 0).dtype).set_index("spelling")
    assert list(both.index) == ["f", "g"] and both.loc["g", "largest error in floats"] == f"{found.whole.g.worst:.2f}"
    ranges = by_range(found)
    assert ranges["number of x"].tolist() == [f"{part.exist:,}" for part in found.ranges]
    assert by_range(compare(Experiment(f="log(x-99)", samples=20), "x")).empty


@pytest.mark.parametrize(("f", "g", "x_from", "dtype"), CASES)
def test_the_range_where_the_mean_errors_differ_most_is_told(f, g, x_from, dtype):
    found = compare(Experiment(f=f, x_from=x_from, dtype=dtype, samples=150), g)
    means = {part.range: (part.f.mean, part.g.mean) for part in found.ranges}
    apart = {name: abs(one - other) for name, (one, other) in means.items() if one is not None and other is not None}
    assert len(apart) > 1 and f"differ most for {max(apart, key=apart.get)}: f is" in spelling_where(found)


def test_an_undecided_value_is_in_no_share():
    found = compare(Experiment(f="sin(exp(x))", dtype="float64", x_from="log-uniform", samples=200), "sin(exp(x))")
    assert found.undecided > 30 and found.whole.exist == 200 - found.undecided
    assert found.whole.f.lost == found.whole.g.lost == 0 and found.whole.f.correct <= found.whole.exist

"""Single points: the domain's edges, the kinks, the post's tables and its own number."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.derivative.explanation import explain
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.points import SPELLINGS, edges, hundredths, kinks, python_tables, the_posts_x, torch_tables
from lib.derivative.study import Derivative
from lib.derivative.tables import explained
from lib.experiment import functions
from lib.experiment.query import Experiment
from lib.network.sampling import points
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded

INF, NAN = math.inf, math.nan
every_dtype = pytest.mark.parametrize("dtype", EVERY_DTYPE)


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


@every_dtype
@pytest.mark.parametrize("function", functions.FUNCTIONS)
def test_an_edge_is_what_pytorch_gives_there(function, dtype):
    """Of many copies: alone, GELU of the largest float32 is finite, and in a vector register it is infinite."""
    for edge in edges(Experiment(function=function, dtype=dtype)):
        x = torch.full((4096,), edge.x, dtype=getattr(torch, dtype), requires_grad=True)
        y = eval(functions.FUNCTIONS[function].call, {"torch": torch, "x": x})
        y.sum().backward()
        assert same(y[0].item(), edge.f) and same(x.grad[0].item(), edge.computed[AUTOGRAD]), edge.name
        assert list(edge.computed) == [AUTOGRAD, *functions.FUNCTIONS[function].formulas]


def test_edges_of_the_reciprocal_and_of_the_root():
    of = {edge.name: edge for edge in edges(Experiment())}
    assert of["zero"].f == INF and of["negative zero"].f == -INF
    assert of["zero"].nearest is of["infinity"].nearest is of["NaN"].nearest is None
    assert of["zero"].computed[AUTOGRAD] == -INF and math.isnan(of["NaN"].computed["-1/x**2"])
    assert of["smallest subnormal"].x == 2.0**-149 and of["smallest subnormal"].nearest == -INF
    assert of["a negative number"].nearest == -1 and math.copysign(1, of["negative zero"].x) == -1
    root = {edge.name: edge for edge in edges(Experiment(function="sqrt", dtype="float16"))}
    assert math.isnan(root["a negative number"].f) and root["a negative number"].nearest is None
    assert root["zero"].computed[AUTOGRAD] == INF and math.isnan(root["zero"].computed["sqrt(x)/(2*x)"])
    assert root["largest float"].x == 65504 and root["largest float"].nearest == pytest.approx(
        0.5 / 65504**0.5, rel=1e-3
    )


@pytest.mark.parametrize(("function", "x"), [("relu", 0.0), ("reciprocal", -0.0), ("sqrt", -1.0), ("log", 0.0)])
def test_where_no_derivative_exists_none_is_right_or_wrong(function, x):
    explanation = explain(function, x, "float32")
    assert explanation.exact is None and {one.correct for one in explanation.computed.values()} == {None}
    assert set(explained(explanation, torch.float32)["correctly rounded"]) == {"–"}
    assert {one.correct for one in explain(function, 2.0, "float32").computed.values()} <= {True, False}


@every_dtype
def test_kinks_have_other_gradients_in_other_words(dtype):
    found = kinks(Experiment(dtype=dtype))
    assert {function: list(found[function]) for function in found} == {k: list(v) for k, v in SPELLINGS.items()}
    assert found["relu"]["torch.relu(x)"] == 0 and found["relu"]["x.clamp(min=0)"] == 1
    assert found["relu"]["torch.maximum(x, zero)"] == found["relu"]["(x + x.abs()) / 2"] == 0.5
    assert found["abs"]["torch.abs(x)"] == 0 and found["abs"]["torch.where(x >= 0, x, -x)"] == 1
    assert found["abs"]["torch.where(x > 0, x, -x)"] == -1 and math.isnan(found["abs"]["torch.sqrt(x**2)"])


@pytest.mark.parametrize("function", SPELLINGS)
def test_the_spellings_are_the_same_function_and_are_what_they_say(function):
    x = torch.tensor([-2.0, -0.5, 0.0, 3.0, 1e10])
    expected = x.clamp(min=0) if function == "relu" else x.abs()
    for text, f in SPELLINGS[function].items():
        assert torch.equal(f(x), expected), text
        assert torch.equal(eval(text, {"torch": torch, "x": x, "zero": torch.zeros_like(x)}), expected), text


def test_hundredths_are_the_posts():
    rows = hundredths()
    assert [n for n, _, _ in rows] == list(range(101))
    assert rows[29] == (29, 28.999999999999996, False) and 29 / 100 * 100 == 28.999999999999996
    failing = [n for n, _, equal in rows if not equal]
    exact = [n for n in range(101) if rounded(Fraction(rounded(Fraction(n, 100), "float64")) * 100, "float64") != n]
    assert failing == exact == [7, 14, 28, 29, 55, 56, 57, 58]


def test_the_posts_tables_in_python_floats():
    """Each operation rounds the exact result: done here in fractions, but for x**2, which the C library computes."""

    def fl(value: Fraction) -> Fraction:
        return Fraction(rounded(value, "float64"))

    tables = python_tables(Experiment(dtype="bfloat16", x_from="log-uniform", function="tanh", seed=5))
    assert tables == python_tables(Experiment(seed=5)) != python_tables(Experiment(seed=6))
    ((formula, lines),) = tables.formulas.items()
    assert formula == "-1/x**2" and len(lines) == len(tables.round_trip) == 10
    for line, back in zip(lines, tables.round_trip, strict=True):
        x = Fraction(line.x)
        product, quotient = -fl(fl(1 / x) * fl(1 / x)), fl(-1 / Fraction(line.x**2))
        assert line.equal == (product == quotient) and line.error == product - quotient
        assert back.x == line.x and back.error == x - fl(1 / fl(1 / x)) and back.equal == (back.error == 0)
    assert {line.equal for line in lines} == {True, False}


@every_dtype
@pytest.mark.parametrize("function", ["reciprocal", "sqrt", "gelu"])
def test_the_same_tables_in_pytorch(function, dtype):
    experiment = Experiment(function=function, dtype=dtype, samples=10)
    measured = Derivative(experiment).measure(0, float("inf"))
    tables = torch_tables(experiment)
    assert list(tables.formulas) == list(functions.FUNCTIONS[function].formulas)
    for formula, lines in tables.formulas.items():
        assert [line.x for line in lines] == measured.x.tolist() == points(experiment, 0)[:10].tolist()
        by_autograd, by_hand = measured.computed[AUTOGRAD], measured.computed[formula]
        assert [line.equal for line in lines] == (by_autograd == by_hand).tolist()
        np.testing.assert_array_equal([line.error for line in lines], by_autograd - by_hand)
    if measured.back is None:
        assert tables.round_trip == []
    else:
        np.testing.assert_array_equal([line.error for line in tables.round_trip], measured.x - measured.back)


def test_the_posts_own_number_is_one_ulp():
    """It prints -0.9074 twice and the difference 5.9605e-08: of the x where that happens, each is explained."""
    candidates = the_posts_x()
    assert len(candidates) > 50
    for at in candidates[::20]:
        for x in (at, -at):
            a = torch.tensor(x, requires_grad=True)
            loss = 1 / a
            loss.backward()
            by_hand = -1 / (a**2)
            assert str(a.grad) == "tensor(-0.9074)" and str(by_hand.detach()) == "tensor(-0.9074)"
            assert str((a.grad - by_hand).detach()) == "tensor(5.9605e-08)"
        found = explain("reciprocal", at, "float32")
        assert found.ulp == 2.0**-24 == (a.grad - by_hand).item()
        product, quotient = found.computed[AUTOGRAD], found.computed["-1/x**2"]
        assert product.value - quotient.value == found.ulp and product.value == found.computed["-(1/x)*(1/x)"].value
        exact = -1 / Fraction(at) ** 2
        assert found.nearest == rounded(exact, "float32") and float(found.exact) == float(exact)
        for derivative in found.computed.values():
            error = abs(Fraction(derivative.value) - exact) * 2**24
            assert derivative.ulps == pytest.approx(float(error), abs=1e-6)
            assert derivative.correct == (derivative.value == found.nearest)


def test_an_x_without_a_derivative_is_explained_too():
    found = explain("log", -1.0, "float64")
    assert found.exact is found.nearest is found.ulp is None
    assert all(derivative.ulps is None and not derivative.correct for derivative in found.computed.values())
    overflow = explain("reciprocal", 2.0**-100, "float32")
    assert overflow.nearest == -INF and overflow.ulp is None and overflow.computed[AUTOGRAD].correct


@every_dtype
def test_the_worst_x_of_a_run_is_explained_as_it_was_measured(dtype):
    experiment = Experiment(function="gelu", dtype=dtype, samples=300)
    measured = Derivative(experiment).measure(0, float("inf"))
    for name, errors in measured.errors.items():
        i = int(np.nanargmax(errors))
        again = explain("gelu", measured.x[i], dtype).computed[name]
        assert (again.value, again.ulps) == (measured.computed[name][i], errors[i])

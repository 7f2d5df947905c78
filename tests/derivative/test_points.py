"""Single points: the domain's edges, the kinks, the post's tables and its own number."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.derivative.explanation import explain
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.points import POSTS_X, SPELLINGS, edges, kinks
from lib.derivative.study import Derivative
from lib.derivative.tables import explained
from lib.experiment import functions
from lib.experiment.query import Experiment
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


def test_the_posts_own_number_is_one_ulp():
    """It prints -0.9074 twice and the difference 5.9605e-08: so it is for this x, which is explained."""
    for at in [POSTS_X]:
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

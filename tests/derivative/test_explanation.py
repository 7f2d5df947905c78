"""The derivatives at one x: each is on its float, or it is said where it is."""

import math

import mpmath
import pytest

from lib.derivative.drawing import NEAR, at_one_x
from lib.derivative.explanation import POSTS_X, example_x, explain
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.sentences import about_formulas
from lib.derivative.study import Derivative
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests import oracles
from tests.cases import EVERY_DTYPE
from tests.oracles import as_fraction, place_of, rounded


def picture(function: str, x: float, dtype: str = "float32", formula: str = "") -> dict:
    experiment = Experiment(function=function, dtype=dtype)
    formula = formula or FUNCTIONS[function].formulas[0]
    return at_one_x(explain(function, x, dtype), experiment, formula)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_marks_are_where_counting_floats_puts_them(function, dtype):
    """Against the exact derivative of mpmath, and the places of the values by their bits."""
    for x in (0.3, 11.0):
        found = explain(function, x, dtype)
        with mpmath.workprec(400):
            exact = as_fraction(mpmath.mpf(oracles.DERIVATIVES[function](mpmath.mpf(found.x))))
        names = (AUTOGRAD, list(found.computed)[-1])
        if not all(map(math.isfinite, (rounded(exact, dtype), *found.computed.values()))):
            continue
        drawn = at_one_x(found, Experiment(function=function, dtype=dtype), names[1])
        nearest = place_of(rounded(exact, dtype), dtype)
        base = nearest - round(drawn["line"]["exact"])
        for label in drawn["labels"]:
            name = names[label["kind"] == "second"]
            value = found.computed[name]
            place = place_of(value, dtype)
            assert abs(found.steps(name) - abs(place - nearest)) <= 0.5
            assert ("exact" in label["lines"]) == (value == exact)
            assert label["side"] == ("high" if value > exact else "low")
            assert label["at"] == (None if found.steps(name) > NEAR else place - base)


def test_the_posts_example():
    drawn = picture("reciprocal", POSTS_X, formula="-1/x**2")
    by_hand, autograd = drawn["labels"]
    assert drawn["title"] == "The derivative of 1/x at x = 1.0497569"
    assert by_hand["lines"] == ["−1/x²", "off by 0.23 floats"]
    assert autograd["lines"] == ["autograd", "off by 0.77 floats"]
    assert autograd["at"] - by_hand["at"] == 1 and drawn["line"]["exact_text"] == "−0.90744964887…"
    first, second = (int(side["bits"], 2) for side in drawn["bits"]["sides"])
    assert second - first == 1 and drawn["bits"]["sides"][0]["name"] == "autograd"
    assert drawn["bits"]["heading"] == "Both as bits: 1 float apart, 1 of 32 bits different"
    (both,) = picture("reciprocal", POSTS_X, formula="-(1/x)*(1/x)")["labels"]
    assert both["kind"] == "first" and both["lines"][:-1] == ["autograd", "−(1/x)·(1/x)"]


def test_how_far_off_a_value_is():
    """Below a power of two in the floats there; 0 by mistake by all of it."""
    experiment = Experiment(f="x", df="1-2**-24")
    assert explain(experiment.differentiated, 0.5, "float32").told(experiment.df) == (
        "In the drawing, at x = 0.5, autograd is exact, 1−2^−24 off by 1.00 floats."
    )
    assert explain("x*1e-60", 0.5, "float32").off(AUTOGRAD) == "off by less than 0.01 floats"
    zero, near = picture("tanh", 12.0, formula="1/cosh(x)**2")["labels"]
    assert (zero["at"], zero["lines"]) == (None, ["autograd", "off by 100%"])
    assert near["lines"] == ["1/cosh(x)²", "off by 1.50 floats"]


@pytest.mark.parametrize(
    ("function", "x", "formula", "texts", "told"),
    [
        ("sqrt", 0.0, "sqrt(x)/(2*x)", ["∞", "not a number"], "does not exist."),
        ("reciprocal", 2.0**-64, "-x**-2", ["−∞"], "is beyond the largest float32."),
        ("abs(x)", 0.0, "sign(x)", ["0.0"], "is undecided: a branch turns there, or 3,000 bits "),
    ],
)
def test_without_a_finite_derivative_nothing_is_to_scale(function, x, formula, texts, told):
    experiment = Experiment(f=function) if "(" in function else Experiment(function=function)
    drawn = at_one_x(explain(function, x, "float32"), experiment, formula)
    assert drawn["line"] is None and all(label["at"] is None for label in drawn["labels"])
    assert [label["text"] for label in drawn["labels"]] == texts
    assert f"derivative {told}" in drawn["label"]


def test_a_value_that_is_no_float_is_not_said_to_be_one():
    """tanh'(3000) is above 0, and tanh'(1e-200) below 1, by less than any picture could show."""
    for x in (3000.0, 1e-200):
        drawn = picture("tanh", x, "float64")
        assert drawn["line"]["exact_text"].startswith("≈ ") or "…" in drawn["line"]["exact_text"]
        assert not any("exact" in label["lines"] for label in drawn["labels"])


def test_the_example_proves_a_wrong_formula_or_shows_where_both_differ():
    def example(query: str) -> tuple[float, bool]:
        experiment = Experiment.parse(f"samples=300&{query}")
        tally = Stream(Derivative(experiment)).finish()
        formula = FUNCTIONS[experiment.differentiated].formulas[0]
        x = example_x(tally, experiment, formula)
        values = explain(experiment.differentiated, x, experiment.dtype).computed
        return x, values[AUTOGRAD] != values[formula]

    assert example("dtype=float32") == (POSTS_X, True)
    assert example("f=x**2&df=3*x") == (-0.0625, True)
    # At many x at once a processor may use another kernel, and the two differ only there.
    others = [x for x, _ in map(example, ("dtype=float64", "function=tanh"))]
    assert POSTS_X not in others
    assert example_x(Derivative.empty, Experiment(function="log", seed=1), "1/x") > 0


def test_what_is_in_no_figure_is_told():
    texts = []
    for query in ("function=log", "f=where(x-x>0,x,-x)*exp(x)", "x_from=log-uniform"):
        experiment = Experiment.parse(f"samples=50&{query}")
        texts.append(about_formulas(Stream(Derivative(experiment)).finish(), experiment))
    assert "x without a derivative." in texts[0]
    assert "No share counts 50 x where it is undecided" in texts[1]
    assert "x where the derivative overflows." in texts[2] and "No share" not in texts[2]

"""The derivative at one x as a picture: each formula is on its float, or it is said where it is."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch

from lib.derivative.explanation import NEAR, at_one_x, explain
from lib.derivative.formulas import AUTOGRAD, COMPUTED
from lib.experiment.query import Experiment
from lib.floats.line import ordinals
from tests import oracles
from tests.cases import EVERY_DTYPE
from tests.oracles import as_fraction, ulp_exponent


def picture(function: str, x: float, dtype: str = "float32", formula: str = "") -> dict:
    formula = formula or next(iter(COMPUTED[function].formulas))
    return at_one_x(
        explain(function, x, dtype), Experiment(function=function, dtype=dtype), formula
    )


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("function", COMPUTED)
@pytest.mark.parametrize("x", [0.3, 1.7, 11.0])
def test_marks_are_where_counting_floats_puts_them(function, x, dtype):
    """Against the exact derivative of mpmath, and ordinals of the values themselves."""
    explanation = explain(function, x, dtype)
    drawn = at_one_x(
        explanation,
        Experiment(function=function, dtype=dtype),
        next(iter(COMPUTED[function].formulas)),
    )
    with mpmath.workprec(400):
        exact = as_fraction(oracles.DERIVATIVES[function](mpmath.mpf(explanation.x)))
    ulp = Fraction(2) ** ulp_exponent(exact, dtype)
    assert abs(explanation.fraction - exact) < ulp / 2**60
    kind = getattr(torch, dtype)
    places = {}
    for label, (value, ulps) in zip(drawn["labels"], _distinct(explanation), strict=True):
        if label["at"] is None:
            assert not ulps <= NEAR and label["side"] == ("low" if value < exact else "high")
        else:
            assert abs(Fraction(value) - exact) <= NEAR * ulp
            places[label["at"]] = int(ordinals(torch.tensor(value, dtype=torch.float64).to(kind)))
    assert len({place - ordinal for place, ordinal in places.items()}) <= 1
    if not math.isinf(explanation.nearest):
        assert 0 <= drawn["line"]["exact"] < 1


def _distinct(explanation) -> list[tuple[float, float]]:
    found = {
        one.value: np.inf if one.steps is None else one.steps
        for one in explanation.computed.values()
    }
    return sorted(found.items())


def test_below_a_power_of_two_floats_are_counted_as_they_lie_and_none_is_exact_by_rounding():
    experiment = Experiment(f="x", df="1-2**-24")
    explanation = explain(experiment.differentiated, 0.5, "float32")
    assert (explanation.off("autograd"), explanation.off(experiment.df)) == (
        "exact",
        "off by 1.00 floats",
    )
    assert explain("x*1e-60", 0.5, "float32").off("autograd") == "off by less than 0.01 floats"


def test_the_posts_example():
    drawn = picture("reciprocal", 1.0497568845748901, formula="-1/x**2")
    by_hand, autograd = drawn["labels"]
    assert by_hand["kind"] == "second" and by_hand["lines"] == ["−1/x²", "off by 0.23 floats"]
    assert autograd["kind"] == "first"
    assert autograd["lines"] == ["autograd", "off by 0.77 floats"]
    assert autograd["at"] - by_hand["at"] == 1 and drawn["line"]["exact_text"] == "−0.90744964887…"
    bits = [side["bits"] for side in drawn["bits"]["sides"]]
    values = [np.array(int(side, 2), np.uint32).view(np.float32) for side in bits]
    assert (
        values[0] == -((1 / np.float32(1.0497568845748901)) ** 2)
        and values[0] - values[1] == 2.0**-24
    )
    assert drawn["bits"]["heading"] == "Both as bits: 1 float apart, 1 of 32 bits different"


def test_a_formula_that_is_not_compared_has_no_colour():
    kinds = {
        label["kind"]
        for label in picture("reciprocal", 1.0497568845748901, formula="-(1/x)/x")["labels"]
    }
    assert kinds == {"first", "other"}


def test_the_formula_that_is_compared_has_its_name_in_a_label():
    by_hand, autograd = picture("reciprocal", 1.0497568845748901, formula="-x**-2")["labels"]
    assert by_hand["kind"] == "second" and by_hand["lines"][:-1] == ["−x⁻²"]
    both, _ = picture("reciprocal", 1.0497568845748901, formula="-(1/x)/x")["labels"][::-1]
    assert both["kind"] == "first" and both["lines"][:-1] == ["autograd", "−(1/x)/x"]


def test_zero_by_mistake_is_far_below():
    drawn = picture("tanh", 12.0)
    (zero,) = [label for label in drawn["labels"] if label["text"] == "0"]
    assert (zero["at"], zero["side"]) == (None, "low") and zero["lines"][-1] == "off by 100%"
    (near,) = [label for label in drawn["labels"] if label["at"] is not None]
    assert near["lines"] == ["1/cosh(x)²", "off by 1.50 floats"] and near["side"] == "low"


@pytest.mark.parametrize(
    ("function", "x", "texts"),
    [
        ("sqrt", 0.0, ["∞", "not a number"]),
        ("relu", 0.0, ["0.0", "0.5", "not a number"]),
        ("reciprocal", -0.0, ["−∞"]),
        ("log", -1.0, None),
    ],
)
def test_where_no_derivative_exists_nothing_is_to_scale(function, x, texts):
    drawn = picture(function, x)
    assert drawn["line"] is None and all(label["at"] is None for label in drawn["labels"])
    assert texts is None or [label["text"] for label in drawn["labels"]] == texts
    assert AUTOGRAD in {name for label in drawn["labels"] for name in label["lines"]}


def test_a_value_that_is_no_float_is_not_said_to_be_one():
    """tanh'(3000) is above 0, and tanh'(1e-200) below 1, by less than any picture could show."""
    for x in (3000.0, 1e-200):
        drawn = picture("tanh", x, "float64")
        assert drawn["line"]["exact_text"].startswith("≈ ") or "…" in drawn["line"]["exact_text"]
        assert not any("exact" in label["lines"] for label in drawn["labels"])
    (double,) = [label for label in picture("square", 0.3)["labels"] if AUTOGRAD in label["lines"]]
    assert double["lines"][-1] == "exact"

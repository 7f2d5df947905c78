"""What is said of the derivatives is what the tally has."""

import re

import pytest

from lib.derivative.explanation import explain
from lib.derivative.saturation import Search, Stretch, saturation
from lib.derivative.sentences import (
    derivative_conditions,
    derivative_reference,
    explanation_claim,
    saturation_claim,
    saturation_list,
    why_by_hand,
)
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.run.stream import Stream


def finish(query: str) -> tuple[DerivativeTally, Experiment]:
    experiment = Experiment.parse(query)
    return Stream(Derivative(experiment)).finish(), experiment


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_conditions_name_the_function_and_what_autograd_computes(function):
    text = derivative_conditions(Experiment(function=function))
    assert all(" the " not in code for code in re.findall("`(.*?)`", text))  # words are no code
    assert FUNCTIONS[function].call in text and FUNCTIONS[function].autograd in text.replace("`", "")


@pytest.mark.parametrize(
    ("query", "numbers", "words"),
    [
        ("samples=100", ["0", "100"], "(Arb)"),
        ("samples=100&dtype=float64", ["100", "0"], "(Arb)"),
        ("samples=100&function=log", None, "the derivative does not exist"),
        ("samples=3000&dtype=float16", None, "beyond the largest float"),
    ],
)
def test_the_reference_is_said_and_what_is_left_out(query, numbers, words):
    text = derivative_reference(finish(query)[0])
    assert words in text
    assert numbers is None or re.findall(r"at ([\d,]+)", text)[:2] == numbers


def test_saturation_has_its_first_and_last_x():
    experiment = Experiment(function="tanh")
    assert "from x = 9.01084 to 52.6792" in saturation_claim(saturation(experiment), experiment)
    nowhere = Experiment()
    assert saturation_claim(saturation(nowhere), nowhere) == (
        "No x was found in float32 where autograd's derivative of `1/x` is 0 by mistake."
    )


def test_the_posts_x_is_explained():
    text = explanation_claim(explain("reciprocal", 1.0497568845748901, "float32"), Experiment())
    assert "One ulp is 2⁻²⁴ = 5.9605e-08 there." in text and "`1.0497569`" in text and "-0.9074496488708443" in text


@pytest.mark.parametrize(
    ("function", "x", "dtype", "words"),
    [("relu", 0.0, "float32", "does not exist"), ("reciprocal", 1e-4, "float16", "beyond the largest float")],
)
def test_an_x_without_a_derivative_is_explained_too(function, x, dtype, words):
    experiment = Experiment(function=function, dtype=dtype)
    assert words in explanation_claim(explain(function, x, dtype), experiment)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_words_about_a_derivative_are_those_of_its_function(function):
    text = why_by_hand(Experiment(function=function)).markdown
    assert FUNCTIONS[function].call in text
    assert ("tanh rounds to 1" in text) == (function == "tanh")


def test_the_conditions_say_what_y_is_where_the_formula_has_a_y():
    for name, function in FUNCTIONS.items():
        if not function.autograd:
            continue
        has_y = "y" in re.split(r"\W+", function.autograd)
        assert (", where y is f(x)." in derivative_conditions(Experiment(function=name))) == has_y


def test_the_list_of_stretches_says_where_the_search_was_cut_off():
    cut = "and some may lie beyond x = 5, where the search was cut off"
    lines = saturation_list({"a": Search([], []), "b": Search([], [5.0]), "c": Search([Stretch(1.0, 2.0)], [5.0])})
    assert lines.splitlines() == ["- `a`: nowhere", f"- `b`: none was found, {cut}", f"- `c`: from x = 1 to 2, {cut}"]

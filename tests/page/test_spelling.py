"""Another spelling of the function, typed or in the link: what the library finds is shown, and nothing else is read."""

from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from lib.derivative.spelling_sentences import spelling_claim, spelling_conditions, spelling_where
from lib.derivative.spelling_tables import by_range, by_spelling
from lib.derivative.two_spellings import compare
from lib.experiment.query import Experiment
from lib.network import sampling
from tests.page.test_derivative import markdown, visit_derivative
from tests.page.visiting import tick


def visit_spelling(**chosen: str) -> AppTest:
    return visit_derivative(urlencode({"samples": "60", "spelling": "true"} | chosen))


@pytest.mark.parametrize(
    ("chosen", "g"), [({"f": "log(1+x)"}, "log1p(x)"), ({"function": "tanh", "dtype": "bfloat16"}, "2*sigmoid(2*x)-1")]
)
def test_the_spelling_in_the_link_is_compared(chosen, g):
    at = visit_spelling(**chosen, g=g)
    experiment = Experiment(samples=60, **chosen)
    found = compare(experiment, g)
    assert not at.error and not at.exception
    assert f"**{spelling_claim(found)}** {spelling_where(found)}" in markdown(at)
    assert spelling_conditions(found, experiment) in {text.value for text in at.caption}
    tables = [table.value for table in at.table]
    assert any(one.equals(by_range(found)) for one in tables)
    assert any(one.equals(by_spelling(found, sampling.points(experiment, 0).dtype)) for one in tables)


def test_a_spelling_is_typed_and_one_of_another_function_is_told_apart():
    at = visit_spelling(f="log(1+x)")
    assert at.text_input(key="g").value == "" and not at.table and not at.error
    at.text_input(key="g").set_value("log(x)")
    at = tick(at)
    assert any("f and g are two functions: at x = " in text for text in markdown(at)) and not at.table
    at.text_input(key="g").set_value("log1p(x)")
    assert any(" is correctly rounded for " in text for text in markdown(tick(at)))


@pytest.mark.parametrize("g", ["().__class__", "![a](//b.cc)", "x" * 4000, "9**9**9", "lambda x: x", "\uff58", "y"])
def test_what_is_no_expression_gets_one_sentence(g):
    at = visit_spelling(g=g)
    (fault,) = at.error
    assert "g = " in fault.value and "is not allowed" in fault.value and len(fault.value) < 400
    assert not at.table and at.title


def test_nothing_is_computed_while_the_section_is_closed():
    at = visit_derivative(urlencode({"samples": "10", "g": "log1p(x)"}))
    assert not [one for one in at.text_input if one.key == "g"] and not at.table

"""Why, and what to do: what is said fits what was chosen, and links to PyTorch's documentation."""

import re
from dataclasses import replace

import numpy as np
import pytest

from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.verdict import VerdictTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.run.tally import Histogram
from lib.takeaway.why_sentences import (
    reading,
    why_apart,
    why_by_hand,
    why_print_more,
    why_remedies,
    why_right,
    why_the_sum,
    why_there,
)
from tests.cases import EVERY_METHOD

POST = Experiment()
ALL = [
    why_apart(POST),
    why_right(VerdictTally(), POST),
    why_there(POST),
    why_remedies(POST),
    why_the_sum(POST),
    why_by_hand(POST),
    why_print_more(),
]


@pytest.mark.parametrize("why", ALL)
def test_every_why_says_what_to_do_and_links_to_the_documentation(why):
    links = re.findall(r"\]\((https://docs\.pytorch\.org/docs/stable/[\w./#]+\.html[\w.#]*)\)", why.markdown)
    assert len(links) == len(why.api) >= 1
    assert "**What to do:**" in why.markdown


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_with_one_output_no_rows_are_said_to_be_added(method):
    assert "rows are added last" not in why_apart(Experiment(outputs=1, method=method)).why


def test_equal_components_are_not_explained_by_an_error():
    equal = DiscrepancyTally(ulps=Histogram.of(np.zeros(5, int)), arrived=Histogram.of(np.array([0])))
    assert reading(equal, replace(POST, outputs=1)) == (
        "Every difference is zero, so every cell is in the grey row at the bottom."
    )
    different = DiscrepancyTally(ulps=Histogram.of(np.array([0, 1])), arrived=Histogram.of(np.array([0])))
    assert "a line of slope one" in reading(different, POST) and reading(DiscrepancyTally(), POST) == ""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_words_about_a_derivative_are_those_of_its_function(function):
    text = why_by_hand(Experiment(function=function)).markdown
    assert FUNCTIONS[function].call in text
    assert ("tanh rounds to 1" in text) == (function == "tanh")


def test_four_decimals_are_printed():
    assert "PyTorch prints four decimals" in why_print_more().why

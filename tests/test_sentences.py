"""Figures as sentences: never rounded to none or all, in one sentence, honest about what is missing."""

import re

import numpy as np
import pytest

from lib.experiment import Experiment, QueryError
from lib.quantities import at_most, percent
from lib.sentences import claim, conditions, finiteness, progress, refusal
from lib.stream import Stream
from lib.studies.discrepancy import Discrepancy, DiscrepancyTally
from lib.tally import Histogram
from tests.cases import EVERY_METHOD


def test_progress_says_rate_and_time_left_while_it_is_going_on():
    assert progress(0, 2000, "samples", 0, False) == "0 of 2,000 samples · starting"
    assert progress(500, 2000, "samples", 250, False) == "500 of 2,000 samples · 250 samples/s · 6 s left"
    assert progress(500, 2000, "samples", 250, True) == "500 of 2,000 samples · paused"
    assert progress(2000, 2000, "turns", 250, False) == "2,000 of 2,000 turns"


def test_the_claim_has_the_figures_of_the_tally():
    experiment = Experiment(samples=200)
    tally = Stream(Discrepancy(experiment)).finish()
    text = claim(tally, experiment)
    assert percent(1000 - tally.equal, 1000) in text and at_most(tally.max_abs.value) in text and "1,000" in text


def test_the_claim_of_the_control_is_that_all_bits_are_the_same():
    experiment = Experiment(samples=20, outputs=1)
    assert "the same bits in all 100 " in claim(Stream(Discrepancy(experiment)).finish(), experiment)


def test_the_claim_of_nothing_is_no_figure():
    assert "on their way" in claim(DiscrepancyTally(), Experiment())
    overflowed = DiscrepancyTally(arrived_nonfinite=Histogram.of(np.zeros(5, int)), arrived=Histogram.of(np.array([0])))
    assert "no finite" in claim(overflowed, Experiment())


def test_components_that_are_not_finite_are_said():
    assert finiteness(DiscrepancyTally(arrived_nonfinite=Histogram.of(np.zeros(3, int)))).startswith(
        "3 of 3 components are infinite or NaN"
    )


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_the_conditions_name_the_evaluation_the_dtype_and_the_device(method):
    text = conditions(Experiment(method=method, evaluation="batched", dtype="bfloat16"))
    assert "batched" in text and "bfloat16" in text and "CPU" in text


@pytest.mark.parametrize("value", ["[a](//b.cc)", "`", "a``b`", "![p](//e.cc/f)", "**x**", "", "x" * 500])
def test_what_a_link_sent_is_shown_as_code(value):
    with pytest.raises(QueryError) as caught:
        Experiment.from_pairs([("dtype", value)])
    head, fence, rest = re.fullmatch(r"(dtype = )(`+) (.*)", refusal(caught.value)).groups()
    shown, tail = rest.split(f" {fence} ")
    assert shown == caught.value.shown and fence not in shown and tail.startswith("is not allowed")

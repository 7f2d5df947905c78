"""The head of the page is short, its figure is the tally's, and its example is true in the dtype that it names."""

import re

import numpy as np
import pytest
import torch

from lib.discrepancy.head_sentences import WHEN_YOU_ADD, headline, why_in_short
from lib.discrepancy.study import DiscrepancyTally
from lib.display.quantities import percent
from lib.run.tally import Histogram
from tests.cases import EVERY_DTYPE
from tests.states import FOUND, Found, experiments

MOST_WORDS = 40
LONGEST_CLAIM = 90  # characters


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_example_is_true_in_every_dtype(dtype):
    """Each number is rounded to the dtype, and so is the result of each operation: PyTorch itself is asked."""
    numbers = re.sub(r"[\d.]+", lambda found: f"torch.tensor({found[0]}, dtype=torch.{dtype})", WHEN_YOU_ADD)
    assert numbers.count("tensor") == 7
    assert bool(eval(numbers, {"torch": torch})) is True  # noqa: S307
    equal = numbers.replace("!=", "==")
    assert bool(eval(equal, {"torch": torch})) is False  # noqa: S307


def words(text: str) -> int:
    return sum(any(map(str.isalnum, part)) for part in text.split())


def test_the_head_is_short_in_every_state():
    long = Found(equal=1, different=10**6, nonfinite=1), Found(equal=10**9, nonfinite=1)
    found = {number: state.tally() for number, state in enumerate((*FOUND.values(), *long))}
    for experiment in experiments():
        line = why_in_short(experiment)
        for tally in found.values():
            claim = headline(tally, experiment)
            assert len(claim) <= LONGEST_CLAIM and words(f"{claim} {line}") <= MOST_WORDS, (claim, line)


def test_the_claim_has_the_share_of_the_tally():
    experiment = next(iter(experiments()))
    tally = FOUND["apart"].tally()
    assert percent(tally.finite - tally.equal, tally.finite) in headline(tally, experiment)


def test_a_single_component_is_not_many():
    tally = DiscrepancyTally(
        ulps=Histogram.of(np.zeros(1, int)), arrived=Histogram.of(np.zeros(1, int)), arrived_equal=Histogram()
    )
    assert "the only component is equal" in headline(tally, next(iter(experiments())))

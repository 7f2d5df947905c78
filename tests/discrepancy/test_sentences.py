"""What the contract of sentences cannot hold: that the example is true, and that the head is short."""

import re

import pytest
import torch

from lib.discrepancy.sentences import HEADLINE, REASON, WHEN_YOU_ADD, facts
from lib.floats.sentences import said
from tests.cases import EVERY_DTYPE
from tests.discrepancy.contract import states


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_example_is_true_in_every_dtype(dtype):
    """Each number is rounded to the dtype, and so is the result of each operation: PyTorch itself is asked."""
    numbers = re.sub(r"[\d.]+", lambda found: f"torch.tensor({found[0]}, dtype=torch.{dtype})", WHEN_YOU_ADD)
    assert numbers.count("tensor") == 7
    assert bool(eval(numbers, {"torch": torch})) is True  # noqa: S307


def test_before_the_picture_are_at_most_forty_words():
    for state in states():
        found = facts(state.found.tally(), state.experiment)
        text = f"{said(HEADLINE, found)} {said(REASON, found)}"
        assert sum(any(map(str.isalnum, word)) for word in text.split()) <= 40

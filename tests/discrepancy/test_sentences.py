"""What the contract of sentences cannot hold: that the example is true."""

import re

import pytest
import torch

from lib.discrepancy.sentences import WHEN_YOU_ADD
from tests.cases import EVERY_DTYPE


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_example_is_true_in_every_dtype(dtype):
    """Each number is rounded to the dtype, and so is the result of each operation: PyTorch itself
    is asked."""
    numbers = re.sub(
        r"[\d.]+", lambda found: f"torch.tensor({found[0]}, dtype=torch.{dtype})", WHEN_YOU_ADD
    )
    assert numbers.count("tensor") == 7
    assert bool(eval(numbers, {"torch": torch})) is True  # noqa: S307

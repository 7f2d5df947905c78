"""The small example against NumPy's float32, and its inequality in every dtype."""

import re
from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.discrepancy.sentences import WHEN_YOU_ADD
from lib.discrepancy.small_example import small_example
from tests.cases import EVERY_DTYPE

THREE, TENTH, OTHER = np.float32(3), np.float32(0.1), np.float32(0.7)
ADDED, SMALL, LARGE = TENTH + OTHER, THREE * TENTH, THREE * OTHER
FIRST, SECOND = THREE * ADDED, SMALL + LARGE


def exact(number: np.float32) -> Fraction:
    return Fraction(float(number))


STEPS = [
    (exact(TENTH) + exact(OTHER), ADDED),
    (3 * exact(ADDED), FIRST),
    (3 * exact(TENTH), SMALL),
    (3 * exact(OTHER), LARGE),
    (exact(SMALL) + exact(LARGE), SECOND),
]


def test_each_operation_lands_where_numpy_rounds_it():
    example = small_example()
    for step, (number, rounded) in zip(example["steps"], STEPS, strict=True):
        assert np.float32(step["value"]) == rounded
        moved = float((exact(rounded) - number) / exact(np.spacing(rounded)))
        assert step["at"] - step["start"] == pytest.approx(moved, abs=1e-12)
        assert step["moved"].replace("−", "-") == f"{moved:+.2f} of a float"
    assert np.nextafter(SECOND, FIRST) == FIRST != SECOND
    at = {step["kind"]: step["at"] for step in example["steps"] if step["ruler"] == 3}
    assert at["first"] - at["second"] == 1
    off = float((exact(SECOND) - 3 * STEPS[0][0]) / exact(np.spacing(SECOND)))
    assert at["second"] - example["exact"] == pytest.approx(off, abs=1e-12)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_inequality_is_true_in_every_dtype(dtype):
    """Each number is rounded to the dtype, and so is the result of each operation: PyTorch itself
    is asked."""
    number = rf"torch.tensor(\g<0>, dtype=torch.{dtype})"
    assert eval(re.sub(r"[\d.]+", number, WHEN_YOU_ADD), {"torch": torch})  # noqa: S307

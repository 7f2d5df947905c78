"""The small example against NumPy's float32, and its inequality in every dtype."""

import re

import numpy as np
import pytest
import torch

from lib.discrepancy.sentences import WHEN_YOU_ADD
from lib.discrepancy.small_example import small_example
from tests.cases import every_dtype


def test_each_operation_lands_where_numpy_rounds_it():
    """In float64 these sums and products are exact."""
    three, tenth, other = np.array([3, 0.1, 0.7], np.float32)
    example = small_example()
    places = []
    for step, (operation, *numbers) in zip(
        example["steps"],
        [
            (np.add, tenth, other),
            (np.multiply, three, tenth + other),
            (np.multiply, three, tenth),
            (np.multiply, three, other),
            (np.add, three * tenth, three * other),
        ],
        strict=True,
    ):
        rounded = operation(*numbers)
        moved = (rounded - operation(*map(np.float64, numbers))) / np.spacing(rounded)
        assert np.float32(step["value"]) == rounded
        assert step["at"] - step["start"] == pytest.approx(moved, abs=1e-12)
        assert step["moved"].replace("−", "-") == f"{moved:+.2f} of a float"
        places.append(step["at"])
    assert np.nextafter(rounded, three) == three * (tenth + other)
    assert places[1] - places[4] == 1
    off = (rounded - 3 * (np.float64(tenth) + other)) / np.spacing(rounded)
    assert places[4] - example["exact"] == pytest.approx(off, abs=1e-12)


@every_dtype
def test_the_inequality_is_true_in_every_dtype(dtype):
    """Each number is rounded to the dtype, and so is the result of each operation: PyTorch itself
    is asked."""
    number = rf"torch.tensor(\g<0>, dtype=torch.{dtype})"
    assert eval(re.sub(r"[\d.]+", number, WHEN_YOU_ADD), {"torch": torch})  # noqa: S307

"""The shape of a Jacobian, as torch gives it."""

import pytest
import torch
from torch.autograd.functional import jacobian

from lib.paste.shapes import BATCH, of_shape

X = torch.rand(4, 2)


def f(x):
    return torch.stack([x.sum(-1), x.prod(-1), x[..., 0]], -1)


def test_the_jacobian_of_a_batch_is_told_by_its_shape_and_the_calls_give_what_was_wanted():
    size = jacobian(f, X).shape
    found = of_shape(str(size))
    assert found.sentence.startswith("A Jacobian of 4 × 3 × 4 × 2 may be that of a whole batch of 4 samples: 3 outputs")
    names = {"torch": torch, "f": f, "X": X}
    shapes = []
    for line in found.fix.splitlines()[::2]:
        exec(line, names)
        shapes.append(names["J"].shape)
    assert found.fix == BATCH and shapes == [(4, 3, 2), (3, 4, 2)]


@pytest.mark.parametrize(
    "shape, words",
    [
        ((3, 2), "a row per output, 3, and a column per input, 2."),
        ((4, 3, 2), "of a batch"),
        ((5,), "shape of the input alone"),
    ],
)
def test_other_shapes(shape, words):
    found = of_shape(str(torch.Size(shape)))
    assert words in found.sentence and found.sentence.endswith(".") and not found.fix


@pytest.mark.parametrize(
    "text", ["", "[[1, 2]]", "torch.Size([4, 3]) 5", "torch.Size([" + "1, " * 10**5, "Size(" * 999]
)
def test_anything_else_is_no_shape(text):
    assert of_shape(text) is None

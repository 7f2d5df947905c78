"""The shape of a Jacobian, as torch gives it."""

import numpy as np
import pytest
import torch
from torch.autograd.functional import jacobian

from lib.paste.fingerprint import BATCH, findings
from lib.paste.matrix import parse
from lib.paste.shapes import of_part, of_shape, without_gaps

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
        (
            (4, 3, 2),
            "may be of 4 samples: (batch, outputs, inputs), as from vmap(jacrev(f))(X); of 3 samples: (outputs, ",
        ),
        ((4, 3, 2), "; of a function of 3 × 2 matrices; or of a function that gives 4 × 3 matrices."),
        ((4, 3, 5, 2), "may be that of a function from matrices of 5 × 2 to matrices of 4 × 3"),
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


def test_a_transposed_shape_is_told_where_the_numbers_are_known():
    assert of_shape("torch.Size([5, 2])", 2, 5).fix == "J = J.mT"
    assert of_shape("torch.Size([2, 5])", 2, 5).name == "fits" and "row per output, 2" in (
        of_shape("torch.Size([2, 5])", 2, 5).sentence
    )
    assert of_shape("torch.Size([2, 5])", 3, 5).sentence.startswith("Neither 2 × 5 nor its transpose")
    assert "transposed" not in of_shape("torch.Size([3, 3])", 3, 3).sentence


def printed(by, values):
    """A large matrix as torch or NumPy prints it by default, which leaves out its middle."""
    text = str(torch.tensor(values)) if by == "torch" else repr(values) if by == "repr" else str(values)
    assert "..." in text
    return text


@pytest.mark.parametrize("by", ["torch", "repr", "str"])
def test_of_an_elided_matrix_only_what_stands_there_is_judged(by):
    rows = np.random.default_rng(5).random((60, 50))
    same, with_nan, upper = rows[[0] * 60], rows.copy(), np.triu(rows)
    with_nan[0, 0] = np.nan
    for values, name in ((rows, "part"), (same, "sum"), (with_nan, "nan rows"), (upper, "part")):
        there, is_part = without_gaps(printed(by, values))
        (found,) = of_part(findings(parse(there)))
        assert is_part and found.name == name and found.sentence[0].isupper()
    assert parse(there).shape == (6, 6)


@pytest.mark.parametrize(
    "text, known, words",
    [
        (">>> J.shape\ntorch.Size([3, 2])", (), "a row per output, 3,"),
        ("size: torch.Size([2,3])", (), "a row per output, 2,"),
        ("(4, 2, 4, 3)", (), "whole batch of 4 samples"),
        ("E   torch.Size([4, 2, 4, 3])", (2, 3), "whole batch of 4 samples"),
        ("torch.Size([2, 3, 2, 3])", (6, 6), "is that of a function from matrices of 2 × 3 to matrices of 2 × 3"),
        ("torch.Size([4, 2, 3, 5])", (8, 15), "from matrices of 3 × 5 to matrices of 4 × 2"),
        ("torch.Size([4, 2, 4, 3])", (7, 9), "have no place in 4 × 2 × 4 × 3"),
        ("torch.Size([4, 2, 3])", (2, 3), "of 4 samples: (batch, outputs, inputs)"),
        ("torch.Size([2, 4, 3])", (2, 3), "of 4 samples: (outputs, batch, inputs)"),
        ("torch.Size([4, 2, 3])", (9, 9), "have no place in 4 × 2 × 3"),
        ("torch.Size([4, 2, 3])", (4, 6), "is of a function of 2 × 3 matrices."),
        ("torch.Size([4, 2, 3])", (8, 3), "is of a function that gives 4 × 2 matrices."),
        ("torch.Size([1, 2, 3])", (2, None), "may be of 1 sample: (batch, outputs, inputs)"),
        ("torch.Size([99999999999999999999, 3])", (), "99999999999999999999 × 3"),
    ],
)
def test_a_shape_is_read_as_it_is_printed_and_held_against_what_is_known(text, known, words):
    found = of_shape(text, *known)
    assert words in found.sentence and found.name == ("shape" if "no place" in words else "fits")


def test_zeros_are_told_of_in_what_stands_there():
    there, _ = without_gaps(str(torch.zeros(100, 100)))
    (found,) = of_part(findings(parse(there)))
    assert found.name == "zeros" and found.sentence.startswith("In what stands there, all numbers are zero")


def test_equal_sums_in_one_row_are_recognised():
    x = torch.tensor(1.0, requires_grad=True)
    y = [x, 2 * x, 3 * x]
    sums = torch.stack(torch.autograd.grad(y, [x] * 3))
    found = findings(parse(str(sums)))
    assert [one.name for one in found] == ["sum", "one row"] and found[0].sentence.startswith("All 3 numbers")
    assert [one.name for one in findings(parse("tensor([1., 2., 3.])"))] == ["one row"]


def test_a_matrix_in_a_failed_test_is_read_whole():
    rows = parse("E   tensor([[1., 2.],\nE           [1., 2.]])")
    assert rows.shape == (2, 2)


def test_nothing_is_left_out_of_a_whole_matrix_or_of_what_was_typed():
    for text in ("[[1, 2], [3, 4]]", ">>> for i in range(2):\n...     f(i)\ntensor([[1.]])", "[1...2]", "a[...]"):
        assert without_gaps(text) == (text, False)

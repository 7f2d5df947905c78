"""Every attempt against a closed form."""

from dataclasses import replace
from math import inf, nan

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.fixes import ATTEMPTS, attempts, is_close, with_results
from tests.cases import SHAPES
from tests.oracles import exact_jacobian

GIVES = {
    "one call, the same x repeated": "✗ the sum in each row",
    "copies of the outputs": "✗ the sum in each row",
    "copies of the input, made after the forward pass": "✗ an error",
}


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape.outputs > 1])
def test_an_attempt_gives_what_its_comment_says(shape):
    experiment = replace(shape, dtype="float64")
    x = sampling.block(experiment, 0)[0]
    rows = torch.from_numpy(exact_jacobian(network.build(experiment), x))
    expected = {"✓ the rows": rows, "✗ the sum in each row": rows.sum(0).expand_as(rows)}
    matrices = attempts(experiment)
    texts = with_results(matrices).split("\n\n")
    for (attempt, matrix), text in zip(matrices.items(), texts, strict=True):
        gives = GIVES.get(attempt, "✓ the rows")
        assert text == f"# {attempt}: {gives}\n{ATTEMPTS[attempt]}"
        if gives in expected:
            torch.testing.assert_close(matrix, expected[gives], rtol=0, atol=1e-14)
        else:
            assert matrix is None


@pytest.mark.parametrize(
    "row, close",
    # the root of eps, 3.5e-4, of the largest entry is 1.4e-3
    [
        ([1.0 + 1.3e-3, -4.0 + 1.3e-3, -1.3e-3, nan, inf], True),
        ([1.0, -4.0, 1.5e-3, nan, inf], False),
        ([1.0, -4.0, 0.0, 0.0, inf], False),
    ],
)
def test_a_matrix_is_right_up_to_the_root_of_eps(row, close):
    jacobian = torch.tensor([[1.0, -4.0, 0.0, nan, inf]]) * 2.0**-90
    assert is_close(torch.tensor([row]) * 2.0**-90, jacobian, jacobian.abs()) == close


def test_a_few_subnormal_units_are_rounding():
    jacobian = torch.tensor([[0.0, 0.0], [12.0, 6.0]]).half() * 2.0**-24
    computed = torch.tensor([[11.0, 5.0], [11.0, 5.0]]).half() * 2.0**-24
    assert is_close(computed, jacobian.sum(0).expand(2, 2), jacobian.sum(0))
    assert not is_close(computed, jacobian, jacobian)


def test_rows_of_a_flipped_relu_are_not_their_sum():
    """In this state `jacrev` adds a bias in a separate operation, and a ReLU is on by rounding."""
    matrices = attempts(Experiment(dtype="bfloat16", seed=38))
    jacobian = matrices["torch.func.jacrev"]
    assert not (jacobian == jacobian[0]).all()
    text = with_results(matrices)
    assert "# torch.func.jacrev: ? neither the rows to compare with nor their sum\n" in text
    assert text.count("✗ the sum in each row") == 2 and text.count("✓ the rows") == 4


def test_rows_that_are_nearly_their_sum_tell_nothing():
    rows = torch.tensor([[1.0, -1.0], [3.0, -1.0], [-2.0, 1.0]]).half() * 2.0**-24
    call = rows.sum(0).expand_as(rows)
    for matrix in (rows, call):
        assert "? the rows or their sum" in with_results(dict.fromkeys(ATTEMPTS, matrix))

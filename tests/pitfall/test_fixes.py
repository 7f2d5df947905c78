"""Every attempt against a closed form, with its passes as one can count them."""

from dataclasses import replace

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.fixes import attempts, fix_rows, is_close, try_all
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import exact_jacobian

INF = float("inf")
NAN = float("nan")
WRONG = ["one call, inputs repeated: the pitfall", "copies of the outputs"]
REFUSED = "copies of the input, made after the forward pass"


@pytest.mark.parametrize(
    "shape", [shape for shape in SHAPES if shape.outputs > 1], ids=lambda e: e.query or "post"
)
def test_an_attempt_gives_the_rows_or_their_sum_as_the_table_says(shape):
    experiment = replace(shape, dtype="float64")
    x = sampling.block(experiment, 0)[0]
    expected = torch.from_numpy(exact_jacobian(network.build(experiment), x))
    outcomes = attempts(experiment)
    for outcome, gives in zip(outcomes, fix_rows(outcomes)["gives"], strict=True):
        if outcome.attempt == REFUSED:
            assert gives == "✗ an error" and outcome.matrix is None
            continue
        wrong = outcome.attempt in WRONG
        rows = expected.sum(0).expand_as(expected) if wrong else expected
        torch.testing.assert_close(outcome.matrix, rows, rtol=0, atol=1e-14)
        assert gives == ("✗ the sum in each row" if wrong else "✓ the rows")


def test_passes_are_counted():
    table = fix_rows(attempts(Experiment(outputs=3))).set_index("attempt")
    assert table["forward passes"].tolist() == ["1"] * 4 + ["1, of 3 copies"] + ["1"] * 3
    assert table["backward passes"].tolist() == ["3", "1", "1", "0", "1", "3", "1", "1"]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_letters_tell_equal_bits(dtype):
    outcomes = attempts(Experiment(dtype=dtype, hidden=(40, 40), outputs=9, seed=1))
    letters = fix_rows(outcomes)["values"].tolist()
    assert letters[0] == "A" and sorted({*letters} - {"–"}) == list(
        "ABCDEFGH"[: len({*letters}) - 1]
    )
    for letter, outcome in zip(letters, outcomes, strict=True):
        assert (letter == "–") == (outcome.matrix is None)
        for other_letter, other in zip(letters, outcomes, strict=True):
            if outcome.matrix is not None and other.matrix is not None:
                assert (letter == other_letter) == torch.equal(outcome.matrix, other.matrix)


def test_matrices_of_nan_are_alike_and_no_hook_stays():
    net = network.build(Experiment(dtype="float16", output_activation="identity"))
    net[2].weight.data.fill_(65_504)
    outcomes = try_all(net, torch.full((5,), 60_000.0, dtype=torch.float16))
    assert not torch.isfinite(outcomes[0].matrix).all()
    table = fix_rows(outcomes).set_index("attempt")
    assert table.loc["one call per row", ["gives", "values"]].tolist() == ["✓ the rows", "A"]
    assert not net._forward_hooks


@pytest.mark.parametrize("scale", [1.0, 2.0**-90, 2.0**90])
@pytest.mark.parametrize(
    ("row", "close"),
    [  # the root of eps, 3.5e-4, of the largest entry is 1.4e-3
        ([1.0, -4.0, 0.0, NAN, INF], True),
        ([1.0 + 1.3e-3, -4.0 + 1.3e-3, -1.3e-3, NAN, INF], True),
        ([1.0 + 1.5e-3, -4.0, 0.0, NAN, INF], False),
        ([1.0, -4.0, 1.5e-3, NAN, INF], False),
        ([1.0, -4.0, 0.0, 0.0, INF], False),
        ([1.0, NAN, 0.0, NAN, INF], False),
        ([1.0, -4.0, 0.0, NAN, -INF], False),
    ],
)
def test_a_matrix_is_right_up_to_the_root_of_eps_of_the_largest_entry(row, close, scale):
    jacobian = torch.tensor([[1.0, -4.0, 0.0, NAN, INF]]) * scale
    assert is_close(torch.tensor([row]) * scale, jacobian) == close

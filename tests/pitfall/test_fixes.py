"""Every attempt against a closed form, with its passes as one can count them."""

import pytest
import torch
from torch import nn

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall import fixes
from lib.pitfall.fixes import _close, fix_rows, try_all
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import closed_form_jacobian

INF, NAN = float("inf"), float("nan")
WRONG = {"one call, inputs repeated: the pitfall", "copies of the outputs"}
REFUSED = "copies of the input, made after the forward pass"


def outcomes(experiment: Experiment) -> dict[str, fixes.Outcome]:
    tried = try_all(network.build(experiment), sampling.block(experiment, 0)[0].clone())
    return {outcome.attempt: outcome for outcome in tried}


@pytest.mark.parametrize(
    "shape", [shape for shape in SHAPES if shape.outputs > 1], ids=lambda e: e.query or "post"
)
def test_the_fixes_are_right_and_the_others_are_not(shape):
    experiment = Experiment(**shape.to_dict() | {"dtype": "float64"})
    x = sampling.block(experiment, 0)[0]
    expected = torch.from_numpy(
        closed_form_jacobian(network.build(experiment), experiment.activations, x)
    )
    for name, outcome in outcomes(experiment).items():
        assert outcome.right == (name not in WRONG | {REFUSED})
        if outcome.right:
            torch.testing.assert_close(outcome.matrix, expected, rtol=0, atol=1e-14)
        elif name in WRONG:
            summed = expected.sum(0).expand_as(expected)
            torch.testing.assert_close(outcome.matrix, summed, rtol=0, atol=1e-14)


@pytest.mark.parametrize("outputs", [2, 5])
def test_passes_are_counted(outputs):
    one, all_rows = 1, outputs
    expected = {
        "functional.jacobian, to compare with": (one, one, all_rows),
        "one call, inputs repeated: the pitfall": (one, one, one),
        "copies of the outputs": (one, one, one),
        "copies of the input, made after the forward pass": (one, one, 0),
        "copies of the input, made before the forward pass": (one, outputs, one),
        "one call per row": (one, one, all_rows),
        "one call, cotangents as a batch": (one, one, one),
        "torch.func.jacrev": (one, one, one),
    }
    counted = {
        name: (len(outcome.points), sum(outcome.points), outcome.backward_passes)
        for name, outcome in outcomes(Experiment(outputs=outputs)).items()
    }
    assert counted == expected


def test_copies_made_too_late_are_refused_by_pytorch():
    outcome = outcomes(Experiment())[REFUSED]
    assert outcome.matrix is None and not outcome.bits and not outcome.right


def test_with_one_output_the_pitfall_is_right():
    tried = outcomes(Experiment(outputs=1))
    assert all(outcome.right for name, outcome in tried.items() if name != REFUSED)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_letters_tell_equal_bits(dtype):
    tried = list(outcomes(Experiment(dtype=dtype, hidden=(40, 40), outputs=9, seed=1)).values())
    matrices = [(outcome.bits, outcome.matrix) for outcome in tried if outcome.matrix is not None]
    assert matrices[0][0] == "A" and {letter for letter, _ in matrices} >= {"A", "B"}
    for letter, matrix in matrices:
        for other_letter, other in matrices:
            assert (letter == other_letter) == torch.equal(matrix, other)


def test_matrices_of_nan_are_alike():
    experiment = Experiment(dtype="float16", output_activation="identity")
    net = network.build(experiment)
    net[2].weight.data.fill_(65_504)
    tried = try_all(net, torch.full((5,), 60_000.0, dtype=torch.float16))
    assert not torch.isfinite(tried[0].matrix).all()
    assert tried[0].right and [one.bits for one in tried if one.attempt == "one call per row"] == [
        tried[0].bits
    ] == ["A"]


@pytest.mark.parametrize("scale", [1.0, 2.0**-90, 2.0**90])
@pytest.mark.parametrize(
    ("matrix", "close"),
    [
        ([[1.0, -4.0], [0.0, NAN]], True),
        (
            [[1.0, -4.0], [1e-6, NAN]],
            True,
        ),  # 2.9e-4 of the largest entry, the root of eps, is 1.4e-3
        ([[1.0 + 1.3e-3, -4.0 + 1.3e-3], [-1.3e-3, NAN]], True),
        ([[1.0 + 1.5e-3, -4.0], [0.0, NAN]], False),
        ([[1.0, -4.0 - 1.5e-3], [0.0, NAN]], False),
        ([[1.0, -4.0], [1.5e-3, NAN]], False),
        ([[1.0, -4.0], [0.0, 0.0]], False),
        ([[1.0, NAN], [0.0, NAN]], False),
        ([[1.0, INF], [0.0, NAN]], False),
    ],
)
def test_a_matrix_is_right_up_to_the_root_of_eps_of_the_largest_entry(matrix, close, scale):
    jacobian = torch.tensor([[1.0, -4.0], [0.0, NAN]]) * scale
    assert _close(torch.tensor(matrix) * scale, jacobian) == close


def test_next_to_an_infinite_entry_the_finite_ones_still_count():
    jacobian = torch.tensor([[INF, 1.0], [-INF, 2.0]])
    assert _close(jacobian, jacobian) and _close(jacobian + 1e-5, jacobian)
    assert not _close(torch.tensor([[INF, 1.1], [-INF, 2.0]]), jacobian)
    assert not _close(torch.tensor([[INF, 1.0], [INF, 2.0]]), jacobian)


def test_the_hooks_are_gone_afterwards():
    net = network.build(Experiment())
    try_all(net, torch.ones(5))
    assert not any(
        module._forward_hooks for module in net.modules() if isinstance(module, nn.Module)
    )


def test_the_fixes_as_a_table():
    experiment = Experiment(outputs=3)
    outcomes = try_all(network.build(experiment), sampling.block(experiment, 0)[0].clone())
    table = fix_rows(outcomes).set_index("attempt")
    assert table.loc["one call, inputs repeated: the pitfall", "gives"] == "✗ the sum in each row"
    assert table.loc["copies of the input, made after the forward pass"].tolist() == [
        "✗ an error",
        "–",
        "1",
        "0",
    ]
    assert (
        table.loc["copies of the input, made before the forward pass", "forward passes"]
        == "1, of 3 copies"
    )
    assert table.loc["one call per row", "backward passes"] == "3"
    assert (table["gives"] == "✓ the rows").sum() == 5

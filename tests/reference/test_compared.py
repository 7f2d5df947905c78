"""Comparisons over consecutive samples, against plain calls of torch."""

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, Comparison, Subject, Way, alone, by, in_batches
from lib.reference.compared import Comparisons, Variant
from tests.cases import EVERY_DTYPE

NEVER = float("inf")


def gradient(net: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    leaf = x.clone().requires_grad_()
    y = net(leaf)
    y.backward(torch.ones_like(y))
    return leaf.grad


@pytest.mark.parametrize("size", [2, 16, 64])
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_sample_alone_against_the_same_sample_as_a_row_of_a_batch(size, dtype):
    """A comparison whose sides see more than one x, held against loops over samples and over
    batches."""
    row = Comparison("alone and in a batch", alone(BACKWARD), in_batches(BACKWARD, size))
    experiment = Experiment(
        inputs=64, hidden=(64,), outputs=16, dtype=dtype, samples=200, evaluation="batched"
    )
    gradients = Comparisons(Variant(experiment, {"batch": row})).measure(0, NEVER).under("batch")
    net, block = network.build(experiment), sampling.block(experiment, 0)
    assert len(gradients) == 200 <= len(block)
    by_one = torch.stack([gradient(net, x) for x in block[:200]])
    by_batch = torch.cat(
        [gradient(net, block[start : start + size]) for start in range(0, 200, size)]
    )[:200]
    assert gradients.first.equal(by_one) and gradients.second.equal(by_batch)
    batch = Way(
        "the size of its batch",
        lambda subject, x: torch.full_like(x, 1 if x.dim() == 1 else len(x)),
    )
    for way, expected in ((alone(batch), 1), (in_batches(batch, size), size)):
        assert way(Subject(experiment, net), block[:128]).eq(expected).all()


def test_comparisons_share_the_ways_that_they_have_in_common():
    calls = []

    def counted(subject: Subject, x: torch.Tensor) -> torch.Tensor:
        calls.append(x.shape)
        return BACKWARD(subject, x)

    shared = Way("counted", counted)
    comparisons = {
        method: Comparison(method, shared, by(method)) for method in ("rows", "jacrev", "copies")
    }
    for evaluation, expected in (("batched", [(8192, 5)]), ("per-sample", [(5,)] * 7)):
        calls.clear()
        Comparisons(Variant(Experiment(samples=7, evaluation=evaluation), comparisons)).measure(
            0, NEVER
        )
        assert calls == expected

"""The study of batches against a plain loop of PyTorch."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import inf, nan

import pytest
import torch
from torch import Tensor, nn

from lib.batch.arrangements import block, block_size
from lib.batch.study import PIECE, Batch, BatchedSamples, BatchTally
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.jacobians import METHODS
from lib.reference.arb_gradient import ArbNetwork
from lib.run.stream import Stream

SIZES = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]
QUANTITIES = ("output", "gradient")
# With a network for each block, a block has 256 samples and not 8,192: it is the whole piece.
SMALL = Experiment(
    inputs=3, hidden=(5,), outputs=2, activation="gelu", samples=70, networks="each-block"
)
# Its rows depend on their places, in batches of 3 at least.
WIDE = Experiment(inputs=64, hidden=(256,), outputs=16, samples=50, networks="each-block")

Compute = Callable[[nn.Module, Tensor], Tensor]


def by_backward(net: nn.Module, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    y = net(x)
    y.backward(torch.ones_like(y))
    return torch.cat([y.detach(), x.grad], -1)


def by_rows(net: nn.Module, x: Tensor) -> Tensor:
    return torch.cat([net(x), METHODS["rows"](net, x).sum(-2)], -1)


@pytest.mark.parametrize(
    ("experiment", "compute"),
    [
        (WIDE, by_backward),
        (replace(SMALL, dtype="bfloat16", gradient="method", method="rows"), by_rows),
    ],
    ids=["wide", "rows"],
)
def test_the_shares_are_those_of_a_plain_loop(experiment, compute):
    """How many components are equal alone and in batches of each size, and how far apart.

    Under a condition: in batches without and with it.
    """
    figures = Stream(Batch(experiment)).finish().figures()
    net = network.build(experiment)
    samples = block(experiment, 0)
    count = experiment.samples
    alone = torch.stack([compute(net, x.clone()) for x in samples[:count]])
    assert figures["samples"] == count < block_size(experiment)
    assert [row["batch"] for row in figures["sizes"]] == SIZES
    for row in figures["sizes"]:
        size = row["batch"]
        batches = samples[: -(-count // size) * size].split(size)
        usual = torch.cat([compute(net, batch.clone()) for batch in batches])[:count]
        rolled = [compute(net, batch.roll(1, 0)).roll(-1, 0) for batch in batches]
        conditions = {"slice": torch.cat([compute(net, batch) for batch in batches])[:count]}
        if size > 1:
            conditions["place"] = torch.cat(rolled)[:count]
        for quantity, part in (
            ("output", slice(experiment.outputs)),
            ("gradient", slice(experiment.outputs, None)),
        ):
            first, second = alone[:, part], usual[:, part]
            shares = row[quantity]
            assert shares["components"] == first.numel() and shares["nonfinite"] == 0
            assert shares["equal"] == (first == second).sum().item()
            assert shares["max_abs"] == (first.double() - second.double()).abs().max().item()
            for name, changed in conditions.items():
                equal = (second == changed[:, part]).sum().item()
                assert row["conditions"][name][quantity]["equal"] == equal


def test_what_is_left_over_at_the_end_of_a_block_is_not_compared():
    """Blocks of 256 samples, so one is left over by batches of 3; all others divide them."""
    tally = Stream(Batch(replace(SMALL, samples=256))).finish()
    for size in SIZES:
        assert tally.pair("output", size).components == 2 * (256 - (size == 3))
        some = min(max(96, 2 * size), 256)
        assert tally.pair("output", size, "slice").components == 2 * some


def test_a_piece_is_measured_at_once_and_cut_at_the_end():
    experiment = replace(SMALL, samples=PIECE + 40, networks="one")
    measured = Batch(experiment).measure(PIECE + 13, 0.0)
    piece = block(experiment, 0)[PIECE : PIECE + 256].clone()
    assert torch.equal(measured.x, piece[13:40])
    batch = by_backward(network.build(experiment), piece)
    assert torch.equal(measured.given[256, ""], batch[13:40])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_closer_is_who_is_nearer_to_the_exact_value(dtype):
    experiment = replace(
        SMALL, dtype=dtype, samples=40, activation="relu", output_activation="tanh"
    )
    measured = Batch(experiment).measure(0, inf)
    balls = ArbNetwork(network.build(experiment), experiment)
    tally = BatchTally.of(measured)
    for quantity, exact in (("output", balls.outputs), ("gradient", balls.gradient)):
        counts: Counter[str] = Counter()
        pair = measured.judged[quantity, 4]
        rows = zip(pair.x.tolist(), *(side.tolist() for side in pair.values), strict=True)
        for x, alone, batch in rows:
            for ball, first, second in zip(exact(x), alone, batch, strict=True):
                nearer = "alone" if abs(ball - first) < abs(ball - second) else "batch"
                counts["tie" if first == second else nearer] += 1
        closer = tally.figures()["sizes"][SIZES.index(4)][quantity]["closer"]
        assert Counter(closer) == counts


def test_what_is_no_number_on_both_sides_does_not_change():
    alone = torch.tensor([[nan, nan, inf, inf, 1.0, 0.0]] * 2)
    batch = torch.tensor([[nan, 1.0, inf, -inf, 1.5, -0.0]] * 2)
    given = {(2, ""): batch, (2, "place"): alone.flip(1)}
    tally = BatchTally.of(BatchedSamples(0, 0, 2, torch.zeros(2, 3), 2, alone, given))
    pairs = [tally.pair(quantity, 2) for quantity in QUANTITIES]
    assert [(p.apart, p.components, p.nonfinite) for p in pairs] == [(2, 4, 4), (4, 8, 4)]
    assert [tally.pair(quantity, 2, "place").apart for quantity in QUANTITIES] == [2, 6]
    assert tally.figures()["sizes"][-1]["output"]["components"] == 0

"""The study of batches against a plain loop of PyTorch."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from lib.batch.arrangements import block, block_size, of_size
from lib.batch.study import PIECE, Batch, BatchedSamples, BatchTally
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.jacobians import METHODS
from lib.reference.arb_gradient import ArbNetwork
from lib.run.stream import Stream
from tests.oracles import backward

INF = float("inf")
NAN = float("nan")
SIZES = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]
QUANTITIES = ("output", "gradient")
# With a network for each block, a block has 256 samples and not 8,192: it is the whole piece.
SMALL = Experiment(
    inputs=3, hidden=(5,), outputs=2, activation="gelu", samples=70, networks="each-block"
)
WIDE = Experiment(inputs=64, hidden=(256,), outputs=16, samples=50, networks="each-block")

Compute = Callable[[nn.Module, Tensor], Tensor]


def finish(experiment: Experiment) -> BatchTally:
    return Stream(Batch(experiment)).finish()


def by_backward(net: nn.Module, x: Tensor) -> Tensor:
    return torch.cat([net(x.clone()), backward(net, x)], -1)


def by_rows(net: nn.Module, x: Tensor) -> Tensor:
    return torch.cat([net(x.clone()), METHODS["rows"](net, x.clone()).sum(-2)], -1)


@pytest.mark.parametrize(
    ("experiment", "compute"),
    [
        (WIDE, by_backward),
        (replace(SMALL, dtype="bfloat16"), by_backward),
        (replace(SMALL, gradient="method", method="rows"), by_rows),
    ],
    ids=["wide", "bfloat16", "rows"],
)
def test_the_shares_are_those_of_a_plain_loop(experiment, compute):
    """How many components are equal alone and in batches of each size, and how far apart."""
    tally = finish(experiment)
    net = network.build(experiment)
    samples = block(experiment, 0)
    count = experiment.samples
    alone = torch.stack([compute(net, x) for x in samples[:count]])
    figures = tally.figures()
    assert figures["samples"] == count < block_size(experiment)
    assert [of_size["batch"] for of_size in figures["sizes"]] == SIZES
    for of_batch in figures["sizes"]:
        size = of_batch["batch"]
        batches = samples[: -(-count // size) * size].split(size)
        rows = torch.cat([compute(net, batch) for batch in batches])[:count]
        parts = (slice(experiment.outputs), slice(experiment.outputs, None))
        for quantity, part in zip(QUANTITIES, parts, strict=True):
            first = alone[:, part]
            second = rows[:, part]
            found = of_batch[quantity]
            assert found["components"] == first.numel() and found["nonfinite"] == 0
            assert found["equal"] == (first == second).sum().item()
            assert found["max_abs"] == (first.double() - second.double()).abs().max().item()


@pytest.mark.parametrize("samples", [256, 300])
def test_what_is_left_over_at_the_end_of_a_block_is_not_compared(samples):
    """Blocks of 256 samples, so one is left over by batches of 3; all others divide them."""
    experiment = replace(SMALL, samples=samples)
    assert block_size(experiment) == 256
    tally = finish(experiment)
    for size in SIZES:
        assert tally.pair("output", size).components == 2 * (samples - (size == 3))


def test_a_piece_is_measured_at_once_and_cut_at_the_end():
    study = Batch(replace(SMALL, samples=PIECE + 40, networks="one"))
    second = study.measure(PIECE, 0.0)
    within = study.measure(PIECE + 13, 0.0)
    assert (len(second), len(within)) == (40, 27)
    for size in SIZES:
        assert torch.equal(within.given[size, ""], second.given[size, ""][13:])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_closer_is_who_is_nearer_to_the_exact_value(dtype):
    experiment = replace(
        SMALL, dtype=dtype, samples=40, activation="relu", output_activation="tanh"
    )
    measured = Batch(experiment).measure(0, INF)
    balls = ArbNetwork(network.build(experiment), experiment)
    exact = {"output": balls.outputs, "gradient": balls.gradient}
    figures = {of_size["batch"]: of_size for of_size in BatchTally.of(measured).figures()["sizes"]}
    assert len(measured.judged) == 2 * len(SIZES)
    for (quantity, size), pair in measured.judged.items():
        if size not in (1, 4, 256):
            continue
        counts: Counter[str] = Counter()
        rows = zip(pair.x.tolist(), *(side.tolist() for side in pair.values), strict=True)
        for x, alone, batch in rows:
            for ball, first, second in zip(exact[quantity](x), alone, batch, strict=True):
                nearer = "alone" if abs(ball - first) < abs(ball - second) else "batch"
                counts["tie" if first == second else nearer] += 1
        closer = figures[size][quantity]["closer"]
        assert {side: count for side, count in closer.items() if count} == counts


def test_outputs_stay_within_their_bound():
    output = finish(replace(WIDE, samples=30)).figures()["sizes"][-1]["output"]
    assert 0 < output["max_units"] < output["bound_units"]
    assert output["equal"] < output["components"] and output["over_bound"] == 0


def test_conditions_are_counted_against_the_batch_as_it_was():
    """The rows of WIDE depend on their places, in batches of 3 at least."""
    net = network.build(WIDE)
    samples = block(WIDE, 0)
    tally = finish(replace(WIDE, samples=96))
    for size in (1, 2, 3, 16):
        batches = samples[: 96 // size * size].split(size)
        plain = torch.cat([by_backward(net, batch) for batch in batches])
        moved = [by_backward(net, batch.roll(1, 0)).roll(-1, 0) for batch in batches]
        sliced = [uncopied(net, batch) for batch in batches]
        for condition, rows in (("place", moved), ("slice", sliced)):
            if condition in of_size(size):
                equal = plain == torch.cat(rows)
                for quantity, part in zip(QUANTITIES, (equal[:, :16], equal[:, 16:]), strict=True):
                    pair = tally.pair(quantity, size, condition)
                    assert (pair.components, pair.equal) == (part.numel(), part.sum().item())


def uncopied(net: nn.Module, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    y = net(x)
    y.backward(torch.ones_like(y))
    return torch.cat([y.detach(), x.grad], -1)


def test_every_condition_is_measured_on_96_samples_or_two_batches():
    for of_batch in finish(replace(SMALL, samples=600, networks="one")).figures()["sizes"]:
        size = of_batch["batch"]
        assert list(of_batch["conditions"]) == of_size(size)
        for counts in of_batch["conditions"].values():
            assert counts["output"]["components"] == 2 * max(96, 2 * size)


def test_what_is_no_number_on_both_sides_does_not_change():
    alone = torch.tensor([[NAN, NAN, INF, INF, 1.0, 0.0]] * 2)
    batch = torch.tensor([[NAN, 1.0, INF, -INF, 1.5, -0.0]] * 2)
    given = {(2, ""): batch, (2, "place"): alone.flip(1)}
    tally = BatchTally.of(BatchedSamples(0, 0, 2, torch.zeros(2, 3), 2, alone, given))
    pairs = [tally.pair(quantity, 2) for quantity in QUANTITIES]
    assert [(p.apart, p.components, p.nonfinite) for p in pairs] == [(2, 4, 4), (4, 8, 4)]
    assert [tally.pair(quantity, 2, "place").apart for quantity in QUANTITIES] == [2, 6]
    assert tally.changes(2, "place") and not tally.changes(2, "slice")
    assert tally.figures()["sizes"][-1]["output"]["components"] == 0

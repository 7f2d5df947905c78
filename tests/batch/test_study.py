"""The study of batches against a plain loop of PyTorch, and what must hold of it however it is run."""

from collections import Counter
from dataclasses import replace

import pytest
import torch
from torch import nn

from lib.batch.arrangements import CONDITIONS, SIZES, block, block_size, of_size
from lib.batch.study import PIECE, Batch, BatchedSamples, BatchTally
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import METHODS
from lib.reference.arb_gradient import ArbNetwork
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE
from tests.oracles import backward

NAN, INF = float("nan"), float("inf")
SMALL = Experiment(inputs=3, hidden=(5,), outputs=2, activation="gelu", samples=PIECE + 40)
WIDE = Experiment(inputs=64, hidden=(256,), outputs=16, samples=200)


def found(experiment: Experiment) -> BatchTally:
    return Stream(Batch(experiment)).finish()


def outputs_and_gradient(net: nn.Module, x: torch.Tensor) -> dict[str, torch.Tensor]:
    return {"output": net(x.clone()), "gradient": backward(net, x)}


def in_batches_of(n: int, experiment: Experiment, compute) -> dict[str, torch.Tensor]:
    """The samples of one block in batches: only whole batches, and no sample beyond the last one."""
    samples = block(experiment, 0)
    rows = [
        compute(samples[i : i + n])
        for i in range(0, len(samples) - n + 1, n)
        if i < experiment.samples
    ]
    return {name: torch.cat([row[name] for row in rows])[: experiment.samples] for name in rows[0]}


def check_shares(tally: BatchTally, experiment: Experiment, alone, together) -> None:
    """Of one block: how many components are equal alone and in batches of each size, and how far apart they are."""
    figures = tally.figures()
    assert figures["samples"] == experiment.samples <= block_size(experiment)
    ones = [alone(x) for x in block(experiment, 0)[: experiment.samples]]
    assert [size["batch"] for size in figures["sizes"]] == [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]
    for size in figures["sizes"]:
        many = in_batches_of(size["batch"], experiment, together)
        for name, rows in many.items():
            one = torch.stack([one[name] for one in ones])[: len(rows)]
            assert size[name]["components"] == rows.numel()
            assert size[name]["equal"] == (one == rows).sum().item()
            assert size[name]["max_abs"] == (one.double() - rows.double()).abs().max().item()
            assert size[name]["nonfinite"] == 0


@pytest.mark.parametrize(
    "experiment",
    [replace([SMALL, WIDE][i % 2], dtype=dtype) for i, dtype in enumerate(EVERY_DTYPE)],
    ids=lambda e: e.query,
)
def test_the_shares_are_those_of_a_plain_loop(experiment):
    net = network.build(experiment)
    check_shares(found(experiment), experiment, *[lambda x: outputs_and_gradient(net, x)] * 2)


@pytest.mark.parametrize("method", ["rows", "finite-difference"])
def test_the_gradient_may_be_that_of_a_method(method):
    experiment = replace(SMALL, gradient="method", method=method, samples=70)
    net = network.build(experiment)

    def by_method(x: torch.Tensor) -> dict[str, torch.Tensor]:
        options = {"step": None} if method == "finite-difference" else {}
        return {
            "output": net(x.clone()),
            "gradient": METHODS[method](net, x.clone(), **options).sum(-2),
        }

    measured = Batch(experiment).measure(0, 0.0)
    check_shares(BatchTally.of(measured), experiment, by_method, by_method)
    assert torch.equal(measured.alone[0, 2:], by_method(measured.x[0])["gradient"])


@pytest.mark.parametrize("networks", ["one", "each-block"])
@pytest.mark.parametrize("hidden", [(10,), (256,) * 3])
def test_a_block_has_the_samples_of_the_other_studies_and_room_for_the_largest_batch(
    networks, hidden
):
    experiment = Experiment(networks=networks, hidden=hidden, inputs=3, evaluation="batched")
    size = block_size(experiment)
    assert size % 256 == 0 and size == max(256, sampling.block_size(experiment))
    drawn = torch.cat([block(experiment, number) for number in (0, 1)])
    theirs = range(len(drawn) // sampling.block_size(experiment))
    assert torch.equal(drawn, torch.cat([sampling.block(experiment, number) for number in theirs]))


@pytest.mark.parametrize("samples", [256, 511])
def test_what_is_left_over_at_the_end_of_a_block_is_not_compared(samples):
    """Blocks of 256 samples, so one is left over by batches of 3; all others divide them."""
    experiment = replace(SMALL, networks="each-block", samples=samples)
    assert block_size(experiment) == 256
    tally = found(experiment)
    left_over = samples // 256
    for size in SIZES:
        assert tally.at("output", size).components == 2 * (
            samples - (left_over if size == 3 else 0)
        )


def test_a_piece_is_measured_at_once_and_cut_at_the_end():
    study = Batch(SMALL)
    first, second = study.measure(0, 0.0), study.measure(PIECE, 0.0)
    assert (len(first), len(second)) == (PIECE, 40)
    assert all(len(first.given[size, ""]) == PIECE for size in SIZES)
    within = study.measure(PIECE + 13, 0.0)
    assert len(within) == 27
    for size in SIZES:
        assert torch.equal(within.given[size, ""], second.given[size, ""][13:])


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_closer_is_who_is_nearer_to_the_exact_value(dtype):
    experiment = replace(
        SMALL, dtype=dtype, samples=60, activation="relu", output_activation="tanh"
    )
    measured = Batch(experiment).measure(0, float("inf"))
    balls = ArbNetwork(network.build(experiment), experiment)
    exact = {"output": balls.outputs, "gradient": balls.gradient}
    tally = found(experiment)
    assert len(measured.judged) == 2 * len(SIZES)
    for (quantity, size), pair in measured.judged.items():
        counts = Counter()
        rows = zip(pair.x.tolist(), *(side.tolist() for side in pair.values), strict=True)
        for x, one, many in rows:
            for ball, *sides in zip(exact[quantity](x), one, many, strict=True):
                errors = [abs(ball - side) for side in sides]
                counts[
                    "tie" if sides[0] == sides[1] else "alone" if errors[0] < errors[1] else "batch"
                ] += 1
        closer = next(s for s in tally.figures()["sizes"] if s["batch"] == size)[quantity]["closer"]
        assert {side: count for side, count in closer.items() if count} == counts


LINEAR = replace(WIDE, activation="identity", output_activation="identity")
BOUNDED = [
    *((SMALL, False), (LINEAR, True), (replace(LINEAR, method="jacrev"), True)),
    *((replace(LINEAR, gradient="method"), False), (replace(LINEAR, activation="relu"), False)),
]


@pytest.mark.parametrize(
    ("experiment", "bounded"), BOUNDED, ids=lambda value: getattr(value, "query", value)
)
def test_gradients_have_a_bound_only_where_no_slope_depends_on_what_was_saved(experiment, bounded):
    """Outputs always have one. What has a bound stays within it."""
    at = found(replace(experiment, samples=60)).figures()["sizes"][-1]
    assert (at["gradient"]["bound_units"] is not None) == bounded and at["output"]["bound_units"]
    for one in (at["output"], at["gradient"]):
        assert (one["max_units"] > 0) == (one["equal"] < one["components"]) and one[
            "over_bound"
        ] == 0
        assert one["bound_units"] is None or one["max_units"] < one["bound_units"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_conditions_are_counted_against_the_batch_as_it_was(dtype):
    """The rows of WIDE depend on their places, in batches of 3 at least; a plain loop counts the same."""
    experiment = replace(WIDE, dtype=dtype, samples=96)
    net, samples = network.build(experiment), block(experiment, 0)
    tally = found(experiment)
    for size in (1, 2, 3, 16):
        batches = samples[: 96 // size * size].split(size)
        plain = [outputs_and_gradient(net, batch) for batch in batches]
        moved = [outputs_and_gradient(net, batch.roll(1, 0)) for batch in batches]
        sliced = [uncopied(net, batch) for batch in batches]
        by_vmap = [torch.vmap(net)(batch.clone()) for batch in batches[: max(24, 2 * size) // size]]
        for name, condition, rows in (
            *(
                (name, "place", [row[name].roll(-1, 0) for row in moved])
                for name in plain[0]
                if size > 1
            ),
            *((name, "slice", [row[name] for row in sliced]) for name in plain[0]),
            ("output", "vmap", by_vmap),
        ):
            pairs = list(zip([row[name] for row in plain], rows, strict=False))
            figures = tally.at(name, size, condition)
            assert figures.components == sum(row.numel() for row in rows)
            assert figures.equal == sum((a == b).sum().item() for a, b in pairs)


def test_by_vmap_the_gradient_of_a_method_is_not_measured():
    tally = found(replace(SMALL, gradient="method", samples=32))
    assert (
        tally.at("output", 16, "vmap").components == 0 < tally.at("output", 16, "slice").components
    )


def uncopied(net: nn.Module, x: torch.Tensor) -> dict[str, torch.Tensor]:
    x = x.detach().requires_grad_()
    y = net(x)
    y.backward(torch.ones_like(y))
    return {"output": y.detach(), "gradient": x.grad}


def test_what_is_no_number_on_both_sides_does_not_change():
    one, other = (
        torch.tensor([[NAN, NAN, INF, INF, 1.0, 0.0]] * 2),
        torch.tensor([[NAN, 1.0, INF, -INF, 1.5, -0.0]] * 2),
    )
    measured = BatchedSamples(
        0, 0, 2, torch.zeros(2, 3), 2, one, {(2, ""): other, (2, "place"): one.flip(1)}
    )
    tally = BatchTally.of(measured)
    counted = [tally.at(quantity, 2) for quantity in ("output", "gradient")]
    assert [(one.apart, one.components, one.nonfinite) for one in counted] == [(2, 4, 4), (4, 8, 4)]
    assert [tally.at(quantity, 2, "place").apart for quantity in ("output", "gradient")] == [2, 6]
    assert tally.at("output", 64).apart == tally.at("output", 2, "slice").apart == 0


def test_every_condition_is_measured_at_every_size_where_it_may_matter():
    varied = found(replace(SMALL, samples=600)).figures()["sizes"]
    assert [list(size["conditions"]) for size in varied] == [
        ["slice", "vmap"],
        *[list(CONDITIONS)] * 9,
    ]
    for size in varied:
        for condition in of_size(size["batch"]):
            first = max(24 if condition == "vmap" else 96, 2 * size["batch"])
            assert size["conditions"][condition]["output"]["components"] == 2 * first


def test_an_empty_tally_has_figures_too():
    figures = BatchTally().figures()
    assert figures["samples"] == 0 and {
        size["output"]["components"] for size in figures["sizes"]
    } == {0}

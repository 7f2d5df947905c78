"""The random samples: the same points whatever else is chosen, and as random as they claim to be."""

import math
from statistics import NormalDist
from threading import Thread

import numpy as np
import pytest
import torch

from lib.experiment.choices import DISTRIBUTIONS, DTYPES, EVALUATIONS, MATMULS, X_FROM
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.line import binade, to_float64
from lib.network.sampling import POINTS, block, block_size, draw, points
from tests.cases import EVERY_DTYPE, EXPERIMENTS
from tests.oracles import spacing

COSTLY = [
    *(
        Experiment(inputs=64, hidden=(256,) * 6, outputs=8),
        Experiment(inputs=5, hidden=(218, 216), outputs=64),
    ),
    *(Experiment(inputs=64, hidden=(), outputs=64), Experiment(inputs=1, hidden=(), outputs=1)),
    *(
        Experiment(inputs=784, hidden=(128,), outputs=10),
        Experiment(inputs=64, hidden=(3, 250), outputs=2),
    ),
]
"""The cost of the second is the bound; the fourth is the cheapest network; the last two are dear in forward mode."""

every_distribution = pytest.mark.parametrize("distribution", DISTRIBUTIONS)
every_shape = pytest.mark.parametrize(
    "experiment", [*EXPERIMENTS, *COSTLY], ids=lambda experiment: experiment.query
)


def but(experiment, **fields):
    return Experiment(**experiment.to_dict() | fields)


@every_distribution
def test_a_block_is_a_function_of_the_experiment_and_its_number(distribution):
    """Whatever was drawn before, in whatever order, and in whatever thread."""
    experiment = Experiment(distribution=distribution)
    numbers = [0, 1, 2, 1000, 2**30 - 1]
    blocks = {number: block(experiment, number) for number in numbers}
    again = {}
    torch.rand(7)
    thread = Thread(
        target=lambda: again.update(
            {number: block(experiment, number) for number in reversed(numbers)}
        )
    )
    thread.start()
    thread.join()
    assert all(torch.equal(blocks[number], again[number]) for number in numbers)


def test_drawing_leaves_the_global_generator_alone_and_does_not_depend_on_it():
    state = torch.get_rng_state()
    samples = block(Experiment(), 3)
    assert torch.equal(torch.get_rng_state(), state)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        assert torch.equal(block(Experiment(), 3), samples)


@every_shape
def test_a_block_is_the_largest_power_of_two_within_the_bounds(experiment):
    e = but(experiment, evaluation="per-sample")
    size, costs = (
        block_size(e),
        ((e.cost, 2**25), (e.parameters * e.inputs, 2**31), (e.inputs * e.outputs, 2**20)),
    )
    bounds = [(1, 8192), *costs, (e.inputs * max(e.widths), 2**25)]
    assert size.bit_count() == 1 and all(size * one <= most for one, most in bounds)
    assert any(2 * size * one > most for one, most in bounds)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize(
    ("drawn", "field", "value"),
    [
        *((block, "distribution", distribution) for distribution in DISTRIBUTIONS),
        *((points, "x_from", x_from) for x_from in ("normal", "uniform")),
    ],
)
def test_every_dtype_has_the_same_points_rounded_once(drawn, field, value, dtype):
    """No float of the dtype is nearer to the float64 sample: rounding twice would leave one beyond half a step."""
    for number in range(4):
        exact, rounded = (
            drawn(Experiment(**{field: value, "dtype": name}), number)
            for name in ("float64", dtype)
        )
        assert np.all(np.abs(to_float64(rounded) - to_float64(exact)) <= spacing(rounded) / 2)


@every_shape
def test_a_block_is_the_largest_power_of_two_that_is_cheap_enough(experiment):
    size, inputs, widths = block_size(experiment), experiment.inputs, experiment.widths
    of_one = [
        (experiment.parameters * experiment.outputs, 2**25),
        (experiment.parameters * inputs, 2**31),
        (inputs * experiment.outputs, 2**20),
        (inputs * max(widths), 2**25),
    ]
    assert size.bit_count() == 1 and 1 <= size <= 8192
    assert all(size * cost <= most for cost, most in of_one)
    assert size == 8192 or any(2 * size * cost > most for cost, most in of_one)
    samples = block(experiment, 1)
    assert samples.shape == (size, inputs) and samples.dtype == getattr(torch, experiment.dtype)
    assert not samples.requires_grad


@every_shape
def test_the_size_of_a_block_depends_on_the_shape_of_the_network_alone_and_its_samples_on_little_more(
    experiment,
):
    for field, values in (
        *(
            ("dtype", DTYPES),
            ("device", ["cpu", "mps"]),
            ("method", METHODS),
            ("evaluation", EVALUATIONS),
        ),
        *(
            ("matmul", MATMULS),
            ("distribution", DISTRIBUTIONS),
            ("samples", [1, 10**9]),
            ("seed", [1, 2**31 - 1]),
        ),
        *(("activation", ["identity", "gelu"]), ("output_activation", ["identity", "softmax"])),
    ):
        others = [but(experiment, **{field: value}) for value in values]
        assert {block_size(other) for other in others} == {block_size(experiment)}
        if field not in ("dtype", "device", "distribution", "seed"):
            assert all(torch.equal(block(other, 2), block(experiment, 2)) for other in others), (
                field
            )


@every_shape
def test_a_card_takes_more_samples_at_once_and_has_the_same_ones(experiment):
    there = but(experiment, device="cuda", evaluation="batched")
    size = block_size(there)
    assert size == 16 * block_size(experiment) and size.bit_count() == 1
    assert size * experiment.inputs * experiment.outputs * 8 <= 2**27
    for number in (0, 3):
        samples = draw(there, number)
        assert samples.shape == (size, experiment.inputs)
        here = [block(experiment, 16 * number + place) for place in range(16)]
        assert torch.equal(samples, torch.cat(here))


@pytest.mark.parametrize(
    "fields", [{"evaluation": "per-sample"}, {"evaluation": "batched", "networks": "each-block"}]
)
def test_a_card_takes_no_more_where_that_would_not_fill_it_or_make_other_networks(fields):
    here, there = (Experiment(device=device, **fields) for device in ("cpu", "cuda"))
    assert block_size(there) == block_size(here)
    assert torch.equal(draw(there, 5), block(here, 5))


MOMENTS = {
    "uniform": lambda k: 1 / (k + 1),
    "normal": lambda k: math.prod(range(1, k, 2)) if k % 2 == 0 else 0,
}
"""The mean of the k-th powers."""


@every_distribution
def test_samples_have_the_moments_of_their_distribution(distribution):
    """Within 6 standard errors: right samples fail one of the 40 comparisons with a probability of about 1e-7."""
    experiment = Experiment(distribution=distribution, dtype="float64")
    x = np.concatenate([to_float64(block(experiment, number)) for number in range(8)])
    moment = MOMENTS[distribution]
    for k in (1, 2, 3, 4):
        error = math.sqrt((moment(2 * k) - moment(k) ** 2) / len(x))
        assert np.all(np.abs((x**k).mean(0) - moment(k)) < 6 * error)


# The x of the derivative study.

every_origin = pytest.mark.parametrize("x_from", X_FROM)


@every_origin
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_block_of_x_is_a_function_of_the_experiment_and_its_number(x_from, dtype):
    experiment = Experiment(x_from=x_from, dtype=dtype)
    state = torch.get_rng_state()
    blocks = [points(experiment, number) for number in (0, 1, 2**28 - 1)]
    torch.rand(7, generator=torch.Generator())
    again = [
        points(but(experiment, samples=1, inputs=3, function="gelu"), number)
        for number in (2**28 - 1, 1, 0)
    ]
    assert all(torch.equal(a, b) for a, b in zip(blocks, reversed(again), strict=True))
    assert torch.equal(torch.get_rng_state(), state)
    assert all(
        x.shape == (POINTS,) and x.dtype == getattr(torch, dtype) and x.isfinite().all()
        for x in blocks
    )
    assert (
        len(
            {
                x.view(torch.uint8).numpy().tobytes()
                for x in [*blocks, points(but(experiment, seed=1), 0)]
            }
        )
        == 4
    )


SHARES = {"normal": NormalDist().cdf, "uniform": lambda x: min(max((x + 64) / 128, 0), 1)}
"""The share of all x below one, by where they come from."""


@pytest.mark.parametrize("x_from", SHARES)
def test_x_have_the_shares_that_the_page_says(x_from):
    """Within 5 standard errors, at most 1/2 over the root of their number, at every place."""
    x = np.sort(to_float64(points(Experiment(dtype="float64", x_from=x_from), 0)))
    expected = np.array([SHARES[x_from](one) for one in x.tolist()])
    assert np.abs(expected - (np.arange(POINTS) + 0.5) / POINTS).max() < 2.5 * POINTS**-0.5


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_log_uniform_x_have_every_binade_equally_often_and_both_signs(dtype):
    """Within 6 standard errors of a binomial count; the lowest binades have few floats, and take from each other."""
    x = to_float64(points(Experiment(dtype=dtype, x_from="log-uniform"), 0))
    finfo = torch.finfo(getattr(torch, dtype))
    lowest = round(math.log2(finfo.smallest_normal) + math.log2(finfo.eps))
    binades = round(math.log2(finfo.max)) - lowest
    assert np.abs(x).max() > finfo.max / 2 and np.abs(x).min() < 16 * 2.0**lowest and (x != 0).all()
    expected = POINTS / binades
    counts = np.bincount(binade(x) - lowest, minlength=binades)
    assert np.all(np.abs(counts[8:] - expected) < 6 * expected**0.5)
    assert abs(counts[:8].sum() - 8 * expected) < 6 * (8 * expected) ** 0.5
    assert abs(np.mean(x > 0) - 0.5) < 3 * POINTS**-0.5

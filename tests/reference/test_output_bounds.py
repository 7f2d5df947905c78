"""The reference of the outputs, their yardstick and their bound, against ball arithmetic and by
hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.reference.arb_gradient import ArbNetwork
from lib.reference.output_bounds import OutputYardstick, output_bound_units
from tests.cases import EVERY_DTYPE, network_and_samples, network_of
from tests.reference.test_bounds import losses
from tests.reference.test_float64_reference import networks

RESULTS = {"elu": 4, "silu": 6, "softplus": 6, "tanh": 4, "sigmoid": 6}
"""c of the results, by the docstrings of `activations`."""


@settings(max_examples=50)
@given(networks, st.sampled_from(EVERY_DTYPE), st.integers(-8, 8))
def test_each_evaluation_is_within_half_the_bound(experiment, dtype, power):
    """So two are within the bound of each other. Inputs are scaled, so that activations saturate or
    vanish."""
    experiment = replace(experiment, dtype=dtype)
    bound = output_bound_units(experiment)
    assume(bound is not None)
    net, x = network_and_samples(experiment, 24)
    x = x * 2.0**power
    yardstick = OutputYardstick(net, experiment)
    balls = ArbNetwork(net, experiment)
    exact = np.array([[float(ball) for ball in balls.outputs(one)] for one in x.tolist()])
    room = bound / 2 * yardstick.unit_of(yardstick.path_sums(x)) + 1e-16 * np.abs(exact)
    alone = torch.stack([net(one.clone()) for one in x])
    for values in (alone, net(x), *(torch.cat([*map(net, x.split(n))]) for n in (2, 16))):
        values = to_float64(values)
        finite = np.isfinite(values)
        assert (np.abs(values - exact) <= room)[finite].all()


def test_the_path_sum_is_that_of_the_note():
    """Two layers by hand: S behind the first is L·t + A, and behind the second L·(abs(W)·S + t) +
    A."""
    experiment = Experiment(2, (1,), 1, "sigmoid", "leaky_relu")
    net = network_of(experiment, [[2.0, -3.0]], [0.5], [[-4.0]], [0.25])
    h = 1 / (1 + math.exp(-1.0))
    first = 0.25 * (2.0 + 1.5 + 0.5) + h
    y = abs(-4 * h + 0.25) * 0.01
    yardstick = OutputYardstick(net, experiment)
    path_sum = yardstick.path_sums(torch.tensor([[1.0, 0.5]]))
    assert path_sum.item() == pytest.approx(4 * first + 4 * h + 0.25 + y, rel=1e-7)
    assert yardstick.unit_of(path_sum).item() == pytest.approx(2.0**-24 * path_sum.item())


def test_the_largest_sum_of_a_softmax_counts_in_all():
    """L = 2: twice the larger of the two t, and each result."""
    experiment = Experiment(1, (), 2, output_activation="softmax")
    net = network_of(experiment, [[1.0], [-2.0]], [0.0, 0.0])
    path_sums = OutputYardstick(net, experiment).path_sums(torch.tensor([[0.5], [3.0]]))
    for x, of_sample in zip((0.5, 3.0), path_sums, strict=True):
        share = 1 / (1 + math.exp(-3 * x))
        assert of_sample == pytest.approx([2 * 2 * x + share, 2 * 2 * x + 1 - share], rel=1e-12)


@pytest.mark.parametrize(
    "dtype, lost, of_result",
    [
        ("float16", 2.0**-24, 3 * 2.0**-24),
        ("bfloat16", 2.0**-126, 3 * 2.0**-126),
        ("float32", 2.0**-149, 2.0**-116),
    ],
)
def test_the_losses_to_underflow_by_hand(dtype, lost, of_result):
    """Of each result 1024 smallest normal numbers, or three roundings to 16 bits; before it, two
    sums of products. In a softmax, the largest counts in all."""
    experiment = Experiment(2, (1,), 2, "sigmoid", "identity", dtype)
    first = 0.25 * 2 * 3 * lost + of_result
    before = [size * first + 2 * 2 * lost for size in (4, 8)]
    weights = [[3.0, 3.0]], [[-4.0], [8.0]]
    expected = [part + of_result for part in before]
    assert losses(OutputYardstick, experiment, *weights) == expected
    experiment = replace(experiment, output_activation="softmax")
    expected = [2 * before[1] + of_result] * 2
    assert losses(OutputYardstick, experiment, *weights) == expected


@pytest.mark.parametrize(
    "query, k",
    [
        # terms, the bias, and one for S
        ("", 10 + 1 + 1),
        ("inputs=2&hidden=2&activation=gelu&dtype=float64", 12 + 1),
        ("activation=softplus&dtype=float64", None),
        ("output_activation=softmax", None),
        ("device=cuda", None),
        *((f"hidden=&inputs=1&output_activation={name}", c + 1) for name, c in RESULTS.items()),
        # k·u is 1
        ("hidden=254&dtype=bfloat16", None),
    ],
)
def test_the_bound_is_that_of_the_note(query, k):
    """Where it proves one."""
    experiment = Experiment.parse(query)
    u = 2.0 ** -(53 if "float64" in query else 24)
    expected = None
    if k:
        q = k * u / (1 - k * u)
        roundings = (1 + q) ** (2 * len(experiment.activations))
        expected = pytest.approx(2 * q / u * roundings, rel=1e-12)
    assert output_bound_units(experiment) == expected


def test_a_sum_that_may_overflow_has_no_bound():
    experiment = Experiment(1, (), 1, output_activation="sigmoid", dtype="float16")
    yardstick = OutputYardstick(network_of(experiment, [[60_000.0]], [0.0]), experiment)
    x = torch.tensor([[1.0], [2.0]], dtype=torch.float16)
    assert np.isinf(yardstick.unit_of(yardstick.path_sums(x))).tolist() == [[False], [True]]

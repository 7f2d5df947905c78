"""The condition number: summed path by path in fractions, counted, and held against the distances
that it explains."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
import torch
from torch import nn

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.jacobians import backward_and_saved, summed_jacobian
from lib.reference.judge import Judge
from lib.reference.pair import Pair
from tests.cases import EVERY_DTYPE
from tests.exact_networks import over_paths

NEVER = float("inf")
RATIONAL = [
    Experiment(output_activation="identity", samples=12),
    Experiment(
        inputs=3,
        hidden=(4, 3),
        outputs=3,
        output_activation="relu",
        samples=12,
        evaluation="batched",
    ),
    Experiment(
        inputs=2,
        hidden=(),
        outputs=4,
        output_activation="identity",
        samples=12,
        distribution="normal",
    ),
]
"""Networks whose gradients are rational numbers."""


def paths(net: nn.Sequential, x: list[float]) -> list[tuple[Fraction, Fraction]]:
    """The sum over all paths of a network of identities and ReLUs, and that of their sizes, for
    each input: g and S."""
    value, weights, slopes = [Fraction(number) for number in x], [], []
    for linear, activation in zip(list(net)[::2], list(net)[1::2], strict=True):
        weights.append([[Fraction(w) for w in row] for row in linear.weight.tolist()])
        bias = map(Fraction, linear.bias.tolist())
        z = [
            sum(w * v for w, v in zip(row, value, strict=True)) + b
            for row, b in zip(weights[-1], bias, strict=True)
        ]
        slopes.append([Fraction(isinstance(activation, nn.Identity) or number > 0) for number in z])
        value = [number * slope for number, slope in zip(z, slopes[-1], strict=True)]
    sums = [[Fraction(0), Fraction(0)] for _ in x]
    for path, term in over_paths(weights, slopes):
        sums[path[0]][0] += term
        sums[path[0]][1] += abs(term)
    return [(g, size) for g, size in sums]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("experiment", RATIONAL, ids=lambda e: e.query)
def test_it_is_the_sum_of_sizes_over_the_size_of_the_sum(experiment, dtype):
    experiment = replace(experiment, dtype=dtype)
    measured, net = Discrepancy(experiment).measure(0, NEVER), network.build(experiment)
    for x, of_sample in zip(measured.x.tolist(), measured.condition.tolist(), strict=True):
        for found, (g, size) in zip(of_sample, paths(net, x), strict=True):
            assert found == (pytest.approx(float(size / abs(g)), rel=1e-5) if size else 0.0)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_where_all_cancels_it_is_infinite_and_where_nothing_is_added_there_is_none(dtype):
    experiment = Experiment(3, (2,), 2, "identity", "identity", dtype, samples=1)
    net = network.build(experiment)
    net[0].weight.copy_(torch.tensor([[1.0, 2.0, 0.0], [1.0, -1.0, 0.0]]))
    net[2].weight.copy_(torch.tensor([[1.0, -1.0], [0.5, -0.5]]))
    x = torch.zeros(1, 3, dtype=net[0].weight.dtype)
    backward, saved = backward_and_saved(net, x)
    gradients = Pair(0, 0, 0, x, backward, summed_jacobian("functional", net, x))
    assert gradients.first.tolist() == [[0.0, 4.5, 0.0]]
    assert Judge(experiment).turned_to(net, x).judge(0, gradients, saved).condition.tolist() == [
        [inf, 1.0, 0.0]
    ]


def test_with_softmax_it_is_infinite_where_ball_arithmetic_does_not_judge_too():
    """In float64 not every sample has a reference, but what the outputs of softmax add up to never
    depends on x."""
    experiment = Experiment(
        dtype="float64", evaluation="batched", output_activation="softmax", samples=1100
    )
    measured = Discrepancy(experiment).measure(0, NEVER)
    assert np.isnan(measured.judged.exact).any() and (measured.condition == inf).all()


def test_a_component_that_is_not_finite_has_none():
    experiment = Experiment(
        inputs=1, hidden=(2, 2), outputs=2, dtype="float16", output_activation="identity", samples=1
    )
    net = network.build(experiment)
    for layer in net[::2]:
        layer.weight.fill_(3e4)
        layer.bias.fill_(1.0)
    x = torch.ones(1, 1, dtype=torch.float16)
    backward, saved = backward_and_saved(net, x)
    assert torch.isinf(backward).all()
    judged = (
        Judge(experiment).turned_to(net, x).judge(0, Pair(0, 0, 0, x, backward, backward), saved)
    )
    assert judged.condition.tolist() == [[0.0]]

"""The exact rows against the chain rule in float64 and difference quotients in 80 digits."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.exact_rows import ExactRows, known
from tests.cases import SHAPES
from tests.oracles import exact_gradient, exact_jacobian

LEAKY = Experiment(
    inputs=3, hidden=(6,), outputs=3, activation="leaky_relu", output_activation="softplus"
)
UNCOUPLED = [LEAKY, *(shape for shape in SHAPES if shape.output_activation != "softmax")]


def exact(experiment: Experiment) -> np.ndarray:
    """The rows of three samples from sample 1 on, shape (1 or 2, samples, outputs, inputs)."""
    block = sampling.block(experiment, 0)
    return ExactRows(network.build(experiment), experiment).of(block, 1, np.arange(1, 4))


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_they_are_those_of_the_rounded_weights_in_closed_form(shape, dtype):
    experiment = replace(shape, dtype=dtype)
    net = network.build(experiment)
    for x, rows in zip(sampling.block(experiment, 0)[1:4], exact(experiment)[0], strict=True):
        expected = exact_jacobian(net, x)
        np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("shape", UNCOUPLED[:4], ids=lambda e: e.query or "post")
def test_in_float64_they_hold_the_exact_rows_to_thirty_digits(shape):
    experiment = replace(shape, dtype="float64")
    near, rest = exact(experiment)[:, 0]
    x = sampling.block(experiment, 0)[1].tolist()
    for output in range(experiment.outputs):
        net = network.build(experiment)
        last = net[-2]
        last.weight.data = last.weight[output : output + 1]
        last.bias.data = last.bias[output : output + 1]
        with mpmath.workdps(60):
            for i, component in enumerate(exact_gradient(net, x)):
                error = component - mpmath.mpf(near[output, i]) - mpmath.mpf(rest[output, i])
                assert abs(error) <= mpmath.mpf(10) ** -30 * max(abs(component), 1e-2)


def test_at_a_kink_there_are_none():
    experiment = Experiment(dtype="float64", hidden=(), output_activation="relu")
    net = network.build(experiment)
    net[0].bias.data.zero_()
    zero = torch.zeros(1, 5, dtype=torch.float64)
    assert np.isnan(ExactRows(net, experiment).of(zero, 0, np.arange(1))).all()


@pytest.mark.parametrize(
    ("query", "first", "gap"),
    [("samples=9", 1000, 4), ("evaluation=batched", 1000, 512), ("hidden=200,200", 47, 84)],
)
def test_in_float64_they_are_of_the_first_samples_and_of_some_later_ones(query, first, gap):
    numbers = np.arange(5_000)
    chosen = known(Experiment.parse(f"dtype=float64&{query}"), numbers)
    assert np.array_equal(chosen, (numbers < first) | (numbers % gap == 0))

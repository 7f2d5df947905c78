"""The exact rows against the chain rule in float64 and against difference quotients in 80 digits."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.exact_rows import ExactRows, known
from tests.cases import SHAPES
from tests.oracles import closed_form_jacobian, exact_gradient

LEAKY = Experiment(
    inputs=3, hidden=(6,), outputs=3, activation="leaky_relu", output_activation="softplus"
)
UNCOUPLED = [LEAKY, *(shape for shape in SHAPES if shape.output_activation != "softmax")]
FEW = np.arange(3)


def exact(experiment: Experiment) -> np.ndarray:
    """Of the first samples, shape (2, samples, outputs, inputs)."""
    return ExactRows(network.build(experiment), experiment).of(
        sampling.block(experiment, 0), 0, FEW
    )


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_they_are_those_of_the_rounded_weights_in_closed_form(shape, dtype):
    experiment = replace(shape, dtype=dtype)
    net = network.build(experiment)
    for x, rows in zip(sampling.block(experiment, 0), exact(experiment)[0], strict=False):
        expected = closed_form_jacobian(net, list(experiment.activations), x)
        np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("shape", UNCOUPLED, ids=lambda e: e.query or "post")
def test_in_float64_they_hold_the_exact_rows_to_thirty_digits(shape):
    experiment = replace(shape, dtype="float64")
    near, rest = exact(experiment)[:, 0]
    for output in range(experiment.outputs):
        net = network.build(experiment)
        last = net[-2]
        last.weight.data, last.bias.data = (
            last.weight[output : output + 1],
            last.bias[output : output + 1],
        )
        x = sampling.block(experiment, 0)[0].tolist()
        with mpmath.workdps(60):
            for i, component in enumerate(exact_gradient(net, x)):
                error = component - mpmath.mpf(near[output, i]) - mpmath.mpf(rest[output, i])
                assert abs(error) <= mpmath.mpf(10) ** -30 * max(abs(component), 1e-2)


def test_the_rows_of_softmax_add_up_to_zero_in_thirty_digits():
    near, rest = exact(Experiment(dtype="float64", outputs=4, output_activation="softmax"))
    with mpmath.workdps(60):
        for column in range(5):
            total = sum(mpmath.mpf(v) for part in (near, rest) for v in part[0, :, column])
            assert abs(total) < mpmath.mpf(10) ** -30 < abs(near[0, :, column]).max()


def test_at_a_kink_there_are_none():
    experiment = Experiment(dtype="float64", hidden=(), output_activation="relu")
    net = network.build(experiment)
    net[0].bias.data.zero_()
    assert np.isnan(
        ExactRows(net, experiment).of(torch.zeros(1, 5, dtype=torch.float64), 0, np.arange(1))
    ).all()


@pytest.mark.parametrize(
    "query", ["dtype=float64", "dtype=float64&evaluation=batched", "dtype=float64&hidden=200,200"]
)
def test_in_float64_they_are_of_the_first_samples_and_of_some_later_ones(query):
    chosen = known(Experiment.parse(query), np.arange(100_000))
    first = int(np.argmin(chosen))
    assert chosen[:first].all() and 10 < first <= 1001  # 1,000 itself is a multiple of 4
    gaps = np.diff(np.flatnonzero(chosen[first:]))
    assert len(set(gaps.tolist())) == 1 and gaps[0] >= 4

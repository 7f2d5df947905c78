"""The exact rows against difference quotients in 80 digits, and which samples have them."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.pitfall.exact_rows import ExactRows, has_exact_rows
from tests.cases import SHAPES, network_and_samples, network_of
from tests.oracles import exact_rows

LEAKY = Experiment(
    inputs=3, hidden=(6,), outputs=3, activation="leaky_relu", output_activation="softplus"
)


@pytest.mark.parametrize("dtype, relative", [("float64", 1e-30), ("bfloat16", 1e-13)])
@pytest.mark.parametrize("shape", [LEAKY, *SHAPES[:5]])
def test_they_are_those_of_the_rounded_weights(shape, dtype, relative):
    """As sums of two float64 for float64, else in float64."""
    experiment = replace(shape, dtype=dtype)
    net, block = network_and_samples(experiment)
    found = ExactRows(net, experiment).of(block, 1, np.arange(1, 3))[:, 1]
    with mpmath.workdps(60):
        rows = exact_rows(net, block[2].tolist())
        for output, i in np.ndindex(found.shape[1:]):
            parts = mpmath.fsum(found[:, output, i].tolist())
            assert abs(rows[output][i] - parts) <= relative * max(abs(rows[output][i]), 1e-2)


def test_at_a_kink_there_are_none():
    experiment = Experiment(1, (), 1, output_activation="relu", dtype="float64")
    net = network_of(experiment, [[1]], [0])
    zero = torch.zeros(1, 1, dtype=torch.float64)
    assert np.isnan(ExactRows(net, experiment).of(zero, 0, np.arange(1))).all()


def test_costly_float64_samples_are_fewer():
    numbers = np.arange(5_000)
    few, fewer = (
        has_exact_rows(Experiment(dtype="float64", hidden=hidden), numbers)
        for hidden in ((10,), (200, 200))
    )
    assert few[:1000].all() and fewer[:47].all() and not fewer[47:84].any()
    assert few.sum() > 10 * fewer.sum() > 100

"""Experiments that many tests use: combinations of shapes, activations, dtypes and methods."""

import pytest
import torch

from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS
from lib.experiment.presets import PRESETS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.stream import Stream

SHAPES = [
    Experiment(),
    Experiment(inputs=1, hidden=(), outputs=1, output_activation="identity"),
    Experiment(inputs=3, hidden=(4,), outputs=1, activation="tanh"),
    Experiment(inputs=4, hidden=(7, 5), outputs=3, activation="gelu", output_activation="softmax"),
    Experiment(
        inputs=7, hidden=(12,), outputs=9, activation="elu", output_activation="identity", seed=3
    ),
    Experiment(
        inputs=2,
        hidden=(33, 17, 5),
        outputs=4,
        activation="silu",
        output_activation="tanh",
        seed=2**31 - 1,
    ),
]
"""Networks of many shapes; the other fields are the defaults."""


def network_and_samples(experiment, count=None):
    """The network, and the first samples of block 0; all of them by default."""
    return network.build(experiment), sampling.block(experiment, 0)[:count]


def finish(study, experiment):
    """The tally of all samples."""
    return Stream(study(experiment)).finish()


def network_of(experiment, *parameters):
    """The network with these weights and biases, one layer after the other."""
    net = network.build(experiment)
    for parameter, values in zip(net.parameters(), parameters, strict=True):
        parameter.copy_(torch.tensor(values, dtype=parameter.dtype))
    return net


EVERY_DTYPE = list(DTYPES)
every_dtype = pytest.mark.parametrize("dtype", EVERY_DTYPE)
EVERY_METHOD = list(METHODS)
EXPERIMENTS = [
    *PRESETS.values(),
    Experiment(dtype="float64"),
    Experiment(dtype="bfloat16"),
    *SHAPES,
]

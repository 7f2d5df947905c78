"""Where the difference must be zero: it is, and they are what they say, by plain calls."""

from dataclasses import replace

import pytest
import torch

from lib.discrepancy.zero_cases import MOST_SAMPLES, ROWS, ZERO_CASES, ZeroCases, whole_network, whole_samples
from lib.experiment.choices import ACTIVATIONS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.stream import Stream
from tests import cases
from tests.oracles import PLAIN, backward

EXPERIMENTS = [
    *(replace(shape, evaluation=way, samples=8) for shape in cases.SHAPES for way in ("per-sample", "batched")),
    *(Experiment(activation=name, output_activation=name, samples=10) for name in ACTIVATIONS),
    # Where other kernels show.
    Experiment(inputs=1, hidden=(64, 64), activation="sigmoid", seed=72, samples=12),
    Experiment(hidden=(), samples=12),
]


@pytest.mark.parametrize("dtype", cases.EVERY_DTYPE)
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.query)
def test_every_case_holds(experiment, dtype):
    tally = Stream(ZeroCases(replace(experiment, dtype=dtype))).finish()
    assert tally.known.keys() == ROWS.keys()
    for name, found in tally.known.items():
        assert found.equal == found.components == experiment.samples * experiment.inputs, name


def test_the_methods_of_the_cases():
    methods = {name: set(case.methods) for name, case in ZERO_CASES.items()}
    assert methods["one-output"] == {"functional", "rows", "summed-output", "single-call"}
    assert methods["whole-numbers"] == set(cases.EVERY_METHOD) - {"single-call", "finite-difference"}
    assert methods["summed-output"] == {"summed-output"}


@pytest.mark.parametrize("name", ZERO_CASES)
def test_what_is_compared_is_by_plain_calls(name):
    experiment = Experiment(outputs=3, samples=4)
    found = dict(ZeroCases(experiment).measure(4 * list(ZERO_CASES).index(name), float("inf")))
    of = replace(experiment, outputs=1) if name == "one-output" else experiment
    net = (whole_network if name == "whole-numbers" else network.build)(of)
    points = (whole_samples if name == "whole-numbers" else sampling.block)(of, 0)[:4]
    assert list(found) == [f"{name}, {method}" for method in ZERO_CASES[name].methods]
    for method, gradients in zip(ZERO_CASES[name].methods, found.values(), strict=True):
        assert torch.equal(gradients.x, points)
        for point, at_once, summed in zip(points, gradients.backward, gradients.jacobian, strict=True):
            assert torch.equal(at_once, backward(net, point))
            assert torch.equal(summed, PLAIN[method](net, point.clone()).sum(0)), method


def test_the_cases_take_few_samples():
    assert ZeroCases.total(Experiment(samples=10**9)) == 3 * MOST_SAMPLES
    assert ZeroCases.total(Experiment(samples=7)) == 21

"""Where the difference must be zero: it is, and they are what they say, by plain calls and by fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import nn

from lib.discrepancy.zero_cases import (
    MOST_SAMPLES,
    ROWS,
    ZERO_CASES,
    ZeroCases,
    largest,
    whole_network,
    whole_samples,
)
from lib.experiment.choices import ACTIVATIONS, DEVICES
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE, EVERY_METHOD, SHAPES
from tests.oracles import PLAIN, backward

EXPERIMENTS = [
    *(
        replace(shape, evaluation=way, samples=8)
        for shape in SHAPES
        for way in ("per-sample", "batched")
    ),
    # Where other kernels show.
    Experiment(inputs=1, hidden=(64, 64), activation="sigmoid", seed=72, samples=12),
    Experiment(hidden=(), samples=12),
]


OF_DTYPES = [
    *(replace(experiment, dtype=dtype) for experiment in EXPERIMENTS for dtype in EVERY_DTYPE),
    *(
        Experiment(
            activation=name, output_activation=name, dtype=EVERY_DTYPE[number % 4], samples=10
        )
        for number, name in enumerate(ACTIVATIONS)
    ),
]


@pytest.mark.parametrize("experiment", OF_DTYPES, ids=lambda e: e.query)
def test_every_case_holds(experiment):
    tally = Stream(ZeroCases(experiment)).finish()
    assert tally.known.keys() == ROWS.keys()
    for name, found in tally.known.items():
        assert found.equal == found.components == experiment.samples * experiment.inputs, name


def test_the_methods_of_the_cases():
    methods = {name: set(case.methods) for name, case in ZERO_CASES.items()}
    assert methods["one-output"] == {"functional", "rows", "summed-output", "single-call"}
    assert methods["whole-numbers"] == set(EVERY_METHOD) - {"single-call", "finite-difference"}
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
        for point, at_once, summed in zip(
            points, gradients.backward, gradients.jacobian, strict=True
        ):
            assert torch.equal(at_once, backward(net, point))
            assert torch.equal(summed, PLAIN[method](net, point.clone()).sum(0)), method


def test_the_cases_take_few_samples():
    assert ZeroCases.total(Experiment(samples=10**9)) == 3 * MOST_SAMPLES
    assert ZeroCases.total(Experiment(samples=7)) == 21


# The network of whole numbers: its gradients against fractions, its bounds against every product that there is.

WIDE = Experiment(inputs=64, hidden=(40, 40, 40, 40, 40, 40), outputs=64)


def parameters(net: nn.Module) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(layer.weight.double(), layer.bias.double()) for layer in network.linear_layers(net)]


def whole(tensor: torch.Tensor) -> np.ndarray:
    """The numbers as Python's integers, which are exact in whatever is computed with them."""
    fractions = [Fraction(v) for v in tensor.double().flatten().tolist()]
    assert all(fraction.denominator == 1 for fraction in fractions)
    return np.array([int(fraction) for fraction in fractions], dtype=object).reshape(tensor.shape)


def exact_jacobian(net: nn.Module, relu: bool, x: torch.Tensor) -> np.ndarray:
    value, jacobian = whole(x), np.array(np.eye(len(x), dtype=int), dtype=object)
    of_layers = parameters(net)
    for number, (weight, bias) in enumerate(of_layers, 1):
        value, jacobian = whole(weight) @ value + whole(bias), whole(weight) @ jacobian
        if relu and number < len(of_layers):
            jacobian = np.where(value > 0, 1, 0)[:, None] * jacobian
            value = np.where(value > 0, value, 0)
    return jacobian


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("shape", [*SHAPES, WIDE], ids=lambda e: e.query or "post")
def test_the_jacobian_is_exact_and_so_is_its_sum(shape, dtype):
    experiment = replace(shape, dtype=dtype)
    net = whole_network(experiment)
    assert all((weight != 0).any(1).all() for weight, _ in parameters(net))
    for x in whole_samples(experiment, 0)[:5]:
        exact = exact_jacobian(net, True, x)
        for method in ("rows", "functional-forward"):
            computed = PLAIN[method](net, x.clone())
            assert (whole(computed) == exact).all() and (
                whole(computed.sum(0)) == exact.sum(0)
            ).all()


def test_with_tf32_every_number_has_at_most_11_bits(monkeypatch):
    """A stand-in for a card: there the factors of a product are rounded to TF32, here they would not have to be."""
    monkeypatch.setitem(DEVICES, "cpu", replace(DEVICES["cpu"], matmuls=True))
    assert largest(parameters(whole_network(WIDE))) > 2**11
    for shape in [*SHAPES, WIDE]:
        net = whole_network(replace(shape, matmul="tf32"))
        assert largest(parameters(net)) <= 2**11


def test_an_experiment_with_the_identity_keeps_it():
    experiment = Experiment(activation="identity", output_activation="softmax", outputs=3)
    net = whole_network(experiment)
    x = whole_samples(experiment, 0)[0]
    assert (whole(PLAIN["rows"](net, x)) == exact_jacobian(net, False, x)).all()


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_every_experiment_within_the_limits_has_such_a_network(dtype):
    for outputs, hidden in ((64, (128, 128)), (11, (256,) * 6), (1, (1,) * 6)):
        experiment = Experiment(inputs=64, hidden=hidden, outputs=outputs, dtype=dtype)
        assert (
            0
            < largest(parameters(whole_network(experiment)))
            <= 2 / torch.finfo(getattr(torch, dtype)).eps
        )


def test_the_bounds_of_a_network_by_hand():
    first = (torch.tensor([[2.0, -3.0]]).double(), torch.tensor([1.0]).double())
    second = (torch.tensor([[4.0], [-5.0]]).double(), torch.tensor([0.0, -2.0]).double())
    # Hidden: 2·3 + 3·3 + 1 = 16; outputs: 4·16 and 5·16 + 2; paths: (4 + 5)·2 and (4 + 5)·3.
    assert largest([first, second]) == 82
    assert largest([first]) == 16


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_samples_are_of_all_whole_numbers_from_minus_three_to_three(dtype):
    samples = whole_samples(Experiment(dtype=dtype, distribution="normal"), 1)
    assert set(samples.double().unique().tolist()) == {-3, -2, -1, 0, 1, 2, 3}
    assert samples.dtype == getattr(torch, dtype)


def test_the_same_experiment_has_the_same_network():
    one, other = (whole_network(Experiment(seed=5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert not torch.equal(one[0].weight, whole_network(Experiment(seed=6))[0].weight)

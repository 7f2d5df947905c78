"""The network of whole numbers: its gradients against fractions, and its bounds against every product that there is."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import nn

from lib.discrepancy.zero_cases import largest, whole_network, whole_samples
from lib.experiment.choices import DEVICES
from lib.experiment.query import Experiment
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import PLAIN

WIDE = Experiment(inputs=64, hidden=(40, 40, 40, 40, 40, 40), outputs=64)


def linears(net: nn.Module) -> list[nn.Linear]:
    return [layer for layer in net if isinstance(layer, nn.Linear)]


def parameters(net: nn.Module) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(layer.weight.double(), layer.bias.double()) for layer in linears(net)]


def whole(tensor: torch.Tensor) -> np.ndarray:
    """The numbers as Python's integers, which are exact in whatever is computed with them."""
    fractions = [Fraction(v) for v in tensor.double().flatten().tolist()]
    assert all(fraction.denominator == 1 for fraction in fractions)
    return np.array([int(fraction) for fraction in fractions], dtype=object).reshape(tensor.shape)


def exact_jacobian(net: nn.Module, relu: bool, x: torch.Tensor) -> np.ndarray:
    value, jacobian = whole(x), np.array(np.eye(len(x), dtype=int), dtype=object)
    layers = linears(net)
    for layer in layers:
        value, jacobian = whole(layer.weight) @ value + whole(layer.bias), whole(layer.weight) @ jacobian
        if relu and layer is not layers[-1]:
            jacobian = np.where(value > 0, 1, 0)[:, None] * jacobian
            value = np.where(value > 0, value, 0)
    return jacobian


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("shape", [*SHAPES, WIDE], ids=lambda e: e.query or "post")
def test_the_jacobian_is_exact_and_so_is_its_sum(shape, dtype):
    experiment = replace(shape, dtype=dtype)
    net = whole_network(experiment)
    assert all((layer.weight != 0).any(1).all() for layer in linears(net))
    for x in whole_samples(experiment, 0)[:5]:
        exact = exact_jacobian(net, True, x)
        for method in ("rows", "functional-forward"):
            computed = PLAIN[method](net, x.clone())
            assert (whole(computed) == exact).all() and (whole(computed.sum(0)) == exact.sum(0)).all()


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
    for outputs, hidden in ((64, (128, 128)), (64, (64,) * 6), (11, (256,) * 6), (1, (1,) * 6)):
        experiment = Experiment(inputs=64, hidden=hidden, outputs=outputs, dtype=dtype)
        assert 0 < largest(parameters(whole_network(experiment))) <= 2 / torch.finfo(getattr(torch, dtype)).eps


def test_the_bounds_of_a_network_by_hand():
    first = (torch.tensor([[2.0, -3.0]]).double(), torch.tensor([1.0]).double())
    second = (torch.tensor([[4.0], [-5.0]]).double(), torch.tensor([0.0, -2.0]).double())
    # Hidden: 2·3 + 3·3 + 1 = 16; outputs: 4·16 and 5·16 + 2; paths: (4 + 5)·2 and (4 + 5)·3.
    assert largest([first, second]) == 82
    assert largest([first]) == 16


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("distribution", ["uniform", "normal"])
def test_samples_are_of_all_whole_numbers_from_minus_three_to_three(dtype, distribution):
    samples = whole_samples(Experiment(dtype=dtype, distribution=distribution), 1)
    assert set(samples.double().unique().tolist()) == {-3, -2, -1, 0, 1, 2, 3}
    assert samples.dtype == getattr(torch, dtype)


def test_the_same_experiment_has_the_same_network():
    one, other = (whole_network(Experiment(seed=5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert not torch.equal(one[0].weight, whole_network(Experiment(seed=6))[0].weight)

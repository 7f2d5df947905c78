"""The network against PyTorch's own initialisation, bit for bit, and against formulas worked out in plain Python."""

import math
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from lib.experiment.choices import OUTPUT_ACTIVATIONS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.network import build
from lib.network.sampling import block
from tests.cases import EVERY_DTYPE, EXPERIMENTS, SHAPES
from tests.oracles import VALUE_AND_SLOPE, spacing

WIDE = Experiment(inputs=64, hidden=(256, 128), outputs=8, seed=5)
"""So many weights that a few would come out differently if they were rounded twice."""


def apply(activation, values):
    """The activation of a list of numbers, by its formula."""
    if activation == "softmax":
        return [math.exp(x) / math.fsum(map(math.exp, values)) for x in values]
    return [VALUE_AND_SLOPE[activation][0](x) for x in values]


@contextmanager
def float64_by_default(seed):
    """A seeded global generator and a default dtype of float64, both put back."""
    dtype = torch.get_default_dtype()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_default_dtype(torch.float64)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)


def pytorchs_own(experiment):
    with float64_by_default(experiment.seed):
        return nn.Sequential(*(nn.Linear(*widths) for widths in pairwise(experiment.widths)))


def with_dtype(experiment, dtype):
    return Experiment(**experiment.to_dict() | {"dtype": dtype})


def bits(network):
    """The bytes of each parameter: equal only where signs of zeros are equal as well."""
    return [
        parameter.detach().view(torch.uint8).numpy().tobytes() for parameter in network.parameters()
    ]


@pytest.mark.parametrize(
    "experiment", [*EXPERIMENTS, WIDE], ids=lambda experiment: experiment.query
)
def test_weights_are_pytorchs_own_initialisation(experiment):
    network = build(with_dtype(experiment, "float64"))
    assert bits(network) == bits(pytorchs_own(experiment))


def test_weights_are_pytorchs_own_for_every_width():
    for width in range(1, 257):
        experiment = Experiment(inputs=1, hidden=(width,), outputs=1, dtype="float64", seed=width)
        assert bits(build(experiment)) == bits(pytorchs_own(experiment))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("experiment", [*SHAPES, WIDE], ids=lambda experiment: experiment.query)
def test_weights_are_rounded_once(experiment, dtype):
    """No float of the dtype is nearer: rounding twice would leave a weight beyond half a step."""
    network = build(with_dtype(experiment, dtype))
    for rounded, exact in zip(
        network.parameters(), pytorchs_own(experiment).parameters(), strict=True
    ):
        assert rounded.dtype == getattr(torch, dtype)
        assert np.all(np.abs(to_float64(rounded) - to_float64(exact)) <= spacing(rounded) / 2)


def test_building_leaves_the_global_state_alone_and_does_not_depend_on_it():
    state, dtype = torch.get_rng_state(), torch.get_default_dtype()
    networks = [bits(build(experiment)) for experiment in SHAPES]
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_default_dtype() == dtype
    with float64_by_default(seed=1):
        assert [bits(build(experiment)) for experiment in SHAPES] == networks


def test_whoever_builds_a_network_computes_on_one_thread():
    build(Experiment())
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.query)
def test_layers_have_the_widths_and_the_parameters_of_the_experiment(experiment):
    network = build(experiment)
    layers = [module for module in network if isinstance(module, nn.Linear)]
    assert [(layer.in_features, layer.out_features) for layer in layers] == list(
        pairwise(experiment.widths)
    )
    assert sum(parameter.numel() for parameter in network.parameters()) == experiment.parameters
    assert not any(parameter.requires_grad for parameter in network.parameters())
    for shape in ((), (1,), (3, 2)):
        y = network(torch.ones(*shape, experiment.inputs, dtype=getattr(torch, experiment.dtype)))
        assert y.shape == (*shape, experiment.outputs)
        assert not y.requires_grad


@pytest.mark.parametrize("activation", OUTPUT_ACTIVATIONS)
def test_an_activation_is_its_formula(activation):
    module = build(Experiment(output_activation=activation))[-1]
    values = [-20.0, -5.5, -1.0, -1e-3, -0.0, 0.0, 1e-9, 0.3, 1.0, 3.5, 19.0]
    assert module(torch.tensor(values, dtype=torch.float64)).tolist() == pytest.approx(
        apply(activation, values), rel=1e-14, abs=1e-14
    )
    assert VALUE_AND_SLOPE.keys() | {"softmax"} == OUTPUT_ACTIVATIONS.keys()


@pytest.mark.parametrize("experiment", SHAPES, ids=lambda experiment: experiment.query)
def test_the_network_is_its_layers_one_after_the_other(experiment):
    """Each neuron by its formula, in plain Python, from PyTorch's own weights."""
    experiment = with_dtype(experiment, "float64")
    x = block(experiment, 0)[0]
    values = x.tolist()
    for number, layer in enumerate(pytorchs_own(experiment)):
        activation = (
            experiment.activation
            if number < len(experiment.hidden)
            else experiment.output_activation
        )
        rows = zip(layer.weight.tolist(), layer.bias.tolist(), strict=True)
        values = apply(
            activation, [math.fsum([b, *map(float.__mul__, w, values)]) for w, b in rows]
        )
    assert build(experiment)(x).tolist() == pytest.approx(values, rel=1e-12)


def test_each_block_may_have_a_network_of_its_own():
    experiment = Experiment(networks="each-block")
    first, again, second = (build(experiment, number)[0].weight for number in (0, 0, 1))
    assert torch.equal(first, again) and not torch.equal(first, second)
    assert not torch.equal(first, build(Experiment(networks="each-block", seed=1))[0].weight)
    assert torch.equal(build(Experiment())[0].weight, build(Experiment(), 5)[0].weight)

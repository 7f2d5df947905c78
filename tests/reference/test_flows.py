"""The path sum and its flows against the enumeration of all paths."""

from collections import defaultdict
from itertools import pairwise, product
from math import prod

import pytest
import torch
from torch.autograd.functional import jacobian

from lib.experiment.query import Experiment
from lib.network import network
from lib.network.jacobians import backward_and_saved
from lib.reference.activations import activations_of
from lib.reference.bounds import GradientYardstick
from lib.reference.flows import flows_of
from tests.cases import network_and_samples

WIDE = Experiment(3, (20,), 15, "sigmoid", dtype="float64")
CASES = [
    Experiment(),
    Experiment(2, (), 3, output_activation="identity"),
    Experiment(3, (4, 3), 2, "gelu", "softmax"),
    Experiment(2, (3, 4, 3), 2, "relu", dtype="bfloat16", seed=3),
    WIDE,
]


def over_paths(weights, slopes):
    """Every path of units through a network, from an input to an output, and the product of what is
    along it."""
    for path in product(*map(range, [len(weights[0][0]), *map(len, weights)])):
        edges = zip(weights, slopes, pairwise(path), strict=True)
        yield path, prod(weight[j][i] * slope[j] for weight, slope, (i, j) in edges)


def slope_sizes(net, x):
    """The sizes of each layer's slopes, by autograd in float64: of several of one unit, the sum."""
    h = x.double()
    sizes = []
    for linear, activation in zip(net[::2], net[1::2], strict=True):
        z = h @ linear.weight.double().T + linear.bias.double()
        slopes = jacobian(activation, z)
        sizes.append(slopes.abs().sum(0).tolist())
        h = activation(z)
    return sizes


@pytest.mark.parametrize("experiment", CASES)
def test_path_sum_and_flows_are_over_all_paths(experiment):
    net, samples = network_and_samples(experiment)
    x = samples[1].clone()
    saved = backward_and_saved(net, x)[1]
    component = experiment.inputs - 1
    layers = flows_of(experiment, net, x, saved, component)
    weights = [linear.weight.double().abs().tolist() for linear in net[::2]]
    parts = zip(
        activations_of(experiment), saved.double().split(experiment.widths[1:]), strict=True
    )
    terms = [activation.terms(part).tolist() for activation, part in parts]
    sums = [0.0] * experiment.inputs
    for path, size in over_paths(weights, terms):
        sums[path[0]] += size
    path_sums = GradientYardstick(net, experiment).path_sums(saved[None])
    assert path_sums[0] == pytest.approx(sums, rel=1e-5)
    units, edges = defaultdict(float), defaultdict(float)
    total = 0.0
    for path, size in over_paths(weights, slope_sizes(net, x)):
        if path[0] == component:
            total += size
            for layer, unit in enumerate(path):
                units[layer, unit] += size
            for layer, ends in enumerate(pairwise(path), 1):
                edges[layer, *ends] += size
    for number, (layer, width) in enumerate(zip(layers, experiment.widths, strict=True)):
        assert len(layer.units) == width - layer.others == min(width, 12)
        order = sorted(range(width), key=lambda unit: -units[number, unit])
        assert [*layer.units] == sorted(order[:12])
        dead = [unit for unit in layer.units if number and terms[number - 1][unit] == 0]
        assert [*layer.off] == dead
        ends = product(layers[number - 1].units, layer.units) if number else ()
        assert [*layer.flows] == [*ends]
        for ends, share in layer.flows.items():
            expected = edges[number, *ends]
            assert share * total == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_whatever_has_to_be_is_shown():
    net, samples = network_and_samples(WIDE)
    x = samples[1].clone()
    saved = backward_and_saved(net, x)[1]
    hidden = set(range(20)) - {*flows_of(WIDE, net, x, saved, 0)[1].units}
    units = flows_of(WIDE, net, x, saved, 0, [(1, number) for number in hidden])[1].units
    assert hidden < {*units} and len(units) == 12


def test_without_a_path_there_is_no_flow():
    experiment = Experiment(2, (3,), 2)
    net = network.build(experiment)
    net[0].bias.fill_(-100.0)
    x = torch.ones(2)
    layers = flows_of(experiment, net, x, backward_and_saved(net, x)[1], 0)
    assert {share for layer in layers for share in layer.flows.values()} == {0.0}

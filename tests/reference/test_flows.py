"""The path sum and its flows against the enumeration of all paths."""

from collections import defaultdict
from itertools import pairwise, product

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.reference.activations import activations_of
from lib.reference.bounds import GradientYardstick
from lib.reference.flows import MOST_UNITS, flows_of
from tests.exact_networks import over_paths

WIDE = Experiment(3, (20,), 15, "sigmoid", dtype="float64")
CASES = [
    Experiment(),
    Experiment(2, (), 3, output_activation="identity"),
    Experiment(3, (4, 3), 2, "gelu", "softmax"),
    Experiment(2, (3, 4, 3), 2, "relu", dtype="bfloat16", seed=3),
    Experiment(2, (4,), 2, "leaky_relu", "identity"),
    WIDE,
]


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query or "post")
def test_the_path_sum_and_its_flows_are_sums_over_all_paths(experiment):
    net, x = network.build(experiment), sampling.block(experiment, 0)[1].clone()
    saved = backward_and_saved(net, x)[1]
    component = experiment.inputs - 1
    layers = flows_of(experiment, net, saved, component)
    weights = [linear.weight.double().abs().tolist() for linear in net[::2]]
    parts = zip(
        activations_of(experiment), saved.double().split(experiment.widths[1:]), strict=True
    )
    terms = [activation.terms(part).tolist() for activation, part in parts]
    units, edges = defaultdict(float), defaultdict(float)
    sums = [0.0] * experiment.inputs
    for path, size in over_paths(weights, terms):
        sums[path[0]] += size
        if path[0] == component:
            for layer, unit in enumerate(path):
                units[layer, unit] += size
            for layer, ends in enumerate(pairwise(path), 1):
                edges[layer, *ends] += size
    path_sums = GradientYardstick(net, experiment).path_sums(saved[None])
    assert path_sums[0] == pytest.approx(sums, rel=1e-5)
    for number, (layer, width) in enumerate(zip(layers, experiment.widths, strict=True)):
        assert len(layer.units) == width - layer.others == min(width, MOST_UNITS)
        assert sorted(layer.units) == [*layer.units]
        shown = sorted((units[number, unit] for unit in layer.units), reverse=True)
        largest = sorted((units[number, unit] for unit in range(width)), reverse=True)
        assert shown == largest[: len(shown)]
        dead = [unit for unit in layer.units if number and terms[number - 1][unit] == 0]
        assert [*layer.off] == dead
        ends = product(layers[number - 1].units, layer.units) if number else ()
        assert [*layer.flows] == [*ends]
        for ends, share in layer.flows.items():
            expected = edges[number, *ends]
            assert share * sums[component] == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_whatever_has_to_be_is_shown():
    net, x = network.build(WIDE), sampling.block(WIDE, 0)[1].clone()
    saved = backward_and_saved(net, x)[1]
    hidden = set(range(20)) - {*flows_of(WIDE, net, saved, 0)[1].units}
    units = flows_of(WIDE, net, saved, 0, [(1, number) for number in hidden])[1].units
    assert hidden < {*units} and len(units) == MOST_UNITS


@pytest.mark.parametrize(
    ("fields", "parameter", "value"),
    [({}, "bias", -100.0), ({"activation": "gelu", "dtype": "float16"}, "weight", 60_000.0)],
    ids=["no path reaches an output", "the forward pass overflows"],
)
def test_where_s_is_0_or_infinite_there_is_no_flow(fields, parameter, value):
    experiment = Experiment(2, (3,), 2, **fields)
    net = network.build(experiment)
    getattr(net[0], parameter).fill_(value)
    x = torch.ones(2, dtype=getattr(torch, experiment.dtype))
    layers = flows_of(experiment, net, backward_and_saved(net, x)[1], 0)
    assert {share for layer in layers for share in layer.flows.values()} == {0.0}

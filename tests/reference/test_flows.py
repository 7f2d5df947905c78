"""The flows of the path sum against the enumeration of all paths."""

from collections import defaultdict
from itertools import pairwise, product

import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.reference.activations import activations_of
from lib.reference.bounds import GradientYardstick
from lib.reference.flows import MOST_UNITS, flows_of
from tests.exact_networks import over_paths

CASES = [
    Experiment(),
    Experiment(inputs=2, hidden=(), outputs=3, output_activation="identity"),
    Experiment(inputs=1, hidden=(4,), outputs=1, activation="tanh"),
    Experiment(inputs=3, hidden=(4, 3), outputs=2, activation="gelu", output_activation="softmax"),
    Experiment(inputs=2, hidden=(3, 4, 3), outputs=2, activation="relu", dtype="bfloat16", seed=3),
    Experiment(inputs=3, hidden=(20,), outputs=15, activation="sigmoid", dtype="float64"),
]


def found(experiment, component=0, shown=(), number=1):
    net, x = network.build(experiment), sampling.block(experiment, 0)[number].clone()
    saved = backward_and_saved(net, x)[1]
    return net, x, saved, flows_of(experiment, net, saved, component, shown)


def every_path(experiment, net, saved, component):
    """The sizes of all paths from the component, each a tuple of units by layer."""
    weights = [
        layer.weight.double().abs().tolist() for layer in net if isinstance(layer, torch.nn.Linear)
    ]
    parts = saved.double().split([len(weight) for weight in weights])
    terms = [
        activation.terms(part[:, None])[:, 0].tolist()
        for activation, part in zip(activations_of(experiment), parts, strict=True)
    ]
    return [(path, size) for path, size in over_paths(weights, terms) if path[0] == component]


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query or "post")
def test_flows_are_the_sums_over_all_paths(experiment):
    component = experiment.inputs - 1
    net, _, saved, layers = found(experiment, component)
    units, edges, total = defaultdict(float), defaultdict(float), 0.0
    for path, size in every_path(experiment, net, saved, component):
        total += size
        for layer, unit in enumerate(path):
            units[layer, unit] += size
        for layer, ends in enumerate(pairwise(path), 1):
            edges[layer, *ends] += size
    assert total == pytest.approx(
        GradientYardstick(net, experiment).path_sums(saved[None])[0, component].item(), rel=1e-5
    )
    assert len(layers) == len(experiment.widths) and layers[0].flows == {}
    for number, (layer, width) in enumerate(zip(layers, experiment.widths, strict=True)):
        assert len(layer.units) == width - layer.others == min(width, MOST_UNITS)
        assert sorted(layer.units) == [*layer.units]
        shown = sorted((units[number, unit] for unit in layer.units), reverse=True)
        assert (
            shown
            == sorted((units[number, unit] for unit in range(width)), reverse=True)[: len(shown)]
        )
        if number:
            assert [*layer.flows] == [*product(layers[number - 1].units, layer.units)]
        for ends, share in layer.flows.items():
            assert share * total == pytest.approx(edges[number, *ends], rel=1e-9, abs=1e-300)


def test_whatever_has_to_be_is_shown():
    experiment = CASES[-1]
    shown = set(found(experiment)[-1][1].units)
    hidden = set(range(20)) - shown
    again = set(found(experiment, shown=[(1, number) for number in hidden])[-1][1].units)
    assert hidden < again and len(again) == MOST_UNITS


def test_a_unit_is_off_where_its_slope_is_zero():
    experiment = Experiment(inputs=3, hidden=(6, 5), outputs=2)
    net, x, _, layers = found(experiment)
    first = net[0](x)
    for layer, before in ((1, first), (2, net[2](torch.relu(first)))):
        assert layers[layer].off == tuple(np.flatnonzero((before <= 0).numpy()))
    assert layers[0].off == layers[3].off == ()


@pytest.mark.parametrize(
    ("fields", "parameter", "value"),
    [({}, "bias", -100.0), ({"activation": "gelu", "dtype": "float16"}, "weight", 60_000.0)],
    ids=["no path reaches an output", "the forward pass overflows"],
)
def test_where_s_is_0_or_infinite_there_is_no_flow(fields, parameter, value):
    experiment = Experiment(inputs=2, hidden=(3,), outputs=2, **fields)
    net = network.build(experiment)
    getattr(net[0], parameter).fill_(value)
    x = torch.ones(2, dtype=getattr(torch, experiment.dtype))
    layers = flows_of(experiment, net, backward_and_saved(net, x)[1], 0)
    assert {share for layer in layers for share in layer.flows.values()} == {0.0}

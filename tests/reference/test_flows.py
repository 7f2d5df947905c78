"""The flows of the path sum against the enumeration of all paths."""

from collections import defaultdict
from itertools import product

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.reference.activations import activations_of
from lib.reference.bounds import Yardstick
from lib.reference.flows import MOST_UNITS, flows_of
from lib.replay.replay import unit_names

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
    return net, x, saved, flows_of(experiment, net, x, saved, component, unit_names(experiment), shown)


def every_path(experiment, net, saved, component):
    """The sizes of all paths from the component, each a tuple of units by layer."""
    weights = [layer.weight.double().abs().tolist() for layer in net if isinstance(layer, torch.nn.Linear)]
    parts = saved.double().split([len(weight) for weight in weights])
    terms = [
        activation.terms(part[:, None])[:, 0].tolist()
        for activation, part in zip(activations_of(experiment), parts, strict=True)
    ]
    for path in product([component], *(range(width) for width in experiment.widths[1:])):
        size = 1.0
        for layer, (before, after) in enumerate(zip(path, path[1:], strict=False)):
            size *= weights[layer][after][before] * terms[layer][after]
        yield path, size


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query or "post")
def test_flows_are_the_sums_over_all_paths(experiment):
    component = experiment.inputs - 1
    net, x, saved, flows = found(experiment, component)
    units, edges, total = defaultdict(float), defaultdict(float), 0.0
    for path, size in every_path(experiment, net, saved, component):
        total += size
        for layer, unit in enumerate(path):
            units[layer, unit] += size
        for layer, ends in enumerate(zip(path, path[1:], strict=False)):
            edges[layer + 1, *ends] += size
    assert flows.path_sum == pytest.approx(total, rel=1e-12)
    by_yardstick = Yardstick(net, experiment).path_sums(saved[None])[0, component].item()
    assert flows.path_sum == pytest.approx(by_yardstick, rel=1e-5)
    for number, layer in enumerate(flows.layers):
        assert len(layer.units) + layer.others == experiment.widths[number]
        assert len(layer.units) == min(experiment.widths[number], MOST_UNITS)
        for unit in layer.units:
            assert unit.share * total == pytest.approx(units[number, unit.number], rel=1e-9, abs=1e-300)
            assert unit.name == unit_names(experiment)[number][unit.number]
        shares = [unit.share for unit in layer.units]
        assert shares == sorted(shares, reverse=True)
        every = sorted((units[number, unit] / total for unit in range(experiment.widths[number])), reverse=True)
        assert shares == pytest.approx(every[:MOST_UNITS], rel=1e-9, abs=1e-300)
        assert sum(shares) + layer.share_of_others == pytest.approx(1)
        for edge in layer.edges:
            assert edge.share * total == pytest.approx(edges[number, edge.before, edge.after], rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query or "post")
def test_edges_join_shown_units_and_the_inputs_only_by_the_component(experiment):
    *_, flows = found(experiment)
    assert flows.layers[0].edges == ()
    for number in range(1, len(flows.layers)):
        before, after = ([unit.number for unit in flows.layers[place].units] for place in (number - 1, number))
        expected = product([flows.component] if number == 1 else before, after)
        assert sorted((edge.before, edge.after) for edge in flows.layers[number].edges) == sorted(expected)


def test_the_largest_flows_are_shown_and_whatever_has_to_be():
    experiment = CASES[-1]
    *_, flows = found(experiment)
    shown = {unit.number for unit in flows.layers[1].units}
    hidden = set(range(20)) - shown
    *_, again = found(experiment, shown=[(1, number) for number in hidden])
    also = {unit.number: unit.share for unit in again.layers[1].units}
    assert hidden <= also.keys() and len(also) == MOST_UNITS
    least = min(unit.share for unit in flows.layers[1].units)
    assert all(also[number] <= least for number in hidden)


def test_a_unit_is_off_where_its_slope_is_zero():
    experiment = Experiment(inputs=3, hidden=(6, 5), outputs=2)
    net, x, _, flows = found(experiment)
    first = net[0](x)
    for layer, before in ((1, first), (2, net[2](torch.relu(first)))):
        assert {unit.number: unit.off for unit in flows.layers[layer].units} == dict(enumerate((before <= 0).tolist()))
    assert not any(unit.off for layer in (0, 3) for unit in flows.layers[layer].units)
    saturated = Experiment(inputs=1, hidden=(), outputs=1, output_activation="tanh")
    net = network.build(saturated)
    net[0].bias.fill_(100)
    x = torch.ones(1)
    flows = flows_of(saturated, net, x, backward_and_saved(net, x)[1], 0, unit_names(saturated))
    assert flows.layers[1].units[0].off and flows.path_sum > 0


def test_without_a_path_there_is_no_flow():
    experiment = Experiment(inputs=2, hidden=(3,), outputs=2)
    net, x = network.build(experiment), torch.zeros(2)
    net[0].bias.fill_(-1)
    flows = flows_of(experiment, net, x, backward_and_saved(net, x)[1], 0, unit_names(experiment))
    assert flows.path_sum == 0 and not any(unit.share for layer in flows.layers for unit in layer.units)
    assert all(unit.off for unit in flows.layers[1].units)


def test_after_an_overflow_nothing_is_known_and_nothing_is_nan():
    experiment = Experiment(inputs=2, hidden=(3,), outputs=2, activation="gelu", dtype="float16")
    net, x = network.build(experiment), torch.ones(2, dtype=torch.float16)
    net[0].weight.fill_(60000)
    flows = flows_of(experiment, net, x, backward_and_saved(net, x)[1], 0, unit_names(experiment))
    assert flows.path_sum == float("inf")
    shares = [part.share for layer in flows.layers for part in (*layer.units, *layer.edges)]
    assert set(shares) == {0.0} and all(layer.share_of_others == 0 for layer in flows.layers)

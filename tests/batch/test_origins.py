"""Where two passes diverge, against the graph of all that is computed, and what a swap does, against a network that was
changed by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.batch.origins import Origin, cause, origins, swapped
from lib.batch.stages import Stages, stages
from lib.batch.study import block
from lib.experiment.query import Experiment
from lib.network import network

NET = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2), nn.Softmax(-1))
OF_STAGES = 3, 4, 4, 4, 4, 2, 2
"""How wide the values of `NET` are, before and after each module."""

Node = tuple[str, int, int]
"""What is computed: ("forward", k, unit) is `forward[k][unit]`, and ("backward", k, unit) likewise."""


def operands(direction: str, k: int, unit: int) -> list[Node]:
    """What such a number of `NET` is computed from, apart from weights."""
    at = k - 1 if direction == "forward" else k
    other = k - 1 if direction == "forward" else k + 1
    mixes = isinstance(NET[at], nn.Linear | nn.Softmax)
    units = range(OF_STAGES[other]) if mixes else [unit]
    found = [(direction, other, one) for one in units]
    if direction == "backward" and not isinstance(NET[at], nn.Linear):  # slopes
        found += [("forward", place, one) for place in (at, at + 1) for one in units]
    return found


def planted(forward: dict[tuple[int, int], float], backward: dict[tuple[int, int], float]) -> tuple[Stages, Stages]:
    """Two passes that differ in these places, by so much."""

    def moved(by: dict[tuple[int, int], float]) -> tuple[Tensor, ...]:
        return tuple(
            torch.tensor([1 + by.get((k, unit), 0.0) for unit in range(width)]) for k, width in enumerate(OF_STAGES)
        )

    return Stages(moved({}), moved({})), Stages(moved(forward), moved(backward))


PLACES = st.sampled_from([(k, unit) for k, width in enumerate(OF_STAGES) for unit in range(width)])
AHEAD, BACK = (
    st.dictionaries(PLACES.filter(lambda place, same=same: place[0] != same), st.sampled_from([0.25, 0.5]), max_size=14)
    for same in (0, len(NET))  # the sample, and the gradient of the sum with respect to the outputs
)


@settings(max_examples=60)
@given(AHEAD, BACK)
def test_an_origin_differs_though_nothing_does_that_it_is_computed_from(forward, backward):
    differ = {("forward", *place) for place in forward} | {("backward", *place) for place in backward}
    found = origins(NET, *planted(forward, backward))
    nodes = [(way, at + (way == "forward"), unit) for way, at, unit in found]
    assert len({*found}) == len(found)
    assert {*nodes} == {node for node in differ if not any(operand in differ for operand in operands(*node))}


def test_nan_equals_nan_and_no_number():
    sides = planted({(1, 0): float("nan"), (1, 2): 0.5}, {})
    assert origins(NET, *sides) == [Origin("forward", 0, 0), Origin("forward", 0, 2)]
    sides[0].forward[1][0] = float("nan")
    assert origins(NET, *sides) == [Origin("forward", 0, 2)]


CASES = [
    Experiment(inputs=5, hidden=(11, 7), outputs=3, activation=activation, output_activation=last, dtype=dtype)
    for activation, last, dtype in [
        ("relu", "sigmoid", "float32"),
        ("tanh", "identity", "float64"),
        ("gelu", "softmax", "float32"),
        ("sigmoid", "tanh", "bfloat16"),
    ]
]


def changed_by_hand(net: nn.Sequential, x: Tensor, origin: Origin, value: float) -> tuple[Tensor, Tensor]:
    """The values that every module saves and returns come from explicit formulas of PyTorch's own backward calls."""
    values = [x.clone()]
    for at, module in enumerate(net):
        result = module(values[-1]).detach()
        if (origin.direction, origin.at) == ("forward", at):
            result[origin.unit] = value
        values.append(result)
    gradient = torch.ones_like(values[-1])
    for at in reversed(range(len(net))):
        gradient = _backward(net[at], values[at], values[at + 1], gradient)
        if (origin.direction, origin.at) == ("backward", at):
            gradient = gradient.clone()
            gradient[origin.unit] = value
    return values[-1], gradient


def _backward(module: nn.Module, x: Tensor, y: Tensor, gradient: Tensor) -> Tensor:
    match module:
        case nn.Linear():
            leaf = x.clone().requires_grad_()
            return torch.autograd.grad(module(leaf), leaf, gradient)[0]
        case nn.ReLU():
            return torch.ops.aten.threshold_backward(gradient, y, 0)
        case nn.Tanh():
            return torch.ops.aten.tanh_backward(gradient, y)
        case nn.Sigmoid():
            return torch.ops.aten.sigmoid_backward(gradient, y)
        case nn.GELU():
            return torch.ops.aten.gelu_backward(gradient, x)
        case nn.Softmax():
            return torch.ops.aten._softmax_backward_data(gradient, y, -1, y.dtype)
    assert isinstance(module, nn.Identity)
    return gradient


@pytest.mark.parametrize("experiment", CASES, ids=lambda experiment: experiment.query)
def test_a_swap_changes_one_number_and_all_that_is_computed_from_it(experiment):
    net, x = network.build(experiment), block(experiment, 0)[3].clone()
    side = stages(net, x)
    same, moved = 0, 0
    for way, of_way in ("forward", side.forward[1:]), ("backward", side.backward[:-1]):
        for at, values in enumerate(of_way):
            if isinstance(net[at], nn.Identity):
                continue
            for unit, number in enumerate(values.tolist()):
                for value in (number, number + 0.25):
                    ours, theirs = (of(net, x, Origin(way, at, unit), value) for of in (swapped, changed_by_hand))
                    assert all(map(torch.equal, ours, theirs))
                    as_before = torch.equal(ours[0], side.forward[-1]) and torch.equal(ours[1], side.backward[0])
                    same, moved = same + as_before, moved + (not as_before)
                    assert as_before or value != number
    assert same and moved


def test_the_cause_is_one_whose_swap_gives_the_component_of_the_other_side():
    """Two hidden sums differ; only the smaller difference reaches the output, for the other unit is off."""
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1), nn.Identity())
    with torch.no_grad():
        for linear, weight, bias in (net[0], [[1.0], [-1.0]], [0.0, 0.0]), (net[2], [[1.0, 1.0]], [0.0]):
            linear.weight.copy_(torch.tensor(weight))
            linear.bias.copy_(torch.tensor(bias))
    x = torch.tensor([1.0])
    alone = stages(net, x)
    hidden, step = alone.forward[1].clone(), 2.0**-20
    hidden[0], hidden[1] = 1 + step, -1 + 2 * step
    after = torch.tensor([1 + step, 0.0])
    batch = Stages((x, hidden, after, after.sum()[None], after.sum()[None]), alone.backward)
    assert cause(net, x, (alone, batch), "output", 0) == (Origin("forward", 0, 0), "all")
    third = Stages((*batch.forward[:3], after.sum()[None] + step, after.sum()[None] + step), alone.backward)
    assert cause(net, x, (alone, third), "output", 0) == (Origin("forward", 0, 0), "part")
    assert cause(net, x, (alone, batch), "gradient", 0) == (Origin("forward", 0, 1), "")  # equal: nothing is tried
    assert cause(net, x, (alone, alone), "gradient", 0) == (Origin("backward", 0, 0), "")
    assert cause(net, x, (alone, alone), "output", 0) == (Origin("forward", 2, 0), "")
    with torch.no_grad():
        net[2].bias.fill_(2.0**20)  # in which the difference is lost, so something else made the outputs differ
    alone = stages(net, x)
    far = alone.forward[-1] + 0.125
    lost = Stages((*batch.forward[:3], far, far), alone.backward)
    assert cause(net, x, (alone, lost), "output", 0).effect == ""

"""The stages of a pass against a plain loop, and the origin of a difference against every way back to one."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.batch.stages import Origin, Stages, of_gradient, of_output, stages
from lib.batch.study import block
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import EVERY_DTYPE

NET = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2), nn.Softmax(-1))
OF_STAGES = 3, 4, 4, 4, 4, 2, 2
"""How wide the values of `NET` are, before and after each module."""


def plain(net: nn.Sequential, x: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """The values of a loop over the modules, and what `backward` leaves at each."""
    values = [x.clone().requires_grad_()]
    for module in net:
        values.append(module(values[-1]))
        values[-1].retain_grad()
    values[-1].backward(torch.ones_like(values[-1]))
    return [value.detach() for value in values], [value.grad for value in values]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_the_stages_are_those_of_a_plain_loop_alone_and_in_a_batch(dtype, activation):
    experiment = Experiment(inputs=5, hidden=(11, 7), outputs=3, activation=activation, dtype=dtype)
    net, samples = network.build(experiment), block(experiment, 0)
    for x, row in [(samples[3], None), (samples[:4], 3), (samples[:9], 0)]:
        found, (values, gradients) = stages(net, x.clone(), row), plain(net, x)
        pick = slice(None) if row is None else row
        assert len(found.forward) == len(found.backward) == len(net) + 1
        for ours, theirs in zip((*found.forward, *found.backward), (*values, *gradients), strict=True):
            assert ours.shape == theirs[pick].shape and not ours.requires_grad
            assert torch.equal(ours, theirs[pick])
        assert torch.equal(found.forward[-1], net(x)[pick])


Node = tuple[str, int, int]
"""What is computed: ("forward", k, unit) is `forward[k][unit]`, and ("backward", k, unit) likewise."""


def operands(direction: str, k: int, unit: int) -> list[Node]:
    """What such a number of `NET` is computed from, apart from weights."""
    at = k - 1 if direction == "forward" else k
    module = NET[at] if 0 <= at < len(NET) else None
    if module is None:
        return []
    other = k - 1 if direction == "forward" else k + 1
    mixes = isinstance(module, nn.Linear | nn.Softmax)
    units = range(OF_STAGES[other]) if mixes else [unit]
    found = [(direction, other, one) for one in units]
    if direction == "backward" and not isinstance(module, nn.Linear):  # slopes
        found += [("forward", place, one) for place in (at, at + 1) for one in units]
    return found


def differ(sides: tuple[Stages, Stages], node: Node) -> bool:
    direction, k, unit = node
    one, other = (getattr(side, direction)[k][unit] for side in sides)
    return bool(one != other)


def origins(sides: tuple[Stages, Stages], start: Node) -> set[Origin]:
    """Every operation that differs, though its operands do not, that some way of differences leads to."""
    ways, seen, found = [start], set(), set()
    while ways:
        node = ways.pop()
        if node in seen:
            continue
        seen.add(node)
        below = [operand for operand in operands(*node) if differ(sides, operand)]
        ways += below
        if not below:
            direction, k, unit = node
            at = k - 1 if direction == "forward" else k
            if node == start and not differ(sides, node) and not isinstance(NET[at], nn.Linear):
                ways.append((direction, at, unit))  # its sum, whose operands may differ
            else:
                found.add(Origin(direction, at, unit))
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
@given(AHEAD, BACK, st.integers(0, 2))
def test_an_origin_is_where_a_way_of_differences_begins(forward, backward, component):
    sides = planted(forward, backward)
    assert of_gradient(NET, *sides, component) in origins(sides, ("backward", 0, component))
    if component < 2:
        assert of_output(NET, *sides, component) in origins(sides, ("forward", len(NET), component))


def test_where_nothing_differs_it_is_the_components_own_sum():
    sides = planted({}, {})
    assert of_output(NET, *sides, 1) == Origin("forward", 4, 1)
    assert of_gradient(NET, *sides, 2) == Origin("backward", 0, 2)


def test_a_unit_that_relu_turns_off_is_no_origin():
    """Its pre-activation differs, and nothing that is computed from it."""
    sides = planted({(1, 0): 0.5}, {})
    assert of_output(NET, *sides, 0) == Origin("forward", 4, 0)
    assert of_gradient(NET, *sides, 0) == Origin("backward", 0, 0)


def test_softmax_mixes_all_units():
    assert of_output(NET, *planted({(5, 1): 0.5, (6, 0): 0.5}, {}), 0) == Origin("forward", 4, 1)


def test_an_activation_of_equal_sums_is_the_origin_if_it_differs():
    assert of_output(NET, *planted({(4, 2): 0.5, (6, 0): 0.5, (5, 0): 0.5}, {}), 0) == Origin("forward", 3, 2)


def test_a_slope_leads_into_the_forward_pass():
    sides = planted({(3, 1): 0.5, (4, 1): 0.5}, {(3, 1): 0.5, (2, 0): 0.5, (1, 0): 0.5, (0, 0): 0.5})
    assert of_gradient(NET, *sides, 0) == Origin("forward", 2, 1)
    of_output_only = planted({(4, 1): 0.5}, {(3, 1): 0.5, (2, 0): 0.5, (1, 0): 0.5, (0, 0): 0.5})
    assert of_gradient(NET, *of_output_only, 0) == Origin("forward", 3, 1)


def test_the_nearest_of_several_differences_is_followed_and_nan_equals_nan():
    sides = planted({(4, 0): 0.5, (4, 1): 0.25, (4, 2): 0.5, (5, 0): 0.5, (6, 0): 0.5}, {})
    assert of_output(NET, *sides, 0) == Origin("forward", 3, 1)
    for side in sides:
        side.forward[4][1] = float("nan")
    assert of_output(NET, *sides, 0) == Origin("forward", 3, 0)

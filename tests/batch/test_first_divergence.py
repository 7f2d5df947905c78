"""Where two passes begin to differ, against the graph of all that is computed; their values, against a plain loop."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.batch.arrangements import block
from lib.batch.example import Values, difference, first_divergence, values
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import EVERY_DTYPE

NET = nn.Sequential(
    nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2), nn.Softmax(-1)
)
WIDTHS = 3, 4, 4, 4, 4, 2, 2
"""How many values there are before and after each module of `NET`."""

Number = tuple[str, int, int]
"""What is computed: ("forward", k, unit) is `forward[k][unit]`, and ("backward", k, unit) likewise."""


def operands(direction: str, k: int, unit: int) -> list[Number]:
    """What such a number of `NET` is computed from, apart from weights."""
    other = k - 1 if direction == "forward" else k + 1
    if not 0 <= other < len(WIDTHS):
        return []
    module = min(k, other)
    units = range(WIDTHS[other]) if module in (0, 2, 4, 5) else [unit]  # the others are elementwise
    found = [(direction, other, one) for one in units]
    if direction == "backward" and module in (1, 3, 5):  # slopes
        found += [("forward", place, one) for place in (module, module + 1) for one in units]
    return found


def planted(differ: dict[Number, float]) -> tuple[Values, Values]:
    """Two passes that differ in these numbers, by so much."""

    def moved(direction: str, by: dict[Number, float]) -> list[Tensor]:
        return list(
            torch.tensor([1 + by.get((direction, k, unit), 0.0) for unit in range(width)])
            for k, width in enumerate(WIDTHS)
        )

    one, other = (
        {name: moved(name, by) for name in ("forward", "backward")} for by in ({}, differ)
    )
    return one, other


NUMBERS = [
    (direction, k, unit)
    for direction, same in (
        ("forward", 0),
        ("backward", 6),
    )  # the sample, and the slopes of the sum of the outputs
    for k, width in enumerate(WIDTHS)
    for unit in range(width)
    if k != same
]
COMPONENTS = [("output", unit) for unit in range(2)] + [("gradient", unit) for unit in range(3)]
STEPS = st.sampled_from([0.25, 0.5, -1.0, float("nan"), float("inf")])


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(NUMBERS), STEPS, max_size=24), st.sampled_from(COMPONENTS))
def test_the_way_goes_through_what_differs_most_to_where_no_operand_differs(differ, component):
    quantity, unit = component
    goal = ("forward", 6, unit) if quantity == "output" else ("backward", 0, unit)
    sizes = {
        number: abs(step) if step * 0 == 0 else float("inf") for number, step in differ.items()
    }
    found = first_divergence(NET, planted(differ), quantity, unit)
    if quantity == "output" and goal not in differ:
        goal = ("forward", 5, unit)
    ways = {goal}  # all that a way through the largest differences may have come to
    while any(set(operands(*number)) & differ.keys() for number in ways):
        ways = {
            operand
            for number in ways
            for of in [[one for one in operands(*number) if one in differ]]
            for operand in of or [number]
            if not of or sizes[operand] == max(sizes[one] for one in of)
        }
    assert tuple(found) in ways


def test_nan_equals_nan_and_no_number():
    sides = planted({("forward", 6, 0): float("nan")})
    found = first_divergence(NET, sides, "output", 0)
    assert found == ("forward", 6, 0) and difference(sides, found) == float("inf")
    sides[0]["forward"][6][0] = float("nan")
    assert difference(sides, found) == 0 and first_divergence(NET, sides, "output", 0) == (
        "forward",
        5,
        0,
    )


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
def test_the_values_are_those_of_a_plain_loop_alone_and_in_a_batch(dtype, activation):
    experiment = Experiment(inputs=5, hidden=(11, 7), outputs=3, activation=activation, dtype=dtype)
    net, samples = network.build(experiment), block(experiment, 0)
    for x, row in [(samples[3], None), (samples[:4], 3), (samples[:9], 0)]:
        found, (forward, gradients) = values(net, x.clone(), row), plain(net, x)
        pick = slice(None) if row is None else row
        assert len(found["forward"]) == len(found["backward"]) == len(net) + 1
        for ours, theirs in zip(
            (*found["forward"], *found["backward"]), (*forward, *gradients), strict=True
        ):
            assert ours.shape == theirs[pick].shape and not ours.requires_grad
            assert torch.equal(ours, theirs[pick])
        assert torch.equal(found["forward"][-1], net(x)[pick])

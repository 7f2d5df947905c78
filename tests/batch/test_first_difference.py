"""Where two passes begin to differ, against the graph of all that is computed."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.batch.first_difference import difference, first_difference
from lib.batch.one_pass import Values

NET = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2), nn.Softmax(-1))
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

    def moved(direction: str, by: dict[Number, float]) -> tuple[Tensor, ...]:
        return tuple(
            torch.tensor([1 + by.get((direction, k, unit), 0.0) for unit in range(width)])
            for k, width in enumerate(WIDTHS)
        )

    one, other = (Values(moved("forward", by), moved("backward", by)) for by in ({}, differ))
    return one, other


NUMBERS = [
    (direction, k, unit)
    for direction, same in (("forward", 0), ("backward", 6))  # the sample, and the slopes of the sum of the outputs
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
    sizes = {number: abs(step) if step * 0 == 0 else float("inf") for number, step in differ.items()}
    found = first_difference(NET, planted(differ), quantity, unit)
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
    found = first_difference(NET, sides, "output", 0)
    assert found == ("forward", 6, 0) and difference(sides, found) == float("inf")
    sides[0].forward[6][0] = float("nan")
    assert difference(sides, found) == 0 and first_difference(NET, sides, "output", 0) == ("forward", 5, 0)

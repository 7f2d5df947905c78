"""Where two passes begin to differ, against the graph of all that is computed."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from lib.batch.arrangements import Pick
from lib.batch.example import Values, difference, first_divergence

INF = float("inf")
NAN = float("nan")
NET = nn.Sequential(
    nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2), nn.Softmax(-1)
)
WIDTHS = (3, 4, 4, 4, 4, 2, 2)
"""How many values there are before and after each module of `NET`."""
ELEMENTWISE = (1, 3)

Number = tuple[str, int, int]
"""What is computed: ("forward", k, unit) is `forward[k][unit]`, and ("backward", k, unit) too."""


def operands(direction: str, k: int, unit: int) -> list[Number]:
    """Return what such a number of `NET` is computed from, apart from weights."""
    before = k - 1 if direction == "forward" else k + 1
    if not 0 <= before < len(WIDTHS):
        return []
    module = min(k, before)
    units = [unit] if module in ELEMENTWISE else range(WIDTHS[before])
    numbers = [(direction, before, other) for other in units]
    if direction == "backward" and module % 2:  # its slopes
        for place in (module, module + 1):
            numbers += [("forward", place, other) for other in units]
    return numbers


def planted(differ: dict[Number, float]) -> tuple[Values, Values]:
    """Return two passes that differ in these numbers, by so much."""
    first: Values = {
        name: [torch.ones(width) for width in WIDTHS] for name in ("forward", "backward")
    }
    second: Values = {name: [part.clone() for part in parts] for name, parts in first.items()}
    for (direction, k, unit), step in differ.items():
        second[direction][k][unit] += step
    return first, second


NUMBERS = [("forward", k, unit) for k in range(1, 7) for unit in range(WIDTHS[k])]
NUMBERS += [("backward", k, unit) for k in range(6) for unit in range(WIDTHS[k])]
COMPONENTS = [("output", unit) for unit in range(2)] + [("gradient", unit) for unit in range(3)]
STEPS = st.sampled_from([0.25, 0.5, -1.0, NAN, INF])


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from(NUMBERS), STEPS, max_size=24), st.sampled_from(COMPONENTS))
def test_the_search_goes_through_what_differs_most_to_where_no_operand_differs(differ, component):
    quantity, unit = component
    goal = ("forward", 6, unit) if quantity == "output" else ("backward", 0, unit)
    sizes = {number: abs(step) if abs(step) <= 1 else INF for number, step in differ.items()}
    node = first_divergence(NET, planted(differ), Pick(4, 0, quantity, unit))
    if quantity == "output" and goal not in differ:
        goal = ("forward", 5, unit)
    ends = set()
    open_ = [goal]  # all that a search through the largest differences may come to
    while open_:
        number = open_.pop()
        differing = [operand for operand in operands(*number) if operand in differ]
        largest = max((sizes[operand] for operand in differing), default=0)
        open_ += [operand for operand in differing if sizes[operand] == largest]
        if not differing:
            ends.add(number)
    assert tuple(node) in ends


def test_nan_equals_nan_and_no_number():
    pick = Pick(4, 0, "output", 0)
    sides = planted({("forward", 6, 0): NAN})
    node = first_divergence(NET, sides, pick)
    assert node == ("forward", 6, 0) and difference(sides, node) == INF
    sides[0]["forward"][6][0] = NAN
    assert difference(sides, node) == 0
    assert first_divergence(NET, sides, pick) == ("forward", 5, 0)

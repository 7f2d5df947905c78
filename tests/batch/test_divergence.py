"""Where two passes begin to differ, against the graph of all that is computed."""

from math import inf, nan

from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from lib.batch.arrangements import Pick
from lib.batch.divergence import divergence

NET = nn.Sequential(
    nn.Linear(3, 4), nn.SiLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2), nn.Softmax(-1)
)
WIDTHS = (3, 4, 4, 4, 4, 2, 2)
"""How many values there are before and after each module of `NET`."""
ELEMENTWISE = (1, 3)


def operands(direction, k, unit):
    """Return what a number of `NET` is computed from, apart from weights.

    ("forward", k, unit) is `forward[k][unit]`, and ("backward", k, unit) likewise.
    """
    before = k - 1 if direction == "forward" else k + 1
    if not 0 <= before < len(WIDTHS):
        return []
    module = min(k, before)
    units = [unit] if module in ELEMENTWISE else range(WIDTHS[before])
    numbers = [(direction, before, other) for other in units]
    if direction == "backward" and module % 2:
        # PyTorch computes the slopes of SiLU from its input, and the others from their results.
        place = module if module == 1 else module + 1
        numbers += [("forward", place, other) for other in units]
    return numbers


def planted(differ):
    """Return two passes that differ in these numbers, by so much; where it is 0, both are NaN."""
    sides = [
        {name: [[1.0] * width for width in WIDTHS] for name in ("forward", "backward")}
        for _ in range(2)
    ]
    for (direction, k, unit), step in differ.items():
        sides[1][direction][k][unit] += step or nan
        if not step:
            sides[0][direction][k][unit] = nan
    return sides[0], sides[1]


NUMBERS = [("forward", k, unit) for k in range(1, 7) for unit in range(WIDTHS[k])]
NUMBERS += [("backward", k, unit) for k in range(6) for unit in range(WIDTHS[k])]
COMPONENTS = [("output", unit) for unit in range(2)] + [("gradient", unit) for unit in range(3)]
STEPS = st.sampled_from([0.25, -1.0, nan, inf, 0.0])


@settings(max_examples=100)
@example({("forward", 6, 0): 0.0}, ("output", 0))
@given(st.dictionaries(st.sampled_from(NUMBERS), STEPS, max_size=24), st.sampled_from(COMPONENTS))
def test_the_search_ends_where_no_operand_differs(differ, component):
    quantity, unit = component
    goal = ("forward", 6, unit) if quantity == "output" else ("backward", 0, unit)
    node = divergence(NET, planted(differ), Pick(4, 0, quantity, unit))
    differ = {number for number, step in differ.items() if step}
    if quantity == "output" and goal not in differ:
        goal = ("forward", 5, unit)
    ends = set()
    # all that a search through what differs may come to
    open_ = [goal]
    while open_:
        number = open_.pop()
        differing = [operand for operand in operands(*number) if operand in differ]
        open_ += differing
        if not differing:
            ends.add(number)
    assert tuple(node) in ends

"""In what two evaluations diverge, on steps and networks made to do so in one place."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from torch import Tensor, nn

from lib.replay.first_divergence import (
    FirstDivergence,
    divergence_in,
    find_first_divergence,
    first_step_apart,
    in_one_order,
)
from lib.replay.orders import Group, Orders
from lib.replay.passes import Pass
from lib.replay.steps import ROUNDING, Step, add_up
from lib.replay.trees import Tree


def step(right: float | None, product: float | None, after: float, label: str = "h0: w·δ") -> Step:
    return Step(label, 0, 1.0, right, product, 0.0, 0.0, after, Fraction(0), 0.0, None)


TINY = 2.0**-80  # beside 1 no float64 holds it
WHOLE = step(3.0, 6.0, 9.0)
ONE = step(1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("backward", "rows", "divergence"),
    [
        (WHOLE, [step(1.0, 2.0, 4.0), step(2.0, 4.0, 5.0)], ""),
        (WHOLE, [step(1.0, 2.0, 4.5), step(2.5, 4.5, 5.0)], "gradient"),
        (WHOLE, [step(1.0, 2.0, 4.5), step(2.0, 4.5, 5.0)], "product"),
        (WHOLE, [step(1.0, 2.0, 4.0), step(2.0, 4.0, 5.5)], "sum"),
        (step(None, None, 9.0), [step(None, None, 4.0), step(None, None, 5.5)], "sum"),
        (step(None, None, 9.0, ROUNDING), [step(None, None, 4.0)] * 2, "rounding"),
        (ONE, [ONE, step(0.0, 0.0, TINY)], "sum"),
        (ONE, [ONE, step(TINY, TINY, TINY), step(-TINY, -TINY, -TINY)], ""),
    ],
)
def test_a_step_diverges_in_the_first_number_that_is_not_the_sum_of_the_rows(
    backward, rows, divergence
):
    assert divergence_in([backward, *rows]) == divergence


def test_sums_in_different_orders_part_where_they_first_do_something_else():
    def apart(*orders: list[tuple[int, float]]) -> int | None:
        return first_step_apart(
            [[replace(ONE, after=after, term=term) for term, after in order] for order in orders]
        )

    first, second = [(0, 1.0), (1, 2.0), (2, 3.0)], [(0, 1.0), (2, 2.0), (1, 3.0)]
    assert apart(first, first) is None
    assert apart(first, second) is None
    assert apart(first, [*second[:2], (1, 3.5)]) == 1
    assert apart(first, [*first[:2], (2, 3.5)]) == 2
    assert apart(first, [*first, (3, 4.0)]) == 2
    adds_nothing = replace(ONE, term=None)
    assert not in_one_order([[adds_nothing], [replace(adds_nothing, label=ROUNDING)]])


NAMES = [["x0", "x1"], ["h0", "h1"], ["y0", "y1"]]
ULP = 2.0**-23


def layers(dtype: torch.dtype = torch.float32, outputs: int = 2) -> nn.Sequential:
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, outputs), nn.Identity())
    return net.to(dtype).requires_grad_(False)


def pass_with(gradients: list[Tensor], tree: Tree) -> Pass:
    orders = Orders((Group((0,), (0, 1), tree),))
    rows = [0] * len(gradients[0])
    return Pass(gradients, {0: orders, 2: orders}, rows, gradients[0].sum(0), Orders(), 0)


PLAIN = Tree(2, ((0, 1),), ())


def divergence_of(
    of_outputs: list[list[float]],
    weight: float = 1.0,
    on: tuple[bool, bool] = (True, True),
    dtype: str = "float32",
    trees: tuple[Tree, Tree] = (PLAIN, PLAIN),
) -> FirstDivergence | None:
    """Two layers with no activation at the end, and hidden units that are on or off; all weights
    alike.

    `of_outputs` has the two rows' gradients of the outputs. Their sum is that of backward, so that
    nothing diverges before the second layer; what it gives back is computed in the order of its
    terms, and the rest is 0.
    """
    number = getattr(torch, dtype)
    rows = torch.tensor(of_outputs, dtype=number)
    net = layers(number, rows.shape[1])
    for layer in net[::2]:
        layer.weight.fill_(weight)
    both = torch.cat([rows.sum(0, keepdim=True), rows])
    used = [trees[0], *[trees[1]] * len(rows)]
    before = torch.stack(
        [
            add_up(tree, vector[None], net[2].weight)[0]
            for tree, vector in zip(used, both, strict=True)
        ]
    )
    of_hidden = torch.where(torch.tensor(on), before, 0)
    of_hidden[0] = of_hidden[1:].sum(0)  # the activation brings both together again
    places = [torch.zeros(len(both), 2), of_hidden, before, both, both]
    first = pass_with([place[:1] for place in places], trees[0])
    second = pass_with([place[1:] for place in places], trees[1])
    names = [*NAMES[:2], [f"y{output}" for output in range(rows.shape[1])]]
    return find_first_divergence(net, names, first, second, 1)


ROUNDED = [[1.0, 0.0], [0.0, ULP / 2]]


@pytest.mark.parametrize(
    ("rows", "weight", "dtype", "operation", "label", "numbers"),
    [
        (ROUNDED, 1.0, "float32", "sum", "y1: w·δ", (1.0, 1.0, ULP / 2)),
        (
            *([[1.0, 0.0], [ULP, 0.0]], 1 + ULP, "float32", "product", "y0: w·δ"),
            (1 + 2 * ULP, 1 + ULP, ULP + ULP**2),
        ),
        (
            *([[2.0, 1.0], [0.0, ULP]], 1 + ULP, "float32", "product", "y1: w·δ"),
            (1 + 2 * ULP, 1 + ULP, ULP + ULP**2),
        ),
        (
            *([[1.0, 0.0], [0.0, 2.0**-9]], 1.0, "bfloat16", "rounding", ROUNDING),
            (1.0, 1.0, 2.0**-9),
        ),
    ],
)
def test_a_dot_product_diverges_where_its_first_operation_is_rounded(
    rows, weight, dtype, operation, label, numbers
):
    divergence = divergence_of(rows, weight, dtype=dtype)
    assert (divergence.operation, divergence.unit) == (operation, "h0")
    assert (divergence.backward, *divergence.rows) == numbers
    assert divergence.exact == Fraction(numbers[1]) + Fraction(numbers[2])
    assert divergence.step.label == label


def test_where_the_orders_differ_no_operation_has_a_counterpart():
    """1 and two halves of an ulp: left to right they are 1, and in the rows nothing is lost."""
    trees = Tree(3, ((0, 1), (3, 2)), ()), Tree(3, ((1, 2), (0, 3)), ())
    divergence = divergence_of([[1.0, 0.0, 0.0], [0.0, ULP / 2, ULP / 2]], trees=trees)
    assert divergence == FirstDivergence("order", "h0", 1.0, (1.0, ULP))


def test_nothing_diverges_where_all_is_the_sum_of_the_rows_and_units_that_are_off_are_passed_over():
    assert divergence_of([[1.0, 2.0], [3.0, 4.0]]) is None
    assert divergence_of(ROUNDED, on=(False, True)).unit == "h1"
    assert divergence_of(ROUNDED, on=(False, False)) is None


@pytest.mark.parametrize(
    ("changes", "unit", "backward", "rows"),
    [
        ({(3, 1): 0.5}, "y1", 2.5, (1.0, 1.0)),
        ({(1, 0): 0.5}, "h0", 4.5, (2.0, 2.0)),
        # The last layer comes first, and of its units the first.
        ({(1, 0): 0.5, (3, 1): 0.5, (3, 0): 0.25}, "y0", 2.25, (1.0, 1.0)),
    ],
)
def test_an_activation_that_diverges_is_a_slope(changes, unit, backward, rows):
    """Two rows that are equal everywhere, and what is added to the gradients of backward."""
    of_rows = [torch.full((2, 2), value) for value in (4.0, 2.0, 2.0, 1.0, 1.0)]
    of_backward = [part.sum(0, keepdim=True) for part in of_rows]
    for (place, number), change in changes.items():
        of_backward[place][0, number] += change
    sides = (pass_with(gradients, PLAIN) for gradients in (of_backward, of_rows))
    divergence = find_first_divergence(layers(), NAMES, *sides, 1)
    assert divergence == FirstDivergence("slope", unit, backward, rows)

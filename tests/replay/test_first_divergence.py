"""In what two evaluations diverge, on steps and networks made to do so in one place."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from torch import Tensor, nn

from lib.replay.first_divergence import (
    FirstDivergence,
    Pass,
    divergence_in,
    find_first_divergence,
    first_step_apart,
)
from lib.replay.orders import Group, Orders
from lib.replay.steps import ROUNDING, Step, add_up
from lib.replay.trees import Tree


def step(right: float | None, product: float | None, after: float, label: str = "h0: w·δ") -> Step:
    return Step(label, 0, 1.0, right, product, 0.0, 0.0, after, Fraction(0), 0.0, None)


TINY = 2.0**-80  # beside 1 no float64 holds it


@pytest.mark.parametrize(
    ("backward", "rows", "found"),
    [
        (step(3.0, 6.0, 9.0), [step(1.0, 2.0, 4.0), step(2.0, 4.0, 5.0)], ""),
        (step(3.0, 6.0, 9.0), [step(1.0, 2.0, 4.0), step(2.5, 4.0, 5.0)], "gradient"),
        (step(3.0, 6.0, 9.0), [step(1.0, 2.0, 4.0), step(2.0, 4.5, 5.0)], "product"),
        (step(3.0, 6.0, 9.0), [step(1.0, 2.0, 4.0), step(2.0, 4.0, 5.5)], "sum"),
        (step(3.0, 6.0, 9.0), [step(1.0, 2.0, 4.5), step(2.5, 4.5, 5.0)], "gradient"),
        (step(3.0, 6.0, 9.0), [step(1.0, 2.0, 4.5), step(2.0, 4.5, 5.0)], "product"),
        (step(None, None, 9.0), [step(None, None, 4.0), step(None, None, 5.5)], "sum"),
        (
            step(None, None, 9.0, ROUNDING),
            [step(None, None, 4.0), step(None, None, 5.5)],
            "rounding",
        ),
        (step(1.0, 1.0, 1.0), [step(1.0, 1.0, 1.0), step(0.0, 0.0, TINY)], "sum"),
        (
            step(1.0, 1.0, 1.0),
            [step(1.0, 1.0, 1.0), step(TINY, TINY, TINY), step(-TINY, -TINY, -TINY)],
            "",
        ),
    ],
)
def test_a_step_diverges_in_the_first_number_that_is_not_the_sum_of_the_rows(backward, rows, found):
    assert divergence_in([backward, *rows]) == found


NAMES = [["x0", "x1"], ["h0", "h1"], ["y0", "y1"]]
ULP = 2.0**-23
PLAIN = Tree(2, ((0, 1),), ())


def passes(
    gradients: list[Tensor], rows: list[Tensor], tree: Tree = PLAIN, of_rows: Tree = PLAIN
) -> tuple[Pass, Pass]:
    """The passes of two layers with these gradients of x and of the modules' outputs, and these
    orders."""
    return tuple(
        Pass(
            of,
            dict.fromkeys((0, 2), Orders((Group((0,), (0, 1), by),))),
            [0] * len(of[0]),
            of[0].sum(0),
            Orders(),
            0,
        )
        for of, by in ((gradients, tree), (rows, of_rows))
    )


def found(
    of_outputs: list[list[float]],
    weight: float = 1.0,
    on: tuple[bool, bool] = (True, True),
    dtype: str = "float32",
) -> FirstDivergence | None:
    """Two layers of two units with no activation at the end, and hidden units that are on or off;
    all weights alike.

    `of_outputs` has the two rows' gradients of the outputs. Their sum is that of backward, so that
    nothing diverges before the second layer; what it gives back is computed in the order of its
    terms, and the rest is 0.
    """
    number = getattr(torch, dtype)
    net = (
        nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2), nn.Identity())
        .to(number)
        .requires_grad_(False)
    )
    for layer in net[::2]:
        layer.weight.fill_(weight)
    rows = torch.tensor(of_outputs, dtype=number)
    both = torch.cat([rows.sum(0, keepdim=True), rows])
    before = torch.stack([add_up(PLAIN, vector[None], net[2].weight)[0] for vector in both])
    of_hidden = torch.where(torch.tensor(on), before, 0)
    of_hidden[0] = of_hidden[1:].sum(0)  # the activation brings both together again
    of_inputs = torch.zeros_like(both)
    places = [of_inputs, of_hidden, before, both, both]
    return find_first_divergence(
        net, NAMES, *passes([place[:1] for place in places], [place[1:] for place in places]), 1
    )


def test_where_everything_is_the_sum_of_the_rows_nothing_diverges():
    assert found([[1.0, 2.0], [3.0, 4.0]]) is None


@pytest.mark.parametrize(
    ("rows", "weight", "dtype", "operation", "unit", "numbers"),
    [
        ([[1.0, 0.0], [0.0, ULP / 2]], 1.0, "float32", "sum", "y1", (1.0, 1.0, ULP / 2)),
        (
            [[1.0, 0.0], [ULP, 0.0]],
            1 + ULP,
            "float32",
            "product",
            "y0",
            (1 + 2 * ULP, 1 + ULP, ULP + ULP**2),
        ),
        (
            [[2.0, 1.0], [0.0, ULP]],
            1 + ULP,
            "float32",
            "product",
            "y1",
            (1 + 2 * ULP, 1 + ULP, ULP + ULP**2),
        ),
        ([[1.0, 0.0], [0.0, 2.0**-9]], 1.0, "bfloat16", "rounding", "", (1.0, 1.0, 2.0**-9)),
    ],
)
def test_a_dot_product_diverges_where_its_first_operation_is_rounded(
    rows, weight, dtype, operation, unit, numbers
):
    divergence = found(rows, weight, dtype=dtype)
    exact = Fraction(numbers[1]) + Fraction(numbers[2])
    assert (divergence.operation, divergence.unit) == (operation, "h0")
    assert (divergence.backward, divergence.rows, divergence.exact) == (
        numbers[0],
        numbers[1:],
        exact,
    )
    assert divergence.step.label == (f"{unit}: w·δ" if unit else ROUNDING)


def test_where_the_orders_differ_no_operation_has_a_counterpart():
    """1 and two halves of an ulp: from left to right they are 1, and in the rows nothing is lost."""
    net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 3), nn.Identity()).requires_grad_(
        False
    )
    of_outputs = torch.tensor([[1.0, 0.0, 0.0], [0.0, ULP / 2, ULP / 2]])
    of_hidden = torch.tensor([[1.0], [ULP]])

    sides = [
        [
            torch.zeros(1, 1),
            of_hidden.sum(0)[None],
            torch.ones(1, 1),
            *[of_outputs.sum(0)[None]] * 2,
        ],
        [torch.zeros(2, 1), of_hidden, of_hidden, of_outputs, of_outputs],
    ]
    left_to_right, last_first = Tree(3, ((0, 1), (3, 2)), ()), Tree(3, ((1, 2), (0, 3)), ())
    names = [["x0"], ["h0"], ["y0", "y1", "y2"]]
    divergence = find_first_divergence(net, names, *passes(*sides, left_to_right, last_first), 0)
    assert (divergence.operation, divergence.unit, divergence.step) == ("order", "h0", None)
    assert (divergence.backward, divergence.rows) == (1.0, (1.0, ULP))


def test_sums_in_different_orders_part_where_they_first_do_something_else():
    def sums(*orders: list[int]) -> list[list[Step]]:
        return [
            [replace(step(1.0, 1.0, after), term=term) for term, after in order] for order in orders
        ]

    one, other = [(0, 1.0), (1, 2.0), (2, 3.0)], [(0, 1.0), (2, 2.0), (1, 3.0)]
    assert first_step_apart(sums(one, one)) is None
    assert first_step_apart(sums(one, other)) is None
    assert first_step_apart(sums(one, [*other[:2], (1, 3.5)])) == 1
    assert first_step_apart(sums(one, [*one[:2], (2, 3.5)])) == 2
    assert first_step_apart(sums(one, [*one, (3, 4.0)])) == 2


def test_units_that_are_off_are_passed_over():
    rounded = [[1.0, 0.0], [0.0, ULP / 2]]
    assert found(rounded, on=(False, True)).unit == "h1"
    assert found(rounded, on=(False, False)) is None


def slope(changes: dict[tuple[int, int], float], component: int = 1) -> FirstDivergence | None:
    """Two rows that are equal everywhere; what is added to the gradients of backward, by place and
    unit."""
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2), nn.Identity()).requires_grad_(
        False
    )
    rows = [torch.full((2, 2), value) for value in (4.0, 2.0, 2.0, 1.0, 1.0)]
    backward: list[Tensor] = [part.sum(0, keepdim=True) for part in rows]
    for (place, unit), change in changes.items():
        backward[place][0, unit] += change
    return find_first_divergence(net, NAMES, *passes(backward, rows), component)


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
    assert slope(changes) == FirstDivergence(
        "slope", unit, backward, rows, Fraction(sum(rows)), None
    )

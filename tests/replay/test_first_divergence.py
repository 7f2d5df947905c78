"""In what two evaluations diverge, on networks made to do so in one place.

`test_replay` has the first gradient that is not the sum of the rows', on networks as they are.
"""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from torch import nn

from lib.replay.first_divergence import FirstDivergence, find_first_divergence, first_step_apart
from lib.replay.orders import Group, Orders
from lib.replay.passes import Pass
from lib.replay.steps import ROUNDING, Step, add_up
from lib.replay.trees import Tree

ONE = Step("h0: w·δ", 0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, Fraction(0), 0.0, None)


def test_sums_in_different_orders_part_where_they_first_do_something_else():
    def apart(*orders: list[tuple[int, float]]) -> int | None:
        return first_step_apart(
            [[replace(ONE, after=after, term=term) for term, after in order] for order in orders]
        )

    first, second = [(0, 1.0), (1, 2.0), (2, 3.0)], [(0, 1.0), (2, 2.0), (1, 3.0)]
    assert apart(first, second) is None
    assert apart(first, [*second[:2], (1, 3.5)]) == 1
    assert apart(first, [*first, (3, 4.0)]) == 2
    rounding = replace(ONE, after=2.0, label=ROUNDING)
    assert first_step_apart([[ONE, rounding], [ONE, replace(ONE, after=3.0)]]) == 1


ULP = 2.0**-23
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
    outputs = rows.shape[1]
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, outputs), nn.Identity())
    net.to(number).requires_grad_(False)
    net[2].weight.fill_(weight)
    both = torch.cat([rows.sum(0, keepdim=True), rows])
    first, second = (slice(0, 1), trees[0]), (slice(1, None), trees[1])
    before = torch.cat([add_up(tree, both[part], net[2].weight) for part, tree in (first, second)])
    of_hidden = torch.where(torch.tensor(on), before, 0)
    of_hidden[0] = of_hidden[1:].sum(0)  # the activation brings both together again
    gradients = [torch.zeros(len(both), 2), of_hidden, before, both, both]
    passes = []
    for part, tree in (first, second):
        orders = dict.fromkeys((0, 2), Orders((Group((0,), (0, 1), tree),)))
        of_part = [gradient[part] for gradient in gradients]
        passes.append(Pass(of_part, orders, [0] * len(of_part[0]), both[0], Orders(), 0))
    names = [["x0", "x1"], ["h0", "h1"], [f"y{output}" for output in range(outputs)]]
    return find_first_divergence(net, names, *passes, 1)


ROUNDED = [[1.0, 0.0], [0.0, ULP / 2]]
TWO_ULPS = (1 + 2 * ULP, 1 + ULP, ULP + ULP**2)


@pytest.mark.parametrize(
    ("rows", "weight", "dtype", "operation", "label", "numbers"),
    [
        (ROUNDED, 1.0, "float32", "sum", "y1: w·δ", (1.0, 1.0, ULP / 2)),
        ([[1.0, 0.0], [ULP, 0.0]], 1 + ULP, "float32", "product", "y0: w·δ", TWO_ULPS),
        ([[2.0, 1.0], [0.0, ULP]], 1 + ULP, "float32", "product", "y1: w·δ", TWO_ULPS),
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


def test_units_that_are_off_are_passed_over_and_a_sum_is_exact():
    assert divergence_of([[1.0, 2.0], [3.0, 4.0]]) is None
    assert divergence_of(ROUNDED, on=(False, True)).unit == "h1"
    assert divergence_of(ROUNDED, on=(False, False)) is None
    tiny = 2.0**-80  # beside 1 no float64 holds it
    assert divergence_of([[1.0, 0.0], [0.0, tiny], [0.0, -tiny]]) is None
    lost = divergence_of([[1.0, 0.0], [tiny, 0.0]])
    assert lost == FirstDivergence("slope", "y0", 1.0, (1.0, tiny))

"""In what two evaluations diverge, in a layer made to do so at one operation.

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
from tests.replay.known_trees import chain

ONE = Step("h0: w·δ", 0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, Fraction(0), 0.0, None)


def test_sums_in_different_orders_part():
    """Where they first do something else."""

    def apart(*orders):
        return first_step_apart(
            [[replace(ONE, after=after, term=term) for term, after in order] for order in orders]
        )

    first, second = [(0, 1.0), (1, 2.0), (2, 3.0)], [(0, 1.0), (2, 2.0), (1, 3.0)]
    assert apart(first, second) is None
    assert apart(first, [*second[:2], (1, 3.5)]) == 1
    assert apart(first, [*first, (3, 4.0)]) == 2
    rounding = replace(ONE, after=2.0, label=ROUNDING)
    assert first_step_apart([[ONE, rounding], [ONE, replace(ONE, after=3.0)]]) == 1


def divergence_of(deltas, weight=1.0, dtype="float32", *trees):
    """A layer whose weights are all alike, and the two trees, or from left to right.

    The outputs have these gradients in the rows, and their sum in `backward()`.
    """
    rows = torch.tensor(deltas, dtype=getattr(torch, dtype))
    width = rows.shape[1]
    net = nn.Sequential(nn.Linear(1, width, dtype=rows.dtype)).requires_grad_(False)
    net[0].weight.fill_(weight)
    first, second = trees or [Tree.of(width, chain(width), ())] * 2
    passes = []
    for outputs, tree in ((rows.sum(0, keepdim=True), first), (rows, second)):
        gradients = [add_up(tree, outputs, net[0].weight), outputs]
        orders = {0: Orders((Group((0,), (0,), tree),))}
        passes.append(Pass(gradients, orders, [0] * len(outputs), rows[0], Orders(), 0))
    return find_first_divergence(net, [["x0"], ["y0", "y1", "y2"][:width]], *passes, 0)


ULP = 2.0**-23
TWO_ULPS = (1 + 2 * ULP, 1 + ULP, ULP + ULP**2)


@pytest.mark.parametrize(
    "layer, operation, label, numbers",
    [
        (([[1, 0], [0, ULP / 2]],), "sum", "y1: w·δ", (1.0, 1.0, ULP / 2)),
        (([[1, 0], [ULP, 0]], 1 + ULP), "product", "y0: w·δ", TWO_ULPS),
        (([[2, 1], [0, ULP]], 1 + ULP), "product", "y1: w·δ", TWO_ULPS),
        (([[1, 0], [0, 2**-9]], 1, "bfloat16"), "rounding", ROUNDING, (1.0, 1.0, 2**-9)),
    ],
)
def test_a_dot_product_diverges_at_its_first_rounding(layer, operation, label, numbers):
    divergence = divergence_of(*layer)
    assert (divergence.operation, divergence.unit) == (operation, "x0")
    assert (divergence.backward, *divergence.rows) == numbers
    assert divergence.exact == Fraction(numbers[1]) + Fraction(numbers[2])
    assert divergence.step.label == label


def test_other_orders_have_no_counterparts():
    """1 and two halves of an ulp: left to right they are 1, and in the rows nothing is lost."""
    trees = Tree(3, ((0, 1), (3, 2)), ()), Tree(3, ((1, 2), (0, 3)), ())
    divergence = divergence_of([[1, 0, 0], [0, ULP / 2, ULP / 2]], 1.0, "float32", *trees)
    assert divergence == FirstDivergence("order", "x0", 1.0, (1.0, ULP))


def test_whether_numbers_are_a_sum_is_exact():
    # beside 1 no float64 holds it
    tiny = 2.0**-80
    assert divergence_of([[1, 0], [0, tiny], [0, -tiny]]) is None
    assert divergence_of([[1, 0], [0, tiny]]).rows == (1.0, tiny)

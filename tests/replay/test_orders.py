"""Orders are grouped by entries and never guessed.

`test_replay` has the gradients that layers have in them, and `batch/test_example` the outputs.
"""

import re

import pytest
import torch

from lib.experiment.query import Experiment
from lib.replay.orders import layer_orders, orders_of
from lib.replay.steps import add_up
from lib.replay.trees import Tree
from tests.replay.known_trees import chain

CHAIN = Tree.of(9, chain(9), ())
FUSED = Tree.of(9, chain(9), [3])
REVERSED = Tree.of(9, [[8 - a if a < 9 else a for a in addends] for addends in chain(9)], ())


def of_products(product, vectors=2, columns=3):
    return orders_of(lambda: product, (), vectors, 9, columns, torch.float32)


def all_at_once(vectors, matrix):
    """In float64, as long as the largest term leaves room, as adders of several terms do."""
    terms = vectors.double()[:, :, None] * matrix.double()
    quantum = terms.abs().amax(1, keepdim=True) * 2.0**-30
    return torch.where(quantum > 0, (terms / quantum).trunc() * quantum, 0).sum(1).float()


def seldom_other(v, matrix):
    """Another order where a vector starts with a number below −1, which is one in six."""
    return torch.where(v[:, :1] < -1, *(add_up(tree, v, matrix) for tree in (REVERSED, CHAIN)))


@pytest.mark.parametrize(
    "orders, reason",
    [
        (lambda: layer_orders(Experiment(device="cuda"), 4, "forward", 1), "orders of the CPU"),
        (lambda: layer_orders(Experiment(), 100_000, "forward", 1), "100,000 rows .* memory"),
        (lambda: of_products(seldom_other, 64, 1), "9 terms does not give"),
        (lambda: of_products(all_at_once), "two numbers at a time"),
    ],
)
def test_an_order_is_never_guessed(orders, reason):
    refused = orders()
    assert refused.groups == () and re.search(reason, refused.reason)


def test_at_least_32_entries_are_checked():
    """Of four rows, nine times: sums that are small compared to their terms."""
    distinct = []

    def product(vectors, matrix):
        distinct.append(len(vectors.unique(dim=0)))
        if distinct[-1] == 64:
            sizes = vectors.abs() @ matrix.abs()
            assert ((vectors @ matrix).abs() <= 0.01 * sizes).all()
        return add_up(CHAIN, vectors, matrix)

    of_products(product, 64, 1)
    assert distinct.count(64) == 9


def test_entries_of_one_order_are_a_group():
    """By rows and columns."""

    def product(vectors, matrix):
        result = add_up(CHAIN, vectors, matrix)
        result[::2, 1:] = add_up(REVERSED, vectors[::2], matrix[:, 1:])
        result[:1] = add_up(FUSED, vectors[:1], matrix)
        return result

    orders = of_products(product, vectors=5)
    assert [(group.rows, group.columns, group.tree) for group in orders.groups] == [
        ((0,), (0, 1, 2), FUSED),
        ((1, 3), (0, 1, 2), CHAIN),
        ((2, 4), (0,), CHAIN),
        ((2, 4), (1, 2), REVERSED),
    ]
    trees = [[orders.tree(row, column) for column in range(3)] for row in range(5)]
    split = [CHAIN, REVERSED, REVERSED]
    assert trees == [[FUSED] * 3, *[[CHAIN] * 3, split] * 2]
    with pytest.raises(LookupError):
        orders.tree(5, 0)
    vectors, matrix = torch.rand(5, 9), torch.rand(9, 3)
    sums = orders.product([4, 1], vectors[[4, 1]], matrix)
    assert torch.equal(sums, product(vectors, matrix)[[4, 1]])

"""Orders are grouped by entries, checked and never guessed; added in them, layers have the bits of
plain PyTorch."""

import random

import pytest
import torch
from torch import nn

from lib.experiment.query import Experiment
from lib.replay.kernels import backward, forward
from lib.replay.orders import Orders, layer_orders, orders_of
from lib.replay.steps import add_up
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.known_orders import known
from tests.replay.known_trees import chain, in_parts

CHAIN = Tree.of(9, chain(9), ())


def covers(orders: Orders, rows: int, columns: int, terms: int) -> None:
    """Every entry has one order, in which each of its terms is added."""
    known(not orders.reason, orders.reason)
    entries = [
        (row, column) for group in orders.groups for row in group.rows for column in group.columns
    ]
    assert sorted(entries) == [(row, column) for row in range(rows) for column in range(columns)]
    assert {group.tree.terms for group in orders.groups} == {terms}


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_120_random_shapes_have_the_bits_of_pytorch_in_their_revealed_order(dtype):
    chosen, generator = random.Random(dtype), torch.Generator().manual_seed(1)
    dtype = getattr(torch, dtype)
    for _ in range(120):
        inputs, outputs = (int(2 ** chosen.uniform(0, 4.7)) for _ in range(2))
        batch = chosen.choice([None, 1, 2, 3, 4, 7, 8, 16])
        rows = batch or 1
        layer = nn.Linear(inputs, outputs, dtype=dtype)
        for parameter in layer.parameters():
            parameter.data.copy_(torch.randn(parameter.shape, generator=generator))
        x, cotangents = (
            torch.randn(rows, n, generator=generator).to(dtype) for n in (inputs, outputs)
        )
        leaf = (x if batch else x[0]).clone().requires_grad_()
        y = layer(leaf)
        y.backward(cotangents.view(y.shape))

        weight, bias = layer.weight.detach(), layer.bias.detach()
        with_bias = (
            torch.cat([x, torch.ones(rows, 1, dtype=dtype)], 1),
            torch.cat([weight.T, bias[None]]),
        )
        ahead = orders_of(forward, (batch,), rows, inputs + 1, outputs, dtype, 1)
        back = orders_of(backward, (batch,), rows, outputs, inputs, dtype)
        covers(ahead, rows, outputs, inputs + 1)
        covers(back, rows, inputs, outputs)
        assert torch.equal(ahead.product(range(rows), *with_bias), y.detach().view(rows, -1)), (
            inputs,
            outputs,
            batch,
        )
        assert torch.equal(
            back.product(range(rows), cotangents, weight), leaf.grad.view(rows, -1)
        ), (inputs, outputs)


@pytest.mark.parametrize("batch", [None, 1, 5])
def test_every_layer_has_an_order_of_every_entry_forward_and_backward(batch):
    orders = layer_orders(Experiment(inputs=3, hidden=(7, 5), outputs=2), batch)
    shapes = {
        **{("forward", 1): (4, 7), ("forward", 2): (8, 5), ("forward", 3): (6, 2)},
        **{("backward", 1): (7, 3), ("backward", 2): (5, 7), ("backward", 3): (2, 5)},
    }
    assert list(orders) == list(shapes)
    for place, (terms, columns) in shapes.items():
        covers(orders[place], batch or 1, columns, terms)


def test_where_nothing_is_revealed_there_is_a_reason():
    on_a_card = layer_orders(Experiment(device="cuda"), 4)
    assert {(orders.groups, orders.reason) for orders in on_a_card.values()} == {
        ((), "Only orders of the CPU are revealed.")
    }
    orders = layer_orders(Experiment(inputs=64, hidden=(), outputs=64), 100_000)["forward", 1]
    assert orders.groups == () and orders.reason.startswith(
        "The order of 100,000 rows is not revealed: "
    )
    wide = orders_of(forward, (8192,), 8192, 257, 256, torch.float32, 1)
    assert wide.groups == () and wide.reason.startswith(
        "The order of 257 terms is not revealed: that would take too "
    )


def test_rows_and_columns_that_share_an_order_are_a_group():
    one, other = CHAIN, Tree.of(9, in_parts(9, [[0, 4, 8], [1, 5], [2, 6], [3, 7]]), ())

    def product(vectors, matrix):
        result = add_up(one, vectors, matrix)
        result[::2, 1:] = add_up(other, vectors[::2], matrix[:, 1:])
        return result

    orders = orders_of(lambda: product, (), 5, 9, 3, torch.float32)
    assert [(group.rows, group.columns, group.tree) for group in orders.groups] == [
        ((0, 2, 4), (0,), one),
        ((0, 2, 4), (1, 2), other),
        ((1, 3), (0, 1, 2), one),
    ]
    assert orders.tree(2, 2) is orders.groups[1].tree
    vectors, matrix = torch.rand(5, 9), torch.rand(9, 3)
    assert torch.equal(
        orders.product([4, 1], vectors[[4, 1]], matrix), product(vectors, matrix)[[4, 1]]
    )


@pytest.mark.parametrize(
    ("product", "reason"),
    [
        (
            lambda v, m: add_up(CHAIN, v.double(), m.double()).float(),
            "The order revealed for 9 terms does not give",
        ),
        (
            lambda v, m: add_up(CHAIN, v.roll(1, 1), m),
            "The order revealed for 9 terms does not give PyTorch's own bits.",
        ),
        (lambda v, m: add_up(CHAIN, v, m) * 1.5, "The order is not revealed: "),
    ],
    ids=["wider", "other terms", "scaled"],
)
def test_an_order_is_never_guessed(product, reason):
    orders = orders_of(lambda: product, (), 2, 9, 3, torch.float32)
    assert orders.groups == () and orders.reason.startswith(reason)


def test_sums_of_several_terms_at_once_are_not_replayed():
    def product(vectors, matrix):
        """In float64, as long as the largest term leaves room for the others, as adders of several
        terms do."""
        terms = vectors.double()[:, :, None] * matrix.double()
        quantum = terms.abs().amax(1, keepdim=True) * 2.0**-30
        return torch.where(quantum > 0, (terms / quantum).trunc() * quantum, 0).sum(1).float()

    orders = orders_of(lambda: product, (), 2, 9, 3, torch.float32)
    assert orders.groups == () and "more than two of 9 terms at once" in orders.reason

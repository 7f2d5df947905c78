"""Adding in the revealed orders gives the bits of plain PyTorch, for a sample alone and for each row of a batch."""

import random

import pytest
import torch
from torch import nn

from lib.experiment.query import Experiment
from lib.replay.kernels import backward, forward
from lib.replay.orders import layer_orders, orders_of
from tests.cases import EVERY_DTYPE
from tests.known_orders import known
from tests.replay.known_trees import by_groups


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
        x, cotangents = (torch.randn(rows, n, generator=generator).to(dtype) for n in (inputs, outputs))
        leaf = (x if batch else x[0]).clone().requires_grad_()
        y = layer(leaf)
        y.backward(cotangents.view(y.shape))

        weight, bias = layer.weight.detach(), layer.bias.detach()
        with_bias = torch.cat([x, torch.ones(rows, 1, dtype=dtype)], 1), torch.cat([weight.T, bias[None]])
        ahead = orders_of(forward, (batch,), rows, inputs + 1, outputs, dtype, 1)
        back = orders_of(backward, (batch,), rows, outputs, inputs, dtype)
        known(not (ahead.reason or back.reason), ahead.reason or back.reason)
        assert torch.equal(by_groups(ahead.groups, *with_bias), y.detach().view(rows, -1)), (inputs, outputs, batch)
        assert torch.equal(by_groups(back.groups, cotangents, weight), leaf.grad.view(rows, -1)), (inputs, outputs)


@pytest.mark.parametrize("batch", [None, 1, 5])
def test_every_layer_has_an_order_of_every_entry_forward_and_backward(batch):
    orders = layer_orders(Experiment(inputs=3, hidden=(7, 5), outputs=2), batch)
    shapes = {
        **{("forward", 1): (4, 7), ("forward", 2): (8, 5), ("forward", 3): (6, 2)},
        **{("backward", 1): (7, 3), ("backward", 2): (5, 7), ("backward", 3): (2, 5)},
    }
    assert list(orders) == list(shapes)
    for place, (terms, columns) in shapes.items():
        known(not orders[place].reason, orders[place].reason)
        entries = {(r, c): group.tree for group in orders[place].groups for r in group.rows for c in group.columns}
        assert sorted(entries) == [(row, column) for row in range(batch or 1) for column in range(columns)]
        assert all(orders[place].tree(*at) is tree and tree.terms == terms for at, tree in entries.items())


def test_where_nothing_is_revealed_there_is_a_reason():
    on_a_card = layer_orders(Experiment(device="cuda"), 4)
    assert {(orders.groups, orders.reason) for orders in on_a_card.values()} == {
        ((), "Only orders of the CPU are revealed.")
    }
    orders = layer_orders(Experiment(inputs=64, hidden=(), outputs=64), 100_000)["forward", 1]
    assert orders.groups == () and orders.reason.startswith("The order of 100,000 rows of 64 sums of 65 terms is not ")

"""Adding in the revealed orders gives the bits of plain PyTorch, for a sample alone and for each row of a batch."""

import random

import pytest
import torch
from torch import nn

from lib.experiment.query import Experiment
from lib.replay.kernels import backward, forward
from lib.replay.layers import layer_orders
from tests.cases import EVERY_DTYPE
from tests.known_orders import known, known_groups
from tests.replay.known_trees import by_groups


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_250_random_shapes_have_the_bits_of_pytorch_in_their_revealed_order(dtype):
    chosen, generator = random.Random(dtype), torch.Generator().manual_seed(1)
    dtype = getattr(torch, dtype)
    for _ in range(250):
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
        ahead = known_groups(forward(batch), rows, inputs + 1, outputs, dtype, values=1)
        assert torch.equal(by_groups(ahead, *with_bias), y.detach().view(rows, -1)), (inputs, outputs, batch)
        back = known_groups(backward(batch), rows, outputs, inputs, dtype)
        assert torch.equal(by_groups(back, cotangents, weight), leaf.grad.view(rows, -1)), (inputs, outputs, batch)


@pytest.mark.parametrize("offset", [1, 2, 3, 4, 8])
def test_a_slice_of_a_larger_tensor_has_the_order_of_its_place_in_memory(offset):
    memory = torch.randn(200, generator=torch.Generator().manual_seed(1))
    assert memory.data_ptr() % 64 == 0
    x = memory[offset : offset + 90].view(9, 10)
    layer = nn.Linear(10, 7).requires_grad_(False)
    order = layer_orders(Experiment(inputs=10, hidden=(), outputs=7), 9, offset)[0]
    known(order.groups, order.reason)
    found = by_groups(order.groups, torch.cat([x, torch.ones(9, 1)], 1), torch.cat([layer.weight.T, layer.bias[None]]))
    assert torch.equal(found, layer(x))


@pytest.mark.parametrize("batch", [None, 1, 5])
def test_every_layer_has_an_order_forward_and_backward(batch):
    experiment = Experiment(inputs=3, hidden=(7, 5), outputs=2)
    orders = layer_orders(experiment, batch)
    assert [(order.direction, order.layer, order.terms, order.columns) for order in orders] == [
        ("forward", 1, 4, 7),
        ("forward", 2, 8, 5),
        ("forward", 3, 6, 2),
        ("backward", 1, 7, 3),
        ("backward", 2, 5, 7),
        ("backward", 3, 2, 5),
    ]
    for order in orders:
        known(not order.reason, order.reason)
        places = [(row, column) for group in order.groups for row in group.rows for column in group.columns]
        assert sorted(places) == [(row, column) for row in range(batch or 1) for column in range(order.columns)]


def test_where_nothing_is_revealed_there_is_a_reason():
    (order, *_) = layer_orders(Experiment(device="cuda"), 4)
    assert order.groups == () and order.reason == "Only orders of the CPU are revealed."
    (order, *_) = layer_orders(Experiment(inputs=64, hidden=(), outputs=64), 100_000)
    assert order.groups == () and order.reason.startswith("The order of 100,000 rows of 64 sums of 65 terms is not ")

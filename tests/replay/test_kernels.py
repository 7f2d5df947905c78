"""The kernels are those of networks: in their revealed orders, the rows of a Jacobian have
PyTorch's bits."""

import pytest
import torch
from torch import nn

from lib.network.jacobians import METHODS
from lib.replay.kernels import by_method, sum_by_method
from lib.replay.orders import orders_of
from tests.cases import EVERY_DTYPE, REVERSE_MODE
from tests.known_orders import known

INPUTS, UNITS, OUTPUTS = 6, 11, 5


@pytest.mark.parametrize("batch", [None, 1, 3])
@pytest.mark.parametrize("method", REVERSE_MODE)
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_rows_of_a_jacobian_and_their_sum_have_pytorchs_bits(dtype, method, batch):
    dtype, generator, times = getattr(torch, dtype), torch.Generator().manual_seed(7), batch or 1
    net = nn.Sequential(nn.Linear(INPUTS, UNITS), nn.ReLU(), nn.Linear(UNITS, OUTPUTS)).to(dtype)
    for parameter in net.requires_grad_(False).parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=generator))
    x = torch.randn((batch, INPUTS) if batch else INPUTS, generator=generator).to(dtype)
    jacobian = METHODS[method](net, x).detach()
    slopes = (net[0](x) > 0).view(times, 1, UNITS)
    deltas = (slopes * net[2].weight).reshape(-1, UNITS)

    orders = orders_of(by_method, (method, batch), OUTPUTS, UNITS, INPUTS, dtype)
    known(not orders.reason, orders.reason)
    product = orders.product(range(times * OUTPUTS), deltas, net[0].weight)
    assert torch.equal(product, jacobian.reshape(-1, INPUTS))
    orders = orders_of(sum_by_method, (method, batch), 1, OUTPUTS, INPUTS, dtype, OUTPUTS)
    known(not orders.reason, orders.reason)
    for sample, rows in enumerate(jacobian.view(times, OUTPUTS, INPUTS)):
        of_sample = orders.product([sample], torch.ones(1, OUTPUTS, dtype=dtype), rows)
        assert torch.equal(of_sample[0], jacobian.sum(-2).view(times, INPUTS)[sample])

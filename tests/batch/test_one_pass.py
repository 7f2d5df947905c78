"""The values of a pass against a plain loop."""

import pytest
import torch
from torch import Tensor, nn

from lib.batch.one_pass import values
from lib.batch.study import block
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import EVERY_DTYPE


def plain(net: nn.Sequential, x: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """The values of a loop over the modules, and what `backward` leaves at each."""
    values = [x.clone().requires_grad_()]
    for module in net:
        values.append(module(values[-1]))
        values[-1].retain_grad()
    values[-1].backward(torch.ones_like(values[-1]))
    return [value.detach() for value in values], [value.grad for value in values]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_the_values_are_those_of_a_plain_loop_alone_and_in_a_batch(dtype, activation):
    experiment = Experiment(inputs=5, hidden=(11, 7), outputs=3, activation=activation, dtype=dtype)
    net, samples = network.build(experiment), block(experiment, 0)
    for x, row in [(samples[3], None), (samples[:4], 3), (samples[:9], 0)]:
        found, (forward, gradients) = values(net, x.clone(), row), plain(net, x)
        pick = slice(None) if row is None else row
        assert len(found.forward) == len(found.backward) == len(net) + 1
        for ours, theirs in zip((*found.forward, *found.backward), (*forward, *gradients), strict=True):
            assert ours.shape == theirs[pick].shape and not ours.requires_grad
            assert torch.equal(ours, theirs[pick])
        assert torch.equal(found.forward[-1], net(x)[pick])

"""The gradients between the layers are PyTorch's own: those that hooks see on the way back."""

from dataclasses import replace

import pytest
import torch
from torch.autograd import functional

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.replay.orders import Orders
from lib.replay.passes import OTHER_BITS, differs, pass_of
from tests.cases import EVERY_DTYPE
from tests.known_orders import known

SHAPE = {
    "inputs": 4,
    "hidden": (7, 5),
    "outputs": 3,
    "activation": "gelu",
    "output_activation": "softmax",
}


class Watched:
    """A network, and the gradients that come back to the output of each of its modules."""

    def __init__(self, net):
        self.net = net
        self.seen = [[] for _ in net]

    def __call__(self, x):
        for module, gradients in zip(self.net, self.seen, strict=True):
            x = module(x)
            x.register_hook(lambda gradient, to=gradients: to.append(gradient.clone()))
        return x


@pytest.mark.parametrize("place", [None, 33])
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_gradients_are_those_that_hooks_see_on_the_way_back(dtype, place):
    experiment = Experiment(**SHAPE, dtype=dtype)
    net, block = network.build(experiment), sampling.block(experiment, 0)[:40]
    x = block[0].clone() if place is None else block
    at = ... if place is None else place

    watched = Watched(net)
    leaf = x.clone().requires_grad_()
    y = watched(leaf)
    y.backward(torch.ones_like(y))
    way = pass_of(None, net, x, place or 0)
    assert torch.equal(way.result, leaf.grad[at])
    for gradient, (of_module,) in zip(way.gradients[1:], watched.seen, strict=True):
        assert torch.equal(gradient, of_module[at][None])

    watched = Watched(net)
    jacobian = functional.jacobian(
        watched if place is None else lambda x: watched(x).sum(0), x
    ).movedim(0, -2)
    way = pass_of("functional", net, x, place or 0)
    assert torch.equal(way.gradients[0], jacobian[at])
    assert torch.equal(way.result, jacobian.sum(-2)[at])
    for gradient, of_module in zip(way.gradients[1:], watched.seen, strict=True):
        assert torch.equal(gradient, torch.stack([of_output[at] for of_output in of_module]))


def test_a_pass_with_other_bits_or_without_an_order_differs():
    experiment = Experiment(**SHAPE)
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    way = pass_of("functional", net, x)
    changed = [gradient.clone() for gradient in way.gradients]
    changed[2][1, 3] *= 1.5
    infinite = [torch.full_like(gradient, torch.inf) for gradient in way.gradients]
    known(not differs(net, way), differs(net, way))
    for changes, reason in (
        ({"gradients": changed}, OTHER_BITS),
        ({"result": way.result * 1.5}, OTHER_BITS),
        ({"orders": way.orders | {2: Orders(reason="Not revealed.")}}, "Not revealed."),
        ({"gradients": infinite}, "A gradient of this sample is infinite or NaN."),
        ({"result": way.result / 0}, "A gradient of this sample is infinite or NaN."),
    ):
        assert differs(net, replace(way, **changes)) == reason

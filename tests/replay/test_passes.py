"""The gradients between the layers are PyTorch's own: those that hooks see on the way back."""

from dataclasses import replace

import pytest
import torch
from torch.autograd import functional

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.replay.first_divergence import OTHER_BITS, differs, pass_of
from lib.replay.orders import Orders
from tests.cases import EVERY_DTYPE
from tests.known_orders import known

SHAPE = {
    "inputs": 4,
    "hidden": (7, 5),
    "outputs": 3,
    "activation": "gelu",
    "output_activation": "softmax",
}


def watched(
    net: torch.nn.Sequential, x: torch.Tensor, seen: list[list[torch.Tensor]]
) -> torch.Tensor:
    for module, gradients in zip(net, seen, strict=True):
        x = module(x)
        x.register_hook(lambda gradient, gradients=gradients: gradients.append(gradient.clone()))
    return x


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_gradients_are_those_that_hooks_see_on_the_way_back(dtype, evaluation):
    experiment = Experiment(**SHAPE, dtype=dtype, evaluation=evaluation)
    net, block, place = network.build(experiment), sampling.block(experiment, 0)[:40], 33
    x = block if evaluation == "batched" else block[place].clone()
    at = place if evaluation == "batched" else ...

    seen: list[list[torch.Tensor]] = [[] for _ in net]
    leaf = x.clone().requires_grad_()
    y = watched(net, leaf, seen)
    y.backward(torch.ones_like(y))
    found = pass_of(None, net, x, place if evaluation == "batched" else 0)
    assert torch.equal(found.result, leaf.grad[at])
    for gradient, (of_module,) in zip(found.gradients[1:], seen, strict=True):
        assert torch.equal(gradient, of_module[at][None])

    seen = [[] for _ in net]
    summed = (
        (lambda x: watched(net, x, seen).sum(0))
        if evaluation == "batched"
        else (lambda x: watched(net, x, seen))
    )
    jacobian = functional.jacobian(summed, x).movedim(0, -2)
    found = pass_of("functional", net, x, place if evaluation == "batched" else 0)
    assert torch.equal(found.gradients[0], jacobian[at]) and torch.equal(
        found.result, jacobian.sum(-2)[at]
    )
    for gradient, of_module in zip(found.gradients[1:], seen, strict=True):
        assert torch.equal(gradient, torch.stack([of_output[at] for of_output in of_module]))


def test_a_pass_with_other_bits_or_without_an_order_differs():
    experiment = Experiment(**SHAPE)
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    found = pass_of("functional", net, x)
    changed = [gradient.clone() for gradient in found.gradients]
    changed[2][1, 3] *= 1.5
    known(not differs(net, found), differs(net, found))
    assert differs(net, replace(found, gradients=changed)) == OTHER_BITS
    assert differs(net, replace(found, result=found.result * 1.5)) == OTHER_BITS
    unknown = found.orders | {2: Orders(reason="Not revealed.")}
    assert differs(net, replace(found, orders=unknown)) == "Not revealed."

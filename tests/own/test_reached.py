"""A network of the caller's that is reached in any way is left as it was; so is what fails on the way."""

from collections import OrderedDict, namedtuple
from functools import lru_cache, partial
from types import ModuleType, SimpleNamespace

import pytest
import torch
from torch import nn

from lib.own import compare
from tests.own.networks import seeded


class Wrapper:
    def __init__(self, net):
        self.net = net

    def predict(self, x):
        return self.net(x)

    def __call__(self, x):
        return self.net(x)


def build():
    return nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Linear(5, 2))


NET = seeded(build)
OBJECT = Wrapper(NET)
PARTIAL = partial(NET)
MODULE = ModuleType("mymodels")
MODULE.net = NET
ORDERED = OrderedDict(net=NET)
TUPLE = namedtuple("Nets", "net")(NET)
SPACE = SimpleNamespace(net=NET)


@lru_cache
def cached():
    return NET


class NamesGlobal(nn.Module):
    def forward(self, x):
        return x[:, :2] + NET(x)


class HoldsLambda(nn.Module):
    def __init__(self):
        super().__init__()
        self.call = lambda x: NET(x)

    def forward(self, x):
        return self.call(x)


WAYS = {
    "bound method": OBJECT.predict,
    "global object": lambda x: OBJECT(x),
    "partial": lambda x: PARTIAL(x),
    "module": lambda x: MODULE.net(x),
    "ordered": lambda x: ORDERED["net"](x),
    "tuple": lambda x: TUPLE.net(x),
    "namespace": lambda x: SPACE.net(x),
    "cached": lambda x: cached()(x),
    "names a global": NamesGlobal(),
    "holds a lambda": HoldsLambda(),
}


def state():
    tensors = [*NET.parameters(), *NET.buffers()]
    grads = [None if one.grad is None else one.grad.tolist() for one in tensors]
    return [one.tolist() for one in tensors], grads, [module.training for module in NET.modules()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fails", [False, True])
def test_a_network_is_left_as_it_was_however_it_is_reached(way, fails):
    x = torch.linspace(-1, 1, 24).reshape(4, 6)
    NET.zero_grad()
    NET(x).square().sum().backward()
    before = state()
    call = WAYS[way]
    if fails:
        with pytest.raises(TypeError, match="returns a tuple"):
            compare(lambda x: (call(x), x), x)
    else:
        assert compare(call, x).kind in ("equal", "rounding")
    assert state() == before


def test_vmap_of_a_network_leaves_it_as_it_was():
    net = seeded(lambda: nn.Linear(6, 2))
    x = torch.linspace(-1, 1, 24).reshape(4, 6)
    net(x).square().sum().backward()
    before = [one.grad.clone() for one in net.parameters()]
    compare(torch.vmap(net), x)
    assert all(torch.equal(one.grad, grad) for one, grad in zip(net.parameters(), before, strict=True))

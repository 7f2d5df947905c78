"""The network against PyTorch's own initialisation, bit for bit.

`test_jacobians` has its slopes against formulas.
"""

from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import nn

from lib.experiment.query import Experiment
from lib.floats.ulps import round_once
from lib.network.network import build
from tests.cases import EVERY_DTYPE, EXPERIMENTS

WIDE = Experiment(inputs=64, hidden=(256, 128), outputs=8, seed=5)
"""So many weights that a few would come out differently if they were rounded twice."""


@contextmanager
def float64_by_default(seed):
    """A seeded global generator and a default dtype of float64, both put back."""
    dtype = torch.get_default_dtype()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_default_dtype(torch.float64)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)


def pytorchs_own(experiment):
    with float64_by_default(experiment.seed):
        return nn.Sequential(*(nn.Linear(*widths) for widths in pairwise(experiment.widths)))


def bits(network):
    """The bytes of each parameter: equal only where signs of zeros are equal as well."""
    return [part.detach().view(torch.uint8).numpy().tobytes() for part in network.parameters()]


@pytest.mark.parametrize("experiment", [*EXPERIMENTS, WIDE])
def test_weights_are_pytorchs_own_rounded_once(experiment):
    """Whatever the state of the global generator and the default dtype, which stay as they are."""
    in_float64 = replace(experiment, dtype="float64")
    each = replace(in_float64, networks="each-block")
    assert bits(build(each)) == bits(build(each, 0))
    exact = pytorchs_own(experiment)
    state = torch.get_rng_state()
    torch.set_num_threads(2)
    assert bits(build(in_float64)) == bits(exact) and torch.get_num_threads() == 1
    assert torch.equal(torch.get_rng_state(), state)
    with float64_by_default(seed=1):
        assert bits(build(in_float64)) == bits(exact)
    for dtype in EVERY_DTYPE:
        network = build(replace(experiment, dtype=dtype))
        pairs = zip(network.parameters(), exact.parameters(), strict=True)
        for rounded, weight in pairs:
            once = round_once(weight.detach(), getattr(torch, dtype))
            assert rounded.equal(once) and not rounded.requires_grad

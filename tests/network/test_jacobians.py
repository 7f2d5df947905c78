"""The Jacobian methods against mpmath, and against plain calls of their API."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch

from lib.experiment.choices import ACTIVATIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import jacobians
from tests.cases import EVERY_DTYPE, EVERY_METHOD, SHAPES, every_dtype, network_and_samples
from tests.oracles import as_shown, exact_jacobian

CASES = [
    *(replace(shape, dtype=dtype) for shape in SHAPES for dtype in EVERY_DTYPE),
    *(Experiment(activation=name, output_activation="softmax") for name in ACTIVATIONS),
]


@pytest.mark.parametrize("experiment", CASES)
def test_every_method_gives_what_it_gives_in_mpmath(experiment):
    """Per sample and batched. A sum of ten terms below 1 rounds to within a few eps; differences
    lose a third more, and a step may cross a kink."""
    net, block = network_and_samples(experiment, 2)
    jacobian = np.stack([exact_jacobian(net, x) for x in block])
    row = jacobian.sum(1, keepdims=True)
    expected = {"sum": row, "sums": row.repeat(experiment.outputs, 1)}
    eps = torch.finfo(getattr(torch, experiment.dtype)).eps
    has_kink = {"relu", "leaky_relu"} & {*experiment.activations}
    for name, compute in jacobians.JACOBIANS.items():
        gives = METHODS[name].gives
        if gives == "approximation" and has_kink and experiment.dtype != "float64":
            continue
        tolerance = 30 * eps ** (2 / 3) if gives == "approximation" else 8 * eps
        for found in (torch.stack([compute(net, x) for x in block]), compute(net, block)):
            assert found.dtype == getattr(torch, experiment.dtype)
            exact = expected.get(gives, jacobian)
            np.testing.assert_allclose(found.double().cpu().numpy(), exact, rtol=0, atol=tolerance)


@every_dtype
@pytest.mark.parametrize("method", EVERY_METHOD)
def test_one_sample_is_the_code_on_the_page_bit_for_bit(method, dtype):
    row = METHODS[method]
    for shape in SHAPES:
        net, block = network_and_samples(replace(shape, dtype=dtype))
        jacobian = jacobians.JACOBIANS[method](net, block[0].clone())
        called = as_shown(row.call, net, block[0])
        assert torch.equal(called.view_as(jacobian), jacobian), shape
        assert torch.equal(as_shown(row.summed, net, block[0]), jacobian.sum(0)), shape


@pytest.mark.parametrize("activation, saves_result", [("relu", True), ("gelu", False)])
def test_slopes_are_of_the_saved_activations(activation, saves_result):
    net, block = network_and_samples(Experiment(activation=activation))
    hidden = net[0](block)
    if saves_result:
        hidden = net[1](hidden)
    saved = jacobians.backward_and_saved(net, block)[1]
    assert saved.equal(torch.cat([hidden, net(block)], -1))
    assert not block.requires_grad


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_one_thread_at_a_time_is_in_forward_mode(method):
    net, block = network_and_samples(Experiment())
    entered = []

    def enter():
        may_enter = jacobians.FORWARD_MODE.acquire(blocking=False)
        if may_enter:
            jacobians.FORWARD_MODE.release()
        return may_enter

    with ThreadPoolExecutor(1) as other:
        net.register_forward_pre_hook(lambda *_: entered.append(other.submit(enter).result()))
        jacobians.JACOBIANS[method](net, block[0])
        assert {*entered} == {method not in ("jacfwd", "functional-forward")}
        assert other.submit(enter).result()

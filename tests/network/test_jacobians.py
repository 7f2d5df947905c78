"""The Jacobian methods against the closed form, and against plain calls of their API."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from runpy import run_path

import numpy as np
import pytest
import torch

from lib.experiment import choices, methods
from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from tests.cases import EVERY_DTYPE, EVERY_METHOD, REVERSE_MODE, SHAPES
from tests.oracles import PLAIN, closed_form_jacobian

KINKED = ["relu", "leaky_relu"]


def network_and_block(experiment: Experiment) -> tuple[torch.nn.Sequential, torch.Tensor]:
    return network.build(experiment), sampling.block(experiment, 0)[:4]


def assert_near(method: str, experiment: Experiment, tolerance: float) -> None:
    """Per sample and batched, the method gives what it is to give by the closed form."""
    net, block = network_and_block(experiment)
    exact = np.stack([closed_form_jacobian(net, experiment.activations, x) for x in block])
    if methods.METHODS[method].gives in ("sum", "sums"):
        exact = exact.sum(1, keepdims=True)
    if methods.METHODS[method].gives == "sums":
        exact = exact.repeat(experiment.outputs, 1)
    compute = jacobians.METHODS[method]
    for jacobian in (torch.stack([compute(net, x) for x in block]), compute(net, block)):
        assert jacobian.dtype == getattr(torch, experiment.dtype)
        np.testing.assert_allclose(jacobian.double().numpy(), exact, rtol=0, atol=tolerance)


@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_closed_form_in_float64(shape, method):
    # Central differences have an error of step**2 = eps**(2/3) in float64; all others only round.
    tolerance = 1e-9 if method == "finite-difference" else 1e-14
    assert_near(method, replace(shape, dtype="float64"), tolerance)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("method", EVERY_METHOD)
def test_every_method_serves_every_dtype_and_activation(method, dtype):
    """A sum of ten terms below 1 rounds to within a few eps; differences lose a third more."""
    eps = torch.finfo(getattr(torch, dtype)).eps
    tolerance = 30 * eps ** (2 / 3) if method == "finite-difference" else 8 * eps
    for activation in choices.ACTIVATIONS:
        if method != "finite-difference" or activation not in KINKED:  # a step may cross a kink
            fields = {"activation": activation, "output_activation": "softmax"}
            assert_near(method, Experiment(dtype=dtype, **fields), tolerance)


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_what_the_page_writes_down_for_a_method_runs_and_gives_its_values(method):
    """A finite difference is written with 2*h in place of the rounded step."""
    experiment = Experiment(activation="tanh", outputs=3, dtype="float64")
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone().requires_grad_()
    names = vars(torch) | vars(torch.func) | vars(torch.autograd)
    names |= {"jacobian": torch.autograd.functional.jacobian, "eye": torch.eye(3).to(x)}
    names |= {
        "range": range,
        "net": net,
        "x": x,
        "y": net(x),
        "copies": x.detach().repeat(3, 1).requires_grad_(),
    }
    names["h"] = torch.finfo(x.dtype).eps ** (1 / 3) * x.detach().abs().clamp(min=1)
    tolerance = 1e-10 if method == "finite-difference" else 0
    expected = jacobians.METHODS[method](net, x.detach())
    called = eval(methods.METHODS[method].call, names).detach()
    torch.testing.assert_close(called.view_as(expected), expected, rtol=0, atol=tolerance)
    summed = eval(methods.METHODS[method].summed, names | {"y": net(x)}).detach()
    torch.testing.assert_close(summed, expected.sum(0), rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("method", PLAIN)
def test_one_sample_is_the_plain_call_bit_for_bit(method, dtype):
    for shape in SHAPES:
        net, block = network_and_block(replace(shape, dtype=dtype))
        for x in block:
            assert torch.equal(jacobians.METHODS[method](net, x), PLAIN[method](net, x)), shape


@pytest.mark.parametrize("method", [*REVERSE_MODE, "summed-output", "single-call"])
def test_with_one_output_reverse_mode_is_the_backward_gradient_bit_for_bit(method):
    """But not jacrev in 16 bits, where its forward pass rounds a layer twice."""
    for dtype in ("float64", "float32") if method == "jacrev" else EVERY_DTYPE:
        net, block = network_and_block(Experiment(outputs=1, dtype=dtype))
        for x in block:
            gradient = jacobians.backward_gradient(net, x)
            assert torch.equal(jacobians.summed_jacobian(method, net, x), gradient)
            assert x.grad is None and not x.requires_grad


def test_the_saved_activations_are_those_that_slopes_are_computed_from():
    """ReLU and sigmoid save their results, GELU its input."""
    for activation, result in (("relu", True), ("gelu", False)):
        net, block = network_and_block(Experiment(activation=activation))
        hidden = net[1](net[0](block)) if result else net[0](block)
        expected = torch.cat([hidden, net(block)], -1)
        assert torch.equal(jacobians.backward_and_saved(net, block)[1], expected)


def test_a_step_is_a_power_of_two_of_max_1_x_and_differences_are_divided_by_the_rounded_step():
    """Of x², whose central difference is 2x whatever the step, but for rounding."""
    x = torch.tensor([0.3, -2.5, 0.0], dtype=torch.float64)
    points = []
    for step in (-20, -3, 2):
        jacobian = jacobians.finite_difference(lambda p: points.append(p) or p * p, x, step)
        above, below = points[-2:]
        h = torch.diag(2.0**step * torch.tensor([1.0, 2.5, 1.0]))
        assert torch.equal(above, x + h) and torch.equal(below, x - h)
        distance = (above - below).diagonal()
        assert torch.equal(jacobian, ((above**2 - below**2) / distance[:, None]).T)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_step_that_x_swallows_gives_nan_and_one_beyond_the_range_no_error(dtype):
    net, block = network_and_block(Experiment(dtype=dtype, distribution="normal"))
    for x in (block[0].abs() + 1, block.abs() + 1):
        lost = jacobians.finite_difference(net, x, -60)
        assert lost.isnan().all()
        assert jacobians.finite_difference(net, x, 16).shape == lost.shape


def test_a_method_without_a_function_or_without_a_row_is_an_error_that_names_it(monkeypatch):
    """When the module is imported, on a copy of it."""
    rows = dict(methods.METHODS)
    monkeypatch.setattr(methods, "METHODS", rows | {"hessian": rows["rows"]})
    with pytest.raises(TypeError, match="^The Jacobian method hessian lacks a row.$"):
        run_path(jacobians.__file__)
    monkeypatch.setattr(methods, "METHODS", {"rows": rows["rows"]})
    with pytest.raises(TypeError, match="functional is not among the choices.$"):
        run_path(jacobians.__file__)


def others_may_enter() -> bool:
    """Whether another thread may enter forward mode."""

    def enter() -> bool:
        entered = jacobians.FORWARD_MODE.acquire(blocking=False)
        if entered:
            jacobians.FORWARD_MODE.release()
        return entered

    with ThreadPoolExecutor(1) as other:
        return other.submit(enter).result()


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_one_thread_at_a_time_is_in_forward_mode(method):
    net, block = network_and_block(Experiment())
    entered = set()
    net.register_forward_pre_hook(lambda *_: entered.add(others_may_enter()))
    jacobians.METHODS[method](net, block[0])
    assert entered == {method not in ("jacfwd", "functional-forward")}
    assert others_may_enter()

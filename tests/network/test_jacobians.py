"""The Jacobian methods against the closed form, against plain calls of their API, and against each other."""

from concurrent.futures import ThreadPoolExecutor
from runpy import run_path

import numpy as np
import pytest
import torch

from lib.experiment import choices, methods
from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from tests.cases import EVERY_DTYPE, EVERY_METHOD, REVERSE_MODE, SHAPES
from tests.oracles import PLAIN, closed_form_jacobian

BLOCK = 6
KINKED = ["relu", "leaky_relu"]
WHOLE_ROWS = [method for method in EVERY_METHOD if method not in ("summed-output", "single-call")]


def network_and_block(experiment: Experiment) -> tuple[torch.nn.Sequential, torch.Tensor]:
    return network.build(experiment), sampling.block(experiment, 0)[:BLOCK]


def exact_jacobians(experiment: Experiment) -> np.ndarray:
    net, block = network_and_block(experiment)
    return np.stack([closed_form_jacobian(net, experiment.activations, x) for x in block])


def per_sample(method: str, net: torch.nn.Module, block: torch.Tensor) -> torch.Tensor:
    return torch.stack([jacobians.METHODS[method](net, x) for x in block])


def expected(method: str, exact: np.ndarray) -> np.ndarray:
    """What the method is to give where the Jacobians are `exact`: the pitfall gives sums, by definition."""
    if method == "summed-output":
        return exact.sum(1, keepdims=True)
    if method == "single-call":
        return np.broadcast_to(exact.sum(1, keepdims=True), exact.shape)
    return exact


@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_closed_form_in_float64(shape, method):
    experiment = Experiment(**shape.to_dict() | {"dtype": "float64"})
    net, block = network_and_block(experiment)
    exact = expected(method, exact_jacobians(experiment))
    # Central differences have an error of step**2 = eps**(2/3) in float64; all others only round.
    tolerance = 1e-9 if method == "finite-difference" else 1e-14
    for computed in (per_sample(method, net, block), jacobians.METHODS[method](net, block)):
        np.testing.assert_allclose(computed.numpy(), exact, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("method", WHOLE_ROWS)
def test_every_method_serves_every_dtype_and_activation(method, dtype):
    eps = torch.finfo(getattr(torch, dtype)).eps
    for activation in choices.ACTIVATIONS:
        if method == "finite-difference" and activation in KINKED:
            continue  # a step across a kink is not a derivative
        experiment = Experiment(activation=activation, output_activation="softmax", dtype=dtype)
        net, block = network_and_block(experiment)
        exact = exact_jacobians(experiment)
        # Sums of ten terms below 1 round to within some eps; central differences lose a third of the digits besides.
        tolerance = 30 * eps ** (2 / 3) if method == "finite-difference" else 8 * eps
        for computed in (per_sample(method, net, block), jacobians.METHODS[method](net, block)):
            assert computed.dtype == getattr(torch, dtype)
            np.testing.assert_allclose(
                computed.double().numpy(), exact, rtol=0, atol=tolerance, err_msg=activation
            )


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_what_the_page_writes_down_for_a_method_runs_and_gives_its_values(method):
    """A finite difference, written with 2*h, to within what the rounding of x + h and x - h makes of that."""
    experiment = Experiment(activation="tanh", outputs=3, dtype="float64")
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone().requires_grad_()
    names = vars(torch.func) | {
        "jacobian": torch.autograd.functional.jacobian,
        "grad": torch.autograd.grad,
    }
    names |= {
        "stack": torch.stack,
        "diag": torch.diag,
        "eye": torch.eye(3).to(x),
        "net": net,
        "x": x,
    }
    names["copies"] = x.detach().repeat(3, 1).requires_grad_()
    names["h"] = torch.finfo(x.dtype).eps ** (1 / 3) * x.detach().abs().clamp(min=1)
    near = 1e-10 if method == "finite-difference" else 0
    for written, values in (
        (methods.METHODS[method].call, jacobians.METHODS[method](net, x.detach())),
        (methods.METHODS[method].summed, jacobians.summed_jacobian(method, net, x.detach())),
    ):
        given = eval(written, names | {"y": net(x)}).detach()
        torch.testing.assert_close(given.view_as(values), values, rtol=0, atol=near)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("method", PLAIN)
def test_one_sample_is_the_plain_call_bit_for_bit(method, dtype):
    for shape in SHAPES:
        net, block = network_and_block(Experiment(**shape.to_dict() | {"dtype": dtype}))
        for x in block:
            assert torch.equal(jacobians.METHODS[method](net, x), PLAIN[method](net, x)), shape


@pytest.mark.parametrize("method", [*REVERSE_MODE, "summed-output", "single-call"])
def test_with_one_output_reverse_mode_is_the_backward_gradient_bit_for_bit(method):
    """But not jacrev in 16 bits, where its forward pass rounds a layer twice."""
    for dtype in ("float64", "float32") if method == "jacrev" else EVERY_DTYPE:
        net, block = network_and_block(Experiment(outputs=1, dtype=dtype))
        for x in block:
            assert torch.equal(
                jacobians.summed_jacobian(method, net, x), jacobians.backward_gradient(net, x)
            )


def test_a_step_is_a_power_of_two_of_max_1_x_and_what_was_taken_divides():
    """Of x², whose central difference is 2x whatever the step, rounding apart: so nearly all of what is left is the
    step's, and 2h in place of the step taken would show."""
    x = torch.tensor([0.3, -2.5, 0.0], dtype=torch.float64)
    seen: list[torch.Tensor] = []

    def square(points: torch.Tensor) -> torch.Tensor:
        seen.append(points)
        return points * points

    for step in (-20, -3, 2):
        jacobian = jacobians.finite_difference(square, x, step)
        above, below = seen[-2:]
        for points, sign in ((above, 1), (below, -1)):
            assert torch.equal(
                points, x + torch.diag(sign * 2.0**step * torch.tensor([1.0, 2.5, 1.0]))
            )
        taken = (above - below).diagonal()
        assert torch.equal(jacobian, ((above**2 - below**2) / taken[:, None]).T)
        np.testing.assert_allclose(
            jacobian.numpy(), np.diag([0.6, -5.0, 0.0]), atol=2.0**-50 / 2.0**step
        )


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("evaluation", choices.EVALUATIONS)
def test_a_step_that_x_swallows_gives_nan_and_one_beyond_the_range_no_error(dtype, evaluation):
    net, block = network_and_block(Experiment(dtype=dtype, distribution="normal"))
    for x in block if evaluation == "per-sample" else [block.abs() + 1]:
        lost = jacobians.finite_difference(net, x.abs() + 1, -60)
        assert lost.isnan().all()
        assert jacobians.finite_difference(net, x, 16).shape == lost.shape


def test_the_backward_gradient_leaves_nothing_behind():
    net, block = network_and_block(Experiment())
    x = block[0]
    first = jacobians.backward_gradient(net, x)
    assert x.grad is None and not x.requires_grad
    assert all(parameter.grad is None for parameter in net.parameters())
    assert torch.equal(jacobians.backward_gradient(net, x), first)


@pytest.mark.parametrize("missing", methods.METHODS)
def test_a_method_without_a_function_or_without_a_row_is_an_error_that_names_it(
    missing, monkeypatch
):
    """When the module is imported, on a copy of it."""
    rows = dict(methods.METHODS)
    monkeypatch.setattr(
        methods, "METHODS", {name: row for name, row in rows.items() if name != missing}
    )
    with pytest.raises(
        TypeError, match=f"^The Jacobian method {missing} is not among the choices.$"
    ):
        run_path(jacobians.__file__)
    monkeypatch.setattr(methods, "METHODS", rows | {"hessian": rows[missing]})
    with pytest.raises(TypeError, match="^The Jacobian method hessian lacks a row.$"):
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
    """PyTorch has one level of it for the process: two threads in it get zeros, errors, or the end of the process."""
    net, block = network_and_block(Experiment())
    found = set()
    net.register_forward_pre_hook(lambda *_: found.add(others_may_enter()))
    jacobians.METHODS[method](net, block[0])
    assert found == {method not in ("jacfwd", "functional-forward")}
    assert others_may_enter()

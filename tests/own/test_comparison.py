"""`compare` on real networks: the verdict on each is right, and nothing of the caller's is changed."""

import copy
import random
from math import cos, exp

import numpy as np
import pytest
import torch
from torch import nn

from lib.own import assert_same, compare
from lib.own.refused import METHODS_OF_ANY
from tests.network.test_jacobians import others_may_enter
from tests.own import networks
from tests.own.networks import SOUND, UNSOUND, network

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
BOTH = pytest.mark.parametrize("of", ["input", "parameters"])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@BOTH
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_network_differs_by_rounding_alone(name, of, dtype):
    net, x = network(*SOUND[name], dtype)
    report = compare(net, x, of=of)
    assert report.kind in ("equal", "rounding"), report
    assert_same(net, x, of=of)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@BOTH
@pytest.mark.parametrize("name", UNSOUND)
def test_what_loses_a_part_of_the_gradient_is_found_and_named(name, of, dtype):
    build, shape, cause, undone = UNSOUND[name]
    net, x = network(build, shape, dtype)
    report = compare(net, x, of=of)
    assert report.kind == "not rounding", report
    (part,) = report.parts
    assert any(found.text.startswith(cause) for found in part.causes), report
    assert part.undone == undone and ("that is the cause" in str(report)) == undone
    with pytest.raises(AssertionError, match="not rounding"):
        assert_same(net, x, of=of)


@pytest.mark.parametrize("method", METHODS_OF_ANY)
@BOTH
def test_every_method_gives_the_gradient(method, of):
    net, x = network(*SOUND["layer norm"], torch.float32)
    report = compare(net, x, of=of, method=method)
    assert report.kind == "not rounding" if method == "single-call" else report.same, report


def test_the_values_are_those_that_a_reader_would_compute():
    net, x = network(*SOUND["layer norm"], torch.float32)
    leaf = x.clone().requires_grad_()
    y = net(leaf)
    y.backward(torch.ones_like(y))
    table = compare(net, x).table
    assert table["backward()"].tolist() == leaf.grad.double().flatten().tolist()
    rows = torch.autograd.functional.jacobian(net, x).reshape(-1, *x.shape).sum(0)
    assert table["functional.jacobian"].tolist() == rows.double().flatten().tolist()
    wide = copy.deepcopy(net).double()
    leaf = x.double().requires_grad_()
    wide(leaf).sum().backward()
    assert np.allclose(table["float64"], leaf.grad.flatten(), rtol=1e-12)
    assert table["index"].tolist() == [(i, j) for i in range(5) for j in range(6)]


def snapshot(net, x):
    tensors = [x, *net.parameters(), *net.buffers()]
    return (
        [one.detach().view(-1).view(torch.uint8).tolist() for one in tensors],
        [None if one.grad is None else one.grad.tolist() for one in tensors],
        [one.requires_grad for one in tensors],
        [one._version for one in tensors],
        [id(one) for one in tensors],
        [module.training for module in net.modules()],
        torch.get_rng_state().tolist(),
        random.getstate(),
        np.random.get_state()[1].tolist(),
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
    )


@pytest.mark.parametrize("name", ["batch norm in training", "dropout in training", "wrong backward"])
@pytest.mark.parametrize("fails", [False, True])
def test_the_caller_s_network_is_left_as_it_was(name, fails):
    build, shape, *_ = (SOUND | UNSOUND)[name]
    net, x = network(build, shape, torch.float32)
    net(x).sum().backward()
    x.requires_grad_().grad = torch.full_like(x, 3.0)
    before = snapshot(net, x)

    def broken(x):
        y = net(x) + torch.rand(())
        raise RuntimeError(f"broken {y.shape}")

    if fails:
        with pytest.raises(ValueError, match="broken"):
            compare(broken, x)
    else:
        compare(net, x)
        compare(net, x, of="parameters", method="rows")
        compare(ways=(net, lambda x: net(x) * 2), x=x)
    assert snapshot(net, x) == before


def test_two_ways_of_the_same_function_are_compared_in_values_and_gradients():
    x = torch.linspace(1e-3, 1, 50)

    def naive(x):
        return torch.log(1 + x)

    report = compare(ways=(naive, torch.log1p), x=x)
    assert report.same and [part.what for part in report.parts] == ["values", "gradient of the input"]
    assert 4 * report.parts[0].closer()[0] < report.parts[0].closer()[1]


def test_another_function_is_not_rounding():
    def one(x):
        return torch.exp(x)

    def other(x):
        return 1 + x + x * x / 2

    report = compare(ways=(one, other), x=torch.rand(4) + 1)
    assert [part.verdict.kind for part in report.parts] == ["not rounding"] * 2
    assert "not the same function" in str(report)


def test_a_way_with_a_part_cut_off_has_the_values_and_not_the_gradient():
    def whole(x):
        return x * x.exp()

    def cut(x):
        return x * x.exp().detach()

    report = compare(ways=(whole, cut), x=torch.ones(1, dtype=torch.float64))
    values, gradient = report.parts
    assert values.verdict.kind == "equal" and gradient.verdict.kind == "not rounding"
    assert "The gradient by cut is not that of the function" in str(report) and gradient.undone
    one, other = gradient.pair.values
    assert (one[0], other[0]) == (pytest.approx(2 * exp(1)), pytest.approx(exp(1)))


def test_dropout_that_draws_anew_in_one_of_two_ways_is_named():
    net, x = network(*SOUND["dropout in training"], torch.float32)

    def after_another_draw(x):
        torch.rand(1)
        return net(x)

    report = compare(ways=(net, after_another_draw), x=x)
    assert report.kind == "not rounding" and "Dropout in training mode" in str(report)


def test_batch_norm_in_training_mode_in_one_of_two_ways_is_named():
    net, x = network(*SOUND["batch norm in training"], torch.float32)
    report = compare(ways=(net, copy.deepcopy(net).eval()), x=x)
    assert report.kind == "not rounding" and "BatchNorm1d in training mode" in str(report)


@pytest.mark.parametrize(
    ("loss", "terms"),
    [
        (lambda y: (y * y).mean(), 15),
        (lambda y: nn.functional.mse_loss(y, torch.ones_like(y)), 15),
        (lambda y: nn.functional.cross_entropy(y, torch.tensor([0, 1, 2, 1, 0])), 5),
        (lambda y: nn.functional.cross_entropy(y, torch.tensor([0, -100, 2, 1, 0])), 4),
    ],
)
def test_the_gradient_of_a_mean_is_said_to_be_a_mean_and_of_what(loss, terms):
    net, x = network(*SOUND["layer norm"], torch.float32)
    report = compare(lambda x: loss(net(x)), x)
    assert report.mean[0] == terms and f"a mean of {terms} terms" in str(report)
    whole = compare(lambda x: loss(net(x)) * terms, x)
    assert whole.mean is None and "mean" not in str(whole)
    assert np.allclose(whole.table["backward()"], terms * report.table["backward()"], rtol=1e-5, atol=1e-7)


def test_a_kink_leaves_open_whether_both_have_lost_the_same_path():
    report = compare(torch.relu, torch.zeros(3))
    assert report.kind == "equal" and "is open" in str(report) and "kink" in str(report)


def test_the_seed_of_networks_leaves_no_trace():
    before = torch.get_rng_state()
    networks.seeded(networks.normed)
    assert torch.equal(before, torch.get_rng_state())


def test_a_result_beyond_the_dtype_s_range_is_told():
    report = compare(lambda x: (300 * x).square().sum().sqrt(), torch.ones(4, dtype=torch.float16))
    assert "Nothing is held against float64" in str(report) and report.parts[0].reference is None


def test_nothing_is_closer_where_nothing_is_more_precise():
    net, x = network(*SOUND["layer norm"], torch.float64)
    report = compare(net, x)
    assert report.kind == "rounding" and "nothing here is more precise than float64" in str(report)
    assert report.parts[0].closer() is None and report.parts[0].pair.expected == 2.0**-29


def test_what_hooks_and_functions_keep_is_left_as_it_was():
    net, x = network(*SOUND["layer norm"], torch.float32)
    kept = []
    net[0].register_forward_hook(lambda module, given, result: kept.append(result))

    def counted(x):
        kept.append(x)
        return net(x)

    assert compare(net, x).same and compare(counted, x).same and kept == []


def test_a_function_that_names_a_network_and_a_part_of_it_has_each_parameter_once():
    net, x = network(*SOUND["layer norm"], torch.float32)
    a_part = net[0]
    report = compare(lambda x: net(x) + a_part(x).sum(), x, of="parameters")
    assert report.same and report.parts[0].pair.components == sum(one.numel() for one in net.parameters())


def test_a_float_that_is_made_or_asked_for_by_name_inside_is_float64_in_the_copy():
    table = torch.linspace(0, 1, 6)

    def function(x):
        kept = torch.zeros(6)
        kept[0] = x.float().sum()
        return (x.to(torch.float32) * table + kept).sin().sum()

    report = compare(function, torch.linspace(0.1, 1, 6))
    (part,) = report.parts
    x = [one.item() for one in torch.linspace(0.1, 1, 6).double()]
    weights = [one.item() for one in table.double()]
    places = [sum(x) * (k == 0) + one * weight for k, (one, weight) in enumerate(zip(x, weights, strict=True))]
    exact = [cos(place) * weight + cos(places[0]) for place, weight in zip(places, weights, strict=True)]
    assert report.same and part.exact == pytest.approx(exact, rel=1e-14)


def in_inference_mode(x):
    with torch.inference_mode():
        gate = x.sigmoid()
    return x * gate.clone()


def with_a_hook(x):
    y = 2 * x
    if y.requires_grad:
        y.register_hook(lambda grad: grad / 2)
    return y.sin()


def with_its_own_noise(x, generator=torch.Generator()):  # noqa: B008
    return x * torch.rand(5, generator=generator)


@pytest.mark.parametrize(
    ("function", "cause"),
    [
        (in_inference_mode, "inference_mode() at test_comparison.py:"),
        (lambda x: x * x.sum().item(), "item() at test_comparison.py:"),
        (with_a_hook, "register_hook() at test_comparison.py:"),
        (with_its_own_noise, "another result each time it is run"),
    ],
    ids=["inference mode", "item", "hook", "noise"],
)
def test_what_else_changes_a_gradient_is_named(function, cause):
    report = compare(function, torch.linspace(0.5, 1, 5))
    assert report.kind == "not rounding"
    assert any(found.text.startswith(cause) for found in report.parts[0].causes), report


def test_a_backward_hook_is_named():
    net, x = network(*SOUND["layer norm"], torch.float32)
    net[0].register_full_backward_hook(lambda module, given, out: (3 * given[0],))
    report = compare(net, x)
    assert report.kind == "not rounding" and "a backward hook of Linear" in str(report)


CANCELS = {
    "1 − cos(x)": (lambda x: 1 - x.cos(), [1e-7, 3e-7]),
    "log(1 + x)": (lambda x: torch.log(1 + x), [1e-12, 2e-12]),
    "sqrt(1 + x²) − 1": (lambda x: (1 + x * x).sqrt() - 1, [1e-6, 2e-6]),
    "normalize(0)": (lambda x: torch.nn.functional.normalize(x, dim=-1), [0.0, 0.0]),
}


@pytest.mark.parametrize("name", CANCELS)
def test_a_right_function_is_not_accused_where_differences_cannot_tell(name):
    function, x = CANCELS[name]
    report = compare(function, torch.tensor(x))
    assert report.kind == "equal" and "is open: central differences cannot tell" in str(report)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: (x * x).sum().sqrt(), torch.full((400,), 100.0, dtype=torch.float16)),  # the sum overflows
        (lambda x: torch.log(1 + x) / x, torch.tensor([1e-3, 1.3e-3])),
        (lambda x: x * (x.detach() if x.dtype == torch.float32 else x), torch.tensor([1.0, 2.0])),
    ],
)
def test_a_gradient_that_is_another_in_float64_is_not_confirmed(function, x):
    said = str(compare(function, x))
    assert "Nothing confirms the gradient" in said and "confirm the gradient." not in said


@pytest.mark.parametrize("method", METHODS_OF_ANY)
def test_no_other_thread_is_in_forward_mode_while_a_network_is(method):
    found = set()

    def square(x):
        found.add(others_may_enter())
        return x * x

    compare(square, torch.ones(2), method=method)
    assert (False in found) is (method in ("jacfwd", "functional-forward"))


def test_a_hook_of_a_parameter_is_the_callers_and_is_named():
    net = nn.Linear(3, 2)
    net.weight.register_hook(lambda gradient: 2 * gradient)
    report = compare(net, torch.randn(3), of="parameters")
    assert report.kind == "not rounding"
    assert "a backward hook of Linear.weight" in [cause.text for cause in report.parts[0].causes]
    assert net.weight.grad is None

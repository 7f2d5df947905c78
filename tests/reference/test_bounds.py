"""The bound on the discrepancy: where it is claimed, every kernel's slopes, the losses to underflow
by hand, and networks that try to exceed it."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from lib.experiment.choices import ACTIVATIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network import network
from lib.network.jacobians import backward_and_saved, summed_jacobian
from lib.reference.activations import ACTIVATIONS as CLASSES
from lib.reference.bounds import GradientYardstick, bound_units, roundings, unit_roundoff
from tests.cases import EVERY_DTYPE, network_and_samples
from tests.reference.test_float64_reference import networks

aten = torch.ops.aten

FORWARD = "method=functional-forward"
OTHERS = {"leaky_relu": 1, "elu": 3, "gelu": 12, "softplus": 5}
CLAIMS = {
    **{f"activation={name}": (c + 3) + (10 + 2) + 1 for name, c in OTHERS.items()},
    "": 3 + (10 + 2) + 1,
    "activation=tanh&hidden=4,6": (2 + 2 + 3) + (4 + 6 + 2) + 1,
    "output_activation=softmax&outputs=3": (3 + 2) + (10 + 3) + 2 + 1,
    "output_activation=softmax&outputs=5&dtype=float16": 3 + (10 + 5) + 4 + 1,
    "hidden=256&dtype=bfloat16": None,
    "method=copies": None,
    "method=finite-difference": None,
    "method=single-call": None,
    "method=single-call&outputs=1": 3 + (10 + 1) + 1,
    f"{FORWARD}&output_activation=softmax": None,
    f"{FORWARD}&activation=silu": (9 + 3) + (10 + 2) + 1,
    f"{FORWARD}&activation=silu&dtype=float16": None,
    f"{FORWARD}&activation=silu&dtype=float16&hidden=": 3 + 2 + 1,
    "activation=silu&dtype=float16": (3 + 3) + (10 + 2) + 1,
    "device=cuda": None,
}
"""m, the roundings on the longest path; None where nothing is proved."""


@pytest.mark.parametrize("query", CLAIMS)
def test_a_bound_is_claimed_only_where_it_is_proved(query):
    experiment, m = Experiment.parse(query), CLAIMS[query]
    expected = m and pytest.approx(2 * m / (1 - m * unit_roundoff(experiment)), rel=1e-12)
    assert bound_units(experiment) == expected


class Calls(TorchDispatchMode):
    """The ATen calls of linear layers and activations, with what they are given."""

    def __init__(self):
        super().__init__()
        self.made = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = str(function).split(".")[1]
        if name in (*ACTIVATIONS, "addmm", "_softmax"):
            tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
            self.made.append([name, *((x.stride(), x.flatten().tolist()) for x in tensors)])
        return function(*args, **(kwargs or {}))


def forward_calls(experiment, compute):
    net, block = network_and_samples(experiment)
    with Calls() as calls:
        compute(net, block if experiment.evaluation == "batched" else block[0])
    return calls.made


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize(
    "method", [name for name, method in METHODS.items() if method.gives != "approximation"]
)
def test_the_forward_pass_makes_the_calls_of_backward(method, evaluation):
    """The same functions, of tensors of the same strides, with the same bits in them."""
    for last in ("relu", "gelu", "silu", "softmax"):
        inner = "tanh" if last == "softmax" else last
        experiment = Experiment(3, (6,), 2, inner, last, evaluation=evaluation)
        expected = forward_calls(experiment, backward_and_saved)
        made = forward_calls(experiment, lambda net, x: summed_jacobian(method, net, x))
        # Forward mode differentiates SiLU by calls of its own, and a sigmoid is one of them.
        made = [call for call in made if call[0] in {name for name, *_ in expected}]
        assert len(expected) == 4
        assert (made == expected) == (evaluation in METHODS[method].bounded)


def silu_by_operations(g, z):
    """SiLU as it is differentiated where gradients are recorded."""
    sigmoid = torch.sigmoid(z)
    return g * sigmoid * (1 + z * (1 - sigmoid))


KERNELS = {
    "identity": lambda g, z: g.expand_as(z),
    "leaky_relu": lambda g, z: aten.leaky_relu_backward(g, z, float(np.float32(0.01)), False),
    "relu": lambda g, y: aten.threshold_backward(g, y, 0),
    "elu": lambda g, z: aten.elu_backward(g, 1, 1, 1, False, z),
    "gelu": aten.gelu_backward,
    "silu": aten.silu_backward,
    "softplus": lambda g, z: aten.softplus_backward(g, z, 1, 20),
    "tanh": aten.tanh_backward,
    "sigmoid": aten.sigmoid_backward,
}
"""What autograd calls, by its table of derivatives: with a cotangent, and what was saved."""

LARGER_TERMS = {
    "gelu": lambda z: (
        (1 + (z / 2**0.5).erf().abs()) / 2 + z.abs() * (-z * z / 2).exp() / math.sqrt(2 * math.pi)
    ),
    "silu": lambda z: (1 + z.abs()) * z.sigmoid(),
    "tanh": lambda y: 1 - y * y / 2,
}
"""The sizes of the terms of a slope, added up, where that is more than the size of the slope."""

RESULTS = {"tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "relu": (0.0, math.inf)}
"""What is saved of these lies between."""


WORST_OF_GELU = torch.tensor([0.043225884437561035] * 3)
"""Where its float32 vector kernel is off by 10.06·u·T."""


def saved_values(name, dtype):
    """Numbers of every size and both signs, and more of them between −40 and 40, a multiple of
    three."""
    dense = torch.linspace(-40, 40, 40_001, dtype=torch.float64)
    sizes = 10.0 ** torch.linspace(-46, 30, 40_001, dtype=torch.float64)
    values = torch.cat([sizes, -sizes, dense, dense / 64, WORST_OF_GELU]).to(dtype)
    low, high = RESULTS.get(name, (-math.inf, math.inf))
    values = values[(values >= low) & (values <= high) & values.isfinite()]
    return values[: len(values) // 3 * 3]


def allowed(c, terms, dtype, losses):
    """γ(c)·T, and η for each product that may underflow."""
    finfo = torch.finfo(dtype)
    u = finfo.eps / 2
    return c * u / (1 - c * u) * terms + losses * finfo.smallest_normal * finfo.eps


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_every_kernel_has_slopes_within_its_roundings(name, dtype):
    """The vector kernel, and the scalar one, which takes rows of three numbers. In float64 they
    are far more precise."""
    saved = saved_values(name, dtype)
    exact = KERNELS[name](torch.ones(len(saved)).double(), saved.double())
    sizes = LARGER_TERMS[name](saved.double()) if name in LARGER_TERMS else exact.abs()
    exact = exact.numpy()
    row = CLASSES[name](Experiment(dtype=str(dtype).removeprefix("torch.")))
    # as the yardstick does
    terms = row.terms(saved.float()).double().numpy()
    assert np.allclose(terms, sizes, rtol=1e-5, atol=1e-20)
    kernels = [KERNELS[name]]
    if name == "silu" and dtype.itemsize >= 4:
        kernels.append(silu_by_operations)
    worst = 0.0
    some = torch.rand(5, generator=torch.Generator().manual_seed(0)) + 0.5
    for g in torch.cat([torch.ones(1), some]).to(dtype):
        room = g.item() * allowed(roundings(row), terms, dtype, losses=3)
        rows = KERNELS[name](g.expand(len(saved) // 3, 3), saved.view(-1, 3)).flatten()
        for computed in [rows, *(kernel(g.repeat(len(saved)), saved) for kernel in kernels)]:
            share = np.abs(computed.double().numpy() - g.item() * exact) / room
            assert share.max() <= 1, (g, saved[int(np.argmax(share))])
            worst = max(worst, share.max())
    # not far more roundings than there are
    assert worst > 0.2 or name in ("identity", "relu")


def test_relu_passes_on_nan():
    """With a slope of 0 there, S was 0, and rounding errors were 1e200 times the bound."""
    saved = torch.tensor([math.nan])
    terms = CLASSES["relu"](Experiment()).terms(saved)
    assert terms.equal(KERNELS["relu"](torch.ones(1), saved)) and terms.item() == 1


# A rounding unit where nothing but the losses to underflow is left.


def losses(yardstick, experiment, *weights):
    """One rounding unit of each component where S is 0, for a network with these weights."""
    net = network.build(experiment)
    for linear, values in zip(net[::2], weights, strict=True):
        linear.weight.copy_(torch.tensor(values))
    components = experiment.inputs if yardstick is GradientYardstick else experiment.outputs
    return yardstick(net, experiment).unit_of(np.zeros((1, components)))[0].tolist()


@pytest.mark.parametrize(
    "dtype, lost, of_slope",
    [("float16", 2.0**-24, 3), ("bfloat16", 2.0**-126, 3), ("float32", 2.0**-149, 1024)],
)
def test_the_losses_to_underflow_by_hand(dtype, lost, of_slope):
    """Two rows: those of the slopes, weighed, and of the products; sigmoid is at most 1/4 steep."""
    experiment = Experiment(1, (1,), 2, "sigmoid", "identity", dtype)
    of_last = (2 + 5) * (2 * of_slope) + 2 * 2
    of_first = 3 * (0.25 * of_last + 2 * of_slope) + 2 * 1
    units = losses(GradientYardstick, experiment, [[3.0]], [[2.0], [-5.0]])
    assert units == [of_first * lost]


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_larger_losses_of_forward_mode_count(outputs):
    """Of all rows, since they are added."""
    experiment = Experiment(64, (1,), outputs, "relu", "sigmoid", "float16")
    of_first = 1.0 * 64 + 3
    of_last = 0.25 * (8 * of_first + 1) + 3
    units = losses(GradientYardstick, experiment, [[2.0**-12] * 64], [[8.0]] * outputs)
    assert units == [outputs * of_last * 2.0**-24] * 64


def test_a_forward_pass_that_overflowed_has_no_yardstick():
    experiment = Experiment(1, (), 1, output_activation="gelu")
    yardstick = GradientYardstick(network.build(experiment), experiment)
    assert yardstick.unit_of(yardstick.path_sums(torch.tensor([[math.inf]]))).item() == math.inf


ZEROS = (-0.7517915246935645, -1.2784645427610738, 0.0, 20.0)
"""Where slopes of GELU and SiLU vanish, ReLU has its kink, and softplus takes another branch."""

ways = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(EVERY_DTYPE),
        "method": st.sampled_from([name for name, method in METHODS.items() if method.bounded]),
        "evaluation": st.sampled_from(["per-sample", "batched"]),
    }
)


@settings(max_examples=100)
@given(networks, ways, st.integers(-12, 4), st.integers(-20, 6), st.sampled_from([None, *ZEROS]))
def test_no_network_exceeds_its_bound(experiment, way, of_weights, of_inputs, bias):
    """Weights and inputs are scaled, and all biases put where a slope vanishes or saturates."""
    experiment = replace(experiment, **way)
    bound = bound_units(experiment)
    assume(bound is not None)
    batched = experiment.evaluation == "batched"
    net, x = network_and_samples(experiment, 512 if batched else 16)
    x = x * 2.0**of_inputs
    for layer in net[::2]:
        layer.weight.mul_(2.0**of_weights)
        if bias is not None:
            layer.bias.fill_(bias)
    parts = [
        (*backward_and_saved(net, part), summed_jacobian(experiment.method, net, part))
        for part in ([x] if batched else x)
    ]
    gradient, saved, jacobian = (
        torch.cat([*map(torch.atleast_2d, of)]) for of in zip(*parts, strict=True)
    )
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(to_float64(gradient) - to_float64(jacobian))
    yardstick = GradientYardstick(net, experiment)
    units = distance / yardstick.unit_of(yardstick.path_sums(saved))
    assert (units <= bound)[np.isfinite(distance)].all()

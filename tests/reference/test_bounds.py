"""The bound on the discrepancy: its steps and losses counted by hand, its yardstick path by path,
every kernel's slopes against it, and networks that try it."""

import math
import random
from itertools import product

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from lib.experiment.choices import ACTIVATIONS, OUTPUT_ACTIVATIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved, summed_jacobian
from lib.reference.activations import ACTIVATIONS as CLASSES
from lib.reference.bounds import GradientYardstick, bound_units, proved, roundings, steps
from tests.cases import EVERY_DTYPE, SHAPES
from tests.exact_networks import over_paths
from tests.oracles import VALUE_AND_SLOPE
from tests.stress import ZEROS, Case, search

aten = torch.ops.aten

FLOAT16 = {"dtype": "float16"}


# m, the roundings of the longest path.


@pytest.mark.parametrize(
    ("fields", "m"),
    [
        ({}, 3 + (10 + 2) + 1),
        ({"method": "jacfwd"}, 3 + (10 + 2) + 1),
        ({"outputs": 1}, 3 + (10 + 1) + 1),
        ({"hidden": (), "output_activation": "identity"}, 2 + 1),
        ({"activation": "tanh", "hidden": (4, 6)}, (2 + 2 + 3) + (4 + 6 + 2) + 1),
        ({"output_activation": "softmax", "outputs": 3}, (3 + 2) + (10 + 3) + 2 + 1),
        ({"activation": "leaky_relu"}, (1 + 3) + (10 + 2) + 1),
        ({"activation": "elu"}, (3 + 3) + (10 + 2) + 1),
        ({"activation": "gelu"}, (12 + 3) + (10 + 2) + 1),
        ({"activation": "silu"}, (9 + 3) + (10 + 2) + 1),
        ({"activation": "softplus"}, (5 + 3) + (10 + 2) + 1),
        ({"activation": "sigmoid"}, (3 + 3) + (10 + 2) + 1),
        ({"activation": "gelu"} | FLOAT16, (3 + 3) + (10 + 2) + 1),
        (
            {"activation": "relu", "output_activation": "softmax", "outputs": 5} | FLOAT16,
            3 + (10 + 5) + 4 + 1,
        ),
    ],
)
def test_the_steps_of_the_longest_path(fields, m):
    experiment = Experiment(**fields)
    assert steps(experiment) == m
    u = 2.0**-11 if experiment.dtype == "float16" else 2.0**-24
    if proved(experiment):
        assert bound_units(experiment) == pytest.approx(2 * m / (1 - m * u), rel=1e-12)


# Where a bound is proved.


def proved_by_the_note(experiment: Experiment) -> bool:
    """Of experiments on the CPU, as a table of the methods."""
    method, per_sample = experiment.method, experiment.evaluation == "per-sample"
    if method in ("finite-difference", "copies") or (per_sample and method in ("jacrev", "jacfwd")):
        return False
    if method == "single-call" and experiment.outputs > 1:
        return False
    if method in ("jacfwd", "functional-forward") and experiment.output_activation == "softmax":
        return False
    silu = "silu" in ([experiment.activation] if experiment.hidden else []) + [
        experiment.output_activation
    ]
    narrow = experiment.dtype in ("bfloat16", "float16")
    return not (silu and narrow and method in ("jacrev", "jacfwd", "functional-forward"))


def test_a_bound_is_claimed_only_where_it_is_proved():
    for method, evaluation, dtype, inner, last, hidden in product(
        METHODS,
        ("per-sample", "batched"),
        EVERY_DTYPE,
        ("relu", "silu"),
        ("silu", "softmax", "tanh"),
        ((), (3,)),
    ):
        chosen = {
            "activation": inner,
            "output_activation": last,
            "hidden": hidden,
            "outputs": 1 + len(hidden),
        }
        experiment = Experiment(method=method, evaluation=evaluation, dtype=dtype, **chosen)
        assert (
            proved(experiment)
            == (bound_units(experiment) is not None)
            == proved_by_the_note(experiment)
        ), experiment
    for device in ("cuda", "mps"):
        assert not proved(Experiment(device=device))


class Calls(TorchDispatchMode):
    """The ATen calls of linear layers and activations, with what they are given."""

    def __init__(self) -> None:
        super().__init__()
        self.made = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = str(function).split(".")[1]
        if name in (*ACTIVATIONS, "addmm", "_softmax"):
            self.made.append((name, [arg.clone() for arg in args if isinstance(arg, torch.Tensor)]))
        return function(*args, **(kwargs or {}))


def forward_calls(experiment: Experiment, compute) -> list[tuple[str, list[torch.Tensor]]]:
    net, block = network.build(experiment), sampling.block(experiment, 0)
    with Calls() as calls:
        compute(net, block if experiment.evaluation == "batched" else block[0])
    return calls.made


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize(
    "method", [name for name, method in METHODS.items() if method.gives != "approximation"]
)
def test_the_forward_pass_makes_the_calls_of_backward_where_it_is_said_to(method, evaluation):
    """The same functions, of tensors of the same shapes and strides, with the same bits in them."""
    for activation in ("relu", "gelu", "silu", "softmax"):
        inner = "tanh" if activation == "softmax" else activation
        experiment = Experiment(
            inputs=3,
            hidden=(6,),
            activation=inner,
            output_activation=activation,
            evaluation=evaluation,
        )
        expected = forward_calls(experiment, backward_and_saved)
        # Forward mode differentiates softmax and SiLU by calls of its own, and a sigmoid is one of
        # them.
        made = forward_calls(experiment, lambda net, x: summed_jacobian(method, net, x))
        made = [(name, args) for name, args in made if name in {call for call, _ in expected}]
        same = [name for name, _ in made] == [name for name, _ in expected] and all(
            a.stride() == b.stride() and torch.equal(a, b)
            for (_, given), (_, wanted) in zip(made, expected, strict=True)
            for a, b in zip(given, wanted, strict=True)
        )
        assert len(expected) == 4
        assert same == (evaluation in METHODS[method].bounded)


# T and c: the slopes of every kernel.


KERNELS = {
    "leaky_relu": lambda g, z: aten.leaky_relu_backward(g, z, 0.01, False),
    "relu": lambda g, y: aten.threshold_backward(g, y, 0),
    "elu": lambda g, z: aten.elu_backward(g, 1, 1, 1, False, z),
    "gelu": aten.gelu_backward,
    "silu": aten.silu_backward,
    "softplus": lambda g, z: aten.softplus_backward(g, z, 1, 20),
    "tanh": aten.tanh_backward,
    "sigmoid": aten.sigmoid_backward,
}
"""What autograd calls, by its table of derivatives: with a cotangent, and what was saved."""


def in_operations(g: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    """SiLU as it is differentiated where gradients are recorded."""
    sigmoid = torch.sigmoid(z)
    return g * sigmoid * (1 + z * (1 - sigmoid))


def ways(name: str, dtype: torch.dtype):
    """The kernel given a contiguous cotangent, an expanded one, and single numbers."""
    kernel = KERNELS[name]

    def by_rows(g: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Rows of three numbers are too short for a vector register."""
        whole = len(v) // 3 * 3
        rows = kernel(g[:3].expand(whole // 3, 3), v[:whole].view(-1, 3)).flatten()
        return torch.cat([rows, kernel(g[whole:], v[whole:])])

    def one_by_one(g: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        some = range(0, len(v), max(1, len(v) // 500))
        answer = kernel(g, v)
        for i in some:
            answer[i] = kernel(g[i], v[i])
        return answer

    found = {"contiguous": kernel, "expanded": by_rows, "single": one_by_one}
    return (
        found | {"operations": in_operations} if name == "silu" and dtype.itemsize >= 4 else found
    )


erfc = np.vectorize(math.erfc, [float])

SLOPES = {
    "leaky_relu": lambda v: np.where(v > 0, 1.0, float(np.float32(0.01))),
    "relu": lambda v: np.where(v > 0, 1.0, 0.0),
    "elu": lambda z: np.exp(np.minimum(z, 0)),
    "gelu": lambda z: erfc(-z / 2**0.5) / 2 + z * np.exp(-z * z / 2) / math.sqrt(2 * math.pi),
    "silu": lambda z: (1 + z / (1 + np.exp(z))) / (1 + np.exp(-z)),
    "softplus": lambda z: np.where(z > 20, 1.0, 1 / (1 + np.exp(-z))),
    "tanh": lambda y: 1 - y * y,
    "sigmoid": lambda y: (1 - y) * y,
}
"""Slopes at saved values, in float64."""

RESULTS = {"tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "relu": (0.0, math.inf)}
"""What is saved of these lies between."""


def allowed(name: str, dtype: str, saved: torch.Tensor) -> np.ndarray:
    """γ(c)·T at each of these saved values, by the path sum of a network whose one weight is 1."""
    experiment = Experiment(inputs=1, hidden=(), outputs=1, output_activation=name, dtype=dtype)
    net = network.build(experiment)
    net[0].weight.fill_(1.0)
    terms = GradientYardstick(net, experiment).path_sums(saved[:, None])[:, 0]
    c, u = roundings(CLASSES[name](experiment)), torch.finfo(saved.dtype).eps / 2
    return c * u / (1 - c * u) * terms


def assert_slopes_within(name: str, saved: torch.Tensor, exact: np.ndarray) -> float:
    """γ(c)·abs(g)·T, and η where a product underflows. Returns the largest share of it that is used
    up."""
    dtype, worst = str(saved.dtype).removeprefix("torch."), 0.0
    finfo = torch.finfo(saved.dtype)
    lost = 3 * finfo.smallest_normal * finfo.eps
    generator = torch.Generator().manual_seed(0)
    tried = torch.cat([torch.ones(1), torch.rand(5, generator=generator) + 0.5]).to(saved.dtype)
    limit = allowed(name, dtype, saved)
    for way, kernel in ways(name, saved.dtype).items():
        for g in tried:
            computed = kernel(g.repeat(len(saved)), saved).double().numpy()
            room = g.item() * limit + lost
            off = np.abs(computed.astype(exact.dtype) - g.item() * exact).astype(float)
            assert (off <= room).all(), (way, g, saved[int(np.argmax(off / room))])
            worst = max(worst, (off / room).max())
    return worst


def saved_values(name: str, dtype: torch.dtype, count: int) -> torch.Tensor:
    """Bit patterns of the dtype, all or evenly spaced, and those around every zero of a slope and
    every saturation."""
    integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    info = torch.iinfo(integer)
    if dtype.itemsize == 2:
        patterns = torch.arange(info.min, info.max + 1, dtype=torch.int64).to(integer)
    else:
        rng = random.Random(0)
        patterns = torch.tensor(
            [rng.randint(info.min, info.max) for _ in range(count)], dtype=integer
        )
    dense = torch.linspace(-40, 40, count, dtype=torch.float64).to(dtype)
    near = torch.tensor([*ZEROS, -5.0, -16.0, -17.33, 17.0, 37.0, 1.0, -1.0], dtype=dtype)[:, None]
    around = near * (1 + torch.finfo(dtype).eps * torch.arange(-40, 41, dtype=torch.float64)).to(
        dtype
    )
    values = torch.cat(
        [patterns.view(dtype), dense, dense / 64, around.flatten(), -around.flatten()]
    )
    low, high = RESULTS.get(name, (-math.inf, math.inf))
    largest = (
        1e30 if dtype.itemsize > 2 else math.inf
    )  # beyond, v·v overflows, and so the slope is not a number
    return values[
        (values >= low) & (values <= high) & values.isfinite() & (values.abs() < largest)
    ].contiguous()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_every_kernel_has_slopes_within_its_roundings(name, dtype):
    saved = saved_values(name, dtype, 40_000)
    worst = assert_slopes_within(name, saved, SLOPES[name](saved.double().numpy()))
    assert worst > 0.2 or name == "relu"  # not far more roundings than there are


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("outputs", [1, 2, 7, 64])
def test_softmax_has_slopes_within_its_roundings(outputs, dtype):
    """y·(g − Σ g·y) for cotangents of ones, for each row, and for any."""
    experiment = Experiment(outputs=outputs, output_activation="softmax", dtype=dtype)
    kind = getattr(torch, dtype)
    generator = torch.Generator().manual_seed(outputs)
    y = torch.softmax(
        8 * torch.randn(1 + 300 // outputs, outputs, dtype=torch.float64, generator=generator), -1
    ).to(kind)
    tried = [
        torch.ones_like(y),
        torch.randn(y.shape, dtype=torch.float64, generator=generator).to(kind),
    ]
    tried += [torch.eye(outputs, dtype=kind)[i].expand_as(y) for i in range(min(outputs, 3))]
    finfo = torch.finfo(kind)
    c, u = roundings(CLASSES["softmax"](experiment)), finfo.eps / 2
    for g in tried:
        computed = aten._softmax_backward_data(g, y, -1, kind).double()
        with mpmath.workdps(40):
            for row, cotangents, shares in zip(
                computed.tolist(), g.tolist(), y.tolist(), strict=True
            ):
                sum_ = mpmath.fdot(cotangents, shares)
                sizes = mpmath.fdot([abs(value) for value in cotangents], shares)
                for value, cotangent, share in zip(row, cotangents, shares, strict=True):
                    room = c * u / (1 - c * u) * share * (abs(cotangent) + sizes)
                    lost = (outputs + 2) * finfo.smallest_normal * finfo.eps
                    assert abs(value - share * (cotangent - sum_)) <= room + lost


# S and the losses, by hand.


def unit_of(net: torch.nn.Module, experiment: Experiment, saved: torch.Tensor) -> np.ndarray:
    yardstick = GradientYardstick(net, experiment)
    return yardstick.units_of(yardstick.path_sums(saved))


SIZES = {name: slope for name, (_, slope) in VALUE_AND_SLOPE.items()} | {
    "gelu": lambda z: (
        (1 + abs(math.erf(z / 2**0.5))) / 2 + abs(z) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    ),
    "silu": lambda z: (1 + abs(z)) / (1 + math.exp(-z)),
    "tanh": lambda z: 1 - math.tanh(z) ** 2 / 2,
}
"""The sizes of the terms of each activation's slope, at its input."""

EVERY_ACTIVATION = [
    Experiment(inputs=2, hidden=(3,), outputs=2, activation=name, output_activation="identity")
    for name in ACTIVATIONS
]


@pytest.mark.parametrize(
    "experiment", [SHAPES[3], *EVERY_ACTIVATION], ids=lambda e: e.query or "post"
)
def test_the_path_sum_is_a_sum_over_paths(experiment):
    net, samples = network.build(experiment), sampling.block(experiment, 0)[:3]
    sums = GradientYardstick(net, experiment).path_sums(backward_and_saved(net, samples)[1])
    wide = network.build(experiment).double()
    weights = [linear.weight.abs().tolist() for linear in wide[::2]]
    for x, of_sample in zip(samples.double(), sums, strict=True):
        sizes = []
        for linear, activation, name in zip(
            wide[::2], wide[1::2], experiment.activations, strict=True
        ):
            z = linear(x)
            x = activation(z)
            # Of softmax, the sizes of y_i and of y_i·y_k, summed over k.
            sizes.append(
                (2 * x).tolist()
                if name == "softmax"
                else [SIZES[name](value) for value in z.tolist()]
            )
        expected = np.zeros(experiment.inputs)
        for path, size in over_paths(weights, sizes):
            expected[path[0]] += size
        assert of_sample == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", ["elu", "silu", "softplus"])
@pytest.mark.parametrize(
    ("dtype", "least"), [("float32", 2.0**-80), ("float64", 2.0**-918), ("bfloat16", 2.0**-80)]
)
def test_terms_are_not_so_small_that_exp_underflows(name, dtype, least):
    saved = torch.tensor([-2000.0], dtype=getattr(torch, dtype))
    experiment = Experiment(inputs=1, hidden=(), outputs=1, output_activation=name, dtype=dtype)
    net = network.build(experiment)
    net[0].weight.fill_(1.0)
    assert GradientYardstick(net, experiment).path_sums(saved[:, None]).item() == least


@pytest.mark.parametrize(
    ("dtype", "lost", "of_slope"),
    [
        ("float16", 2.0**-24, 3),
        ("bfloat16", 2.0**-126, 3),
        ("float32", 2.0**-149, 1024),
        ("float64", 2.0**-1074, 1024),
    ],
)
def test_the_losses_to_underflow_by_hand(dtype, lost, of_slope):
    """Where all neurons are dead, a rounding unit is nothing but the losses."""
    experiment = Experiment(
        inputs=1, hidden=(1,), outputs=2, output_activation="identity", dtype=dtype
    )
    net = network.build(experiment)
    net[0].weight.fill_(3.0)
    net[2].weight.copy_(torch.tensor([[2.0], [-5.0]]))
    dead = torch.zeros(1, 3, dtype=net[0].weight.dtype)
    of_last = (2 + 5) * (
        2 * of_slope
    ) + 2 * 2  # two rows: of the slopes, weighed, and of the products
    of_first = 3 * (of_last + 2 * of_slope) + 2 * 1
    assert unit_of(net, experiment, dead).item() == of_first * lost


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_losses_of_forward_mode_count_where_they_are_more(outputs):
    """Of all rows, since they are added."""
    experiment = Experiment(
        inputs=64, hidden=(1,), outputs=outputs, output_activation="sigmoid", dtype="float16"
    )
    net = network.build(experiment)
    net[0].weight.fill_(2.0**-12)
    net[2].weight.fill_(8.0)
    dead = torch.zeros(1, 1 + outputs, dtype=torch.float16)
    of_first = 1.0 * 64 + 3
    of_last = 0.25 * (8 * of_first + 1) + 3
    assert unit_of(net, experiment, dead)[0].tolist() == [outputs * of_last * 2.0**-24] * 64


def test_a_forward_pass_that_overflowed_has_no_yardstick():
    experiment = Experiment(inputs=1, hidden=(), outputs=1, output_activation="gelu")
    net = network.build(experiment)
    assert unit_of(net, experiment, torch.tensor([[math.inf]])).item() == math.inf


def test_relu_passes_on_what_comes_to_a_saved_value_that_is_no_number():
    """Both ways do. With a slope of 0 there, S was 0, and rounding errors were 1e200 times the
    bound."""
    experiment = Experiment(
        inputs=2, hidden=(), outputs=3, output_activation="relu", evaluation="batched"
    )
    case = Case(experiment)
    net = case.network()
    net[0].weight[:, 0] = torch.tensor([1e30, -2e30, 3e30])
    x = torch.tensor([[1e30, math.nan]])
    backward, saved = backward_and_saved(net, x)
    assert saved.isnan().all() and backward.isfinite().all()
    assert (
        GradientYardstick(net, experiment).path_sums(saved)[0].tolist()
        == net[0].weight.abs().sum(0).tolist()
    )
    assert search(case, x, net).share <= 1


def test_losses_of_later_layers_grow_with_the_steepest_slope():
    """Of GELU, 1.13: two linear layers of one weight each."""
    experiment = Experiment(
        inputs=1, hidden=(1,), outputs=1, activation="gelu", output_activation="identity"
    )
    net = network.build(experiment)
    net[0].weight.fill_(3.0)
    net[2].weight.fill_(2.0)
    of_last = 2 * 1024 + 1
    of_first = 3 * (1.13 * of_last + 1024) + 1
    silent = GradientYardstick(net, experiment).units_of(np.zeros((1, 1)))
    assert silent.item() * 2.0**149 == pytest.approx(of_first, rel=1e-6)


# Attempts to break it.


cases = st.builds(
    Case,
    st.builds(
        Experiment,
        inputs=st.integers(1, 8),
        hidden=st.lists(st.integers(1, 12), max_size=3).map(tuple),
        outputs=st.integers(1, 8),
        activation=st.sampled_from([*ACTIVATIONS]),
        output_activation=st.sampled_from([*OUTPUT_ACTIVATIONS]),
        dtype=st.sampled_from(EVERY_DTYPE),
        method=st.sampled_from([name for name, method in METHODS.items() if method.bounded]),
        evaluation=st.sampled_from(["per-sample", "batched"]),
        distribution=st.sampled_from(["uniform", "normal"]),
        seed=st.integers(0, 2**31 - 1),
    ),
    weights=st.integers(-12, 4),
    inputs=st.integers(-20, 6),
    bias=st.sampled_from([None, *ZEROS]),
)


@settings(max_examples=60)
@given(cases)
def test_no_network_exceeds_its_bound(case):
    assume(bound_units(case.experiment) is not None)
    assert search(case, case.samples()[:512]).share <= 1

"""The bound on the discrepancy: its steps counted by hand, its yardstick path by path, and networks that try it."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import network, sampling
from lib.bounds import Yardstick, bound_units, steps
from lib.choices import ACTIVATIONS, METHODS, OUTPUT_ACTIVATIONS
from lib.experiment import Experiment
from lib.floats import to_float64
from lib.jacobians import summed_jacobian, traced_backward
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import VALUE_AND_SLOPE

BOUNDED = [name for name, method in METHODS.items() if method.same_forward]


@pytest.mark.parametrize(
    ("fields", "m"),
    [
        ({}, (3 + 2) + (0 + 10) + 1 + 1),
        ({"method": "jacfwd"}, (5 + 0) + (10 + 3) + 1 + 1),
        ({"outputs": 1}, (3 + 1) + (0 + 10) + 0 + 1),
        ({"hidden": (), "output_activation": "identity"}, 2 + 1 + 1),
        ({"activation": "tanh", "hidden": (4, 6)}, (3 + 2) + (3 + 6) + (3 + 4) + 1 + 1),
        ({"output_activation": "softmax", "outputs": 3}, (3 + 3 + 3) + (0 + 10) + 2 + 1),
        ({"activation": "leaky_relu"}, (3 + 2) + (1 + 10) + 1 + 1),
    ],
)
def test_the_steps_of_the_longest_path(fields, m):
    experiment = Experiment(**fields)
    assert steps(experiment) == m
    assert bound_units(experiment) == pytest.approx(2 * m, rel=1e-5)


def test_where_rounding_may_take_everything_no_bound_exists():
    wide = Experiment(hidden=(256, 256), dtype="bfloat16")
    assert bound_units(wide) is None
    assert bound_units(Experiment(hidden=(256, 256), dtype="float16")) > 2 * steps(wide)


@pytest.mark.parametrize("experiment", SHAPES[:4], ids=lambda e: e.query or "post")
def test_the_path_sum_is_a_sum_over_paths(experiment):
    net, samples = network.build(experiment), sampling.block(experiment, 0)[:3]
    linears = [layer.weight.double().numpy() for layer in net if isinstance(layer, torch.nn.Linear)]
    names = [experiment.activation] * len(experiment.hidden) + [experiment.output_activation]
    sums = Yardstick(net, experiment).path_sums(traced_backward(net, samples)[1])
    for x, of_sample in zip(samples.double().numpy(), sums.numpy(), strict=True):
        slopes, value = [], x
        for layer, name in zip([layer for layer in net if isinstance(layer, torch.nn.Linear)], names, strict=True):
            z = layer.weight.double().numpy() @ value + layer.bias.double().numpy()
            if name == "softmax":
                value = np.exp(z) / np.exp(z).sum()
                slopes.append(2 * value)  # the sizes of y_i and y_i·y_k, summed over k
            else:
                function, slope = VALUE_AND_SLOPE[name]
                value, of_layer = [function(v) for v in z], [abs(slope(v)) for v in z]
                slopes.append(of_layer)
        expected = np.zeros(len(x))
        for path in product(*(range(width) for width in experiment.widths)):
            size = 1.0
            for layer, (start, end) in enumerate(zip(path, path[1:], strict=False)):
                size *= abs(linears[layer][end, start]) * slopes[layer][end]
            expected[path[0]] += size
        assert of_sample == pytest.approx(expected, rel=1e-5)


def test_a_unit_is_never_zero():
    experiment = Experiment(inputs=1, hidden=(1,), outputs=1)
    for dtype in EVERY_DTYPE:
        dead = Experiment(**experiment.to_dict() | {"dtype": dtype})
        net = network.build(dead)
        net[0].bias.fill_(-100.0)
        x = torch.zeros(1, 1, dtype=net[0].weight.dtype)
        assert Yardstick(net, dead).units(traced_backward(net, x)[1]).item() > 0


def largest_share(experiment: Experiment) -> float:
    """The largest discrepancy as a share of its bound, in two blocks batched and in a few samples one by one."""
    net, yardstick = network.build(experiment), Yardstick(network.build(experiment), experiment)
    whole = sampling.block(experiment, 0)[:512]
    shares = [0.0]
    for x in (whole, *whole[:4].clone()):
        backward, traced = traced_backward(net, x)
        summed = summed_jacobian(experiment.method, net, x)
        off = np.abs(to_float64(backward) - to_float64(summed))
        units = off / yardstick.units(traced.reshape(-1, traced.shape[-1])).reshape(off.shape).numpy()
        shares.append((units[np.isfinite(off)] / bound_units(experiment)).max(initial=0.0))
    return max(shares)


@settings(max_examples=150)
@given(
    st.builds(
        Experiment,
        inputs=st.integers(1, 8),
        hidden=st.lists(st.integers(1, 12), max_size=3).map(tuple),
        outputs=st.integers(1, 8),
        activation=st.sampled_from([*ACTIVATIONS]),
        output_activation=st.sampled_from([*OUTPUT_ACTIVATIONS]),
        dtype=st.sampled_from(EVERY_DTYPE),
        method=st.sampled_from(BOUNDED),
        distribution=st.sampled_from(["uniform", "normal"]),
        seed=st.integers(0, 2**31 - 1),
    )
)
def test_methods_that_share_the_forward_pass_never_exceed_the_bound(experiment):
    assert largest_share(experiment) <= 1


def test_products_that_underflow_are_within_the_bound():
    """The rows vanish one by one, and their sum does not."""
    experiment = Experiment(hidden=(1,), outputs=8, activation="sigmoid", output_activation="identity", dtype="float16")
    net = network.build(experiment)
    for layer in (net[0], net[2]):
        layer.weight.fill_(2.0**-12)
    net[0].bias.fill_(0.0)
    yardstick, x = Yardstick(net, experiment), sampling.block(experiment, 0)[:512]
    backward, traced = traced_backward(net, x)
    summed = summed_jacobian("functional", net, x)
    assert (backward > 0).all() and (summed == 0).all()
    assert (backward.double() / (2.0**-11 * yardstick.path_sums(traced).double())).min() > bound_units(experiment)
    assert (backward.double() / yardstick.units(traced)).max() <= bound_units(experiment)


def test_the_pitfall_is_no_rounding():
    assert largest_share(Experiment(method="single-call")) > 1000

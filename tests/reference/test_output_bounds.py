"""The reference of the outputs, their yardstick and their bound, against fractions, mpmath and a
search."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network import network, sampling
from lib.reference.activations import ACTIVATIONS
from lib.reference.arb_gradient import ArbNetwork
from lib.reference.balls import VERDICTS
from lib.reference.judge import OUTPUTS, Judge
from lib.reference.output_bounds import OutputYardstick, output_bound_units
from lib.reference.pair import Pair
from tests.cases import EVERY_DTYPE
from tests.oracles import VALUE_AND_SLOPE, in_mpmath
from tests.reference.test_float64_reference import networks

EVERY_NETWORK = st.builds(
    lambda experiment, dtype: replace(experiment, dtype=dtype),
    networks,
    st.sampled_from(EVERY_DTYPE),
)


@settings(max_examples=50)
@given(EVERY_NETWORK, st.integers(-8, 8))
def test_each_evaluation_is_within_half_the_bound_of_the_exact_outputs(experiment, power):
    """So two are within the bound of each other. Inputs are scaled, so that activations saturate or
    vanish."""
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[:24] * 2.0**power
    yardstick, bound = OutputYardstick(net, experiment), output_bound_units(experiment)
    assume(bound is not None)
    units = yardstick.units_of(yardstick.path_sums(x))
    evaluated = [
        torch.stack([net(one.clone()) for one in x]),
        net(x),
        *[torch.cat([*map(net, x.split(n))]) for n in (2, 16)],
    ]
    balls = ArbNetwork(net, experiment)
    exact = np.array([[float(ball) for ball in balls.outputs(one)] for one in x.tolist()])
    for values in evaluated:
        values = to_float64(values)
        finite = np.isfinite(values)
        assert (
            np.abs(values - exact)[finite] <= (bound / 2 * units + 1e-16 * np.abs(exact))[finite]
        ).all()


def test_the_path_sum_is_that_of_the_note():
    """Two layers by hand: S behind the first is L·t + A, and behind the second L·(abs(W)·S + t) +
    A."""
    experiment = Experiment(
        inputs=2, hidden=(1,), outputs=1, activation="sigmoid", output_activation="leaky_relu"
    )
    net = network.build(experiment)
    for parameter, values in zip(
        net.parameters(), ([[2.0, -3.0]], [0.5], [[-4.0]], [0.25]), strict=True
    ):
        parameter.copy_(torch.tensor(values))
    x = torch.tensor([[1.0, 0.5]])
    h = VALUE_AND_SLOPE["sigmoid"][0](2.0 - 1.5 + 0.5)
    first = 0.25 * (2.0 + 1.5 + 0.5) + h
    y = abs(-4 * h + 0.25) * 0.01
    yardstick = OutputYardstick(net, experiment)
    found = yardstick.path_sums(x)
    assert found.item() == pytest.approx(4 * first + 4 * h + 0.25 + y, rel=1e-7)
    assert yardstick.units_of(found).item() == pytest.approx(2.0**-24 * found.item(), rel=1e-6)


def test_the_largest_sum_of_a_softmax_counts_in_all_its_results_but_not_in_another_sample():
    """L = 2: twice the larger of the two t, and each result."""
    experiment = Experiment(inputs=1, hidden=(), outputs=2, output_activation="softmax")
    net = network.build(experiment)
    net[0].weight.copy_(torch.tensor([[1.0], [-2.0]]))
    net[0].bias.fill_(0.0)
    found = OutputYardstick(net, experiment).path_sums(torch.tensor([[0.5], [3.0]]))
    first, second = (
        [2 * 2 * x + 1 / (1 + math.exp(-3 * x * sign)) for sign in (1, -1)] for x in (0.5, 3.0)
    )
    assert found.tolist() == [pytest.approx(row, rel=1e-12) for row in (first, second)]


@pytest.mark.parametrize(
    ("dtype", "lost", "of_result"),
    [
        ("float16", 2.0**-24, 3 * 2.0**-24),
        ("bfloat16", 2.0**-126, 3 * 2.0**-126),
        ("float32", 2.0**-149, 2.0**-116),
        ("float64", 2.0**-1074, 2.0**-1012),
    ],
)
def test_the_losses_to_underflow_by_hand(dtype, lost, of_result):
    """Of each result 1024 smallest normal numbers, or three roundings to 16 bits; before it, two
    sums of products."""
    chosen = {"activation": "sigmoid", "output_activation": "identity", "dtype": dtype}
    experiment = Experiment(inputs=2, hidden=(1,), outputs=2, **chosen)
    net = network.build(experiment)
    net[0].weight.fill_(3.0)
    net[2].weight.copy_(torch.tensor([[-4.0], [8.0]]))
    first = 0.25 * 2 * 3 * lost + of_result
    expected = [size * first + 2 * 2 * lost + of_result for size in (4, 8)]
    assert OutputYardstick(net, experiment).units_of(np.zeros((1, 2))).tolist() == [expected]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_bound_is_that_of_the_note(dtype):
    u = Fraction(torch.finfo(getattr(torch, dtype)).eps) / 2
    k = 12  # ten terms, a bias, and one for S
    q = k * u / (1 - k * u)
    assert output_bound_units(Experiment(dtype=dtype)) == pytest.approx(
        float(2 * q / u * (1 + q) ** 4), rel=1e-12
    )
    assert (
        output_bound_units(Experiment(dtype=dtype, inputs=2, hidden=(2,), activation="gelu")) > 26
    )
    assert output_bound_units(Experiment(dtype="bfloat16", hidden=(256,))) is None


def test_nothing_is_claimed_where_nothing_is_proved():
    assert output_bound_units(Experiment(output_activation="softmax")) is None
    assert output_bound_units(Experiment(activation="softplus", dtype="float64")) is None
    assert output_bound_units(Experiment(activation="softplus")) > 0
    assert output_bound_units(Experiment(device="cuda")) is None


def test_where_a_sum_may_overflow_the_bound_says_nothing():
    experiment = Experiment(
        inputs=1, hidden=(), outputs=1, output_activation="sigmoid", dtype="float16"
    )
    net = network.build(experiment)
    net[0].weight.fill_(60_000.0)
    yardstick = OutputYardstick(net, experiment)
    one, two = yardstick.units_of(
        yardstick.path_sums(torch.tensor([[1.0], [2.0]], dtype=torch.float16))
    )
    assert 0 < one.item() < np.inf == two.item()


@pytest.mark.parametrize("name", choices.ACTIVATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_of_activations_are_within_what_the_table_states(name, dtype):
    """Of both kernels, at numbers of all sizes, against mpmath."""
    if (name, dtype) == ("softplus", "float64"):
        return
    experiment = Experiment(dtype=dtype, hidden=(), output_activation=name)
    module, activation = network.build(experiment)[-1], ACTIVATIONS[name](experiment)
    kind = getattr(torch, dtype)
    generator = torch.Generator().manual_seed(0)
    size = torch.exp2(12 * torch.rand(160, generator=generator, dtype=torch.float64) - 6)
    v = torch.cat([size, -size]).to(kind)
    u = torch.finfo(kind).eps / 2
    with mpmath.workdps(40):
        exact = [
            in_mpmath(name, torch.tensor(0.01, dtype=kind).item())(mpmath.mpf(one))
            for one in v.tolist()
        ]
        sizes = activation.size(
            v.double(), torch.tensor([float(one) for one in exact], dtype=torch.float64)
        )
        lost = 1024 * torch.finfo(kind).smallest_normal
        for values in (module(v), torch.cat([module(one) for one in v.split(1)])):
            for value, one, of in zip(values.tolist(), exact, sizes.tolist(), strict=True):
                assert (
                    abs(value - one)
                    <= activation.of_result * u / (1 - activation.of_result * u) * of + lost
                )


def test_a_judge_of_outputs_names_what_is_above_the_bound():
    experiment = Experiment(samples=8)
    net, x = network.build(experiment), sampling.block(experiment, 0)[:8]
    y, judge = net(x).double(), Judge(experiment, OUTPUTS).turned_to(net, x)
    unit = judge.judge(0, Pair(0, 0, 0, x, y, y), x).judged.unit
    for factor, over in ((0.99, 0), (1.01, y.numel())):
        off = y + torch.from_numpy(factor * output_bound_units(experiment) * unit)
        judged = judge.judge(0, Pair(0, 0, 0, x, y, off), x).judged
        assert judged.over.sum() == over and (judged.verdicts == VERDICTS.index("backward")).all()
    exact = [
        [float(ball) for ball in ArbNetwork(net, experiment).outputs(one)] for one in x.tolist()
    ]
    assert judged.exact == pytest.approx(np.array(exact), rel=1e-13)

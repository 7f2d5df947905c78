"""The float64 stand-in against ball arithmetic: its bound holds, and what it decides is decided rightly."""

import numpy as np
import pytest
import torch
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import network, sampling
from lib.arb_gradient import TIE, UNDECIDED, ArbNetwork, Undecided
from lib.balls import precision
from lib.choices import ACTIVATIONS, OUTPUT_ACTIVATIONS
from lib.experiment import Experiment
from lib.floats import round_once, to_float64
from lib.reference import SMOOTHNESS, Float64Network
from tests.cases import SHAPES

narrow = st.sampled_from(["float32", "bfloat16", "float16"])
networks = st.builds(
    Experiment,
    inputs=st.integers(1, 6),
    hidden=st.lists(st.integers(1, 12), max_size=4).map(tuple),
    outputs=st.integers(1, 5),
    activation=st.sampled_from([*ACTIVATIONS]),
    output_activation=st.sampled_from([*OUTPUT_ACTIVATIONS]),
    dtype=narrow,
    distribution=st.sampled_from(["uniform", "normal"]),
    seed=st.integers(0, 2**31 - 1),
)


def within(ball: arb, value: float, bound: float) -> bool:
    with precision(200):
        return bool(abs(ball - arb(value)) <= arb(bound))


def assert_bounded(experiment: Experiment, samples: torch.Tensor) -> None:
    net = network.build(experiment)
    stand_in, balls = Float64Network(net, experiment).stand_in(samples), ArbNetwork(net, experiment)
    for x, gradient, kinked in zip(samples.tolist(), stand_in.gradient.tolist(), stand_in.kinked, strict=True):
        if not kinked:
            pairs = zip(balls.gradient(x), gradient, stand_in.bound.tolist(), strict=True)
            assert all(within(*pair) for pair in pairs)


@settings(max_examples=60)
@given(networks)
def test_the_gradient_is_within_its_bound(experiment):
    assert_bounded(experiment, sampling.block(experiment, 0)[:6])


@given(networks, st.floats(-1e3, 1e3))
@settings(max_examples=40)
def test_the_bound_holds_for_large_inputs_too(experiment, scale):
    exact = sampling.block(experiment, 1)[:3].double() * scale
    assert_bounded(experiment, round_once(exact, getattr(torch, experiment.dtype)))


@pytest.mark.parametrize("experiment", SHAPES, ids=lambda e: e.query or "post")
def test_the_bound_is_below_a_fiftieth_of_an_ulp_of_float32(experiment):
    stand_in = Float64Network(network.build(experiment), experiment).stand_in(sampling.block(experiment, 0))
    assert stand_in.bound.max() <= 2.0**-24 * 0.02 * np.abs(stand_in.gradient).max()


@pytest.mark.parametrize("activation", SMOOTHNESS)
def test_no_activation_is_steeper_or_more_curved_than_its_row_says(activation):
    smooth = SMOOTHNESS[activation]
    z = torch.linspace(-12, 12, 240_001, dtype=torch.float64)
    value, slope = smooth.at(z, 0.01)
    assert slope.abs().max() <= smooth.steepest
    assert (value.abs() <= (z.abs() + 1).clamp(max=smooth.largest)).all()
    away = (z[1:] * z[:-1] > 0) if smooth.kink else torch.ones(len(z) - 1, dtype=torch.bool)
    curvature = ((slope[1:] - slope[:-1]) / (z[1:] - z[:-1])).abs()[away]
    assert curvature.max() <= smooth.curvature + 1e-9


@settings(max_examples=60)
@given(networks, st.data())
def test_what_it_decides_is_what_ball_arithmetic_decides(experiment, data):
    net, samples = network.build(experiment), sampling.block(experiment, 0)[:4]
    stand_in = Float64Network(net, experiment).stand_in(samples)
    dtype = getattr(torch, experiment.dtype)
    near = round_once(torch.from_numpy(stand_in.gradient), dtype)
    step = torch.finfo(dtype).eps
    factors = st.lists(st.integers(-3, 3), min_size=near.numel(), max_size=near.numel())
    backward, jacobian = (
        to_float64(near * (1 + step * torch.tensor(data.draw(factors)).reshape(near.shape)).to(dtype)) for _ in range(2)
    )
    verdicts, *_ = stand_in.judge(0, backward, jacobian)
    balls = ArbNetwork(net, experiment)
    for i, x in enumerate(samples.tolist()):
        try:
            expected, *_ = balls.judge(x, backward[i].tolist(), jacobian[i].tolist())
        except Undecided:
            assert set(verdicts[i].tolist()) <= {TIE, UNDECIDED}
        else:
            decided = verdicts[i] != UNDECIDED
            assert (verdicts[i][decided] == np.array(expected)[decided]).all()


def test_a_sample_on_a_kink_is_not_decided():
    experiment = Experiment(inputs=1, hidden=(1,), outputs=1)
    net = network.build(experiment)
    net[0].weight.fill_(1.0)
    net[0].bias.fill_(-0.5)
    float64 = Float64Network(net, experiment)
    stand_in = float64.stand_in(torch.tensor([[0.25], [0.5], [0.75]]))
    assert stand_in.kinked.tolist() == [False, True, False]
    values = np.array([[1.0], [1.0], [1.0]])
    assert stand_in.judge(0, values, values + 1)[0][1, 0] == UNDECIDED
    assert stand_in.judge(0, values, values)[0][1, 0] == TIE


def test_what_rounding_may_flip_is_wider_in_a_narrower_dtype():
    experiment = Experiment(inputs=1, hidden=(1,), outputs=1)
    net = network.build(experiment)
    net[0].weight.fill_(1.0)
    net[0].bias.fill_(-0.5)
    x = torch.tensor([[0.5], [0.5 + 2**-22], [0.5 + 2**-8], [0.9]])
    float64 = Float64Network(net, experiment)
    assert float64.near_kinks(x, 2.0**-24).tolist() == [True, True, False, False]
    assert float64.near_kinks(x, 2.0**-9).tolist() == [True, True, True, False]

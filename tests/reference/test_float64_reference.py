"""The float64 reference against ball arithmetic: its bound holds, and what it decides is decided
rightly."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.floats.ulps import round_once, to_float64
from lib.network import network, sampling
from lib.reference.activation import Activation
from lib.reference.activations import ACTIVATIONS
from lib.reference.arb_gradient import ArbNetwork, OnKink
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, TIE, UNDECIDED, precision
from lib.reference.float64_reference import Float64Network, Float64Reference

narrow = st.sampled_from(["float32", "bfloat16", "float16"])
networks = st.builds(
    Experiment,
    inputs=st.integers(1, 6),
    hidden=st.lists(st.integers(1, 12), max_size=4).map(tuple),
    outputs=st.integers(1, 5),
    activation=st.sampled_from([*choices.ACTIVATIONS]),
    output_activation=st.sampled_from([*choices.OUTPUT_ACTIVATIONS]),
    dtype=narrow,
    distribution=st.sampled_from(["uniform", "normal"]),
    seed=st.integers(0, 2**31 - 1),
)


def within(ball: arb, value: float, bound: float) -> bool:
    with precision(200):
        return bool(abs(ball - arb(value)) <= arb(bound))


@settings(max_examples=50)
@given(networks, st.one_of(st.just(1.0), st.floats(-1e3, 1e3)))
def test_gradient_and_outputs_are_within_their_bounds(experiment, scale):
    samples = sampling.block(experiment, 0)[:5].double() * scale
    samples = round_once(samples, getattr(torch, experiment.dtype))
    net = network.build(experiment)
    float64, balls = Float64Network(net, experiment), ArbNetwork(net, experiment)
    for found, exact in (
        (float64.reference(samples), balls.gradient),
        (float64.outputs(samples), balls.outputs),
    ):
        for x, values in zip(samples.tolist(), found.exact.tolist(), strict=True):
            if not np.isnan(values).any():
                assert all(
                    within(*pair)
                    for pair in zip(exact(x), values, found.bound.tolist(), strict=True)
                )
    assert not np.isnan(found.exact).any()  # outputs do not jump


# The bounds, term by term. Errors use up so little of them that no experiment would notice a term
# that is lost.

U, F = Fraction(1, 8), Fraction(1, 16)
"""For the unit roundoff and the error of a function: so large, and so short, that float64 computes
bounds exactly."""


def linear(**but: float) -> Activation:
    activation = ACTIVATIONS["identity"](Experiment())
    vars(activation).update(but)
    return activation


LINEAR = linear()
STEEP = linear(steepest=4.0)
CURVED = linear(curvature=2.0)
ROUNDED = linear(inexact=0.5)
FLAT = linear(largest=0.5)
"""Activations that bring one term each."""

ONE, THREE_IN, THREE_OUT = [[1.0]], [[1.0, 1.0, 1.0]], [[1.0], [1.0], [1.0]]

TERMS = {
    # (n + 2)·U of the sum of the sizes of the terms: n = 1, and 2·5 + 3.
    "weights, inputs, and a bias": (
        [([[-2.0]], [-3.0], LINEAR)],
        5,
        U,
        0,
        [[39 * U]],
        [10 * U + 12 * U**2],
    ),
    "n inputs": ([(THREE_IN, [0.0], LINEAR)], 1, U, 0, [[15 * U]], [5 * U + 6 * U**2] * 3),
    # Back: 2·U for the cotangent of each output, then (n + 2)·U for the sum over n.
    "n outputs": ([(THREE_OUT, [0.0] * 3, LINEAR)], 1, U, 0, [[3 * U] * 3], [21 * U + 30 * U**2]),
    # 3·U, four times that behind the activation, and 3·U of 2 + 12·U, which the second layer may be
    # given.
    "a steep activation": (
        [(ONE, [0.0], STEEP), (ONE, [0.0], LINEAR)],
        1,
        U,
        0,
        [[3 * U], [12 * U + 3 * U * (2 + 12 * U)]],
        # Behind the second layer 5·U + 6·U² = E, then 4·E + 2·U, and 3·U of 4 and of that.
        [(4 * (5 * U + 6 * U**2) + 2 * U) * (1 + 3 * U) + 12 * U],
    ),
    # A slope off by C = 2·3·U: C + 2·U, and 3·U of 1 + C and of that.
    "a curved activation": (
        *(
            [(ONE, [0.0], CURVED)],
            1,
            U,
            0,
            [[3 * U]],
            [(6 * U + 2 * U) * (1 + 3 * U) + 3 * U * (1 + 6 * U)],
        ),
    ),
    # Values and slopes off by F/2·(1 + 1), and no roundings besides: the slope of the first is off
    # by that.
    "a rounded activation": (
        [(ONE, [0.0], ROUNDED), (ONE, [0.0], LINEAR)],
        1,
        0,
        F,
        [[0], [F]],
        [F],
    ),
    # That slope, off by 6·U, takes on what comes from behind, E as above.
    "a curved activation before another": (
        [(ONE, [0.0], CURVED), (ONE, [0.0], LINEAR)],
        1,
        U,
        0,
        [[3 * U], [3 * U + 3 * U * (2 + 3 * U)]],
        [((1 + 6 * U) * (5 * U + 6 * U**2) + 8 * U) * (1 + 3 * U) + 3 * U * (1 + 6 * U)],
    ),
    # Twice as much of all that is before it, forwards and backwards.
    "a weight behind": (
        *(
            [(ONE, [0.0], LINEAR), ([[-2.0]], [0.0], LINEAR)],
            1,
            U,
            0,
            [[3 * U], [6 * U + 6 * U * (2 + 3 * U)]],
        ),
        [(10 * U + 12 * U**2 + 4 * U) * (1 + 3 * U) + 6 * U],
    ),
    # What float64 loses below its range.
    "underflow": ([([[0.0]], [3.0], LINEAR)], 1, U, 0, [[9 * U]], [Fraction(2) ** -1000]),
    # No more than 1/2 gets through.
    "a bounded activation": (
        *(
            [(ONE, [0.0], FLAT), (ONE, [0.0], LINEAR)],
            1,
            U,
            0,
            [[3 * U], [3 * U + 3 * U * (Fraction(1, 2) + 3 * U)]],
        ),
        [(5 * U + 6 * U**2 + 2 * U) * (1 + 3 * U) + 3 * U],
    ),
}


def bounds_of(layers: list, largest: float, unit: Fraction, function: Fraction) -> list:
    """The bounds of the pre-activations of each layer, of the outputs, and of the gradient."""
    experiment = Experiment(
        inputs=len(layers[0][0][0]),
        hidden=tuple(len(b) for _, b, _ in layers[:-1]),
        outputs=len(layers[-1][1]),
    )
    net = network.build(experiment)
    for place, (weight, bias, _) in enumerate(layers):
        net[2 * place].weight.copy_(torch.tensor(weight))
        net[2 * place].bias.copy_(torch.tensor(bias))
    float64 = Float64Network(net, experiment)
    float64.layers = [
        row._replace(activation=activation)
        for row, (_, _, activation) in zip(float64.layers, layers, strict=True)
    ]
    margins, *ends = float64._bounds_below(float(largest), float(unit), float(function))
    return [
        [margin.squeeze(1).tolist() for margin in margins],
        *(end.squeeze(1).tolist() for end in ends),
    ]


@pytest.mark.parametrize("term", TERMS)
def test_every_term_of_the_bounds_is_there(term):
    *case, margins, bound = TERMS[term]
    found, _, of_gradient = bounds_of(*case)
    assert found == margins and of_gradient == bound


def test_the_largest_error_of_a_sum_reaches_every_result_of_a_coupled_activation():
    """3·U of 1 and of 2, and twice the larger."""
    layer = ([[1.0], [-2.0]], [0.0, 0.0], linear(coupled=True, steepest=2.0))
    margins, of_outputs, _ = bounds_of([layer], 1, U, 0)
    assert margins == [[3 * U, 6 * U]] and of_outputs == [12 * U, 12 * U]


def test_what_float64_loses_below_its_range_counts_in_the_outputs_too():
    assert bounds_of([([[0.0]], [0.0], LINEAR)], 1, U, 0)[1] == [2.0**-1000]


@settings(max_examples=40)
@given(networks, st.data())
def test_what_it_decides_is_what_ball_arithmetic_decides(experiment, data):
    net, samples = network.build(experiment), sampling.block(experiment, 0)[:4]
    reference = Float64Network(net, experiment).reference(samples)
    dtype = getattr(torch, experiment.dtype)
    near = round_once(
        torch.from_numpy(reference.exact), dtype
    ).nan_to_num()  # at kinks, which are not decided
    step = torch.finfo(dtype).eps
    factors = st.lists(st.integers(-3, 3), min_size=near.numel(), max_size=near.numel())
    backward, jacobian = (
        to_float64(
            near * (1 + step * torch.tensor(data.draw(factors)).reshape(near.shape)).to(dtype)
        )
        for _ in range(2)
    )
    verdicts, *_ = reference.judge(0, backward, jacobian)
    balls = ArbNetwork(net, experiment)
    for i, x in enumerate(samples.tolist()):
        try:
            expected, *_ = balls.judge(x, backward[i].tolist(), jacobian[i].tolist())
        except OnKink:
            assert set(verdicts[i].tolist()) <= {TIE, UNDECIDED}
        else:
            decided = verdicts[i] != UNDECIDED
            assert (verdicts[i][decided] == np.array(expected)[decided]).all()


def kinked(reference: Float64Reference) -> list[bool]:
    return np.isnan(reference.exact).any(1).tolist()


def kink_at_a_half() -> Float64Network:
    experiment = Experiment(inputs=1, hidden=(1,), outputs=1)
    net = network.build(experiment)
    net[0].weight.fill_(1.0)
    net[0].bias.fill_(-0.5)
    return Float64Network(net, experiment)


def test_a_sample_on_a_kink_is_not_decided():
    reference = kink_at_a_half().reference(torch.tensor([[0.25], [0.5], [0.75]]))
    assert kinked(reference) == [False, True, False]
    values = np.array([[1.0], [1.0], [1.0]])
    assert reference.judge(0, values, values + 1)[0][1, 0] == UNDECIDED
    assert reference.judge(0, values, values)[0][1, 0] == TIE


def test_a_kink_is_as_wide_as_the_error_of_the_sum():
    """3·u·(1 + 1/2) for inputs below 1, which there are multiples of u: four of them are less, and
    five are more; in a block, and each alone."""
    x = torch.tensor([[0.5 + steps * 2.0**-53] for steps in (0, 4, 5)], dtype=torch.float64)
    assert kinked(kink_at_a_half().reference(x)) == [True, True, False]
    assert [kinked(kink_at_a_half().reference(one[None])) for one in x] == [[True], [True], [False]]


def test_what_is_closer_by_less_than_the_bound_is_undecided():
    """Twice the larger bound, and four roundings of both errors."""
    for bound, closer in (([2.0**-30, 2.0**-31], 2.0**-29), ([0.0, 0.0], 8 * 2.0**-53)):
        reference = Float64Reference(np.zeros((4, 2)), np.array(bound))
        less, more = (1 + closer * share for share in (0.99, 1.02))
        less, more = np.nextafter(less, 0), more + 2.0**-52
        backward = np.array([[1.0, 1.0], [1.0, 1.0], [-less, 1.0], [-more, 1.0]])
        jacobian = np.array([[-less, 1.0], [-more, 1.0], [1.0, 1.0], [1.0, 1.0]])
        verdicts, errors, exact = reference.judge(0, backward, jacobian)
        assert verdicts.tolist() == [
            [UNDECIDED, TIE],
            [FIRST_CLOSER, TIE],
            [UNDECIDED, TIE],
            [SECOND_CLOSER, TIE],
        ]
        assert np.array_equal(errors, [abs(backward), abs(jacobian)]) and not exact.any()

"""The float64 reference: its bounds hold, have every term, and decide nothing that they leave
open."""

import numpy as np
import pytest
import torch
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.floats.ulps import round_once
from lib.reference.activations import ACTIVATIONS
from lib.reference.arb_gradient import ArbNetwork
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, TIE, UNDECIDED, precision
from lib.reference.float64_reference import Float64Network, Float64Reference
from tests.cases import network_and_samples, network_of

networks = st.builds(
    Experiment,
    inputs=st.integers(1, 6),
    hidden=st.lists(st.integers(1, 12), max_size=4).map(tuple),
    outputs=st.integers(1, 5),
    activation=st.sampled_from([*choices.ACTIVATIONS]),
    output_activation=st.sampled_from([*choices.OUTPUT_ACTIVATIONS]),
    dtype=st.sampled_from(["float32", "bfloat16", "float16"]),
    distribution=st.sampled_from(["uniform", "normal"]),
    seed=st.integers(0, 2**31 - 1),
)


@settings(max_examples=50)
@given(networks, st.one_of(st.just(1.0), st.floats(-1e3, 1e3)))
def test_both_are_within_their_bounds(experiment, scale):
    """Gradient and outputs."""
    net, samples = network_and_samples(experiment, 5)
    samples = round_once(samples.double() * scale, samples.dtype)
    float64, balls = Float64Network(net, experiment), ArbNetwork(net, experiment)
    gradient, outputs = float64.gradient(samples), float64.outputs(samples)
    for reference, exact in ((gradient, balls.gradient), (outputs, balls.outputs)):
        for x, values in zip(samples.tolist(), reference.values.tolist(), strict=True):
            if not np.isnan(values).any():
                parts = [*zip(exact(x), values, reference.bound.tolist(), strict=True)]
                with precision(200):
                    assert all(abs(ball - arb(value)) <= arb(most) for ball, value, most in parts)
    # outputs do not jump
    assert not np.isnan(outputs.values).any()


# Errors use up so little of the bounds that no experiment would notice a term that is lost. So the
# unit roundoff and the error of a function are so large, and so short, that float64 computes the
# bounds exactly.
U, F = 1 / 8, 1 / 16


def bounds_of(largest, *layers):
    """The bounds of the pre-activations of each layer, of the outputs, and of the gradient.

    A layer has weights, biases, and in what its activation is not the identity.
    """
    widths = [len(layers[0][0][0]), *(len(bias) for _, bias, _ in layers)]
    experiment = Experiment(widths[0], tuple(widths[1:-1]), widths[-1])
    parameters = [part for weight, bias, _ in layers for part in (weight, bias)]
    net = network_of(experiment, *parameters)
    activations = []
    for *_, numbers in layers:
        activation = ACTIVATIONS["identity"](experiment)
        vars(activation).update(numbers)
        activations.append(activation)
    float64 = Float64Network(net, experiment)
    parts = zip(float64.layers, activations, strict=True)
    float64.layers = [layer._replace(activation=activation) for layer, activation in parts]
    margins, outputs, gradient = float64._error_bounds(largest, U, F)
    return [margin[:, 0].tolist() for margin in margins], outputs[:, 0].tolist(), gradient[:, 0]


def test_the_bounds_have_every_term():
    """The NOTE by hand: a sum of n products and a bias takes n + 2 roundings of its terms."""
    first = {"steepest": 4.0, "curvature": 2.0, "inexact": 0.5, "largest": 0.5}
    layers = (([[2.0, -1.0]], [-3.0], first), ([[2.0]], [0.0], {}), ([[1.0], [-3.0]], [1.0, 0], {}))
    margins, outputs, gradient = bounds_of(5.0, *layers)

    size_1 = 2 * 5 + 1 * 5 + 3
    margin_1 = 4 * U * size_1
    rounded_1 = 0.5 * F * (1 + size_1)
    error_1 = 4 * margin_1 + rounded_1
    size_2 = 2 * (0.5 + error_1)
    margin_2 = 2 * error_1 + 3 * U * size_2
    value_2 = size_2 + 1 + margin_2
    sizes = [value_2 + 1, 3 * value_2]
    last = [margin_2 + 3 * U * sizes[0], 3 * margin_2 + 3 * U * sizes[1]]
    assert margins == [[margin_1], [margin_2], last] and outputs == last

    # Back, each slope and its product take two roundings: a cotangent of 1 for each output.
    error = (1 + 3) * 2 * U
    error += 4 * U * (1 + 3 + error)
    error = 2 * (error + 4 * 2 * U)
    error += 3 * U * (8 + error)
    off = 2 * margin_1 + rounded_1
    error = (4 + off) * error + 8 * (off + 2 * U)
    value = (4 + off) * 8
    expected = [w * error + 3 * U * w * (value + error) for w in (2, 1)]
    assert gradient.tolist() == expected


def test_a_coupled_activation_has_the_largest_error():
    """3·U of 1 and of 2, and twice the larger."""
    layer = ([[1.0], [-2.0]], [0.0, 0.0], {"coupled": True, "steepest": 2.0})
    margins, outputs, _ = bounds_of(1.0, layer)
    assert margins == [[3 * U, 6 * U]] and outputs == [12 * U, 12 * U]
    _, outputs, gradient = bounds_of(1.0, ([[0.0]], [0.0], {}))
    # what float64 loses below its range
    assert outputs == gradient.tolist() == [2.0**-1000]


@pytest.mark.parametrize(
    "activation, exponent", [("sigmoid", -51), ("tanh", -51), ("elu", -48), ("softmax", -46)]
)
def test_a_function_has_the_error_that_is_stated(activation, exponent):
    """At 0, where no sum has an error: `inexact`·2**−48."""
    experiment = Experiment(1, (), 2, output_activation=activation)
    net = network_of(experiment, [[0.0], [0.0]], [0.0, 0.0])
    bound = Float64Network(net, experiment).outputs(torch.ones(1, 1)).bound
    assert bound.tolist() == [2.0**exponent] * 2


def test_a_kink_is_as_wide_as_the_error_of_the_sum():
    """3·u·(1 + 1/2) for inputs below 1, which there are multiples of u: four of them are less, and
    five are more; in a block, and each alone."""
    experiment = Experiment(1, (1,), 1)
    net = network_of(experiment, [[1.0]], [-0.5], [[1.0]], [0.0])
    float64 = Float64Network(net, experiment)
    x = torch.tensor([[0.5 + steps * 2.0**-53] for steps in (0, 4, 5)], dtype=torch.float64)
    alone = [float64.gradient(sample[None]).values[0] for sample in x]
    assert float64.forward(x) is float64.forward(x)
    for exact in (float64.gradient(x).values, np.array(alone)):
        assert np.isnan(exact).tolist() == [[True], [True], [False]]


def test_what_is_within_the_bound_is_undecided():
    """Twice the larger bound, and four roundings of both errors."""
    for bound, closer in (([2.0**-30, 2.0**-31], 2.0**-29), ([0.0, 0.0], 8 * 2.0**-53)):
        reference = Float64Reference(np.zeros((4, 2)), np.array(bound))
        less = np.nextafter(1 + closer * 0.99, 0)
        more = 1 + closer * 1.02 + 2.0**-52
        first = np.array([[1.0, 1.0], [1.0, 1.0], [-less, 1.0], [-more, 1.0]])
        second = first[[2, 3, 0, 1]]
        verdicts, errors, _ = reference.judge(0, first, second)
        expected = [UNDECIDED, FIRST_CLOSER, UNDECIDED, SECOND_CLOSER]
        assert verdicts.tolist() == [[verdict, TIE] for verdict in expected]
        assert np.array_equal(errors, [abs(first), abs(second)])

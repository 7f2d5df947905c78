"""The exact gradient against mpmath, which shares no code with python-flint, and fractions."""

from fractions import Fraction

import mpmath
import pytest
import torch
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.experiment.choices import ACTIVATIONS, OUTPUT_ACTIVATIONS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.reference.activation import leaky_slope
from lib.reference.arb_gradient import ArbNetwork, OnKink
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, TIE, UNDECIDED, precision
from tests.cases import EVERY_DTYPE
from tests.exact_networks import rational_gradient
from tests.oracles import as_fraction, exact_gradient, exact_outputs


def surely_within(ball: arb, value: mpmath.mpf, tolerance: str) -> bool:
    """Whether the middle of the ball is within the tolerance of the value, and so is all of it."""
    with precision(2000):
        exact = as_fraction(value)
        off = abs(ball - arb(fmpq(exact.numerator, exact.denominator)))
        return bool(off < arb(tolerance))


@pytest.mark.parametrize(
    ("hidden", "activation", "output", "dtype"),
    [
        *(((3, 2), activation, "sigmoid", "float32") for activation in ACTIVATIONS),
        *(((), "tanh", output, "float64") for output in OUTPUT_ACTIVATIONS),
        ((4,), "leaky_relu", "identity", "bfloat16"),
        ((4,), "tanh", "softmax", "bfloat16"),
    ],
)
def test_gradient_and_outputs_are_those_of_mpmath(hidden, activation, output, dtype):
    experiment = Experiment(
        inputs=2,
        hidden=hidden,
        outputs=3,
        activation=activation,
        output_activation=output,
        dtype=dtype,
        distribution="normal",
    )
    net, below = network.build(experiment), leaky_slope(dtype)
    balls = ArbNetwork(net, experiment)
    for x in sampling.block(experiment, 0)[:2].tolist():
        with mpmath.workdps(80):
            outputs = exact_outputs(net, [mpmath.mpf(value) for value in x], below)
        expected = {balls.gradient: exact_gradient(net, x, below), balls.outputs: outputs}
        for enclose, values in expected.items():
            pairs = zip(enclose(x, accuracy_bits=200), values, strict=True)
            assert all(surely_within(*pair, "1e-55") for pair in pairs)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_leaky_relu_multiplies_with_the_slope_of_float32(dtype):
    cotangent = (torch.rand(2000) + 0.1).to(getattr(torch, dtype))
    z = (-torch.ones_like(cotangent)).requires_grad_()
    torch.nn.functional.leaky_relu(z).backward(cotangent)
    assert torch.equal(
        z.grad, (cotangent.double() * leaky_slope(dtype)).float().to(cotangent.dtype)
    )
    assert leaky_slope("float64") == 0.01 != leaky_slope(dtype)


def test_a_softmax_of_anything_has_no_gradient():
    experiment = Experiment(output_activation="softmax")
    assert all(
        ball == 0 for ball in ArbNetwork(network.build(experiment), experiment).gradient([0.5] * 5)
    )


# Kinks.


def on_a_kink(dtype: str, activation: str = "relu") -> tuple[ArbNetwork, list[float]]:
    experiment = Experiment(
        inputs=2,
        hidden=(2,),
        outputs=1,
        activation=activation,
        output_activation="identity",
        dtype=dtype,
    )
    net = network.build(experiment)
    net[0].weight.copy_(torch.tensor([[1.0, -1.0], [1.0, 1.0]]))
    net[0].bias.fill_(0.0)
    return ArbNetwork(net, experiment), [0.5, 0.5]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("activation", ["relu", "leaky_relu"])
def test_at_a_kink_nothing_is_decided(activation, dtype):
    balls, x = on_a_kink(dtype, activation)
    with pytest.raises(OnKink, match="2048 bits .* holds a kink"):
        balls.gradient(x)
    with pytest.raises(OnKink):
        balls.judge(x, [1.0, 2.0], [1.5, 2.5])


def test_a_step_beside_a_kink_more_bits_decide():
    balls, x = on_a_kink("float64")
    assert all(ball.is_exact() for ball in balls.gradient([x[0], x[1] + 2.0**-53]))
    assert all(ball.is_exact() for ball in balls.gradient([5e-324, x[1]]))


@pytest.mark.parametrize(
    "activation", ["elu", "gelu", "silu", "softplus", "tanh", "sigmoid", "identity"]
)
def test_where_the_slope_has_no_jump_zero_is_no_kink(activation):
    balls, x = on_a_kink("float64", activation)
    assert len(balls.gradient(x)) == 2


# Verdicts.


def verdict(exact: Fraction, backward: float, jacobian: float) -> int:
    if backward == jacobian:
        return TIE
    near, far = (abs(Fraction(value) - exact) for value in (backward, jacobian))
    return FIRST_CLOSER if near < far else SECOND_CLOSER if far < near else TIE


@settings(max_examples=60)
@given(
    st.sampled_from(["relu", "identity"]),
    st.lists(st.integers(1, 5), max_size=3),
    st.sampled_from(EVERY_DTYPE),
    st.integers(0, 1000),
    st.data(),
)
def test_verdicts_and_errors_are_those_of_fractions(activation, hidden, dtype, seed, data):
    experiment = Experiment(
        inputs=3,
        hidden=tuple(hidden),
        activation=activation,
        output_activation=activation,
        dtype=dtype,
        distribution="normal",
        seed=seed,
    )
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].tolist()
    exact = rational_gradient(net, x)
    steps = st.integers(-3, 3)
    backward, jacobian = (
        [
            float(value) * (1 + data.draw(steps) * 2.0**-52) + data.draw(steps) * 2.0**-60
            for value in exact
        ]
        for _ in range(2)
    )
    verdicts, of_backward, of_jacobian, nearest = ArbNetwork(net, experiment).judge(
        x, backward, jacobian
    )
    assert verdicts == [verdict(*values) for values in zip(exact, backward, jacobian, strict=True)]
    for errors, values in ((of_backward, backward), (of_jacobian, jacobian)):
        expected = [float(abs(Fraction(value) - e)) for value, e in zip(values, exact, strict=True)]
        assert errors == pytest.approx(expected, rel=1e-12, abs=0)
    assert nearest == [float(e) for e in exact]


def test_half_way_is_a_tie_only_if_proved():
    experiment = Experiment(inputs=1, hidden=(), outputs=1, output_activation="identity")
    net = network.build(experiment)
    weight = net[0].weight.item()
    balls = ArbNetwork(net, experiment)
    assert balls.judge([1.0], [weight + 0.25], [weight - 0.25])[0] == [TIE]
    assert balls.judge([1.0], [weight + 0.25], [weight - 0.125])[0] == [SECOND_CLOSER]


def test_more_digits_are_asked_for_until_the_verdict_is_proved():
    """Two sigmoids whose slopes cancel but for 2**-40 of them: the middle of two floats is nearer
    to that than 128 bits can tell. The slope, e⁻ᶻ/(1 + e⁻ᶻ)², in 1,000 bits by mpmath decides."""
    experiment = Experiment(
        inputs=1, hidden=(), outputs=2, output_activation="sigmoid", dtype="float64"
    )
    net = network.build(experiment)
    weights = [1.0, -1.0 - 2.0**-40]
    net[0].weight.copy_(torch.tensor(weights, dtype=torch.float64)[:, None])
    net[0].bias.fill_(0.0)
    balls, found = ArbNetwork(net, experiment), []
    for x in (0.3, 0.7, 1.1, 1.5, 2.3, 3.1):
        with mpmath.workprec(1000):
            slopes = [
                w * mpmath.exp(-w * x) / (1 + mpmath.exp(-w * x)) ** 2
                for w in map(mpmath.mpf, weights)
            ]
            exact = mpmath.fsum(slopes)
            backward = float(2 * exact)
            jacobian = float(2 * exact - backward)
            expected = (
                FIRST_CLOSER if abs(backward - exact) < abs(jacobian - exact) else SECOND_CLOSER
            )
        ball = balls.gradient([x])[0]
        assert (2 * ball).overlaps(
            arb(backward) + arb(jacobian)
        )  # the first attempt leaves it open
        verdicts, *_ = balls.judge([x], [backward], [jacobian])
        assert verdicts == [expected]
        found.append(expected)
    assert {FIRST_CLOSER, SECOND_CLOSER} == set(found)


def test_what_no_number_of_digits_decides_is_undecided():
    """The slopes of σ(x) and σ(−x) cancel, so the exact gradient, 0, lies half-way between 1 and
    −1, but its balls never show that."""
    experiment = Experiment(
        inputs=1, hidden=(), outputs=2, output_activation="sigmoid", dtype="float64"
    )
    net = network.build(experiment)
    net[0].weight.copy_(torch.tensor([[1.0], [-1.0]]))
    net[0].bias.fill_(0.0)
    verdicts, *errors, exact = ArbNetwork(net, experiment).judge([0.3], [1.0], [-1.0])
    assert verdicts == [UNDECIDED] and errors == [[1.0], [1.0]] and exact == [0.0]

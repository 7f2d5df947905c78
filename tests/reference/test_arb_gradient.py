"""The exact gradient against mpmath, which shares no code with python-flint, and kinks."""

import mpmath
import pytest
from flint import arb, ctx, fmpq

from lib.experiment.choices import ACTIVATIONS, OUTPUT_ACTIVATIONS
from lib.experiment.query import Experiment
from lib.reference.arb_gradient import ArbNetwork, OnKink
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, UNDECIDED, precision
from tests.cases import network_and_samples, network_of
from tests.oracles import as_fraction, exact_gradient, exact_outputs


def surely_within(ball, value, tolerance):
    """Whether the middle of the ball is within the tolerance of the value, and so is all of it."""
    with precision(2000):
        exact = as_fraction(value)
        off = abs(ball - arb(fmpq(exact.numerator, exact.denominator)))
        return bool(off < arb(tolerance))


@pytest.mark.parametrize(
    "hidden, activation, output, dtype",
    [
        *(((3, 2), activation, "sigmoid", "float32") for activation in ACTIVATIONS),
        *(((), "tanh", output, "float64") for output in OUTPUT_ACTIVATIONS),
        ((4,), "leaky_relu", "identity", "bfloat16"),
        ((4,), "tanh", "softmax", "bfloat16"),
    ],
)
def test_gradient_and_outputs_are_those_of_mpmath(hidden, activation, output, dtype):
    experiment = Experiment(2, hidden, 3, activation, output, dtype, distribution="normal")
    net, samples = network_and_samples(experiment, 2)
    balls = ArbNetwork(net, experiment)
    for x in samples.tolist():
        with mpmath.workdps(80):
            outputs = exact_outputs(net, [mpmath.mpf(value) for value in x])
        expected = {balls.gradient: exact_gradient(net, x), balls.outputs: outputs}
        for enclose, values in expected.items():
            pairs = zip(enclose(x, accuracy_bits=200), values, strict=True)
            assert all(surely_within(*pair, "1e-55") for pair in pairs)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_nothing_is_known_at_a_kink(activation):
    """All is known beside it: at a step, more bits are taken."""
    experiment = Experiment(2, (2,), 1, activation, "identity", "float64")
    net = network_of(experiment, [[1.0, -1.0], [1.0, 1.0]], [0.0, 0.0], [[1.0, 1.0]], [0.0])
    balls = ArbNetwork(net, experiment)
    if activation in ("relu", "leaky_relu"):
        with pytest.raises(OnKink, match="contains a kink"):
            balls.gradient([0.5, 0.5])
        assert all(ball.is_exact() for ball in balls.gradient([5e-324, 0.5]))
    else:
        assert len(balls.gradient([0.5, 0.5])) == 2


def two_sigmoids(*weights):
    experiment = Experiment(1, (), 2, output_activation="sigmoid", dtype="float64")
    net = network_of(experiment, [[weight] for weight in weights], [0.0, 0.0])
    return ArbNetwork(net, experiment)


@pytest.mark.parametrize("x", [0.3, 0.7])
def test_more_digits_are_asked_for_until_they_decide(x):
    """The slopes cancel but for 2**-52 of them, and the middle of two floats is nearer to that than
    128 bits can tell. The slope, e⁻ᶻ/(1 + e⁻ᶻ)², in 1,000 bits by mpmath decides."""
    weights = (1.0, -1.0 - 2.0**-52)
    with mpmath.workprec(1000):
        powers = [(w, mpmath.exp(-mpmath.mpf(w) * x)) for w in weights]
        exact = mpmath.fsum(w * power / (1 + power) ** 2 for w, power in powers)
        first = float(2 * exact)
        second = float(2 * exact - first)
        is_first = abs(first - exact) < abs(second - exact)
    balls = two_sigmoids(*weights)
    # at first it is open
    assert (2 * balls.gradient([x])[0]).overlaps(arb(first) + arb(second))
    assert balls.judge([x], [first], [second])[0] == [FIRST_CLOSER if is_first else SECOND_CLOSER]
    terms = balls.terms([x], 0)
    off = abs(terms.component - as_fraction(exact))
    assert off <= terms.radius <= abs(terms.component) / 2**80


def test_what_no_number_of_digits_decides_is_undecided():
    """The slopes of σ(x) and σ(−x) cancel, so the exact gradient, 0, lies half-way between 1 and
    −1, but its balls never show that."""
    verdicts, *errors, exact = two_sigmoids(1.0, -1.0).judge([0.3], [1.0], [-1.0])
    assert verdicts == [UNDECIDED] and errors == [[1.0], [1.0]] and exact == [0.0]


def test_precision_doubles_from_128_to_2048_bits(monkeypatch):
    balls, seen = two_sigmoids(1.0, -1.0), []

    def enclose(x):
        seen.append(ctx.prec)
        if not x:
            raise OnKink
        return x

    monkeypatch.setattr(balls, "_enclose_gradient", enclose)
    balls.gradient([arb(1, 2.0**-80)])
    with pytest.raises(OnKink):
        balls.gradient([])
    balls.gradient([arb(1, 2.0**-81)])
    assert seen == [128, 256, 512, 1024, 2048] * 2 + [128]

"""The exact gradient of one sample in ball arithmetic: enclosed, at a precision raised until nothing is left to ask.

The weights and the input are floats, and so exact balls; what comes out surely holds the gradient that a network of
real numbers with just these weights has (Arb: see `balls`). The slope of leaky ReLU below 0
is the float that PyTorch multiplies with, as rounded as the weights are; softplus is a function of real numbers: see
`activations`.

Where a ball around a pre-activation of ReLU or leaky ReLU holds the kink, nothing is said of the gradient. More bits
will tell on which side it lies, unless it is 0 exactly: there no derivative exists.
"""

from collections.abc import Sequence

from flint import arb, arb_mat
from torch import nn

from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activations import activations
from lib.reference.balls import precision
from lib.reference.verdicts import BACKWARD, JACOBIAN, TIE, UNDECIDED

FEWEST_BITS, MOST_BITS = 128, 2048
"""Precision of the first and of the last attempt. Weights, inputs and gradients of float64 have 53 bits each."""

_DIGITS = 80  # bits known of a component: far below an ulp of float64


class Undecided(ArithmeticError):
    """A ball around a pre-activation holds a kink at every precision: nothing is known of the gradient."""


class ArbNetwork:
    """A network of an experiment in real numbers. It may be shared between threads: it is only read."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        linears = linear_layers(net)
        self._inputs = experiment.inputs
        self._weights = [arb_mat(linear.weight.tolist()) for linear in linears]
        self._transposed = [weight.transpose() for weight in self._weights]
        self._biases = [arb_mat(len(linear.bias), 1, linear.bias.tolist()) for linear in linears]
        self._activations = activations(experiment)

    def gradient(self, x: Sequence[float], digits: int = _DIGITS) -> list[arb]:
        """The gradient of the sum of the outputs at x, `inputs` balls: each exact or known to 2**-digits of its size.

        A component that is 0, but not exactly so in ball arithmetic, is as near to 0 as `MOST_BITS` have it. Raises
        Undecided at a kink.
        """
        bits = FEWEST_BITS
        while True:
            with precision(bits):
                balls = self._enclose(x)
                known = balls and all(ball.is_exact() or ball.rel_accuracy_bits() >= digits for ball in balls)
            if known or bits >= MOST_BITS:
                break
            bits *= 2
        if balls is None:
            raise Undecided(f"{MOST_BITS} bits do not tell on which side of a kink a pre-activation lies")
        return balls

    def judge(
        self, x: Sequence[float], backward: Sequence[float], jacobian: Sequence[float]
    ) -> tuple[list[int], list[float], list[float], list[float]]:
        """Which gradient is closer, component by component; the errors abs(gradient − exact) of both; the exact one.

        Equal values are a tie, whatever the exact one is; else a tie is a proof that the exact value lies half-way. All
        values are finite. Raises Undecided at a kink.
        """
        bits, digits = FEWEST_BITS, _DIGITS
        while True:
            balls = self.gradient(x, digits)
            with precision(max(MOST_BITS, 2 * digits)):  # where differences of floats are exact, as far as can be
                verdicts = [_closer(*values) for values in zip(balls, backward, jacobian, strict=True)]
                errors = [
                    [abs(value - ball) for value, ball in zip(values, balls, strict=True)]
                    for values in (backward, jacobian)
                ]
                off, off_jacobian = ([float(error.mid()) for error in part] for part in errors)
            if UNDECIDED not in verdicts or bits >= MOST_BITS:
                return verdicts, off, off_jacobian, [float(ball) for ball in balls]
            bits, digits = 2 * bits, 2 * digits

    def _enclose(self, x: Sequence[float]) -> list[arb] | None:
        """The gradient at the precision of the moment; None where a ball holds a kink."""
        if self._activations[-1].coupled:
            return [arb(0)] * self._inputs  # the outputs of softmax add up to 1, whatever goes into it
        h = arb_mat(len(x), 1, x)
        slopes = []
        for weight, bias, activation in zip(self._weights, self._biases, self._activations, strict=True):
            both = [activation.in_balls(z) for z in (weight * h + bias).entries()]
            if any(of_one is None for of_one in both):
                return None
            h = arb_mat(len(both), 1, [value for value, _ in both])
            slopes.append([slope for _, slope in both])
        cotangent = slopes[-1]
        for i in reversed(range(len(slopes))):
            cotangent = (self._transposed[i] * arb_mat(len(cotangent), 1, cotangent)).entries()
            if i:
                cotangent = [a * b for a, b in zip(cotangent, slopes[i - 1], strict=True)]
        return cotangent


def _closer(exact: arb, backward: float, jacobian: float) -> int:
    """b is closer than j if the exact value lies on b's side of (b + j)/2, which needs no size of either error."""
    if backward == jacobian:
        return TIE
    side = (arb(backward) + arb(jacobian) - 2 * exact) * (1 if backward < jacobian else -1)
    if side > 0:
        return BACKWARD
    if side < 0:
        return JACOBIAN
    return TIE if side == 0 else UNDECIDED

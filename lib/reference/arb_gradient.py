"""The exact gradient and outputs of one sample in ball arithmetic, with a precision raised until
the answer is certain.

The weights and the input are floats, and so exact balls. The resulting balls are guaranteed to hold
the gradient of a network in real numbers with exactly these weights (Arb: see `balls`). The slope
of leaky ReLU below 0 is the float that PyTorch multiplies by, rounded as the weights are; softplus
is the function of real numbers: see `activations`.

If a ball around a pre-activation of ReLU or leaky ReLU holds the kink, the gradient is not known.
More bits tell on which side of the kink the pre-activation lies, unless it is exactly 0, where no
derivative exists.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from flint import arb, arb_mat
from torch import nn

from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activations import activations_of
from lib.reference.balls import BACKWARD, JACOBIAN, TIE, UNDECIDED, fraction, precision


@dataclass(frozen=True)
class ExactTerms:
    """Fractions of shape (outputs, units) that add up to the component, to within `radius`."""

    rows: tuple[tuple[Fraction, ...], ...]
    radius: Fraction

    @cached_property
    def component(self) -> Fraction:
        return sum((sum(row, Fraction()) for row in self.rows), Fraction())


FEWEST_BITS, MOST_BITS = 128, 2048
"""Precision in bits of the first and the last attempt. Weights, inputs and gradients in float64
have 53 bits each."""

_NO_SIDE = f"{MOST_BITS} bits do not tell on which side of a kink a pre-activation lies"
_DIGITS = 80  # bits to which a component is known: far finer than an ulp of float64


Found = TypeVar("Found")


class Undecided(ArithmeticError):
    """A ball around a pre-activation holds a kink at every precision, so the gradient is not known."""


class ArbNetwork:
    """An experiment's network in real numbers. Threads may share it, since nothing changes it."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        linears = linear_layers(net)
        self._inputs = experiment.inputs
        self._weights = [arb_mat(linear.weight.tolist()) for linear in linears]
        self._biases = [arb_mat(len(linear.bias), 1, linear.bias.tolist()) for linear in linears]
        self._activations = activations_of(experiment)

    def gradient(self, x: Sequence[float], digits: int = _DIGITS) -> list[arb]:
        """Return the gradient of the sum of the outputs at x: `inputs` balls, exact or within
        2**-digits of their size.

        A component that is 0, but not exactly 0 in ball arithmetic, is as near to 0 as `MOST_BITS`
        can show. Raise Undecided at a kink.
        """
        return _raised(lambda: self._enclose_gradient(x), lambda balls: _are_known(balls, digits))

    def outputs(self, x: Sequence[float], digits: int = _DIGITS) -> list[arb]:
        """Return the outputs at x, as many balls as there are outputs, likewise."""
        return _raised(
            lambda: self._enclose_layers(x)[-1][0], lambda balls: _are_known(balls, digits)
        )

    def judge(
        self,
        x: Sequence[float],
        backward: Sequence[float],
        jacobian: Sequence[float],
        exact: "Callable[[ArbNetwork, Sequence[float], int], list[arb]]" = gradient,
    ) -> tuple[list[int], list[float], list[float], list[float]]:
        """Return which gradient is closer, both errors abs(gradient − exact), and the exact
        gradient, per component.

        Equal values are a tie, whatever the exact value; for different values, a tie means proof
        that the exact value lies half-way between them. All values have to be finite. Raise
        Undecided at a kink. With `exact`, a method of this class, what it returns takes the place
        of the gradient.
        """
        for digits in (_DIGITS << doubled for doubled in range(5)):
            balls = exact(self, x, digits)
            with precision(2 * MOST_BITS):  # makes differences of floats exact if possible
                verdicts = [
                    _closer(*values) for values in zip(balls, backward, jacobian, strict=True)
                ]
                of_backward, of_jacobian = (
                    [
                        float(abs(value - ball).mid())
                        for value, ball in zip(values, balls, strict=True)
                    ]
                    for values in (backward, jacobian)
                )
            if UNDECIDED not in verdicts:
                break
        return verdicts, of_backward, of_jacobian, [float(ball) for ball in balls]

    def terms(self, x: Sequence[float], component: int) -> ExactTerms:
        """Return the terms w·δ of a component at x, over all outputs and the units of the first
        layer.

        They add up to the exact component, to within 2**-80 of its size, or as near as `MOST_BITS`
        can show if that is 0. Raise Undecided at a kink.
        """
        weights = [weight[component] for weight in self._weights[0].tolist()]

        def enclose() -> ExactTerms:
            balls = [
                [w * delta for w, delta in zip(weights, row, strict=True)]
                for row in self._enclose_deltas(x)
            ]
            rows = [[fraction(ball.mid()) for ball in row] for row in balls]
            radius = sum((fraction(ball.rad()) for row in balls for ball in row), Fraction())
            if self._activations[
                -1
            ].coupled:  # the outputs add up to 1, so the last row is minus all others
                rows[-1] = [
                    last - sum(of_unit) for last, *of_unit in zip(rows[-1], *rows, strict=True)
                ]
                radius = Fraction()
            return ExactTerms(tuple(map(tuple, rows)), radius)

        return _raised(enclose, lambda found: found.radius * 2**_DIGITS <= abs(found.component))

    def enclose_rows(self, x: Sequence[float]) -> list[list[arb]]:
        """Return the rows of the Jacobian at the current precision of balls. Raise Undecided if a
        ball holds a kink."""
        return (arb_mat(self._enclose_deltas(x)) * self._weights[0]).tolist()

    def _enclose_gradient(self, x: Sequence[float]) -> list[arb]:
        if self._activations[-1].coupled:
            return [arb(0)] * self._inputs  # the outputs of softmax add up to 1, whatever the input
        return (arb_mat(self._enclose_deltas(x, summed=True)) * self._weights[0]).entries()

    def _enclose_deltas(self, x: Sequence[float], summed: bool = False) -> list[list[arb]]:
        """Return the δ of the first layer at the current precision: in each row, or of the sum of
        the rows."""
        *before, (_, last) = self._enclose_layers(x)
        outputs = range(len(last))
        if self._activations[-1].coupled:  # it has softmax's outputs in place of slopes
            rows = [[last[o] * ((o == unit) - last[unit]) for unit in outputs] for o in outputs]
        else:
            rows = (
                [last] if summed else [[last[o] * (o == unit) for unit in outputs] for o in outputs]
            )
        for weight, (_, slopes) in zip(self._weights[:0:-1], before[::-1], strict=True):
            rows = [
                [delta * slope for delta, slope in zip(row, slopes, strict=True)]
                for row in (arb_mat(rows) * weight).tolist()
            ]
        return rows

    def _enclose_layers(self, x: Sequence[float]) -> list[tuple[list[arb], list[arb]]]:
        """Return the results and the slopes of each layer at the current precision. Raise Undecided
        at a kink.

        A coupled activation has no slope for each output: its results take their place.
        """
        h = arb_mat(len(x), 1, x)
        layers = []
        for weight, bias, activation in zip(
            self._weights, self._biases, self._activations, strict=True
        ):
            before = (weight * h + bias).entries()
            if activation.coupled:
                highest = max(before, key=lambda z: float(z.mid()))
                powers = [(z - highest).exp() for z in before]
                shares = [power / sum(powers, arb(0)) for power in powers]
                layers.append((shares, shares))
                break
            both = [activation.value_and_slope(z) for z in before]
            if None in both:
                raise Undecided(_NO_SIDE)
            values, slopes = map(list, zip(*both, strict=True))
            h = arb_mat(len(both), 1, values)
            layers.append((values, slopes))
        return layers


def _raised(
    enclose: Callable[[], Found], enough: Callable[[Found], bool], bits: int = FEWEST_BITS
) -> Found:
    """Return what `enclose` finds at the first precision from `bits` on at which that is enough, or
    else at the last.

    Raise Undecided where it does so at every precision.
    """
    with precision(bits):
        try:
            found = enclose()
            if bits >= MOST_BITS or enough(found):
                return found
        except Undecided:
            if bits >= MOST_BITS:
                raise
    return _raised(enclose, enough, 2 * bits)


def _are_known(balls: list[arb], digits: int) -> bool:
    return all(ball.is_exact() or ball.rel_accuracy_bits() >= digits for ball in balls)


def _closer(exact: arb, backward: float, jacobian: float) -> int:
    """Return which value is closer to the exact one.

    b is closer than j if the exact value lies on b's side of (b + j)/2; the sizes of the errors are
    not needed.
    """
    if backward == jacobian:
        return TIE
    side = (arb(backward) + arb(jacobian) - 2 * exact) * (1 if backward < jacobian else -1)
    if side > 0:
        return BACKWARD
    if side < 0:
        return JACOBIAN
    return TIE if side == 0 else UNDECIDED

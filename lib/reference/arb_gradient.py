"""The exact gradient and outputs of one sample in ball arithmetic.

The precision is raised until the answer is certain. The weights and the input are floats, and so
exact balls. The resulting balls are guaranteed to hold the gradient of a network in real numbers
with exactly these weights (Arb: see `balls`). The slope of leaky ReLU below 0 is the float that
PyTorch multiplies by, and softplus is that of real numbers: see `activations`.

If a ball around a pre-activation of ReLU or leaky ReLU contains 0, the kink, the gradient is not
known. More bits tell on which side it lies, unless it is exactly 0, where no derivative exists.
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
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, TIE, UNDECIDED, fraction, precision

FEWEST_BITS = 128
"""Precision in bits of the first attempt: weights, inputs and gradients in float64 have 53 bits."""

MOST_BITS = 2048
"""Precision in bits of the last attempt."""

_ACCURACY_BITS = 80
"""Bits to which a component is known: far finer than an ulp of float64."""

Enclosed = TypeVar("Enclosed")


@dataclass(frozen=True)
class ExactTerms:
    """Fractions of shape (outputs, units) that add up to the component, to within `radius`."""

    rows: tuple[tuple[Fraction, ...], ...]
    radius: Fraction

    @cached_property
    def component(self) -> Fraction:
        return sum((sum(row, Fraction()) for row in self.rows), Fraction())


class OnKink(ArithmeticError):
    """A ball around a pre-activation contains a kink: the gradient is not known."""


class ArbNetwork:
    """An experiment's network in real numbers. Threads may share it, since nothing changes it."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        linears = linear_layers(net)
        self._inputs = experiment.inputs
        self._weights = [arb_mat(linear.weight.tolist()) for linear in linears]
        self._biases = [arb_mat(len(linear.bias), 1, linear.bias.tolist()) for linear in linears]
        self._activations = activations_of(experiment)

    def gradient(self, x: Sequence[float], accuracy_bits: int = _ACCURACY_BITS) -> list[arb]:
        """Return the gradient of the sum of the outputs at x.

        Args:
            x: the sample, `inputs` floats.
            accuracy_bits: the number of bits that each component must have right.

        Returns:
            `inputs` balls, each exact or with a relative radius of at most 2**-accuracy_bits. The
            ball of a component that is 0 may be neither: its radius is what `MOST_BITS` gives.

        Raises:
            OnKink: at a kink.
        """
        return _at_rising_precision(
            lambda: self._enclose_gradient(x), lambda balls: _are_known(balls, accuracy_bits)
        )

    def outputs(self, x: Sequence[float], accuracy_bits: int = _ACCURACY_BITS) -> list[arb]:
        """Return the outputs at x, as many balls as there are outputs; see `gradient`."""
        return _at_rising_precision(
            lambda: self._enclose_layers(x)[-1][0], lambda balls: _are_known(balls, accuracy_bits)
        )

    def judge(
        self,
        x: Sequence[float],
        first: Sequence[float],
        second: Sequence[float],
        exact: "Callable[[ArbNetwork, Sequence[float], int], list[arb]]" = gradient,
    ) -> tuple[list[int], list[float], list[float], list[float]]:
        """Return which of two gradients is closer to the exact one, per component.

        Equal values are a tie, whatever the exact value; for different values, a tie means proof
        that the exact value lies half-way between them.

        Args:
            x: the sample.
            first: a gradient at x; all values have to be finite.
            second: another one.
            exact: the method of this class that returns the exact gradient, or another quantity.

        Returns:
            The verdicts, abs(first − exact), abs(second − exact), and the exact gradient.

        Raises:
            OnKink: at a kink.
        """
        for accuracy_bits in (_ACCURACY_BITS << doublings for doublings in range(5)):
            balls = exact(self, x, accuracy_bits)
            # So many bits hold the sum of any two float64 exactly.
            with precision(2 * MOST_BITS):
                verdicts = list(map(_closer, balls, first, second))
                of_first, of_second = (
                    [float(abs(a - b).mid()) for a, b in zip(values, balls, strict=True)]
                    for values in (first, second)
                )
            if UNDECIDED not in verdicts:
                break
        return verdicts, of_first, of_second, list(map(float, balls))

    def terms(self, x: Sequence[float], component: int) -> ExactTerms:
        """Return the terms w·δ of a component at x, over all outputs and units of the first layer.

        δ is the derivative of an output with respect to the pre-activation of a unit. The terms add
        up to the exact component, to within 2**-80 of its size. If that is 0, they are as exact as
        `MOST_BITS` makes them.

        Raises:
            OnKink: at a kink.
        """
        weights = [weight[component] for weight in self._weights[0].tolist()]

        def enclose() -> ExactTerms:
            deltas = self._enclose_deltas(x)
            balls = [[w * delta for w, delta in zip(weights, row, strict=True)] for row in deltas]
            rows = [[fraction(ball.mid()) for ball in row] for row in balls]
            radius = sum((fraction(ball.rad()) for row in balls for ball in row), Fraction())
            if self._activations[-1].coupled:
                # The outputs add up to 1, so the last row is minus the sum of the others.
                sums = [sum(of_unit) for of_unit in zip(*rows, strict=True)]
                rows[-1] = [last - of_unit for last, of_unit in zip(rows[-1], sums, strict=True)]
                radius = Fraction()
            return ExactTerms(tuple(map(tuple, rows)), radius)

        return _at_rising_precision(
            enclose, lambda terms: terms.radius * 2**_ACCURACY_BITS <= abs(terms.component)
        )

    def enclose_rows(self, x: Sequence[float]) -> list[list[arb]]:
        """Return the rows of the Jacobian at the current precision of balls.

        Raises:
            OnKink: if a ball contains a kink.
        """
        return (arb_mat(self._enclose_deltas(x)) * self._weights[0]).tolist()

    def _enclose_gradient(self, x: Sequence[float]) -> list[arb]:
        if self._activations[-1].coupled:
            # The outputs of softmax add up to 1, whatever the input.
            return [arb(0)] * self._inputs
        return (arb_mat(self._enclose_deltas(x, summed=True)) * self._weights[0]).entries()

    def _enclose_deltas(self, x: Sequence[float], summed: bool = False) -> list[list[arb]]:
        """Return the δ of the first layer (see `terms`), a row for each output or for their sum."""
        *before, (_, last) = self._enclose_layers(x)
        outputs = range(len(last))
        if self._activations[-1].coupled:
            # It has softmax's outputs in place of slopes.
            rows = [[last[o] * ((o == unit) - last[unit]) for unit in outputs] for o in outputs]
        elif summed:
            rows = [last]
        else:
            rows = [[last[o] * (o == unit) for unit in outputs] for o in outputs]
        for weight, (_, slopes) in zip(self._weights[:0:-1], before[::-1], strict=True):
            rows = (arb_mat(rows) * weight).tolist()
            rows = [
                [delta * slope for delta, slope in zip(row, slopes, strict=True)] for row in rows
            ]
        return rows

    def _enclose_layers(self, x: Sequence[float]) -> list[tuple[list[arb], list[arb]]]:
        """Return the results and slopes of each layer. Raise OnKink if a ball contains a kink.

        A coupled activation has no slope for each output: its results take their place.
        """
        h = arb_mat(len(x), 1, x)
        layers = []
        for weight, bias, activation in zip(
            self._weights, self._biases, self._activations, strict=True
        ):
            before = (weight * h + bias).entries()
            if activation.coupled:
                shares = _softmax(before)
                layers.append((shares, shares))
                break
            both = [activation.value_and_slope(z) for z in before]
            if None in both:
                raise OnKink("A ball around a pre-activation contains a kink.")
            values, slopes = map(list, zip(*both, strict=True))
            h = arb_mat(len(values), 1, values)
            layers.append((values, slopes))
        return layers


def _softmax(z: list[arb]) -> list[arb]:
    highest = max(z, key=lambda ball: float(ball.mid()))
    powers = [(ball - highest).exp() for ball in z]
    total = sum(powers, arb(0))
    return [power / total for power in powers]


def _at_rising_precision(
    enclose: Callable[[], Enclosed], is_known: Callable[[Enclosed], bool], bits: int = FEWEST_BITS
) -> Enclosed:
    """Return the result of `enclose` at the first precision at which `is_known` accepts it.

    At `MOST_BITS` the result is returned as it is, and OnKink is not caught.
    """
    try:
        with precision(bits):
            enclosed = enclose()
            if bits >= MOST_BITS or is_known(enclosed):
                return enclosed
    except OnKink:
        if bits >= MOST_BITS:
            raise
    return _at_rising_precision(enclose, is_known, 2 * bits)


def _are_known(balls: list[arb], accuracy_bits: int) -> bool:
    return all(ball.is_exact() or ball.rel_accuracy_bits() >= accuracy_bits for ball in balls)


def _closer(exact: arb, first: float, second: float) -> int:
    """Return which value is closer to the exact one.

    The exact value lies on the side of the closer one, as seen from (first + second)/2.
    """
    if first == second:
        return TIE
    side = (arb(first) + arb(second) - 2 * exact) * (1 if first < second else -1)
    if side > 0:
        return FIRST_CLOSER
    if side < 0:
        return SECOND_CLOSER
    return TIE if side == 0 else UNDECIDED

"""The float64 reference for float32 and narrower dtypes: gradient, outputs, and their errors.

The weights and inputs are those of the narrower dtype, already rounded.

NOTE [a bound for the whole block]: the error of float64 is bounded a priori, neuron by neuron, for
all samples of a block at once. The binade of the block's largest input implies bounds on every
value computed from the inputs, layer by layer, and on its error. A dot product of n terms is off by
at most γ(n) times the sum of the terms' sizes, whatever the order of addition, with
γ(n) = n·u/(1 − n·u) (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition,
SIAM 2002, section 3.1). An activation multiplies an error in its argument by at most its steepest
slope, and its slope is then off by at most its greatest curvature times that error.

`_U` is the unit roundoff of float64 and a little more, to cover 1/(1 − n·u) and the roundings of
the bounds themselves. Values and slopes of activations are assumed to be off by
`_FUNCTION`·(1 + abs(z)), many times what the libraries document; tests compare them with ball
arithmetic.

If the bound leaves open which gradient is closer, or on which side of a kink a pre-activation lies,
the reference says so. Then ball arithmetic decides (`arb_gradient`), as it always does for float64.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from math import frexp
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.reference.balls import TIE, UNDECIDED
from lib.reference.layers import Layers, columns, over_all_paths

_U = 2.0**-53 * 1.001
_FUNCTION = 2.0**-48
_UNDERFLOW = 2.0**-1000
"""Covers what is lost below the range of float64."""


@dataclass(frozen=True)
class Float64Reference:
    """The reference of a block of samples.

    `values`, float64 of shape (samples, inputs), are within `bound`, shape (inputs,), of the exact
    gradients. They are NaN where a pre-activation lies so close to a kink that float64 cannot tell
    on which side. The reference of the outputs, which do not jump, is of the same kind, with as
    many components as there are outputs.
    """

    values: np.ndarray
    bound: np.ndarray

    def judge(
        self, start: int, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
        """Return which of two gradients is closer, as far as that is known.

        Args:
            start: the index of the first sample in the block.
            first: float64, shape (samples, inputs), numbers of a narrower dtype.
            second: the same.

        Returns:
            The verdicts, int8; the errors of both, each itself off by at most `bound` and the
            rounding of its subtraction; and the reference itself, NaN at kinks.
        """
        reference = self.values[start : start + len(first)]
        # In place: allocating an array costs as much as computing it.
        of_first = first - reference
        np.abs(of_first, out=of_first)
        of_second = second - reference
        np.abs(of_second, out=of_second)
        further = of_first - of_second
        doubt = of_first + of_second
        doubt *= 4 * _U
        doubt += 2 * self.bound.max(initial=0.0)
        is_tie = first == second
        # Of the verdicts that hold, the one with the largest index is right, so their maximum is
        # taken: masks would take NumPy far longer.
        verdicts = np.maximum((further > 0).view(np.int8), np.int8(TIE) * is_tie.view(np.int8))
        # It is False at kinks, where `further` is NaN.
        is_decided = np.abs(further, out=further) > doubt
        is_decided |= is_tie
        np.maximum(verdicts, np.int8(UNDECIDED) * ~is_decided, out=verdicts)
        return verdicts, (of_first, of_second), reference


class _Block(NamedTuple):
    """The forward pass of a block of samples, and bounds on the errors.

    `slopes` and `y` have the shape (neurons, samples). `on_kinks` are masks of samples in which a
    pre-activation may be on either side of a kink. `of_outputs` and `of_gradient` are the bounds.
    """

    slopes: list[Tensor]
    y: Tensor
    on_kinks: list[Tensor]
    of_outputs: Tensor
    of_gradient: Tensor


class Float64Network(Layers):
    """An experiment's network in float64: gradients and outputs of a block, with their errors."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        super().__init__(net, experiment)
        # Keeps the pass of the last tensor of samples; tensors are compared by identity.
        self.forward = lru_cache(maxsize=1)(self._forward_pass)
        self._bounds = cache(self._error_bounds)

    def gradient(self, samples: Tensor) -> Float64Reference:
        """Return the gradients at a block of samples, shape (samples, inputs), and their bound.

        See NOTE [a bound for the whole block].
        """
        # The outputs of softmax add up to 1.
        if self.layers[-1].activation.coupled:
            return Float64Reference(np.zeros(samples.shape), np.zeros(samples.shape[1]))
        block = self.forward(samples)
        gradient = over_all_paths([layer.weight for layer in self.layers], block.slopes)
        for on_kink in block.on_kinks:
            gradient[:, on_kink] = torch.nan
        return Float64Reference(gradient.numpy().T, block.of_gradient.squeeze(1).numpy())

    def absolute_sums(self, samples: Tensor) -> np.ndarray:
        """Return the sum of the sizes of the terms of each component, shape of `samples`.

        The terms of a component are the products of weights and slopes over all paths.
        """
        slopes = self.forward(samples).slopes
        return over_all_paths(self.sizes, [slope.abs() for slope in slopes]).numpy().T

    def outputs(self, samples: Tensor) -> Float64Reference:
        """Return the outputs, shape (samples, outputs), at a block of samples, and their bound."""
        block = self.forward(samples)
        return Float64Reference(block.y.numpy().T, block.of_outputs.squeeze(1).numpy())

    def _forward_pass(self, samples: Tensor) -> _Block:
        h = columns(samples, torch.float64)
        margins, *bounds = self._bounds(_binade_above(h))
        slopes = []
        on_kinks = []
        for layer, margin in zip(self.layers, margins, strict=True):
            z = torch.addmm(layer.bias, layer.weight, h)
            h, slope = layer.activation.value_and_slope(z)
            slopes.append(slope)
            # Rarely true. To compare only the smallest size takes a third of the time. In place,
            # since z is not needed any more.
            if layer.activation.kink and z.abs_().amin() <= margin.max():
                on_kinks.append((z <= margin).any(0))
        return _Block(slopes, h, on_kinks, *bounds)

    def _error_bounds(
        self, largest_input: float, unit: float = _U, function: float = _FUNCTION
    ) -> tuple[list[Tensor], Tensor, Tensor]:
        """Bound the errors of each layer's pre-activations, of the outputs and of the gradient.

        The inputs have sizes up to `largest_input`. First, `value` and `error` bound the size and
        the error of what enters a layer, `size` and `margin` those of its pre-activations, and
        `off` the error of its slopes. Then, from the last layer to the first, `value` and `error`
        bound the size and the error of the gradient of what enters a layer. All bounds are columns
        of shape (neurons, 1). Each result of a coupled activation depends on all pre-activations,
        and so on their largest error.
        """
        value = torch.full((self.sizes[0].shape[1], 1), largest_input, dtype=self._dtype)
        error = torch.zeros_like(value)
        margins = []
        offs = []
        for layer in self.layers:
            activation = layer.activation
            size = layer.sizes @ value + layer.bias.abs()
            margin = layer.sizes @ error + (len(value) + 2) * unit * size
            margins.append(margin)
            rounded = activation.inexact * function * (1 + size)
            offs.append(activation.curvature * margin + rounded)
            before = margin.max() if activation.coupled else margin
            error = activation.steepest * before + rounded
            value = (size + 1).clamp(max=activation.largest) + error
        of_outputs = error + _UNDERFLOW
        value = torch.ones_like(error)
        error = torch.zeros_like(error)
        for layer, off in zip(self.layers[::-1], offs[::-1], strict=True):
            back = layer.sizes.T
            steepest = layer.activation.steepest + off
            error = steepest * error + value * (off + 2 * unit)
            value = steepest * value
            error = back @ error + (len(value) + 2) * unit * (back @ (value + error))
            value = back @ value
        return margins, of_outputs, error + _UNDERFLOW


def _binade_above(x: Tensor) -> float:
    """Return a power of two that is larger than the sizes of all entries."""
    lowest, highest = map(float, torch.aminmax(x))
    return 2.0 ** frexp(max(-lowest, highest))[1]

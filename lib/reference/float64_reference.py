"""The float64 reference of float32 and narrower: the gradient in float64 of the same rounded numbers, and its error.

NOTE [a bound for the whole block]: how far float64 is off is bounded a priori, neuron by neuron, for all samples of a
block at once: from the binade of its largest input follow bounds on all that is computed from them, layer by layer,
and on its error. A dot product of n terms is off by at most γ(n) times the sum of the terms' sizes, whatever the order
of adding, with γ(n) = n·u/(1 − n·u) (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, SIAM
2002, section 3.1); an activation passes an error on at most times its steepest slope, and its slope is off by at most
its greatest curvature times that. `_U` is the unit roundoff of float64 and a little more, for 1/(1 − n·u) and the
roundings of the bounds themselves; values and slopes of activations are taken to be off by `_FUNCTION`·(1 + abs(z)),
many times what the libraries document (NOTE [two references] in `certified`). Ball arithmetic is their test.

Where the bound leaves open which gradient is closer, or on which side of a kink a pre-activation lies, the reference
says so: then ball arithmetic decides (`arb_gradient`), as it does for all of float64.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import frexp

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.network import linear_layers
from lib.reference.activations import activations
from lib.reference.verdicts import JACOBIAN, TIE, UNDECIDED

_U = 2.0**-53 * 1.001
_FUNCTION = 2.0**-48
_UNDERFLOW = 2.0**-1000  # covers what is lost below float64's range


@dataclass(frozen=True)
class Float64Reference:
    """The gradients of a block of samples, float64 of shape (samples, inputs), to within `bound`, shape (inputs,).

    `kinked`, bool of shape (samples,), marks samples with a pre-activation so near to a kink that float64 cannot tell
    on which side it lies: their gradients are not known here.
    """

    gradient: np.ndarray
    bound: np.ndarray
    kinked: np.ndarray

    def judge(
        self, start: int, backward: np.ndarray, jacobian: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which gradient is closer, int8, and how far off each of them is, float64, all of their shape, (samples,
        inputs), for the samples of the block from `start`.

        The values are float64 and hold numbers of a narrower dtype. Each distance is off by at most `bound`, and by the
        rounding of its subtraction.
        """
        exact = self.gradient[start : start + len(backward)]
        errors = np.abs(backward - exact), np.abs(jacobian - exact)
        further, tie = errors[0] - errors[1], backward == jacobian
        undecided = np.abs(further) <= 2 * self.bound.max(initial=0.0) + 4 * _U * (errors[0] + errors[1])
        kinked = self.kinked[start : start + len(backward)]
        if kinked.any():
            undecided |= kinked[:, None]
        # By arithmetic, as BACKWARD is 0: NumPy takes twenty times as long to pick out so many places by a mask.
        verdicts = np.int8(JACOBIAN) * (further > 0) * ~tie + np.int8(TIE) * tie
        np.copyto(verdicts, UNDECIDED, where=undecided & ~tie)
        return verdicts, *errors


class Float64Network:
    """A network of an experiment on the CPU in float64, which holds its rounded weights exactly.

    Here the samples are the last dimension: a product of a matrix with so few rows is then several times as fast.
    """

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        self._layers = [
            (layer.weight.double().cpu(), layer.bias.double().cpu()[:, None]) for layer in linear_layers(net)
        ]
        self._activations = activations(experiment)
        self._bounds = lru_cache(maxsize=8)(self._bounds_below)

    def reference(self, samples: Tensor) -> Float64Reference:
        """The reference of a whole block of samples, shape (samples, inputs): NOTE [a bound for the whole block]."""
        if self._activations[-1].coupled:  # softmax, whose outputs add up to 1
            return Float64Reference(np.zeros(samples.shape), np.zeros(samples.shape[1]), np.zeros(len(samples), bool))
        h = columns(samples.cpu(), torch.float64)
        margins, bound = self._bounds(_binade_above(h))
        slopes, kinked = [], torch.zeros(len(samples), dtype=torch.bool)
        for (weight, bias), activation, margin in zip(self._layers, self._activations, margins, strict=True):
            z = torch.addmm(bias, weight, h)
            if activation.kink and (z.abs().amin(1, keepdim=True) <= margin).any():  # which is rare
                kinked |= (z.abs() <= margin).any(0)
            h, slope = activation.in_float64(z)
            slopes.append(slope)
        cotangent = slopes[-1]
        for i in reversed(range(len(slopes))):
            cotangent = self._layers[i][0].T @ cotangent
            if i:
                cotangent = cotangent * slopes[i - 1]
        return Float64Reference(np.ascontiguousarray(to_float64(cotangent).T), bound.squeeze(1).numpy(), kinked.numpy())

    def _bounds_below(
        self, largest: float, unit: float = _U, function: float = _FUNCTION
    ) -> tuple[list[Tensor], Tensor]:
        """Bounds on the errors of each layer's pre-activations, and on those of the gradient, for inputs up to this.

        `value` bounds a layer's inputs in size and `error` their error; `size` and `margin` do the same for what the
        activations are given, `off` bounds the error of their slopes. On the way back it is the same. All are columns,
        of shape (neurons, 1).
        """
        value = self._layers[0][0].new_full((self._layers[0][0].shape[1], 1), largest)
        error = torch.zeros_like(value)
        margins, offs = [], []
        for (weight, bias), activation in zip(self._layers, self._activations, strict=True):
            size = weight.abs() @ value + bias.abs()
            margin = weight.abs() @ error + (len(value) + 2) * unit * size
            margins.append(margin)
            rounded = activation.inexact * function * (1 + size)
            offs.append(activation.curvature * margin + rounded)
            error = activation.steepest * margin + rounded
            value = (size + 1).clamp(max=activation.largest) + error
        value, error = torch.ones_like(value), torch.zeros_like(value)
        for (weight, _), activation, off in reversed([*zip(self._layers, self._activations, offs, strict=True)]):
            error = (activation.steepest + off) * error + value * (off + 2 * unit)
            value = (activation.steepest + off) * value
            error = weight.abs().T @ error + (len(value) + 2) * unit * (weight.abs().T @ (value + error))
            value = weight.abs().T @ value
        return margins, error + _UNDERFLOW


def columns(samples: Tensor, dtype: torch.dtype) -> Tensor:
    """Samples on the CPU, shape (samples, anything), as the columns of a matrix of that dtype."""
    return torch.from_numpy(np.ascontiguousarray(samples.to(dtype).numpy().T))  # twice as fast as PyTorch's own


def _binade_above(x: Tensor) -> float:
    """The power of two above all entries, so that few blocks need bounds of their own."""
    return 2.0 ** frexp(x.abs().max().item() if x.numel() else 0.0)[1]

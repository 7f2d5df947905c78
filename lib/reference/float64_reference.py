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

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import frexp, pi, sqrt

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.reference.arb_gradient import JACOBIAN, TIE, UNDECIDED, leaky_slope

_U = 2.0**-53 * 1.001
_FUNCTION = 2.0**-48
_UNDERFLOW = 2.0**-1000  # covers what is lost below float64's range


def density(x: Tensor) -> Tensor:
    """The density of the normal distribution at x, of the shape and the dtype of x."""
    return torch.exp(-(x**2) / 2) / sqrt(2 * pi)


def _gelu(z: Tensor) -> tuple[Tensor, Tensor]:
    share = torch.erfc(z * -(0.5**0.5)) / 2
    return z * share, share + z * density(z)


def _silu(z: Tensor) -> tuple[Tensor, Tensor]:
    share = torch.sigmoid(z)
    return z * share, share + z * share * (1 - share)


def _sigmoid(z: Tensor) -> tuple[Tensor, Tensor]:
    value = torch.sigmoid(z)
    return value, value * (1 - value)


def _tanh(z: Tensor) -> tuple[Tensor, Tensor]:
    value = torch.tanh(z)
    return value, 1 - value * value


def _elu(z: Tensor) -> tuple[Tensor, Tensor]:
    negative = z.clamp(max=0)
    return z.clamp(min=0) + torch.expm1(negative), torch.exp(negative)


@dataclass(frozen=True)
class Smoothness:
    """An activation in float64: value and slope `at` z; the steepest slope, the greatest curvature, the largest value.

    `steepest` is rounded up, for GELU from 1.1290 and for SiLU from 1.0999; `curvature` likewise. `roundings` is the
    share of `_FUNCTION` that rounding can take: none where values and slopes are exact, little where they are small.
    """

    at: Callable[[Tensor, float], tuple[Tensor, Tensor]]
    steepest: float = 1.0
    curvature: float = 0.0
    largest: float = np.inf
    kink: bool = False
    roundings: float = 1.0


SMOOTHNESS = {
    "identity": Smoothness(lambda z, leaky: (z, torch.ones_like(z)), roundings=0.0),
    "relu": Smoothness(lambda z, leaky: (z.clamp(min=0), z.clamp(min=0).sign()), kink=True, roundings=0.0),
    "leaky_relu": Smoothness(
        lambda z, leaky: (torch.where(z > 0, z, leaky * z), torch.where(z > 0, 1.0, leaky).to(z.dtype)), kink=True
    ),
    "elu": Smoothness(lambda z, leaky: _elu(z), curvature=1.0),
    "gelu": Smoothness(lambda z, leaky: _gelu(z), 1.13, curvature=0.8),
    "silu": Smoothness(lambda z, leaky: _silu(z), 1.1, curvature=0.5),
    "softplus": Smoothness(lambda z, leaky: (torch.logaddexp(z, z.new_zeros(())), torch.sigmoid(z)), curvature=0.25),
    "tanh": Smoothness(lambda z, leaky: _tanh(z), curvature=0.77, largest=1.0, roundings=0.125),
    "sigmoid": Smoothness(lambda z, leaky: _sigmoid(z), 0.25, curvature=0.1, largest=1.0, roundings=0.125),
}
"""The activations in float64. Softmax is not among them: its outputs add up to 1, so that the gradient of their sum is
0, without error."""

KINKED = {name for name, smooth in SMOOTHNESS.items() if smooth.kink}
"""Activations whose slope jumps."""

PIECEWISE_LINEAR = {name for name, smooth in SMOOTHNESS.items() if smooth.curvature == 0}
"""Activations whose slope does not depend on the last bits of what it is taken at, except at a kink."""


@dataclass(frozen=True)
class Float64Reference:
    """The gradients of a block of samples, float64 of shape (samples, inputs), to within `bound`, shape (inputs,).

    `kinked`, bool of shape (samples,), marks samples with a pre-activation so near to a kink that float64 does not
    tell its side: of these nothing is known here.
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
        # By arithmetic, BACKWARD being 0: to pick out so many places at random takes numpy twenty times as long.
        verdicts = np.int8(JACOBIAN) * (further > 0) * ~tie + np.int8(TIE) * tie
        np.copyto(verdicts, UNDECIDED, where=undecided & ~tie)
        return verdicts, *errors


class Float64Network:
    """A network of an experiment on the CPU in float64, which holds its rounded weights exactly.

    Here the samples are the last dimension: a product of a matrix with so few rows is then several times as fast.
    """

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        linears = [layer for layer in net if isinstance(layer, nn.Linear)]
        self._layers = [(part.weight.double().cpu(), part.bias.double().cpu()[:, None]) for part in linears]
        self._leaky = leaky_slope(experiment.dtype)
        self._zero = experiment.output_activation == "softmax"
        self._smoothness = [SMOOTHNESS.get(name, SMOOTHNESS["identity"]) for name in experiment.activations]
        self._bounds = lru_cache(maxsize=8)(self._bounds_below)

    def reference(self, samples: Tensor) -> Float64Reference:
        """For a whole block of samples, shape (samples, inputs): NOTE [a bound for the whole block]."""
        if self._zero:
            return Float64Reference(np.zeros(samples.shape), np.zeros(samples.shape[1]), np.zeros(len(samples), bool))
        h = columns(samples.cpu(), torch.float64)
        margins, bound = self._bounds(_binade_above(h))
        slopes, kinked = [], torch.zeros(len(samples), dtype=torch.bool)
        for (weight, bias), smooth, margin in zip(self._layers, self._smoothness, margins, strict=True):
            z = torch.addmm(bias, weight, h)
            if smooth.kink and (z.abs().amin(1, keepdim=True) <= margin).any():  # which is rare
                kinked |= (z.abs() <= margin).any(0)
            h, slope = smooth.at(z, self._leaky)
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
        for (weight, bias), smooth in zip(self._layers, self._smoothness, strict=True):
            size = weight.abs() @ value + bias.abs()
            margin = weight.abs() @ error + (len(value) + 2) * unit * size
            margins.append(margin)
            rounded = smooth.roundings * function * (1 + size)
            offs.append(smooth.curvature * margin + rounded)
            error = smooth.steepest * margin + rounded
            value = (size + 1).clamp(max=smooth.largest) + error
        value, error = torch.ones_like(value), torch.zeros_like(value)
        for (weight, _), smooth, off in zip(
            reversed(self._layers), reversed(self._smoothness), reversed(offs), strict=True
        ):
            error = (smooth.steepest + off) * error + value * (off + 2 * unit)
            value = (smooth.steepest + off) * value
            error = weight.abs().T @ error + (len(value) + 2) * unit * (weight.abs().T @ (value + error))
            value = weight.abs().T @ value
        return margins, error + _UNDERFLOW


def columns(samples: Tensor, dtype: torch.dtype) -> Tensor:
    """Samples on the CPU, shape (samples, anything), as the columns of a matrix of that dtype."""
    return torch.from_numpy(np.ascontiguousarray(samples.to(dtype).numpy().T))  # twice as fast as PyTorch's own


def _binade_above(x: Tensor) -> float:
    """The power of two above all entries, so that few blocks need bounds of their own."""
    return 2.0 ** frexp(x.abs().max().item() if x.numel() else 0.0)[1]

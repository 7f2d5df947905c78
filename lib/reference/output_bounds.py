"""How far rounding alone can drive two evaluations of the outputs apart: the yardstick and the bound.

NOTE [the bound of the outputs]. Both evaluations are compared with the exact outputs. Let h be the exact values that
enter a layer, ĥ the computed ones and e a bound on abs(ĥ − h); let z = W·h + b be the exact pre-activation, ẑ the
computed one, and q = γ(k) = k·u/(1 − k·u).

*Sums.* A sum of n products and a bias takes at most n + 1 roundings of each term, whatever its order and whether or not
products are fused (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, SIAM 2002, section
4.2). If k ≥ n + 1, ẑ is thus off by at most abs(W)·e + q·(abs(W)·abs(ĥ) + abs(b)) ≤ (1 + q)·abs(W)·e + q·t, where
t = abs(W)·abs(h) + abs(b).

*Activations.* A kernel, scalar or vector, computes σ(ẑ) to within γ(c)·A(ẑ); the table below states c and A. σ has a
slope of at most L, and so has A. If k ≥ c, the result is off by at most L·abs(ẑ − z) + q·A(ẑ) ≤
(1 + q)·L·abs(ẑ − z) + q·A(z).

*Layers.* Let S = 0 for the inputs, which are exact, and L·(abs(W)·S + t) + A behind each layer. If e ≤ q·r·S before a
layer, then both steps together give e ≤ q·(1 + q)²·r·S behind it. So after l layers each evaluation is within
q·(1 + q)²ˡ·S of the exact outputs, and two of them are within twice that of each other. One more rounding in k covers
that S itself is computed, in float64 from values whose errors float64 bounds.

*Underflow.* A product that underflows loses at most the smallest subnormal number η, and so does each rounding where
subnormals are flushed, in bfloat16 the smallest normal number. exp of what is far from zero overflows or underflows,
which costs a result of activations at most 1024 times the smallest normal number; 16-bit kernels compute it in
float32, and lose η when they round, at most three times. These losses take part in S like t and A. So the yardstick of
an output, one rounding unit, is u·S and the losses, and the distance of two evaluations is at most 2·(q/u)·(1 + q)²ˡ
rounding units. If k·u ≥ 1, there is no bound.

Nothing is proved for softmax, whose exponentials have errors that grow with their arguments; for softplus in float64,
where PyTorch's branch beyond 20 is wrong by far more than u; for graphics cards; and for an activation that is not in
the table. Where a sum may overflow, S is infinite, and the bound says nothing.

The gradients of two such evaluations are not bounded here: each is close to the exact gradient at its own saved values
(`bounds`, NOTE [the bound]), but these differ, and a slope may jump between them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activations import activations_of
from lib.reference.bounds import unit_roundoff, units_of
from lib.reference.float64_reference import columns

_LARGEST_FACTOR = 1024
_ROUNDINGS_IN_16_BITS = 3


@dataclass(frozen=True)
class Result:
    """The error of a result of an activation: at most γ(c)·A, where A is a function of z and of the exact result y."""

    c: int
    size: Callable[[Tensor, Tensor], Tensor]


_OF_RESULT: Callable[[Tensor, Tensor], Tensor] = lambda z, y: y.abs()  # noqa: E731
_OF_INPUT: Callable[[Tensor, Tensor], Tensor] = lambda z, y: z.abs()  # noqa: E731

RESULTS = {
    "identity": Result(0, lambda z, y: torch.zeros_like(y)),
    "relu": Result(0, lambda z, y: torch.zeros_like(y)),
    "leaky_relu": Result(1, _OF_RESULT),  # one product
    "elu": Result(4, lambda z, y: torch.ones_like(y)),  # 2 for exp, 1 for − 1; or expm1
    "gelu": Result(12, _OF_INPUT),  # as for its slope: ½·(1 + erf) is off by the same, and multiplied by v
    "silu": Result(6, _OF_INPUT),  # 2 for exp, the sum, the quotient, the product
    "softplus": Result(6, _OF_RESULT),  # 2 for exp, whose slope in log1p is at most y, and 2 for log1p
    "tanh": Result(4, _OF_RESULT),  # 2 ulps, the most that glibc documents
    "sigmoid": Result(6, _OF_RESULT),  # 2 for exp, the sum, the quotient; twice more in float16
}
"""c and A of NOTE [the bound of the outputs], by activation; exp and log1p are accurate to 1 ulp, hence to 2u."""


def proved(experiment: Experiment) -> bool:
    """Return whether NOTE [the bound of the outputs] proves one."""
    names = {*experiment.activations}
    softplus = "softplus" in names and experiment.dtype == "float64"
    return experiment.device == "cpu" and names <= RESULTS.keys() and not softplus


def bound_units(experiment: Experiment) -> float | None:
    """Return the a-priori bound on the distance of two evaluations of an output in rounding units, or None."""
    if not proved(experiment):
        return None
    sums = max(experiment.widths[:-1]) + 1
    k, u = max(sums, *(RESULTS[name].c for name in experiment.activations)) + 1, unit_roundoff(experiment)
    if k * u >= 1:
        return None
    q = k * u / (1 - k * u)
    return 2 * q / u * (1 + q) ** (2 * len(experiment.activations))


class OutputYardstick:
    """The size of one rounding unit for every output of a block of samples. Internally the samples are columns."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        self._layers = [
            (layer.weight.detach().double().cpu(), layer.bias.detach().double().cpu()[:, None])
            for layer in linear_layers(net)
        ]
        self._names, self._activations = experiment.activations, activations_of(experiment)
        dtype, finfo = DTYPES[experiment.dtype], torch.finfo(getattr(torch, experiment.dtype))
        self._roundoff, self._largest = unit_roundoff(experiment), finfo.max
        self._lost = finfo.smallest_normal * (1 if dtype.flushed else finfo.eps)
        self._lost_of_result = (
            _ROUNDINGS_IN_16_BITS * self._lost if dtype.narrow else _LARGEST_FACTOR * finfo.smallest_normal
        )

    def path_sums(self, x: Tensor) -> np.ndarray:
        """Return S for a block, float64 of shape (samples, outputs), from its samples x, shape (samples, inputs).

        An activation without a row in the table counts as if its error were relative to its result. The sum of a
        coupled activation counts in all its results.
        """
        h = columns(x.detach(), torch.float64)
        sums = torch.zeros_like(h)
        for (weight, bias), name, activation in zip(self._layers, self._names, self._activations, strict=True):
            size, z = weight.abs(), torch.addmm(bias, weight, h)
            terms = size @ h.abs() + bias.abs()
            h = activation.in_float64(z)[0]
            before = size @ sums + torch.where(terms > self._largest, torch.inf, terms)
            if activation.coupled:
                before = before.amax(0, keepdim=True).expand_as(before)
            sums = activation.steepest * before + RESULTS.get(name, Result(1, _OF_RESULT)).size(z, h)
        return sums.numpy().T

    def units_of(self, path_sums: np.ndarray) -> np.ndarray:
        """Return one rounding unit from S, float64 of the same shape: never 0, and infinite where S is."""
        return units_of(path_sums, self._roundoff, self._losses.numpy())

    @property
    def _losses(self) -> Tensor:
        """The losses to underflow that reach each output, shape (outputs,)."""
        lost = torch.zeros(self._layers[0][0].shape[1], dtype=torch.float64)
        for (weight, _), activation in zip(self._layers, self._activations, strict=True):
            lost = activation.steepest * (weight.abs() @ lost + 2 * (weight.shape[1] + 1) * self._lost)
            if activation.coupled:
                lost = lost.max().expand_as(lost)
            lost = lost + self._lost_of_result
        return lost

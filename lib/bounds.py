"""How far backward and summed Jacobian can be apart by rounding alone: the yardstick S and the bound on rounding units.

NOTE [the bound]: both gradients are the sum over all paths of the product of weights and activation slopes along a
path. The slopes come from the forward pass, which both share, and are the same floats in both. What differs is the
order of adding and multiplying. A term that takes part in m roundings comes out multiplied by 1 + θ with abs(θ) ≤ γ(m)
= m·u/(1 − m·u) (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, SIAM 2002, lemma 3.1), in
whatever order the sums are added (section 4.2). So each gradient is within γ(m)·S of the exact one for these slopes,
where S, the path sum, adds the same products in absolute value, and they are within 2·γ(m)·S of each other.

The steps of the longest path, from the outputs back:

- an activation takes `_STEPS` roundings, none for the identity and ReLU, whose slopes 0 and 1 are exact factors. In
  kernels, slope and cotangent are multiplied by up to three roundings, such as (g·(1 − y))·y;
- softmax, (g − Σ g·y)·y, takes 1 + (n − 1) for the sum over n outputs, and one for each of minus and times;
- a product with the weights of a layer of n neurons sums n terms: n roundings, 1 for the product and n − 1 for the
  sums. A fused multiply-add has fewer;
- the summed Jacobian adds the rows: outputs − 1 more;
- forward mode goes the other way: its sums run over the neurons of the layer before.

One step more covers that S itself is computed, from the same slopes but for some roundings. Terms that underflow lose
up to the smallest subnormal η each: `underflows` bounds how many such losses reach a component, weighed by the
paths that they take on. So the yardstick of a component is u·S + η·underflows; in the normal range that is u·S, and
the discrepancy, in these rounding units, is at most 2·γ(m)/u. Where m·u ≥ 1, no bound exists.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from lib.arb_gradient import leaky_slope
from lib.experiment import Experiment
from lib.reference import SMOOTHNESS, columns

_SLOPES: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": torch.ones_like,
    "relu": torch.sign,
    "leaky_relu": lambda z: torch.where(z > 0, 1.0, leaky_slope("float32")).to(z.dtype),
    "elu": lambda z: torch.exp(z.clamp(max=0)),
    "gelu": lambda z: SMOOTHNESS["gelu"].at(z, 0.0)[1].abs(),
    "silu": lambda z: SMOOTHNESS["silu"].at(z, 0.0)[1].abs(),
    "softplus": torch.sigmoid,
    "tanh": lambda y: 1 - y * y,
    "sigmoid": lambda y: y * (1 - y),
    "softmax": lambda y: y * (1 + y.sum(0)),
}
"""Sizes of the slopes from what `jacobians.traced_backward` keeps of an activation: its result y, or z, its input.
Of softmax, whose slopes are diag(y) − y·yᵀ, the sum of the sizes of both terms over all outputs."""

_STEPS = {"identity": 0, "relu": 0, "leaky_relu": 1}
_MOST_STEPS = 3


def steps(experiment: Experiment) -> int:
    """m: roundings along the longest path of either gradient, and the step for S. NOTE [the bound]."""
    widths, outputs = experiment.widths, experiment.outputs
    names = [experiment.activation] * len(experiment.hidden) + [experiment.output_activation]
    of_activations = sum(_STEPS.get(name, _MOST_STEPS) for name in names)
    if names[-1] == "softmax":
        of_activations += outputs
    forward_mode = experiment.method in ("functional-forward", "jacfwd")
    of_products = sum(widths[:-1]) if forward_mode else sum(widths[1:])
    return of_activations + max(of_products, sum(widths[1:])) + outputs - 1 + 1


def bound_units(experiment: Experiment) -> float | None:
    """The a-priori bound on the discrepancy in rounding units, 2·γ(m)/u; None where m·u ≥ 1."""
    m, u = steps(experiment), unit_roundoff(experiment)
    return 2 * m / (1 - m * u) if m * u < 1 else None


def unit_roundoff(experiment: Experiment) -> float:
    return torch.finfo(getattr(torch, experiment.dtype)).eps / 2


class Yardstick:
    """What one rounding unit is, for every component of a block of samples.

    Inside, the samples are columns, as they are for `reference.Float64Network`.
    """

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        # float32 is far more exact than the yardstick needs to be, but for a yardstick in float64.
        self._dtype = torch.float64 if experiment.dtype == "float64" else torch.float32
        linears = [layer for layer in net if isinstance(layer, nn.Linear)]
        self._sizes = [linear.weight.detach().cpu().to(self._dtype).abs() for linear in linears]
        self._names = [experiment.activation] * len(experiment.hidden) + [experiment.output_activation]
        finfo = torch.finfo(getattr(torch, experiment.dtype))
        self._roundoff = finfo.eps / 2
        self._lost = self._underflows(experiment.outputs).double() * (finfo.smallest_normal * finfo.eps)

    def path_sums(self, traced: Tensor) -> Tensor:
        """S of a block, shape (samples, inputs), from what `jacobians.traced_backward` kept, (samples, neurons)."""
        parts = columns(traced.detach(), self._dtype).split([len(size) for size in self._sizes])
        slopes = [_SLOPES[name](part) for name, part in zip(self._names, parts, strict=True)]
        paths = slopes[-1]
        for i in reversed(range(len(slopes))):
            paths = self._sizes[i].T @ paths
            if i:
                paths *= slopes[i - 1]
        return columns(paths, self._dtype)

    def units(self, traced: Tensor) -> Tensor:
        """One rounding unit, u·S + η·underflows, float64 of shape (samples, inputs): never 0.

        It is infinite where the forward pass overflowed, and so says nothing there.
        """
        return self.units_of(self.path_sums(traced))

    def units_of(self, path_sums: Tensor) -> Tensor:
        """The same from S."""
        return torch.nan_to_num(self._roundoff * path_sums.double() + self._lost, nan=torch.inf)

    def _underflows(self, outputs: int) -> Tensor:
        """Losses that reach each component, shape (inputs,), by the larger of reverse and forward mode."""
        steepest = [2.0 if name == "softmax" else SMOOTHNESS[name].steepest for name in self._names]
        back = torch.zeros(outputs, dtype=self._dtype)
        for size, slope in zip(reversed(self._sizes), reversed(steepest), strict=True):
            back = size.T @ (slope * back + _MOST_STEPS * outputs) + outputs * len(size)
        ahead = torch.zeros(self._sizes[0].shape[1], dtype=self._dtype)
        for size, slope in zip(self._sizes, steepest, strict=True):
            ahead = slope * (size @ ahead + size.shape[1]) + _MOST_STEPS
        return back.clamp(min=ahead.sum())

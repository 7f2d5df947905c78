"""How far apart rounding alone can drive two evaluations of the outputs.

NOTE [the bound of the outputs]. Both evaluations are compared with the exact outputs. Let h be the
exact values that enter a layer, ĥ the computed ones and e a bound on abs(ĥ − h); let z = W·h + b be
the exact pre-activation, ẑ the computed one, and q = γ(k) = k·u/(1 − k·u).

*Sums.* A sum of n products and a bias takes at most n + 1 roundings of each term, whatever its
order and whether or not products are fused (Higham, section 4.2). If k ≥ n + 1, ẑ is thus off by at
most abs(W)·e + q·(abs(W)·abs(ĥ) + abs(b)) ≤ (1 + q)·abs(W)·e + q·t, where t = abs(W)·abs(h) +
abs(b).

*Activations.* A kernel, scalar or vector, computes σ(ẑ) to within γ(c)·A(ẑ), if it does not
overflow (GELU's vector kernel does so before its result would, and what is not finite is not
judged); `activations` states c (`of_result`) and A (`size`). σ has a slope of at most L, and so has
A. If k ≥ c, the result is off by at most L·abs(ẑ − z) + q·A(ẑ) ≤ (1 + q)·L·abs(ẑ − z) + q·A(z).

*Layers.* Let S = 0 at the inputs, which are exact, and let each layer turn S into
L·(abs(W)·S + t) + A. If e ≤ q·r·S before a layer, for some r ≥ 1, then both steps together give
e ≤ q·(1 + q)²·r·S after it. So after l layers each evaluation is within q·(1 + q)²ˡ·S of the exact
outputs, and two of them are within twice that of each other. One more rounding in k covers that S
itself is computed, in float64 from values whose errors float64 bounds.

*Underflow.* A product that underflows loses at most the smallest subnormal number η. In bfloat16,
where subnormals are flushed to zero, it loses at most the smallest normal number, and so does each
rounding. exp of a number far from zero overflows or underflows, which costs the result of an
activation at most 1024 times the smallest normal number; 16-bit kernels compute it in float32, and
lose η when they round, at most three times. These losses are carried along like t and A. So the
yardstick of an output, one rounding unit, is u·S plus the losses, and the distance of two
evaluations is at most 2·(q/u)·(1 + q)²ˡ rounding units. If k·u ≥ 1, there is no bound.

Nothing is proved for softmax, whose exponentials have errors that grow with their arguments; for
softplus in float64, where PyTorch's branch beyond 20 is wrong by far more than u; for graphics
cards; and for an activation that states no c. Where a sum may overflow, S is infinite, and the
bound says nothing.

The gradients of two such evaluations are not bounded here: each is close to the exact gradient at
its own saved values (NOTE [the bound]), but these differ, and a slope may jump between them.
"""

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.reference.activations import activations_of
from lib.reference.bounds import LARGEST_FACTOR, ROUNDINGS_IN_16_BITS, Yardstick, unit_roundoff
from lib.reference.layers import columns


def output_bound_units(experiment: Experiment) -> float | None:
    """Return the a-priori bound on the distance of two evaluations of an output, or None.

    It is in rounding units. It is None if NOTE [the bound of the outputs] proves no bound.
    """
    of_results = [activation.of_result for activation in activations_of(experiment)]
    softplus = "softplus" in experiment.activations and experiment.dtype == "float64"
    if experiment.device != "cpu" or None in of_results or softplus:
        return None
    k = max(max(experiment.widths[:-1]) + 1, *of_results) + 1
    u = unit_roundoff(experiment)
    if k * u >= 1:
        return None
    q = k * u / (1 - k * u)
    return 2 * q / u * (1 + q) ** (2 * len(of_results))


class OutputYardstick(Yardstick):
    """The yardstick of outputs: NOTE [the bound of the outputs]."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        super().__init__(net, experiment, torch.float64)
        self._losses = self._underflows().numpy()

    def path_sums(self, x: Tensor) -> np.ndarray:
        """Return S from samples, shape (samples, inputs).

        In a coupled activation, the largest abs(W)·S + t counts for every result.
        """
        h = columns(x, self._dtype)
        sums = torch.zeros_like(h)
        for layer in self.layers:
            activation = layer.activation
            z = torch.addmm(layer.bias, layer.weight, h)
            terms = layer.sizes @ h.abs() + layer.bias.abs()
            h = activation.value_and_slope(z)[0]
            before = layer.sizes @ sums + torch.where(terms > self._finfo.max, torch.inf, terms)
            if activation.coupled:
                before = before.amax(0, keepdim=True).expand_as(before)
            sums = activation.steepest * before + activation.size(z, h)
        return sums.numpy().T

    def _underflows(self) -> Tensor:
        """Return the losses to underflow that reach each output, shape (outputs,)."""
        of_result = LARGEST_FACTOR * self._finfo.smallest_normal
        if self._is_narrow:
            of_result = ROUNDINGS_IN_16_BITS * self._lost
        lost = torch.zeros(self.sizes[0].shape[1], dtype=self._dtype)
        for layer in self.layers:
            in_sums = 2 * (layer.sizes.shape[1] + 1) * self._lost
            lost = layer.activation.steepest * (layer.sizes @ lost + in_sums)
            if layer.activation.coupled:
                lost = lost.max().expand_as(lost)
            lost = lost + of_result
        return lost

"""How far apart rounding alone can drive the backward gradient and the summed Jacobian.

The yardstick is one rounding unit; the bound is a number of these.

NOTE [the bound]. Let u = eps/2 of the dtype, the unit roundoff, and g the cotangent that enters a
kernel. Both gradients are the sum, over all paths through the network, of the product of the
weights and the activation slopes along a path. The proof compares neither with the gradient of the
network, but both with the *exact gradient at the saved values*: the same sum in real numbers, with
the slope s(v) of each activation taken at the value v that the forward pass saved for it (its input
or its result). If both computations save the same v, both gradients are close to the same number,
and so to each other.

*Slopes.* A kernel computes s(v) with errors, and two kernels need not agree. In batched evaluation,
`backward()` passes a contiguous cotangent, which PyTorch flattens, and nearly all of it goes to the
vector kernel. A row of a Jacobian passes an expanded one, which cannot be flattened, so in each
sample the outputs left over after whole pairs of vectors go to the scalar kernel. But each kernel
computes g·s(v) to within γ(c)·abs(g)·T(v), where γ(c) = c·u/(1 − c·u), c is a whole number, and
T(v) ≥ abs(s(v)) is the sum of the sizes of the terms that the kernels add up to s(v). `activations`
states c and T for each activation and proves that they suffice.

16-bit kernels compute all this in float32 and round once; only sigmoid in float16 rounds three
times. So c = 3 is enough. The loss when exp underflows is far below c·u times the smallest T that
`at_least_tiny` allows.

*Sums.* If abs(a' − a) ≤ γ(j)·A and a' is multiplied by such a slope, weighted, and added to others,
then the errors compose by γ(j) + γ(k) + γ(j)·γ(k) ≤ γ(j + k) (N. J. Higham, "Accuracy and Stability
of Numerical Algorithms", 2nd edition, SIAM 2002, lemma 3.3), whatever the order of the sum (section
4.2); a sum of n products takes n roundings. So each gradient is within γ(m)·S of the exact gradient
at the saved values, where the path sum S adds up the products of abs(w) and T over all paths, and m
is the number of roundings on the longest path. Hence the two gradients are within 2·γ(m)·S of each
other.

m is the sum of c over all activations, plus n for each layer of n neurons: in `backward()`, the sum
over its neurons has n products with weights. In reverse mode, a row starts from a single 1, so its
first sum is one product, 1 rounding in place of `outputs`; adding the rows takes the `outputs` − 1
that this saves. After softmax, a row has no zeros, so its first sum takes all `outputs`, and adding
the rows takes `outputs` − 1 more. In forward mode, a column starts from a single 1 at an input: the
first layer takes 1 rounding, each later one as many as the layer before it has neurons, and adding
the rows `outputs` − 1. In all, that is as many as in `backward()`. One more rounding covers two
facts: S itself is computed, in float32 for 16-bit dtypes, and 16-bit kernels round in float32
before they round to 16 bits.

*Underflow.* A product that underflows loses at most the smallest subnormal number η; in bfloat16 it
may lose the smallest normal number, since the dot product instructions of processors flush bfloat16
subnormals to zero. `_underflows` adds up these losses, each multiplied along the rest of its paths.
So the yardstick of a component, one rounding unit, is u·S + η·underflows, and the discrepancy is at
most 2·γ(m)/u = 2m/(1 − m·u) rounding units. That also covers the roundings after an underflow,
since (1 + u)ᵐ ≤ 1/(1 − m·u). If m·u ≥ 1, there is no bound.

*Methods.* The saved values are the same if the forward pass makes the same ATen calls with the same
bits, and a test compares these calls. `bounded` in `methods.METHODS` says in which evaluations a
method makes them. Nothing is proved for

- `jacrev` and `jacfwd` per sample, which add the bias in a separate operation;
- `copies`, whose forward pass has another shape;
- finite differences, and `single-call` with more than one output, which do not compute the
  Jacobian;
- softmax in forward mode, where PyTorch recomputes it from exponentials whose error grows with
  their argument;
- SiLU in 16 bits if it is differentiated by separate operations (`jacrev` and forward mode), since
  its σ underflows before it is multiplied by v;
- graphics cards, whose matrix products may round in undocumented ways.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.reference.activation_base import Activation
from lib.reference.activations import activations_of
from lib.reference.layers import Layers, over_all_paths

ROUNDINGS_IN_16_BITS = 3

LARGEST_FACTOR = 1024
"""A bound on the factor that multiplies a loss to underflow in a slope.

The factor is at most abs(z), and exp(−abs(z)) is 0 long before abs(z) reaches 1024.
"""


def roundings(activation: Activation) -> int:
    """Return c, the roundings when a kernel multiplies a cotangent by this activation's slope."""
    is_narrow = DTYPES[activation.experiment.dtype].narrow
    return ROUNDINGS_IN_16_BITS if is_narrow and activation.roundings else activation.roundings


def most_roundings(experiment: Experiment) -> int:
    """Return m, the roundings on the longest path of either gradient, and one more for S."""
    activations = activations_of(experiment)
    of_activations = sum(map(roundings, activations))
    of_rows = experiment.outputs - 1 if activations[-1].coupled else 0
    return of_activations + sum(experiment.widths[1:]) + of_rows + 1


def proved(experiment: Experiment) -> bool:
    """Return whether NOTE [the bound] proves a bound for the two gradients of the experiment."""
    method = METHODS[experiment.method]
    if experiment.device != "cpu" or experiment.evaluation not in method.bounded:
        return False
    if method.gives == "sums" and experiment.outputs > 1:
        return False
    if method.mode == "forward" and experiment.output_activation == "softmax":
        return False
    if method.by_operations and DTYPES[experiment.dtype].narrow:
        return all(activation.by_operations for activation in activations_of(experiment))
    return True


def bound_units(experiment: Experiment) -> float | None:
    """Return the a-priori bound on the discrepancy, 2·γ(m)/u rounding units, or None.

    It is None if there is no proof, or if m·u ≥ 1.
    """
    m = most_roundings(experiment)
    u = unit_roundoff(experiment)
    return 2 * m / (1 - m * u) if m * u < 1 and proved(experiment) else None


def unit_roundoff(experiment: Experiment) -> float:
    """Return u = eps/2 of the dtype.

    The relative error of rounding a number in the normal range to nearest is below it: Higham,
    theorem 2.2.
    """
    return torch.finfo(getattr(torch, experiment.dtype)).eps / 2


class Yardstick(Layers):
    """The size of one rounding unit for every component of a block of samples.

    It is u·S plus what underflow may lose. A subclass defines `path_sums`, which returns S, float64
    of shape (samples, components), and `_losses`, what underflow may lose in each component.
    """

    path_sums: Callable[[Tensor], np.ndarray]
    _losses: np.ndarray

    def __init__(self, net: nn.Sequential, experiment: Experiment, dtype: torch.dtype) -> None:
        super().__init__(net, experiment, dtype)
        row = DTYPES[experiment.dtype]
        self._finfo = torch.finfo(getattr(torch, experiment.dtype))
        self._is_narrow = row.narrow
        self._lost = self._finfo.smallest_normal * (1 if row.flushed else self._finfo.eps)

    def unit_of(self, path_sums: np.ndarray) -> np.ndarray:
        """Return the size of one rounding unit, float64 of the shape of S: never 0.

        It is infinite, and so says nothing, where S is infinite or NaN after an overflow.
        """
        unit = path_sums * (self._finfo.eps / 2)
        unit += self._losses
        return unit if unit.max(initial=0.0) < np.inf else np.where(unit < np.inf, unit, np.inf)


class GradientYardstick(Yardstick):
    """The yardstick of gradients: NOTE [the bound]."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        # float32 is far more precise than the yardstick needs to be, except for float64.
        is_wide = experiment.dtype == "float64"
        super().__init__(net, experiment, torch.float64 if is_wide else torch.float32)
        self._losses = (self._underflows(experiment.outputs).double() * self._lost).numpy()

    def path_sums(self, saved: Tensor) -> np.ndarray:
        """Return S from the saved activations, shape (samples, neurons)."""
        return over_all_paths(self.sizes, self.terms(saved)).double().numpy().T

    def _underflows(self, outputs: int) -> Tensor:
        """Return the losses to underflow that reach each component, in η, shape (inputs,).

        They are the larger of the losses in reverse mode and in forward mode.
        """
        # 16-bit kernels multiply in float32, where their products do not underflow, and lose η only
        # when they round.
        of_slope = float(ROUNDINGS_IN_16_BITS if self._is_narrow else LARGEST_FACTOR)
        back = torch.zeros(outputs, dtype=self._dtype)
        for layer in reversed(self.layers):
            lost = layer.activation.steepest * back + of_slope * outputs
            back = layer.sizes.T @ lost + outputs * len(layer.sizes)
        ahead = torch.zeros_like(back)
        for layer in self.layers:
            lost = layer.sizes @ ahead + layer.sizes.shape[1]
            ahead = layer.activation.steepest * lost + of_slope
        return back.clamp(min=ahead.sum())

"""How far apart rounding alone can drive the backward gradient and the summed Jacobian: the yardstick and the bound.

NOTE [the bound]. Both gradients are the sum, over all paths through the network, of the product of the weights and the
activation slopes along a path. The proof compares neither with the gradient of the network, but both with the *exact
gradient at the saved values*: the same sum in real numbers, with the slope s(v) of each activation taken at the value v
that the forward pass saved for it (its input or its result). If both computations save the same v, both gradients are
close to the same number, and so to each other.

*Slopes.* A kernel computes s(v) with errors, and two kernels need not agree: in batched evaluation, `backward()` passes
a contiguous cotangent to the vector kernel, and a row of a Jacobian passes an expanded one to the scalar kernel. But
each kernel computes g·s(v) to within γ(c)·abs(g)·T(v), where γ(c) = c·u/(1 − c·u), c is a whole number, and T(v) ≥
abs(s(v)) is the sum of the sizes of the terms that the kernels add up to s(v). `activations` states c and T for each
activation and proves that they suffice.

16-bit kernels compute all this in float32 and round once; only sigmoid in float16 rounds three times. So c = 3 is
enough. The loss when exp underflows is far below c·u times the smallest T that `no_less` allows.

*Sums.* If abs(a' − a) ≤ γ(j)·A and a' is multiplied by such a slope, weighted, and added to others, then the errors
compose by γ(j) + γ(k) + γ(j)·γ(k) ≤ γ(j + k) (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd
edition, SIAM 2002, lemma 3.3), whatever the order of the sum (section 4.2); a sum of n products takes n roundings. So
each gradient is within γ(m)·S of the exact gradient at the saved values, where the path sum S adds up the products of
abs(w) and T over all paths, and m is the number of roundings on the longest path. Hence the two gradients are within
2·γ(m)·S of each other.

m is the sum of c over all activations, plus n for each layer of n neurons: in `backward()`, the sum over its neurons
has n products with weights. In reverse mode, each row starts from a single 1, so the first sum has one product; the
rows are added afterwards, which again makes as many roundings as there are outputs. After softmax, a row has no zeros,
and adding the rows takes outputs − 1 more. In forward mode, each column starts from a single 1, which saves the sum
over the inputs. One more step covers two facts: S itself is computed, in float32 for 16-bit dtypes, and 16-bit kernels
round in float32 before they round to 16 bits.

*Underflow.* A product that underflows loses at most the smallest subnormal number η; in bfloat16 it may lose the
smallest normal number, since the dot product instructions of processors flush bfloat16 subnormals to zero.
`_underflows` adds up these losses, multiplied along the paths that they continue on. So the yardstick of a component,
one rounding unit, is u·S + η·underflows, and the discrepancy is at most 2·γ(m)/u = 2m/(1 − m·u) rounding units. That
also covers the roundings after an underflow, since (1 + u)ᵐ ≤ 1/(1 − m·u). If m·u ≥ 1, there is no bound.

*Methods.* The saved values are the same if the forward pass makes the same ATen calls with the same bits, and a test
compares these calls. They are the same for `functional`, `functional-vectorized`, `functional-forward`, `rows`,
`batched-grad` and `summed-output` in both evaluations, and for `jacrev` and `jacfwd` in batched evaluation; per sample
these two add the bias in a separate operation (`bounded` in `methods.METHODS`). Nothing is proved for

- `copies`, whose forward pass has another shape;
- finite differences, and `single-call` with more than one output, which do not compute the Jacobian;
- softmax in forward mode, where PyTorch recomputes it from exponentials whose error grows with their argument;
- SiLU in 16 bits if it is differentiated by separate operations (`jacrev` and forward mode), since its σ underflows
  before it is multiplied by v;
- graphics cards, whose matrix products may round in undocumented ways.
"""

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activations import Activation, activations_of
from lib.reference.float64_reference import columns

_ROUNDINGS_IN_16_BITS = 3

_LARGEST_FACTOR = 1024
"""By how much a loss to underflow in a slope may still be multiplied: by z, and exp(z) is 0 if abs(z) is larger."""


def roundings(activation: Activation) -> int:
    """Return c, the roundings when a kernel multiplies a cotangent by this activation's slope: NOTE [the bound]."""
    narrow = DTYPES[activation.experiment.dtype].narrow
    return _ROUNDINGS_IN_16_BITS if narrow and activation.roundings else activation.roundings


def steps(experiment: Experiment) -> int:
    """Return m, the roundings on the longest path of either gradient and the one step for S: NOTE [the bound]."""
    of_layers = activations_of(experiment)
    of_activations = sum(roundings(activation) for activation in of_layers)
    of_rows = experiment.outputs - 1 if of_layers[-1].coupled else 0
    return of_activations + sum(experiment.widths[1:]) + of_rows + 1


def proved(experiment: Experiment) -> bool:
    """Return whether NOTE [the bound] proves one for the two gradients of the experiment."""
    method, narrow = METHODS[experiment.method], DTYPES[experiment.dtype].narrow
    return (
        experiment.device == "cpu"
        and experiment.evaluation in method.bounded
        and (method.gives != "sums" or experiment.outputs == 1)
        and (method.mode != "forward" or experiment.output_activation != "softmax")
        and not (narrow and method.by_operations and not all(one.by_operations for one in activations_of(experiment)))
    )


def bound_units(experiment: Experiment) -> float | None:
    """Return the a-priori bound on the discrepancy in rounding units, 2·γ(m)/u, or None if there is no proof or bound.

    There is no bound if m·u ≥ 1.
    """
    m, u = steps(experiment), unit_roundoff(experiment)
    return 2 * m / (1 - m * u) if m * u < 1 and proved(experiment) else None


def unit_roundoff(experiment: Experiment) -> float:
    """Return u = eps/2 of the dtype, the largest relative error when a number in its range is rounded to nearest.

    See Higham, theorem 2.2.
    """
    return torch.finfo(getattr(torch, experiment.dtype)).eps / 2


def units_of(path_sums: np.ndarray, roundoff: float, lost: np.ndarray) -> np.ndarray:
    """Return u·S and what underflow may lose, infinite where S is not finite: then it says nothing."""
    unit = path_sums * roundoff
    unit += lost
    return unit if unit.max(initial=0.0) < np.inf else np.where(unit < np.inf, unit, np.inf)


class Yardstick:
    """The size of one rounding unit for every component of a block of samples.

    Internally the samples are columns, as in `float64_reference.Float64Network`.
    """

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        # float32 is far more precise than the yardstick needs to be, except for float64.
        self._dtype = torch.float64 if experiment.dtype == "float64" else torch.float32
        self._sizes = [layer.weight.detach().cpu().to(self._dtype).abs() for layer in linear_layers(net)]
        self._activations = activations_of(experiment)
        dtype, finfo = DTYPES[experiment.dtype], torch.finfo(getattr(torch, experiment.dtype))
        self._roundoff = unit_roundoff(experiment)
        # 16-bit kernels multiply in float32, where their products do not underflow, and lose η only when they round.
        self._of_slope = float(_ROUNDINGS_IN_16_BITS if dtype.narrow else _LARGEST_FACTOR)
        lost = finfo.smallest_normal * (1 if dtype.flushed else finfo.eps)
        self._lost = self._underflows(experiment.outputs).double() * lost

    def path_sums(self, saved: Tensor) -> np.ndarray:
        """Return S for a block, shape (samples, inputs), from its saved activations, shape (samples, neurons)."""
        parts = columns(saved.detach(), self._dtype).split([len(size) for size in self._sizes])
        terms = [activation.terms(part) for activation, part in zip(self._activations, parts, strict=True)]
        paths = terms[-1]
        for i in reversed(range(len(terms))):
            paths = self._sizes[i].T @ paths
            if i:
                paths *= terms[i - 1]
        return paths.double().numpy().T

    def units_of(self, path_sums: np.ndarray) -> np.ndarray:
        """Return one rounding unit from S, u·S + η·underflows, as float64 of shape (samples, inputs): never 0.

        It is infinite, and so says nothing, where S is not a number, since the forward pass overflowed.
        """
        return units_of(path_sums, self._roundoff, self._lost.numpy())

    def _underflows(self, outputs: int) -> Tensor:
        """Return the losses, in units of η, that reach each component: the larger of reverse and forward mode.

        The shape is (inputs,).
        """
        steepest = [activation.steepest for activation in self._activations]
        back = torch.zeros(outputs, dtype=self._dtype)
        for size, slope in zip(reversed(self._sizes), reversed(steepest), strict=True):
            back = size.T @ (slope * back + self._of_slope * outputs) + outputs * len(size)
        ahead = torch.zeros(self._sizes[0].shape[1], dtype=self._dtype)
        for size, slope in zip(self._sizes, steepest, strict=True):
            ahead = slope * (size @ ahead + size.shape[1]) + self._of_slope
        return back.clamp(min=ahead.sum())

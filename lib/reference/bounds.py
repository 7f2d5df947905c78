"""How far backward and summed Jacobian can be apart by rounding alone: the yardstick S and the bound on rounding units.

NOTE [the bound]. Both gradients are the sum, over all paths through the network, of the product of the weights and the
activation slopes along a path. Neither is compared with the gradient of the network here, but both with the *exact
gradient at the saved values*: the same sum in real numbers, with the slope s(v) of each activation taken at the value v
that the forward pass saved for it (its input, or its result). Where both ways save the same v, they are close to the
same number, and so to each other.

*Slopes.* A kernel computes s(v) with errors, and two kernels need not agree: in batched evaluation `backward()` hands a
contiguous cotangent to the vector kernel, and a row of a Jacobian an expanded one to the scalar kernel. But each of
them gives g·s(v) to within γ(c)·abs(g)·T(v), where γ(c) = c·u/(1 − c·u), c is a whole number, and T(v) ≥ abs(s(v)) adds
up the sizes of the terms of s(v) as the kernels have them. c and T of each activation are in `activations`, with the
reason why they suffice.

16-bit kernels compute all this in float32 and round once; sigmoid alone rounds thrice in float16. So c = 3 is enough.
What exp loses where it underflows is far below c·u times the smallest T that `no_less` allows.

*Sums.* If abs(a' − a) ≤ γ(j)·A and a' is multiplied by such a slope, weighted, and summed with others, then the errors
compose by γ(j) + γ(k) + γ(j)·γ(k) ≤ γ(j + k) (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd
edition, SIAM 2002, lemma 3.3), whatever the order of the sum (section 4.2): a sum of n products takes n. So each
gradient is within γ(m)·S of the exact one at the saved values, where S, the path sum, adds the products of abs(w) and T
over all paths, and m counts the roundings of the longest path; and they are within 2·γ(m)·S of each other.

m is Σ c over the activations, and n for each layer of n neurons: in `backward()` these are the n products with weights
that a sum over its neurons has. Reverse mode starts each row from a single 1, so the first sum has one product and the
rows are added afterwards, which makes outputs roundings again; after softmax a row has no zeros, and adding the rows
takes outputs − 1 more. Forward mode starts each column from a single 1, and so saves the sum over the inputs. One step
more covers that S itself is computed, in float32 for 16-bit dtypes, and that their kernels round in float32 before they
round.

*Underflow.* A product that underflows loses at most the smallest subnormal η; in bfloat16 it may lose the smallest
normal number, as dot product instructions of processors flush its subnormals. `_underflows` adds up these losses with
the paths that they take on. So the yardstick of a component is u·S + η·underflows, one rounding unit, and in units the
discrepancy is at most 2·γ(m)/u = 2m/(1 − m·u); that also covers the roundings after an underflow, as (1 + u)ᵐ ≤ 1/(1 −
m·u). Where m·u ≥ 1, no bound exists.

*For which methods.* The saved values are the same where the forward pass makes the same ATen calls with the same bits,
and a test compares these calls. It makes them for `functional`, `functional-vectorized`, `functional-forward`, `rows`,
`batched-grad` and `summed-output` in both evaluations, for `jacrev` and `jacfwd` in batched evaluation; per sample
these two add the bias in an operation of its own (`bounded` in `choices.METHODS`). Nothing is proved for `copies`,
whose forward pass has another shape; for finite differences and, but with one output, for `single-call`, which are no
Jacobian; for softmax in forward mode, where PyTorch recomputes it from exponentials whose error grows with their
argument; for SiLU in 16 bits where it is differentiated by separate operations (`jacrev` and forward mode), whose σ
underflows before it is multiplied by v; and for graphics cards, whose matrix products may round in ways that are not
documented.

NOTE [the probable bound]. If the rounding errors are independent random numbers of mean zero, as N. J. Higham and
T. Mary assume ("A New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019), √m takes
the place of m. Number each rounding by the most roundings that come before it: a path meets at most one of each number.
What all roundings of one number change, given those before, has mean zero and is at most u·(1 + u)ᵐ·S in size. There
are at most m numbers in each gradient, so by the inequality of Azuma and Hoeffding the gradients are more than
λ·√(2m)·u·(1 + u)ᵐ·S apart with a probability of at most 2·exp(−λ²/2), for each component. An error of exp or erf counts
as if it were that many independent roundings.
"""

from math import exp, sqrt

import torch
from torch import Tensor, nn

from lib.experiment.choices import DTYPES, METHODS
from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activation import Activation
from lib.reference.activations import activations
from lib.reference.float64_reference import columns

_ROUNDINGS_IN_16_BITS = 3

_LARGEST_FACTOR = 1024
"""Of what underflows in a slope: a factor of it is later multiplied by z, and exp(z) is 0 where abs(z) is larger."""

LAMBDA = 4.0
"""λ of NOTE [the probable bound]."""

PROBABLE = 1 - 2 * exp(-(LAMBDA**2) / 2)
"""At least the probability with which a component keeps below the probable bound: 99.93 %."""


def roundings(activation: Activation) -> int:
    """c: in how many roundings a kernel multiplies a cotangent by the slope of this activation. NOTE [the bound]."""
    narrow = DTYPES[activation.experiment.dtype].narrow
    return _ROUNDINGS_IN_16_BITS if narrow and activation.roundings else activation.roundings


def steps(experiment: Experiment) -> int:
    """m: roundings along the longest path of either gradient, and the step for S. NOTE [the bound]."""
    of_layers = activations(experiment)
    of_activations = sum(roundings(activation) for activation in of_layers)
    of_rows = experiment.outputs - 1 if of_layers[-1].coupled else 0
    return of_activations + sum(experiment.widths[1:]) + of_rows + 1


def unproved(experiment: Experiment) -> str | None:
    """Why no bound is claimed, in a word, by NOTE [the bound]; None where it is proved.

    It is "differences" or "sums" (what the method gives is no Jacobian), "forward" (the method computes its own forward
    pass), "softmax" or "operations" (the method differentiates activations by other formulas), or "device".
    """
    method = METHODS[experiment.method]
    narrow = DTYPES[experiment.dtype].narrow
    if experiment.evaluation not in method.bounded:
        return "differences" if method.gives == "approximation" else "forward"
    if method.gives == "sums" and experiment.outputs > 1:
        return "sums"
    if experiment.output_activation == "softmax" and method.mode == "forward":
        return "softmax"
    if narrow and method.by_operations and not all(one.by_operations for one in activations(experiment)):
        return "operations"
    return None if experiment.device == "cpu" else "device"


def bound_units(experiment: Experiment) -> float | None:
    """The a-priori bound on the discrepancy in rounding units, 2·γ(m)/u; None where m·u ≥ 1 or nothing is proved."""
    m, u = steps(experiment), unit_roundoff(experiment)
    return 2 * m / (1 - m * u) if m * u < 1 and unproved(experiment) is None else None


def probable_units(experiment: Experiment) -> float | None:
    """What a component exceeds with a probability of 1 − `PROBABLE` at most, in rounding units, if NOTE [the probable
    bound] may be assumed; None where nothing is proved. It is never above the bound, which needs no assumption."""
    if unproved(experiment) is not None:
        return None
    m, u = steps(experiment), unit_roundoff(experiment)
    return min(LAMBDA * sqrt(2 * m) * (1 + u) ** m, bound_units(experiment) or torch.inf)


def unit_roundoff(experiment: Experiment) -> float:
    """u = eps/2 of the dtype: the largest relative error of rounding a number in its range to nearest (Higham,
    theorem 2.2)."""
    return torch.finfo(getattr(torch, experiment.dtype)).eps / 2


class Yardstick:
    """What one rounding unit is, for every component of a block of samples.

    Inside, the samples are columns, as they are for `reference.Float64Network`.
    """

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        # float32 is far more exact than the yardstick needs to be, but for a yardstick in float64.
        self._dtype = torch.float64 if experiment.dtype == "float64" else torch.float32
        self._sizes = [layer.weight.detach().cpu().to(self._dtype).abs() for layer in linear_layers(net)]
        self._activations = activations(experiment)
        dtype, finfo = DTYPES[experiment.dtype], torch.finfo(getattr(torch, experiment.dtype))
        self._roundoff = unit_roundoff(experiment)
        # 16-bit kernels multiply in float32, where nothing of theirs underflows, and lose η once they round.
        self._of_slope = float(_ROUNDINGS_IN_16_BITS if dtype.narrow else _LARGEST_FACTOR)
        lost = finfo.smallest_normal * (1 if dtype.flushed else finfo.eps)
        self._lost = self._underflows(experiment.outputs).double() * lost

    def path_sums(self, saved: Tensor) -> Tensor:
        """S of a block, shape (samples, inputs), from its saved activations, shape (samples, neurons)."""
        parts = columns(saved.detach(), self._dtype).split([len(size) for size in self._sizes])
        terms = [activation.terms(part) for activation, part in zip(self._activations, parts, strict=True)]
        paths = terms[-1]
        for i in reversed(range(len(terms))):
            paths = self._sizes[i].T @ paths
            if i:
                paths *= terms[i - 1]
        return columns(paths, self._dtype)

    def units(self, saved: Tensor) -> Tensor:
        """One rounding unit, u·S + η·underflows, float64 of shape (samples, inputs): never 0.

        It is infinite where the forward pass overflowed, and so says nothing there.
        """
        return self.units_of(self.path_sums(saved))

    def units_of(self, path_sums: Tensor) -> Tensor:
        """The same from S."""
        return torch.nan_to_num(self._roundoff * path_sums.double() + self._lost, nan=torch.inf)

    def _underflows(self, outputs: int) -> Tensor:
        """Losses that reach each component, shape (inputs,), by the larger of reverse and forward mode."""
        steepest = [activation.steepest for activation in self._activations]
        back = torch.zeros(outputs, dtype=self._dtype)
        for size, slope in zip(reversed(self._sizes), reversed(steepest), strict=True):
            back = size.T @ (slope * back + self._of_slope * outputs) + outputs * len(size)
        ahead = torch.zeros(self._sizes[0].shape[1], dtype=self._dtype)
        for size, slope in zip(self._sizes, steepest, strict=True):
            ahead = slope * (size @ ahead + size.shape[1]) + self._of_slope
        return back.clamp(min=ahead.sum())

"""How far backward and summed Jacobian can be apart by rounding alone: the yardstick S and the bound on rounding units.

NOTE [the bound]. Both gradients are the sum, over all paths through the network, of the product of the weights and the
activation slopes along a path. Neither is compared with the gradient of the network here, but both with the *exact
gradient at the saved values*: the same sum in real numbers, with the slope s(v) of each activation taken at the value v
that the forward pass saved for it (its input, or its result). Where both ways save the same v, they are close to the
same number, and so to each other.

*Slopes.* A kernel does not add up to s(v) without error, and two kernels need not agree: in batched evaluation
`backward()` hands a contiguous cotangent to the vector kernel, and a row of a Jacobian an expanded one to the scalar
kernel. But each of them gives g·s(v) to within γ(c)·abs(g)·T(v), where γ(c) = c·u/(1 − c·u), c is a whole number, and
T(v) ≥ abs(s(v)) adds up the sizes of the terms of s(v) as the kernels have them. T is in `_TERMS` and c in
`_ROUNDINGS`, and this is why they suffice (exp and erf are within 1 ulp, hence 2u, as Sleef and the manual of glibc
document; terms in u² are in γ):

- identity and ReLU: the slopes 0 and 1 are exact factors. Leaky ReLU: T = s, one product.
- ELU, g·exp(v): T = s; 2 for exp, 1 for the product.
- softplus, g·e/(e + 1) with e = exp(v), and g beyond 20: T = s; exp passes on less than its 2, and 3 operations.
- sigmoid, g·(1 − y)·y: T = s, as 1 − y has one relative error; 3 operations.
- tanh, g·(1 − y²): y² has an error of u·y², which is not small beside 1 − y² = s. With the other two it makes
  2·u·s + u·y² = 2·u·T with T = 1 − y²/2. If the multiplication is fused with the subtraction it is less.
- SiLU, g·σ·(1 + v·(1 − σ)): σ is off by 4u at most (exp, sum, quotient), and so 1 − σ by 4u·σ, which v multiplies. All
  in all u·σ·(7 + 4·abs(v)·σ + 9·abs(v)·(1 − σ)) ≤ 9·u·T with T = σ·(1 + abs(v)).
- GELU, g·(½·(1 + erf(v/√2)) + v·φ(v)): for v far below 0 the first term is tiny, but computed with an error of about u,
  so T has it as it is added: T = ½·(1 + abs(erf(v/√2))) + abs(v)·φ(v), never below ½. Rounding v/√2 costs 2u·abs(v)·φ;
  erf of float64 and the sum with 1 cost abs(erf)·u + ½·(1 + erf)·u; the density times v has 7 roundings, and that of v²
  in its exponent, which is worth abs(v)³·φ·u/2 < ¼·u. With the last sum and the last product that is below 11·u·T. The
  vector kernel of float32 has its own erf, a polynomial of Abramowitz and Stegun (7.1.26) with an error of 1.5e-7 ≈
  2.5u and its roundings. Every float32 between 2⁻¹⁶ and 16 in size was tried (with AVX-512): the slope is off by
  10.06·u·T at most before the last product, so c = 12.
- softmax, y·(g − Σ g·y): T = y·(abs(g) + Σ abs(g)·y), over all rows y·(1 + Σ y); n + 2 roundings for n outputs.

16-bit kernels compute all this in float32 and round once; sigmoid alone rounds thrice in float16. So c = 3 is enough.
What exp loses where it underflows is far below c·u times the smallest T that `_no_less` allows.

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
by a test that compares the calls: for `functional`, `functional-vectorized`, `functional-forward`, `rows`,
`batched-grad` and `summed-output` in both evaluations, for `jacrev` and `jacfwd` in batched evaluation; per sample
these add the bias in an operation of its own (`bounded` in `choices.METHODS`). Nothing is proved for `copies`, whose
forward pass has another shape; for finite differences and, but with one output, for `single-call`, which are no
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

from collections.abc import Callable
from math import exp, sqrt

import torch
from torch import Tensor, nn

from lib.experiment.choices import METHODS
from lib.experiment.query import Experiment
from lib.reference.float64_reference import SMOOTHNESS, columns, density

_ROUNDINGS = {
    "identity": 0,
    "relu": 0,
    "leaky_relu": 1,
    "elu": 3,
    "gelu": 12,
    "silu": 9,
    "softplus": 5,
    "tanh": 2,
    "sigmoid": 3,
}
"""c of every activation but softmax, in float32 and float64."""

_ROUNDINGS_IN_16_BITS = 3

_LARGEST_FACTOR = 1024
"""Of what underflows in a slope: a factor of it is later multiplied by z, and exp(z) is 0 where abs(z) is larger."""

LAMBDA = 4.0
"""λ of NOTE [the probable bound]."""

PROBABLE = 1 - 2 * exp(-(LAMBDA**2) / 2)
"""At least the probability with which a component keeps below the probable bound: 99.93 %."""


def _no_less(terms: Tensor) -> Tensor:
    """Sizes of terms, none so small that exp might underflow."""
    finfo = torch.finfo(terms.dtype)
    return terms.clamp(min=finfo.smallest_normal / finfo.eps**2)


def _gelu(z: Tensor) -> Tensor:
    return 0.5 * (1 + torch.erf(z * 0.5**0.5).abs()) + z.abs() * density(z)


_TERMS: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": torch.ones_like,
    "relu": torch.sign,
    "leaky_relu": lambda z: torch.ones_like(z).where(z > 0, 0.01),
    "elu": lambda z: _no_less(torch.exp(z.clamp(max=0))),
    "gelu": _gelu,
    "silu": lambda z: _no_less(torch.sigmoid(z) * (1 + z.abs())),
    "softplus": lambda z: _no_less(torch.where(z > 20, 1.0, torch.sigmoid(z))),
    "tanh": lambda y: 1 - y * y / 2,
    "sigmoid": lambda y: y * (1 - y),
    "softmax": lambda y: y * (1 + y.sum(0)),
}
"""T, from what PyTorch saves of an activation: its result y, or its input z."""


def roundings(name: str, experiment: Experiment) -> int:
    """c: in how many roundings a kernel multiplies a cotangent by the slope of this activation. NOTE [the bound]."""
    count = experiment.outputs + 2 if name == "softmax" else _ROUNDINGS[name]
    narrow = getattr(torch, experiment.dtype).itemsize < 4
    return _ROUNDINGS_IN_16_BITS if count and narrow else count


def steps(experiment: Experiment) -> int:
    """m: roundings along the longest path of either gradient, and the step for S. NOTE [the bound]."""
    of_activations = sum(roundings(name, experiment) for name in experiment.activations)
    of_rows = experiment.outputs - 1 if experiment.output_activation == "softmax" else 0
    return of_activations + sum(experiment.widths[1:]) + of_rows + 1


def unproved(experiment: Experiment) -> str | None:
    """Why no bound is claimed, in a word, by NOTE [the bound]; None where it is proved.

    It is "differences" or "sums" (what the method gives is no Jacobian), "forward" (the method computes its own forward
    pass), "softmax" or "silu" (the method differentiates them by other formulas), or "device".
    """
    method, by_operations = METHODS[experiment.method], ("functional-forward", "jacfwd", "jacrev")
    narrow = getattr(torch, experiment.dtype).itemsize < 4
    if experiment.evaluation not in method.bounded:
        return "differences" if method.gives == "approximation" else "forward"
    if method.gives == "sums" and experiment.outputs > 1:
        return "sums"
    if experiment.output_activation == "softmax" and experiment.method in ("functional-forward", "jacfwd"):
        return "softmax"
    if narrow and "silu" in experiment.activations and experiment.method in by_operations:
        return "silu"
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
        self._names = experiment.activations
        finfo = torch.finfo(getattr(torch, experiment.dtype))
        self._roundoff = finfo.eps / 2
        # 16-bit kernels multiply in float32, where nothing of theirs underflows, and lose η once they round.
        self._of_slope = float(_ROUNDINGS_IN_16_BITS if finfo.bits < 32 else _LARGEST_FACTOR)
        lost = finfo.smallest_normal * (1 if experiment.dtype == "bfloat16" else finfo.eps)
        self._lost = self._underflows(experiment.outputs).double() * lost

    def path_sums(self, saved: Tensor) -> Tensor:
        """S of a block, shape (samples, inputs), from its saved activations, shape (samples, neurons)."""
        parts = columns(saved.detach(), self._dtype).split([len(size) for size in self._sizes])
        terms = [_TERMS[name](part) for name, part in zip(self._names, parts, strict=True)]
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
        steepest = [2.0 if name == "softmax" else SMOOTHNESS[name].steepest for name in self._names]
        back = torch.zeros(outputs, dtype=self._dtype)
        for size, slope in zip(reversed(self._sizes), reversed(steepest), strict=True):
            back = size.T @ (slope * back + self._of_slope * outputs) + outputs * len(size)
        ahead = torch.zeros(self._sizes[0].shape[1], dtype=self._dtype)
        for size, slope in zip(self._sizes, steepest, strict=True):
            ahead = slope * (size @ ahead + size.shape[1]) + self._of_slope
        return back.clamp(min=ahead.sum())

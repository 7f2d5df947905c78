"""How far apart rounding alone can drive the backward gradient and the summed Jacobian, or two
evaluations of the outputs: the yardstick, one rounding unit, and the bound, a number of these.

NOTE [the bound]. Both gradients are the sum, over all paths through the network, of the product of
the weights and the activation slopes along a path. The proof compares neither with the gradient of
the network, but both with the *exact gradient at the saved values*: the same sum in real numbers,
with the slope s(v) of each activation taken at the value v that the forward pass saved for it (its
input or its result). If both computations save the same v, both gradients are close to the same
number, and so to each other.

*Slopes.* A kernel computes s(v) with errors, and two kernels need not agree: in batched evaluation,
`backward()` passes a contiguous cotangent to the vector kernel, and a row of a Jacobian passes an
expanded one to the scalar kernel. But each kernel computes g·s(v) to within γ(c)·abs(g)·T(v), where
γ(c) = c·u/(1 − c·u), c is a whole number, and T(v) ≥ abs(s(v)) is the sum of the sizes of the terms
that the kernels add up to s(v). `activations` states c and T for each activation and proves that
they suffice.

16-bit kernels compute all this in float32 and round once; only sigmoid in float16 rounds three
times. So c = 3 is enough. The loss when exp underflows is far below c·u times the smallest T that
`no_less` allows.

*Sums.* If abs(a' − a) ≤ γ(j)·A and a' is multiplied by such a slope, weighted, and added to others,
then the errors compose by γ(j) + γ(k) + γ(j)·γ(k) ≤ γ(j + k) (N. J. Higham, "Accuracy and Stability
of Numerical Algorithms", 2nd edition, SIAM 2002, lemma 3.3), whatever the order of the sum (section
4.2); a sum of n products takes n roundings. So each gradient is within γ(m)·S of the exact gradient
at the saved values, where the path sum S adds up the products of abs(w) and T over all paths, and m
is the number of roundings on the longest path. Hence the two gradients are within 2·γ(m)·S of each
other.

m is the sum of c over all activations, plus n for each layer of n neurons: in `backward()`, the sum
over its neurons has n products with weights. In reverse mode, each row starts from a single 1, so
the first sum has one product; the rows are added afterwards, which again makes as many roundings as
there are outputs. After softmax, a row has no zeros, and adding the rows takes outputs − 1 more. In
forward mode, each column starts from a single 1, which saves the sum over the inputs. One more step
covers two facts: S itself is computed, in float32 for 16-bit dtypes, and 16-bit kernels round in
float32 before they round to 16 bits.

*Underflow.* A product that underflows loses at most the smallest subnormal number η; in bfloat16 it
may lose the smallest normal number, since the dot product instructions of processors flush bfloat16
subnormals to zero. `_underflows` adds up these losses, multiplied along the paths that they
continue on. So the yardstick of a component, one rounding unit, is u·S + η·underflows, and the
discrepancy is at most 2·γ(m)/u = 2m/(1 − m·u) rounding units. That also covers the roundings after
an underflow, since (1 + u)ᵐ ≤ 1/(1 − m·u). If m·u ≥ 1, there is no bound.

*Methods.* The saved values are the same if the forward pass makes the same ATen calls with the same
bits, and a test compares these calls. They are the same for `functional`, `functional-vectorized`,
`functional-forward`, `rows`, `batched-grad` and `summed-output` in both evaluations, and for
`jacrev` and `jacfwd` in batched evaluation; per sample these two add the bias in a separate
operation (`bounded` in `methods.METHODS`). Nothing is proved for

- `copies`, whose forward pass has another shape;
- finite differences, and `single-call` with more than one output, which do not compute the
  Jacobian;
- softmax in forward mode, where PyTorch recomputes it from exponentials whose error grows with
  their argument;
- SiLU in 16 bits if it is differentiated by separate operations (`jacrev` and forward mode), since
  its σ underflows before it is multiplied by v;
- graphics cards, whose matrix products may round in undocumented ways.

NOTE [the bound of the outputs]. Both evaluations are compared with the exact outputs. Let h be the
exact values that enter a layer, ĥ the computed ones and e a bound on abs(ĥ − h); let z = W·h + b be
the exact pre-activation, ẑ the computed one, and q = γ(k) = k·u/(1 − k·u).

*Sums.* A sum of n products and a bias takes at most n + 1 roundings of each term, whatever its
order and whether or not products are fused (Higham, section 4.2). If k ≥ n + 1, ẑ is thus off by at
most abs(W)·e + q·(abs(W)·abs(ĥ) + abs(b)) ≤ (1 + q)·abs(W)·e + q·t, where t = abs(W)·abs(h) +
abs(b).

*Activations.* A kernel, scalar or vector, computes σ(ẑ) to within γ(c)·A(ẑ), if it does not
overflow (GELU's vector kernel does so before its result would, and what is not finite is not
judged); `activations` states c and A. σ has a slope of at most L, and so has A. If k ≥ c, the
result is off by at most L·abs(ẑ − z) + q·A(ẑ) ≤ (1 + q)·L·abs(ẑ − z) + q·A(z).

*Layers.* Let S = 0 for the inputs, which are exact, and L·(abs(W)·S + t) + A behind each layer. If
e ≤ q·r·S before a layer, then both steps together give e ≤ q·(1 + q)²·r·S behind it. So after l
layers each evaluation is within q·(1 + q)²ˡ·S of the exact outputs, and two of them are within
twice that of each other. One more rounding in k covers that S itself is computed, in float64 from
values whose errors float64 bounds.

*Underflow.* A product that underflows loses at most the smallest subnormal number η, and so does
each rounding where subnormals are flushed, in bfloat16 the smallest normal number. exp of what is
far from zero overflows or underflows, which costs a result of activations at most 1024 times the
smallest normal number; 16-bit kernels compute it in float32, and lose η when they round, at most
three times. These losses take part in S like t and A. So the yardstick of an output, one rounding
unit, is u·S and the losses, and the distance of two evaluations is at most 2·(q/u)·(1 + q)²ˡ
rounding units. If k·u ≥ 1, there is no bound.

Nothing is proved for softmax, whose exponentials have errors that grow with their arguments; for
softplus in float64, where PyTorch's branch beyond 20 is wrong by far more than u; for graphics
cards; and for an activation that states no c. Where a sum may overflow, S is infinite, and the
bound says nothing.

The gradients of two such evaluations are not bounded here: each is close to the exact gradient at
its own saved values (NOTE [the bound]), but these differ, and a slope may jump between them.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.reference.activations import Activation, activations_of
from lib.reference.float64_reference import Layers, columns, over_all_paths

_ROUNDINGS_IN_16_BITS = 3

_LARGEST_FACTOR = 1024
"""By how much a loss to underflow in a slope may still be multiplied: by z, and exp(z) is 0 if
abs(z) is larger."""


def roundings(activation: Activation) -> int:
    """Return c, the roundings when a kernel multiplies a cotangent by this activation's slope: NOTE
    [the bound]."""
    narrow = DTYPES[activation.experiment.dtype].narrow
    return _ROUNDINGS_IN_16_BITS if narrow and activation.roundings else activation.roundings


def steps(experiment: Experiment) -> int:
    """Return m, the roundings on the longest path of either gradient and the one step for S: NOTE
    [the bound]."""
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
        and not (
            narrow
            and method.by_operations
            and not all(one.by_operations for one in activations_of(experiment))
        )
    )


def bound_units(experiment: Experiment) -> float | None:
    """Return the a-priori bound on the discrepancy in rounding units, 2·γ(m)/u, or None if there is
    no proof or bound.

    There is no bound if m·u ≥ 1.
    """
    m, u = steps(experiment), unit_roundoff(experiment)
    return 2 * m / (1 - m * u) if m * u < 1 and proved(experiment) else None


def unit_roundoff(experiment: Experiment) -> float:
    """Return u = eps/2 of the dtype, the largest relative error when a number in its range is
    rounded to nearest.

    See Higham, theorem 2.2.
    """
    return torch.finfo(getattr(torch, experiment.dtype)).eps / 2


def output_bound_units(experiment: Experiment) -> float | None:
    """Return the a-priori bound on the distance of two evaluations of an output in rounding units,
    or None.

    It is None where NOTE [the bound of the outputs] proves none.
    """
    of_results = [one.of_result for one in activations_of(experiment)]
    softplus = "softplus" in experiment.activations and experiment.dtype == "float64"
    if experiment.device != "cpu" or None in of_results or softplus:
        return None
    k, u = max(max(experiment.widths[:-1]) + 1, *of_results) + 1, unit_roundoff(experiment)
    if k * u >= 1:
        return None
    q = k * u / (1 - k * u)
    return 2 * q / u * (1 + q) ** (2 * len(of_results))


class Yardstick(Layers):
    """The size of one rounding unit for every component of a block of samples, u·S and what
    underflow may lose.

    A subclass has `path_sums`, which returns S, float64 of shape (samples, components), and
    `_losses`, which has what underflow loses in each component.
    """

    path_sums: Callable[[Tensor], np.ndarray]
    _losses: np.ndarray

    def __init__(self, net: nn.Sequential, experiment: Experiment, dtype: torch.dtype) -> None:
        super().__init__(net, experiment, dtype)
        row, finfo = DTYPES[experiment.dtype], torch.finfo(getattr(torch, experiment.dtype))
        self._roundoff, self._largest, self._smallest_normal = (
            finfo.eps / 2,
            finfo.max,
            finfo.smallest_normal,
        )
        self._narrow, self._lost = (
            row.narrow,
            finfo.smallest_normal * (1 if row.flushed else finfo.eps),
        )

    def units_of(self, path_sums: np.ndarray) -> np.ndarray:
        """Return one rounding unit from S, float64 of the same shape: never 0.

        It is infinite, and so says nothing, where S is infinite or not a number, since something
        overflowed.
        """
        unit = path_sums * self._roundoff
        unit += self._losses
        return unit if unit.max(initial=0.0) < np.inf else np.where(unit < np.inf, unit, np.inf)


class GradientYardstick(Yardstick):
    """Of the gradients, from saved activations of shape (samples, neurons): NOTE [the bound]."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        # float32 is far more precise than the yardstick needs to be, except for float64.
        super().__init__(
            net, experiment, torch.float64 if experiment.dtype == "float64" else torch.float32
        )
        self._losses = (self._underflows(experiment.outputs).double() * self._lost).numpy()

    def path_sums(self, saved: Tensor) -> np.ndarray:
        return over_all_paths(self.sizes, self.terms(saved)).double().numpy().T

    def _underflows(self, outputs: int) -> Tensor:
        """Return the losses, in units of η, that reach each component: the larger of reverse and
        forward mode.

        The shape is (inputs,).
        """
        # 16-bit kernels multiply in float32, where their products do not underflow, and lose η only
        # when they round.
        of_slope = float(_ROUNDINGS_IN_16_BITS if self._narrow else _LARGEST_FACTOR)
        back = torch.zeros(outputs, dtype=self._dtype)
        for _, size, _, activation in reversed(self.layers):
            back = size.T @ (activation.steepest * back + of_slope * outputs) + outputs * len(size)
        ahead = torch.zeros_like(back)
        for _, size, _, activation in self.layers:
            ahead = activation.steepest * (size @ ahead + size.shape[1]) + of_slope
        return back.clamp(min=ahead.sum())


class OutputYardstick(Yardstick):
    """Of the outputs, from samples of shape (samples, inputs): NOTE [the bound of the outputs]."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        super().__init__(net, experiment, torch.float64)
        self._losses = self._underflows().numpy()

    def path_sums(self, x: Tensor) -> np.ndarray:
        """Return S. The sum of a coupled activation counts in all its results."""
        h = columns(x.detach(), self._dtype)
        sums = torch.zeros_like(h)
        for weight, size, bias, activation in self.layers:
            z = torch.addmm(bias, weight, h)
            terms = size @ h.abs() + bias.abs()
            h = activation.value_and_slope(z)[0]
            before = size @ sums + torch.where(terms > self._largest, torch.inf, terms)
            if activation.coupled:
                before = before.amax(0, keepdim=True).expand_as(before)
            sums = activation.steepest * before + activation.size(z, h)
        return sums.numpy().T

    def _underflows(self) -> Tensor:
        """Return the losses to underflow that reach each output, shape (outputs,)."""
        of_result = (
            _ROUNDINGS_IN_16_BITS * self._lost
            if self._narrow
            else _LARGEST_FACTOR * self._smallest_normal
        )
        lost = torch.zeros(self.sizes[0].shape[1], dtype=self._dtype)
        for _, size, _, activation in self.layers:
            lost = activation.steepest * (size @ lost + 2 * (size.shape[1] + 1) * self._lost)
            if activation.coupled:
                lost = lost.max().expand_as(lost)
            lost = lost + of_result
        return lost

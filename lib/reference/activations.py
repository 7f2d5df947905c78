"""The activations in numbers: one class each, used by both references and by the bounds.

A missing class is an error when this module is imported. The docstring of a class says why its c
(`roundings`) and T suffice for NOTE [the bound] in `bounds`, which defines g, s, T, u and v, and
why the c of a result (`of_result`) and A (`size`) suffice for NOTE [the bound of the outputs] in
`output_bounds`. exp and erf are accurate to 1 ulp, hence to 2u, as Sleef and the manual of glibc
document; γ accounts for terms in u².
"""

from math import inf

import torch
from flint import arb
from torch import Tensor
from torch.nn.functional import leaky_relu

from lib.experiment.choices import OUTPUT_ACTIVATIONS, complete
from lib.experiment.query import Experiment
from lib.reference.activation_base import (
    CLASSES,
    Activation,
    Real,
    at_least_tiny,
    density,
    leaky_slope,
    positive_part,
    sigmoid,
    softplus,
)


class Identity(
    Activation, name="identity", steepest=1.0, curvature=0.0, inexact=0.0, roundings=0, of_result=0
):
    """z if z > 0, else `below`·z. Slopes of 0 and 1, also ReLU's, multiply exactly: no rounding."""

    below = 1.0

    def value_and_slope(self, z: Real) -> tuple[Real, Real] | None:
        if isinstance(z, Tensor):
            # With a slope of 0, leaky_relu returns −0.
            value = leaky_relu(z, self.below) if self.below else z.clamp(min=0)
            # Terms need the sign of z, which is that of the value.
            return value, self.terms(value)
        if z > 0 or not self.kink:
            return z, arb(1)
        return (self.below * z, arb(self.below)) if z < 0 else None

    def terms(self, v: Tensor) -> Tensor:
        return (v > 0).to(v.dtype).clamp_(min=self.below)

    def size(self, z: Tensor, y: Tensor) -> Tensor:
        return y.abs() * self.of_result


class ReLU(Identity, name="relu", kink=True):
    below = 0.0

    def terms(self, y: Tensor) -> Tensor:
        """Return 1 where y is not 0, so also where y is NaN: there the kernel passes g on.

        A comparison whose result has the dtype of y is vectorized.
        """
        return torch.ne(y, 0, out=torch.empty_like(y))


class LeakyReLU(Identity, name="leaky_relu", kink=True, inexact=1.0, roundings=1, of_result=1):
    """T = s, one product; the result is one product, too."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.below = leaky_slope(experiment.dtype)


class ELU(Activation, name="elu", steepest=1.0, curvature=1.0, roundings=3, of_result=4):
    """g·exp(v): T = s; 2 for exp, 1 for the product.

    The result takes 2 for exp and 1 for subtracting 1, or 2 for expm1: 3 at most, and 1 to spare.
    """

    def value_and_slope(self, z: Real) -> tuple[Real, Real]:
        """Return value and slope at z. The slope does not jump at 0, so either side will do."""
        negative = -positive_part(-z)
        return positive_part(z) + negative.expm1(), negative.exp()

    def terms(self, v: Tensor) -> Tensor:
        return at_least_tiny(torch.exp(v.clamp(max=0)))

    def size(self, z: Tensor, y: Tensor) -> Tensor:
        return torch.ones_like(y)


class GELU(Activation, name="gelu", steepest=1.13, curvature=0.8, roundings=12, of_result=12):
    """g·(½·(1 + erf(v/√2)) + v·φ(v)): far below 0 the first term is tiny, but its error is about u.

    So T has the sizes of all terms: T = ½·(1 + abs(erf(v/√2))) + abs(v)·φ(v), never below ½.
    Rounding v/√2 costs 2u·abs(v)·φ; erf in float64 and its sum with 1 cost abs(erf)·u +
    ½·(1 + erf)·u; the density times v has 7 roundings and also the rounding of v² in its exponent,
    which costs abs(v)³·φ·u/2 < ¼·u. With the last sum and the last product, the total is below
    11·u·T. The float32 vector kernel has its own erf, a polynomial by Abramowitz and Stegun
    (7.1.26) with an error of 1.5e-7 ≈ 2.5u in addition to its roundings. A test of every float32
    between 2⁻¹⁶ and 16 in size (with AVX-512) found the slope off by at most 10.06·u·T before the
    last product, so c = 12. The slope is at most 1.1290. In the result, ½·(1 + erf) has the same
    error, multiplied by v.
    """

    def value_and_slope(self, z: Real) -> tuple[Real, Real]:
        root = 0.5**0.5 if isinstance(z, Tensor) else arb(0.5).sqrt()
        share = (z * -root).erfc() / 2
        return z * share, share + z * density(z)

    def terms(self, v: Tensor) -> Tensor:
        return 0.5 * (1 + torch.erf(v * 0.5**0.5).abs()) + v.abs() * density(v)

    def size(self, z: Tensor, y: Tensor) -> Tensor:
        return z.abs()


class SiLU(
    Activation,
    name="silu",
    steepest=1.1,
    curvature=0.5,
    by_operations=False,
    roundings=9,
    of_result=6,
):
    """g·σ·(1 + v·(1 − σ)): σ is off by at most 4u·σ: 2 for exp, 1 for the sum, 1 for the quotient.

    1 − σ has the same error and its own rounding, and is multiplied by v. In total, the error is at
    most u·σ·(7 + 4·abs(v)·σ + 9·abs(v)·(1 − σ)) ≤ 9·u·T with T = σ·(1 + abs(v)). If PyTorch
    differentiates by separate operations, σ underflows before it is multiplied by v. The slope is
    at most 1.0999. The result takes 2 for exp, and 1 each for the sum, the quotient and the
    product: 5, and 1 to spare.
    """

    def value_and_slope(self, z: Real) -> tuple[Real, Real]:
        share = sigmoid(z)
        y = z * share
        return y, share + y * (1 - share)

    def terms(self, v: Tensor) -> Tensor:
        return at_least_tiny(torch.sigmoid(v) * (1 + v.abs()))

    def size(self, z: Tensor, y: Tensor) -> Tensor:
        return z.abs()


class Softplus(Activation, name="softplus", steepest=1.0, curvature=0.25, roundings=5, of_result=6):
    """g·e/(e + 1) with e = exp(v), and g beyond 20: T = s; exp adds 2, and 3 operations follow.

    In real numbers, softplus is log(1 + eˣ) everywhere. Beyond 20, PyTorch uses x instead, whose
    slope 1 is wrong by less than 2.1e-9. This error is PyTorch's own, and all methods share it. The
    result takes 2 for exp, since a relative error of e is at most the same relative error of
    log1p(e), and 2 for log1p: 4, and 2 to spare.
    """

    def value_and_slope(self, z: Real) -> tuple[Real, Real]:
        return softplus(z), sigmoid(z)

    def terms(self, v: Tensor) -> Tensor:
        return at_least_tiny(torch.where(v > 20, 1.0, torch.sigmoid(v)))


class Tanh(
    Activation,
    name="tanh",
    steepest=1.0,
    curvature=0.77,
    largest=1.0,
    inexact=0.125,
    roundings=2,
    of_result=4,
):
    """g·(1 − y²): y² has an error of u·y², which is not small compared with 1 − y² = s.

    Together with the other two roundings, the error is 2·u·s + u·y² = 2·u·T with T = 1 − y²/2. It
    is smaller if the multiplication is fused with the subtraction. The result is off by 2 ulps, the
    most that glibc documents. In float64, that is 4u·abs(y), and the slope is off by u·(1 + 8·y²):
    `inexact` allows 4u·(1 + abs(z)).
    """

    def value_and_slope(self, z: Real) -> tuple[Real, Real]:
        y = z.tanh()
        return y, 1 - y * y

    def terms(self, y: Tensor) -> Tensor:
        return 1 - y * y / 2


class Sigmoid(
    Activation,
    name="sigmoid",
    steepest=0.25,
    curvature=0.1,
    largest=1.0,
    inexact=0.125,
    roundings=3,
    of_result=6,
):
    """g·(1 − y)·y: T = s, since 1 − y has a single relative error; 3 operations.

    The result takes 2 for exp, and 1 each for the sum and the quotient; in float16 it is rounded
    twice more. In float64, 4u·y in the result and another 2u·s in the slope are within the
    4u·(1 + abs(z)) that `inexact` allows.
    """

    def value_and_slope(self, z: Real) -> tuple[Real, Real]:
        y = sigmoid(z)
        return y, self.terms(y)

    def terms(self, y: Real) -> Real:
        return y * (1 - y)


class Softmax(
    Activation, name="softmax", coupled=True, steepest=2.0, curvature=inf, largest=1.0, inexact=4.0
):
    """y·(g − Σ g·y): T = y·(abs(g) + Σ abs(g)·y), n + 2 roundings for n outputs.

    Over all rows, T is y·(1 + Σ y) ≤ 2. The outputs add up to 1, so the gradient of their sum is
    exactly 0, whatever the input. The references use this 0 and no slopes, so the curvature does
    not matter. An error of at most d in every z changes an output by at most d/2, since the sizes
    of its slopes y·(1 − y) and −y·y_k add up to 2·y·(1 − y). In float64 the exponents and the sum
    of up to 64 terms are rounded, which `inexact` covers.
    """

    def value_and_slope(self, z: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return the results twice: an output has no slope of its own.

        z is never a ball: `arb_gradient` has a softmax of balls.
        """
        y = torch.softmax(z, 0)
        return y, y

    @property
    def roundings(self) -> int:  # type: ignore[override]
        return self.experiment.outputs + 2

    def terms(self, y: Tensor) -> Tensor:
        return y * (1 + y.sum(0))


ACTIVATIONS = complete("activation", OUTPUT_ACTIVATIONS, dict(CLASSES))
"""Every activation that can be chosen, by name."""


def activations_of(experiment: Experiment) -> list[Activation]:
    """Return the activations of all layers of the experiment."""
    return [ACTIVATIONS[name](experiment) for name in experiment.activations]

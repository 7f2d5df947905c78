"""The activations in numbers: one class each, used by both references and by the bound.

A missing class is an error when this module is imported. The docstring of a class says why its c and T suffice for
NOTE [the bound] in `bounds`, which defines T, s, u and v. exp and erf are accurate to 1 ulp, hence to 2u, as Sleef and
the manual of glibc document; γ accounts for terms in u².
"""

from collections.abc import Callable
from math import inf, pi, sqrt

import torch
from flint import arb
from torch import Tensor

from lib.experiment.choices import OUTPUT_ACTIVATIONS, complete
from lib.experiment.query import Experiment
from lib.reference.balls import logistic, normal_density, normal_distribution

GIVEN: dict[str, type["Activation"]] = {}
"""Every activation class defined so far, by name."""


class Activation:
    """An activation in an experiment. A subclass that lacks an attribute without a default here raises TypeError.

    `in_float64` and `in_balls` return value and slope at z; `in_balls` returns None if a ball holds a kink. `steepest`
    bounds the size of the slope and `curvature` the size of its derivative, both rounded up; `largest` bounds the
    value, and `kink` says whether the slope jumps. The float64 reference allows for errors in value and slope;
    `inexact` is the fraction of that allowance that rounding can use up: 0 if both are exact, little if the errors are
    small. If the activation is `coupled`, each output depends on all of z.

    `terms` returns T from what PyTorch saved, either the result y or the input v, with the neurons as the first
    dimension. `roundings` is c in float32 and float64. `by_operations` says whether c also holds in 16 bits when
    PyTorch differentiates by separate operations instead of by the kernel.
    """

    in_float64: Callable[[Tensor], tuple[Tensor, Tensor]]
    in_balls: Callable[[arb], tuple[arb, arb] | None] | None
    terms: Callable[[Tensor], Tensor]
    steepest: float
    curvature: float
    kink: bool
    roundings: int
    by_operations: bool
    largest = inf
    inexact = 1.0
    coupled = False

    def __init_subclass__(cls, name: str) -> None:
        if lacking := [needed for needed in Activation.__annotations__ if not hasattr(cls, needed)]:
            raise TypeError(f"The activation {name} lacks {', '.join(lacking)}.")
        GIVEN[name] = cls

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment


def leaky_slope(dtype: str) -> float:
    """Return the slope of leaky ReLU below 0: 0.01 rounded to the type in which the kernel computes.

    That type is float32 for narrower dtypes, too (`opmath_type` in PyTorch's ActivationKernel).
    """
    return 0.01 if dtype == "float64" else torch.tensor(0.01, dtype=torch.float32).item()


def density(x: Tensor) -> Tensor:
    """Return the density of the normal distribution at x, in the shape and dtype of x."""
    return torch.exp(-(x**2) / 2) / sqrt(2 * pi)


def no_less(terms: Tensor) -> Tensor:
    """Raise the sizes of terms to a minimum above which exp does not underflow."""
    finfo = torch.finfo(terms.dtype)
    return terms.clamp(min=finfo.smallest_normal / finfo.eps**2)


class Identity(Activation, name="identity"):
    """Its slope is an exact factor."""

    steepest, curvature, kink, inexact, roundings, by_operations = 1.0, 0.0, False, 0.0, 0, True

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        return z, torch.ones_like(z)

    def in_balls(self, z: arb) -> tuple[arb, arb]:
        return z, arb(1)

    def terms(self, v: Tensor) -> Tensor:
        return torch.ones_like(v)


class ReLU(Activation, name="relu"):
    """Its slopes, 0 and 1, are exact factors."""

    steepest, curvature, kink, inexact, roundings, by_operations = 1.0, 0.0, True, 0.0, 0, True

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        positive = z.clamp(min=0)
        return positive, positive.sign()

    def in_balls(self, z: arb) -> tuple[arb, arb] | None:
        if z > 0:
            return z, arb(1)
        return (arb(0), arb(0)) if z < 0 else None

    def terms(self, y: Tensor) -> Tensor:
        values = y.numpy()  # several times as fast as in PyTorch
        return torch.from_numpy((~(values <= 0)).astype(values.dtype))  # where y is no number, g is passed on, too


class LeakyReLU(Activation, name="leaky_relu"):
    """T = s, one product."""

    steepest, curvature, kink, roundings, by_operations = 1.0, 0.0, True, 1, True

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.below = leaky_slope(experiment.dtype)

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        return torch.where(z > 0, z, self.below * z), self.terms(z)

    def in_balls(self, z: arb) -> tuple[arb, arb] | None:
        if z > 0:
            return z, arb(1)
        return (self.below * z, arb(self.below)) if z < 0 else None

    def terms(self, v: Tensor) -> Tensor:
        return torch.ones_like(v).where(v > 0, self.below)


class ELU(Activation, name="elu"):
    """g·exp(v): T = s; 2 for exp, 1 for the product."""

    steepest, curvature, kink, roundings, by_operations = 1.0, 1.0, False, 3, True

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        negative = z.clamp(max=0)
        return z.clamp(min=0) + torch.expm1(negative), torch.exp(negative)

    def in_balls(self, z: arb) -> tuple[arb, arb]:
        """Return value and slope at z. The slope does not jump at 0, so either branch suits a ball that holds 0."""
        if z > 0:
            return z, arb(1)
        negative = -(-z).nonnegative_part()
        return z.nonnegative_part() + negative.expm1(), negative.exp()

    def terms(self, v: Tensor) -> Tensor:
        return no_less(torch.exp(v.clamp(max=0)))


class GELU(Activation, name="gelu"):
    """g·(½·(1 + erf(v/√2)) + v·φ(v)): far below 0 the first term is tiny, but it is computed with an error of about u.

    So T takes that term as it is added up: T = ½·(1 + abs(erf(v/√2))) + abs(v)·φ(v), never below ½. Rounding v/√2 costs
    2u·abs(v)·φ; erf in float64 and its sum with 1 cost abs(erf)·u + ½·(1 + erf)·u; the density times v has 7 roundings
    and also the rounding of v² in its exponent, which costs abs(v)³·φ·u/2 < ¼·u. With the last sum and the last
    product, the total is below 11·u·T. The float32 vector kernel has its own erf, a polynomial by Abramowitz and Stegun
    (7.1.26) with an error of 1.5e-7 ≈ 2.5u in addition to its roundings. A test of every float32 between 2⁻¹⁶ and 16 in
    size (with AVX-512) found the slope off by at most 10.06·u·T before the last product, so c = 12.
    """

    steepest, curvature, kink, roundings, by_operations = 1.13, 0.8, False, 12, True  # the slope is at most 1.1290

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        share = torch.erfc(z * -(0.5**0.5)) / 2
        return z * share, share + z * density(z)

    def in_balls(self, z: arb) -> tuple[arb, arb]:
        share = normal_distribution(z)
        return z * share, share + z * normal_density(z)

    def terms(self, v: Tensor) -> Tensor:
        return 0.5 * (1 + torch.erf(v * 0.5**0.5).abs()) + v.abs() * density(v)


class SiLU(Activation, name="silu"):
    """g·σ·(1 + v·(1 − σ)): σ is off by at most 4u (exp, sum, quotient), so 1 − σ is off by 4u·σ, which v multiplies.

    In total, the error is at most u·σ·(7 + 4·abs(v)·σ + 9·abs(v)·(1 − σ)) ≤ 9·u·T with T = σ·(1 + abs(v)).
    """

    steepest, curvature, kink, roundings = 1.1, 0.5, False, 9  # the slope is at most 1.0999
    by_operations = False  # σ underflows before it is multiplied by v

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        share = torch.sigmoid(z)
        return z * share, share + z * share * (1 - share)

    def in_balls(self, z: arb) -> tuple[arb, arb]:
        share, slope = logistic(z)
        return z * share, share + z * slope

    def terms(self, v: Tensor) -> Tensor:
        return no_less(torch.sigmoid(v) * (1 + v.abs()))


class Softplus(Activation, name="softplus"):
    """g·e/(e + 1) with e = exp(v), and g beyond 20: T = s; exp adds less than its own 2, and 3 operations follow.

    In real numbers, softplus is log(1 + eˣ) everywhere. Beyond 20, PyTorch uses x instead, whose slope 1 is wrong by
    less than 2.1e-9. This error is PyTorch's own, and all methods share it.
    """

    steepest, curvature, kink, roundings, by_operations = 1.0, 0.25, False, 5, True

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        return torch.logaddexp(z, z.new_zeros(())), torch.sigmoid(z)

    def in_balls(self, z: arb) -> tuple[arb, arb]:
        return z.nonnegative_part() + (-abs(z)).exp().log1p(), logistic(z)[0]

    def terms(self, v: Tensor) -> Tensor:
        return no_less(torch.where(v > 20, 1.0, torch.sigmoid(v)))


class Tanh(Activation, name="tanh"):
    """g·(1 − y²): y² has an error of u·y², which is not small compared with 1 − y² = s.

    Together with the other two roundings, the error is 2·u·s + u·y² = 2·u·T with T = 1 − y²/2. It is smaller if the
    multiplication is fused with the subtraction.
    """

    steepest, curvature, kink, largest, inexact, roundings, by_operations = 1.0, 0.77, False, 1.0, 0.125, 2, True

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.tanh(z)
        return y, 1 - y * y

    def in_balls(self, z: arb) -> tuple[arb, arb]:
        return z.tanh(), 4 * logistic(2 * z)[1]

    def terms(self, y: Tensor) -> Tensor:
        return 1 - y * y / 2


class Sigmoid(Activation, name="sigmoid"):
    """g·(1 − y)·y: T = s, since 1 − y has a single relative error; 3 operations."""

    steepest, curvature, kink, largest, inexact, roundings, by_operations = 0.25, 0.1, False, 1.0, 0.125, 3, True

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.sigmoid(z)
        return y, self.terms(y)

    def in_balls(self, z: arb) -> tuple[arb, arb]:
        return logistic(z)

    def terms(self, y: Tensor) -> Tensor:
        return y * (1 - y)


class Softmax(Activation, name="softmax"):
    """y·(g − Σ g·y): T = y·(abs(g) + Σ abs(g)·y), over all rows y·(1 + Σ y) ≤ 2; n + 2 roundings for n outputs.

    The outputs add up to 1, so the gradient of their sum is exactly 0, whatever the input. The references need no more
    than that of the slopes, so the curvature does not matter. An error of all z of at most d changes an output by at
    most d/2, since its slopes y·(1 − y) and −y·y_k have sizes that add up to 2·y·(1 − y). Up to 64 terms and the
    exponents round the results in float64, which `inexact` covers.
    """

    in_balls = None
    steepest, curvature, kink, largest, coupled, by_operations = 2.0, inf, False, 1.0, True, True
    inexact = 4.0

    def in_float64(self, z: Tensor) -> tuple[Tensor, Tensor]:
        """Return the results twice: an output has no slope of its own."""
        y = torch.softmax(z, 0)
        return y, y

    @property
    def roundings(self) -> int:  # type: ignore[override]  # a constant in all other classes
        return self.experiment.outputs + 2

    def terms(self, y: Tensor) -> Tensor:
        return y * (1 + y.sum(0))


ACTIVATIONS = complete("activation", OUTPUT_ACTIVATIONS, dict(GIVEN))
"""Every activation that can be chosen, by name."""


def activations_of(experiment: Experiment) -> list[Activation]:
    """Return the activations of all layers of the experiment."""
    return [ACTIVATIONS[name](experiment) for name in experiment.activations]

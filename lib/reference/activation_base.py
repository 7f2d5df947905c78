"""The base class of the activations, and elementary functions in two arithmetics.

Each function takes a tensor of float64 numbers, or one real number as a ball.
"""

from collections.abc import Callable
from math import inf, pi, sqrt
from typing import TypeVar

import torch
from flint import arb
from torch import Tensor

from lib.experiment.query import Experiment

Real = TypeVar("Real", Tensor, arb)
"""A tensor of float64 numbers, or one real number as a ball."""

CLASSES: dict[str, type["Activation"]] = {}
"""Every activation class defined so far, by name."""


class Activation:
    """An activation in an experiment.

    c, T, u and v are those of NOTE [the bound] in `bounds`, and A is that of NOTE [the bound of the
    outputs] in `output_bounds`. Attributes without a default are required: defining a subclass that
    lacks one raises TypeError.

    Attributes:
        value_and_slope: returns value and slope at z, in the arithmetic of z, or None if z is a
            ball that contains a kink.
        terms: returns T ≥ abs(slope) from v, what PyTorch saved: the input, or the result, then
            named y. The neurons are the first dimension.
        steepest: an upper bound on abs(slope).
        curvature: an upper bound on the size of the slope's derivative.
        roundings: c in float32 and float64.
        kink: whether the slope jumps.
        largest: an upper bound on abs(value).
        inexact: a number, 0 where value and slope are exact in float64. `float64_reference` allows
            them an error of `inexact`·`_FUNCTION`·(1 + abs(z)).
        coupled: whether each output depends on all of z.
        by_operations: whether c also holds in 16 bits if PyTorch differentiates by separate
            operations, as it does for methods with `by_operations` in `methods.METHODS`.
        of_result: the roundings c of the result, None if there is no proof.
        size: returns A at z, where y is the exact result.
    """

    value_and_slope: Callable[[Real], tuple[Real, Real]]
    terms: Callable[[Tensor], Tensor]
    steepest: float
    curvature: float
    roundings: int
    kink = False
    largest = inf
    inexact = 1.0
    coupled = False
    by_operations = True
    of_result: int | None = None

    def __init_subclass__(cls, name: str, **numbers: float | None) -> None:
        for key, number in numbers.items():
            setattr(cls, key, number)
        if lacking := [needed for needed in Activation.__annotations__ if not hasattr(cls, needed)]:
            raise TypeError(f"The activation {name} lacks {', '.join(lacking)}.")
        CLASSES[name] = cls

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    def size(self, z: Tensor, y: Tensor) -> Tensor:
        return y.abs()


def leaky_slope(dtype: str) -> float:
    """Return the slope of leaky ReLU below 0: 0.01 rounded as the kernel rounds it.

    For 16-bit dtypes the kernel computes in float32 (`opmath_type` in PyTorch's ActivationKernel).
    """
    return 0.01 if dtype == "float64" else torch.tensor(0.01, dtype=torch.float32).item()


def sigmoid(z: Real) -> Real:
    """Return 1/(1 + exp(−z)), computed so that exp does not overflow."""
    if isinstance(z, Tensor):
        return torch.sigmoid(z)
    if z < 0:
        power = z.exp()
        return power / (1 + power)
    return 1 / (1 + (-z).exp())


def positive_part(z: Real) -> Real:
    """Return the larger of 0 and z."""
    return z.clamp(min=0) if isinstance(z, Tensor) else z.nonnegative_part()


def softplus(z: Real) -> Real:
    """Return log(1 + exp(z)), computed so that exp does not overflow."""
    if isinstance(z, Tensor):
        return torch.logaddexp(z, z.new_zeros(()))
    return positive_part(z) + (-abs(z)).exp().log1p()


def density(z: Real) -> Real:
    """Return the density of the normal distribution at z, in the shape and dtype of z."""
    root = sqrt(2 * pi) if isinstance(z, Tensor) else (2 * arb.pi()).sqrt()
    return (-(z * z) / 2).exp() / root


def at_least_tiny(terms: Tensor) -> Tensor:
    """Return T, clamped from below so that what exp loses to underflow is far below u·T."""
    finfo = torch.finfo(terms.dtype)
    return terms.clamp(min=finfo.smallest_normal / finfo.eps**2)

"""The base class of activations: what each has to state in numbers, and functions that several activations share."""

from collections.abc import Callable
from math import inf, pi, sqrt

import torch
from flint import arb
from torch import Tensor

from lib.experiment.query import Experiment

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

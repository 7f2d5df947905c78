"""What an activation has to say of itself in numbers, and what several of them compute."""

from collections.abc import Callable
from math import inf, pi, sqrt

import torch
from flint import arb
from torch import Tensor

from lib.experiment.query import Experiment

GIVEN: dict[str, type["Activation"]] = {}
"""Every class of an activation, by name, as soon as it is defined."""


class Activation:
    """An activation in an experiment. Every class says for itself what has no value here; else it raises TypeError.

    `in_float64` and `in_balls` give value and slope at z, the latter None where a ball holds a kink. `steepest` bounds
    the size of the slope and `curvature` that of its derivative, both rounded up; `largest` bounds the value, and
    `kink` tells whether the slope jumps. `inexact` is the share of what the float64 reference allows for errors of
    value and slope that rounding can take: none where both are exact, little where they are small. Where it is
    `coupled`, each output depends on all of z.

    `terms` gives T from what PyTorch saved, its result y or its input v, with the neurons as the first dimension.
    `roundings` is c in float32 and float64. `by_operations` tells whether that holds in 16 bits, too, where PyTorch
    differentiates by separate operations instead of the kernel.
    """

    in_float64: Callable[[Tensor], tuple[Tensor, Tensor]] | None
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
    """The slope of leaky ReLU below 0: 0.01 rounded to the type that the kernel computes in, float32 for narrower ones
    too (`opmath_type` in PyTorch's ActivationKernel)."""
    return 0.01 if dtype == "float64" else torch.tensor(0.01, dtype=torch.float32).item()


def density(x: Tensor) -> Tensor:
    """The density of the normal distribution at x, of the shape and the dtype of x."""
    return torch.exp(-(x**2) / 2) / sqrt(2 * pi)


def no_less(terms: Tensor) -> Tensor:
    """Sizes of terms, none so small that exp might underflow."""
    finfo = torch.finfo(terms.dtype)
    return terms.clamp(min=finfo.smallest_normal / finfo.eps**2)

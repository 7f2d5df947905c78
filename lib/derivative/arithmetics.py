"""The two arithmetics in which the study evaluates expressions: PyTorch's tensors and Arb's balls."""

import math
import operator
from collections.abc import Callable
from operator import attrgetter

import torch
from flint import arb
from torch import Tensor

from lib.derivative.expressions import FUNCTIONS, SIGNS, Arithmetic

_SIGNS: dict[str, Callable] = {name: getattr(operator, name) for name in SIGNS.values()}
"""The signs for all numbers that know Python's operators."""


def _power(base: Tensor | float, exponent: Tensor | float) -> Tensor | float:
    if isinstance(base, Tensor) or isinstance(exponent, Tensor):
        return base**exponent
    return math.pow(base, exponent)  # in floats: whole numbers might grow beyond all memory


def _of_tensor_or_number(name: str) -> Callable[[Tensor | float], Tensor | float]:
    """A function by its name in PyTorch, which computes it of a number in float64."""
    function = attrgetter(name.removeprefix("torch."))(torch)

    def apply(operand: Tensor | float) -> Tensor | float:
        if isinstance(operand, Tensor):
            return function(operand)
        return function(torch.tensor(operand, dtype=torch.float64)).item()

    return apply


IN_TORCH: Arithmetic[Tensor | float] = Arithmetic(
    "PyTorch",
    number=lambda constant: constant,  # as it is, so that x keeps its dtype
    operations=_SIGNS
    | {"pow": _power, "pi": lambda: math.pi}
    | {name: _of_tensor_or_number(in_torch) for name, in_torch in FUNCTIONS.items()},
)
"""Every operation on x is one of PyTorch's, rounded to the dtype of x; those among constants are Python's.

These raise ArithmeticError or ValueError where they overflow, divide by zero, or take a root that is not real.
"""

IN_BALLS: Arithmetic[arb] = Arithmetic(
    "Arb",
    number=arb,
    operations=_SIGNS
    | {name: getattr(arb, name) for name in FUNCTIONS if hasattr(arb, name)}
    | {"abs": abs, "sign": arb.sgn, "pi": arb.pi},
)
"""Balls that hold the exact value, as narrow as Arb's precision at the time makes them."""

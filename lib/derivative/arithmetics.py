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
"""The signs, for every type of number that supports Python's operators."""


def _power(base: Tensor | float, exponent: Tensor | float) -> Tensor | float:
    if isinstance(base, Tensor) or isinstance(exponent, Tensor):
        return base**exponent
    return math.pow(base, exponent)  # in floats: integers might outgrow the memory


def _of_tensor_or_number(name: str, in_torch: str) -> Callable[[Tensor | float], Tensor | float]:
    """A function of a tensor or a number, by its names in `math` and in PyTorch.

    A number goes to `math`, if that has the function: its square root is correctly rounded. PyTorch's is that of a
    library, which is off by an ulp on some processors.
    """
    of_tensor, of_number = attrgetter(in_torch.removeprefix("torch."))(torch), getattr(math, name, None)

    def apply(operand: Tensor | float) -> Tensor | float:
        if isinstance(operand, Tensor):
            return of_tensor(operand)
        return of_number(operand) if of_number else of_tensor(torch.tensor(operand, dtype=torch.float64)).item()

    return apply


IN_TORCH: Arithmetic[Tensor | float] = Arithmetic(
    "PyTorch",
    number=lambda constant: constant,  # no tensor, so that x keeps its dtype
    operations=_SIGNS
    | {"pow": _power, "pi": lambda: math.pi}
    | {name: _of_tensor_or_number(name, in_torch) for name, in_torch in FUNCTIONS.items()},
)
"""Operations on x are PyTorch's, rounded to the dtype of x; signs between constants alone are Python's.

The latter raise ArithmeticError or ValueError if they overflow, divide by zero, or take a root that is not real.
"""

IN_BALLS: Arithmetic[arb] = Arithmetic(
    "Arb",
    number=arb,
    operations=_SIGNS
    | {name: getattr(arb, name) for name in FUNCTIONS if hasattr(arb, name)}
    | {"abs": abs, "sign": arb.sgn, "pi": arb.pi},
)
"""Balls that contain the exact value, as narrow as Arb's current precision allows."""

"""The arithmetic of PyTorch's tensors, in which autograd and the formulas are evaluated."""

import math
import operator
from collections.abc import Callable
from operator import attrgetter

import torch
from torch import Tensor

from lib.experiment.expressions import CALLS, OF_ONE_NUMBER, SIGNS, Arithmetic

_SIGNS: dict[str, Callable] = {name: getattr(operator, name) for name in SIGNS.values()}
"""The signs, for every type of number that supports Python's operators."""


def _bounded(sign: Callable) -> Callable:
    """A sign whose whole numbers become floats where they outgrow those that PyTorch takes."""

    def apply(*operands: Tensor | float) -> Tensor | float:
        value = sign(*operands)
        return float(value) if isinstance(value, int) and abs(value) >= 2**53 else value

    return apply


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


def _of_two(name: str) -> Callable[[Tensor | float, Tensor | float], Tensor | float]:
    """PyTorch's maximum or minimum, which takes no numbers, so these become tensors like the other operand."""
    of_tensors: Callable[[Tensor, Tensor], Tensor] = getattr(torch, name)
    of_numbers: Callable[[float, float], float] = {"maximum": max, "minimum": min}[name]

    def apply(left: Tensor | float, right: Tensor | float) -> Tensor | float:
        tensor = left if isinstance(left, Tensor) else right
        if isinstance(tensor, Tensor):
            both = (one if isinstance(one, Tensor) else like(tensor, one) for one in (left, right))
            return of_tensors(*both)
        return of_numbers(*(float(one) for one in (left, right)))

    return apply


def like(tensor: Tensor, number: float) -> Tensor:
    """A number as a tensor of the shape and dtype of another, infinite where it overflows."""
    return torch.full_like(tensor, number, dtype=torch.float64).to(tensor.dtype)


def _as_float(operand: Tensor | float) -> Tensor | float:
    return float(operand) if isinstance(operand, int) else operand


def _where(condition: Tensor | bool, this: Tensor | float, that: Tensor | float) -> Tensor | float:
    """PyTorch's where. Of two whole numbers it would make whole numbers, on which some functions fail."""
    if isinstance(condition, Tensor):
        try:
            return torch.where(condition, _as_float(this), _as_float(that))
        except RuntimeError as error:
            raise OverflowError(f"PyTorch refuses a number in where that its dtype cannot hold: {error}.") from error
    return this if condition else that


IN_TORCH: Arithmetic[Tensor | float] = Arithmetic(
    "PyTorch",
    number=lambda constant: constant,  # no tensor, so that x keeps its dtype
    operations={name: _bounded(sign) for name, sign in _SIGNS.items()}
    | {"pow": _power, "pi": lambda: math.pi, "e": lambda: math.e}
    | {"where": _where, "maximum": _of_two("maximum"), "minimum": _of_two("minimum")}
    | {name: _of_tensor_or_number(name, CALLS[name].torch) for name in OF_ONE_NUMBER},
)
"""Operations on x are PyTorch's, rounded to the dtype of x; signs between constants alone are Python's.

The latter raise ArithmeticError or ValueError if they overflow, divide by zero, or take a root that is not real.
"""

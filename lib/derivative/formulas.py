"""The functions of the derivative study in PyTorch, each with derivatives by hand that are equal on paper.

The key of a formula is the text that the page shows, and the formula computes exactly that, operation by operation,
each rounded to the dtype of x. Only of two numbers in `where` PyTorch makes float32, its default dtype, and what meets
them may be wider, too. Everything works on a whole block of x: NOTE [whole blocks].

NOTE [whole blocks]: an elementwise kernel computes most of a tensor in vector registers and the remainder one number at
a time, for which some kernels use another approximation. Measured on an AVX-512 machine, an x computed alone had
another last bit in 66 % of GELU's gradients in float32, 27 % of 1/cosh(x)**2 in float64, 12 % of x**-0.5 in bfloat16.
A block whose size is a large power of two has no remainder, and a value does not depend on its position there: the
tests shuffle blocks. So blocks are computed whole and then cut, and a single x is computed as a block of copies.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

import torch
from flint import arb
from torch import Tensor

from lib.derivative import power_series
from lib.experiment import functions
from lib.experiment.expressions import CALLS, OF_ONE_NUMBER, SIGNS, Arithmetic, Tree
from lib.experiment.parser import definitions, parse

Elementwise = Callable[[Tensor], Tensor]

AUTOGRAD = "autograd"
"""The name of autograd's derivative among the names of the formulas; it comes first."""


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
    of_tensor, of_number = (
        attrgetter(in_torch.removeprefix("torch."))(torch),
        getattr(math, name, None),
    )

    def apply(operand: Tensor | float) -> Tensor | float:
        if isinstance(operand, Tensor):
            return of_tensor(operand)
        return (
            of_number(operand)
            if of_number
            else of_tensor(torch.tensor(operand, dtype=torch.float64)).item()
        )

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


def _where(condition: Tensor | bool, this: Tensor | float, that: Tensor | float) -> Tensor | float:
    """PyTorch's where. Of two whole numbers it would make whole numbers, on which some functions fail."""
    if isinstance(condition, Tensor):
        this, that = (float(one) if isinstance(one, int) else one for one in (this, that))
        try:
            return torch.where(condition, this, that)
        except RuntimeError as error:
            raise OverflowError(
                f"PyTorch refuses a number in where that its dtype cannot hold: {error}."
            ) from error
    return this if condition else that


IN_TORCH: Arithmetic[Tensor | float] = Arithmetic(
    "PyTorch",
    number=lambda constant: constant,  # no tensor, so that x keeps its dtype
    operations={name: _bounded(getattr(operator, name)) for name in SIGNS.values()}
    | {"pow": _power, "pi": lambda: math.pi, "e": lambda: math.e}
    | {"where": _where, "maximum": _of_two("maximum"), "minimum": _of_two("minimum")}
    | {name: _of_tensor_or_number(name, CALLS[name].torch) for name in OF_ONE_NUMBER},
)
"""Operations on x are PyTorch's, rounded to the dtype of x; signs between constants alone are Python's.

The latter raise ArithmeticError or ValueError if they overflow, divide by zero, or take a root that is not real.
"""


@dataclass(frozen=True)
class Function:
    """The texts of a `functions.Function`, as functions that compute them; that class describes the fields."""

    f: Elementwise
    formulas: dict[str, Elementwise]
    exists: Elementwise | None
    exact: Callable[[arb], arb]
    terms: tuple[Elementwise, ...]

    @classmethod
    def of(cls, name: str, row: functions.Function) -> "Function":
        """Parse the texts. Raises ValueError, with the name, if one is not an expression or has an unknown
        operation."""
        try:
            letters, f = definitions(row.where), parse(row.call)
            exact = parse(row.exact, letters) if row.exact else None
            terms = [parse(text, letters) for text in row.terms] or [exact] if exact else []
            return cls(
                elementwise(f),
                {text: elementwise(parse(text, letters)) for text in row.formulas},
                elementwise(parse(row.exists or "1")) if exact else None,
                power_series.value(exact) if exact else power_series.derivative(f),
                tuple(elementwise(term, shared=True) for term in terms),
            )
        except ValueError as error:
            raise ValueError(f"the function {name}: {error}") from None


def elementwise(tree: Tree, shared: bool = False) -> Elementwise:
    """Like `Arithmetic.function`, for a tensor of any shape and floating dtype; the values have its shape and dtype."""
    function = IN_TORCH.function(tree, shared)

    def f(x: Tensor) -> Tensor:
        value = function(x)
        if isinstance(value, Tensor):
            return value.to(x.dtype)
        return like(x, value)

    return f


class _Functions(dict[str, Function]):
    """The listed functions by name, and the visitor's own, as in `functions.FUNCTIONS`."""

    def __missing__(self, name: str) -> Function:
        return _own(name)


@lru_cache(maxsize=256)
def _own(name: str) -> Function:
    return Function.of(name, functions.FUNCTIONS[name])


COMPUTED = _Functions({name: Function.of(name, row) for name, row in functions.FUNCTIONS.items()})


def autograd(f: Elementwise, x: Tensor) -> Tensor:
    """The derivative of f at every x by a real `backward()`, in the shape of x."""
    x = x.detach().requires_grad_()
    y = f(x)
    y.backward(torch.ones_like(y))
    return x.grad


def derivatives_at(function: str, x: Tensor) -> dict[str, Tensor]:
    """The derivatives at x, a whole block, by autograd and every formula: by name, each in the shape of x."""
    computed = COMPUTED[function]
    return {AUTOGRAD: autograd(computed.f, x)} | {
        text: formula(x) for text, formula in computed.formulas.items()
    }

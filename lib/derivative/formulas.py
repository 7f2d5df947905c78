"""The functions of the derivative study in PyTorch, each with derivatives by hand that are equal on
paper.

The key of a formula is the text that the page shows. The formula computes exactly that, operation
by operation, each rounded to the dtype of x. There is one exception: torch.where of two numbers
gives a tensor in PyTorch's default dtype, float32. If x has 16 bits, the operations on this tensor
are in float32, too. Everything works on a whole block of x: NOTE [whole blocks].

NOTE [whole blocks]: an elementwise kernel computes most of a tensor in vector registers and the
remainder one number at a time, for which some kernels use another approximation. Measured on an
AVX-512 machine, an x computed alone had another last bit in 66 % of GELU's gradients in float32,
27 % of 1/cosh(x)**2 in float64, 12 % of x**-0.5 in bfloat16. A block whose size is a large power of
two has no remainder, and a value does not depend on its position there: the tests shuffle blocks.
So blocks are computed whole and then cut, and a single x is computed as a block of copies.
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
from lib.experiment.expressions import CALLS, OF_ONE_NUMBER, SIGNS, Arithmetic, Tree
from lib.experiment.functions import FUNCTIONS
from lib.experiment.parser import definitions, parse

Elementwise = Callable[[Tensor], Tensor]
Number = Tensor | float

AUTOGRAD = "autograd"
"""The name of autograd's derivative among the names of the formulas; it comes first."""


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Tensor) or isinstance(exponent, Tensor):
        return base**exponent
    # The result of Python's `**` may be complex.
    return math.pow(base, exponent)


def _of_tensor_or_number(name: str) -> Callable[[Number], Number]:
    """Return a function of a tensor or a number.

    A number goes to `math`, if that has the function: `math.sqrt` is correctly rounded. PyTorch
    takes the square root from a library, and it is off by an ulp on some processors.
    """
    of_tensor = attrgetter(CALLS[name].torch.removeprefix("torch."))(torch)
    of_number = getattr(math, name, None)

    def apply(operand: Number) -> Number:
        if isinstance(operand, Tensor):
            return of_tensor(operand)
        if of_number:
            return of_number(operand)
        return of_tensor(torch.tensor(operand, dtype=torch.float64)).item()

    return apply


def _of_two(name: str, of_numbers: Callable[[float, float], float]) -> Callable[..., Number]:
    """Return PyTorch's maximum or minimum, which takes no numbers: they become tensors like x."""
    of_tensors: Callable[..., Tensor] = getattr(torch, name)

    def apply(*operands: Number) -> Number:
        tensors = [operand for operand in operands if isinstance(operand, Tensor)]
        if not tensors:
            return of_numbers(*map(float, operands))
        return of_tensors(*(like(tensors[0], operand) for operand in operands))

    return apply


def like(tensor: Tensor, value: Number) -> Tensor:
    """Return a number as a tensor with the shape and dtype of another tensor, infinite if it
    overflows. A tensor is returned as it is."""
    if isinstance(value, Tensor):
        return value
    return torch.full(tensor.shape, value, dtype=torch.float64).to(tensor)


def _where(condition: Tensor | bool, this: Number, that: Number) -> Number:
    if not isinstance(condition, Tensor):
        return this if condition else that
    try:
        return torch.where(condition, this, that)
    except RuntimeError as error:
        raise OverflowError(
            f"PyTorch refuses a number in where(…) that does not fit its dtype: {error}."
        ) from error


IN_TORCH: Arithmetic[Number] = Arithmetic(
    # A number is not made a tensor, so that x keeps its dtype.
    number=float,
    operations={
        **{name: getattr(operator, name) for name in SIGNS.values()},
        **{name: _of_tensor_or_number(name) for name in OF_ONE_NUMBER},
        "pow": _power,
        "pi": lambda: math.pi,
        "e": lambda: math.e,
        "where": _where,
        "maximum": _of_two("maximum", max),
        "minimum": _of_two("minimum", min),
    },
)
"""Operations on x are PyTorch's, rounded to the dtype of x. Between constants, they are Python's.

The latter raise ArithmeticError or ValueError if they overflow, divide by zero, or take a root that
is not real.
"""


@dataclass(frozen=True)
class Parsed:
    """The texts of a `functions.Function` as callables; that class says what each means."""

    f: Elementwise
    formulas: dict[str, Elementwise]
    exists: Elementwise
    exact: Callable[[arb], arb]
    terms: tuple[Elementwise, ...]


def elementwise(tree: Tree) -> Elementwise:
    """Return an expression as a function of a tensor of any shape and floating dtype.

    Its values have the shape and the dtype of the tensor.
    """
    function = IN_TORCH.function(tree)

    def f(x: Tensor) -> Tensor:
        return like(x, function(x)).to(x.dtype)

    return f


@lru_cache(maxsize=256)
def parsed(name: str) -> Parsed:
    """Return a listed function with its texts parsed, or a visitor's own by its text.

    Raises:
        ValueError: if a text is no expression. The message names the function.
    """
    row = FUNCTIONS[name]
    try:
        letters = definitions(row.where)
        f = parse(row.call)
        exact = power_series.derivative(f)
        terms = row.terms
        if row.exact:
            exact = power_series.value(parse(row.exact, letters))
            terms = row.terms or (row.exact,)
        return Parsed(
            elementwise(f),
            {text: elementwise(parse(text, letters)) for text in row.formulas},
            elementwise(parse(row.exists or "1")),
            exact,
            tuple(elementwise(parse(text, letters)) for text in terms),
        )
    except ValueError as error:
        raise ValueError(f"the function {name}: {error}") from None


# A row that cannot be read is an error at import.
for _name in FUNCTIONS:
    parsed(_name)


def autograd(f: Elementwise, x: Tensor) -> Tensor:
    """Return the derivative of f at every x by a real `backward()`, in the shape of x."""
    x = x.detach().requires_grad_()
    y = f(x)
    y.backward(torch.ones_like(y))
    return x.grad


def derivatives_at(function: str, x: Tensor) -> dict[str, Tensor]:
    """Return the derivatives by autograd and by every formula, by name.

    Args:
        function: the name of a listed function, or the text of a visitor's own.
        x: a whole block; each derivative has its shape.
    """
    row = parsed(function)
    by_hand = {text: formula(x) for text, formula in row.formulas.items()}
    return {AUTOGRAD: autograd(row.f, x)} | by_hand

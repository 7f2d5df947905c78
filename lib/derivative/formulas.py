"""The functions of the derivative study in PyTorch: each with derivatives by hand that are equal on paper.

A formula is keyed by the text that the page shows, and computes just that, operation by operation, each rounded to the
dtype of x. Everything works on a whole block of x: NOTE [whole blocks].

NOTE [whole blocks]: an elementwise kernel computes most of a tensor in vector registers and the remainder one number at
a time, where some take another approximation: on the AVX-512 machine that this was measured on, an x computed alone had
another last bit in 66 % of GELU's gradients in float32, 27 % of 1/cosh(x)**2 in float64, 12 % of x**-0.5 in bfloat16. A
block of a large power of two has no remainder, and in it a value does not depend on its position: the tests shuffle
blocks. So blocks are computed whole and then cut, and a single x as a block of copies.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import torch
from torch import Tensor

from lib.derivative import expressions
from lib.derivative.expressions import Arithmetic, Tree, Variable, parse
from lib.experiment import functions

Elementwise = Callable[[Tensor], Tensor]

AUTOGRAD = "autograd"
"""The name of autograd's derivative among those of the formulas; it comes first."""


@dataclass(frozen=True)
class Function:
    """`f`, its derivatives by hand by their texts, and the function that undoes it where there is one."""

    f: Elementwise
    formulas: dict[str, Elementwise]
    inverse: Elementwise | None = None

    @classmethod
    def of(cls, row: functions.Function) -> "Function":
        """What the texts of a row compute."""
        letters = expressions.definitions(row.where, {"x": Variable()})
        return cls(
            elementwise(parse(row.call, {"x": Variable()})),
            {text: elementwise(parse(text, letters)) for text in row.formulas},
            elementwise(parse(row.inverse, {"y": Variable()})) if row.inverse else None,
        )


def elementwise(tree: Tree) -> Elementwise:
    """An expression as a function of a tensor of any shape and floating dtype, which its values have too.

    It raises ArithmeticError or ValueError where numbers of the expression overflow, divide by zero or have no power
    among themselves; tensors give infinities and NaN there.
    """

    def f(x: Tensor) -> Tensor:
        value = IN_TORCH.value(tree, x)
        return value.to(x.dtype) if isinstance(value, Tensor) else torch.full_like(x, value)

    return f


def _power(base: Tensor | float, exponent: Tensor | float) -> Tensor | float:
    if isinstance(base, Tensor) or isinstance(exponent, Tensor):
        return base**exponent
    return math.pow(base, exponent)  # in floats: whole numbers might grow beyond all memory


def _function(name: str) -> Callable[[Tensor | float], Tensor | float]:
    """A function of a tensor by its name in PyTorch; of a number in float64."""
    function = attrgetter(name.removeprefix("torch."))(torch)

    def apply(operand: Tensor | float) -> Tensor | float:
        if isinstance(operand, Tensor):
            return function(operand)
        return function(torch.tensor(operand, dtype=torch.float64)).item()

    return apply


IN_TORCH: Arithmetic[Tensor | float] = Arithmetic(
    number=lambda constant: constant,  # so that x keeps its dtype
    operations=expressions.SIGNS
    | {"**": _power, "pi": lambda: math.pi}
    | {name: _function(in_torch) for name, in_torch in expressions.FUNCTIONS.items()},
)
"""Each operation is one of PyTorch's, rounded to the dtype of x; the constants are Python numbers."""

FUNCTIONS: dict[str, Function] = {name: Function.of(row) for name, row in functions.FUNCTIONS.items()}


def autograd(f: Elementwise, x: Tensor) -> Tensor:
    """The derivative of f at every x by a real `backward()`, of the shape of x."""
    x = x.detach().requires_grad_()
    y = f(x)
    y.backward(torch.ones_like(y))
    return x.grad


def derivatives_at(function: str, x: Tensor) -> dict[str, Tensor]:
    """The derivative at x, a whole block, by autograd and by every formula: by name, each of the shape of x."""
    row = FUNCTIONS[function]
    return {AUTOGRAD: autograd(row.f, x)} | {text: formula(x) for text, formula in row.formulas.items()}

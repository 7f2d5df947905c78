"""The functions of the derivative study in PyTorch, each with derivatives by hand that are equal on paper.

The key of a formula is the text that the page shows, and the formula computes exactly that, operation by operation,
each rounded to the dtype of x. Everything works on a whole block of x: NOTE [whole blocks].

NOTE [whole blocks]: an elementwise kernel computes most of a tensor in vector registers and the remainder one number at
a time, for which some kernels use another approximation. Measured on an AVX-512 machine, an x computed alone had
another last bit in 66 % of GELU's gradients in float32, 27 % of 1/cosh(x)**2 in float64, 12 % of x**-0.5 in bfloat16.
A block whose size is a large power of two has no remainder, and a value does not depend on its position there: the
tests shuffle blocks. So blocks are computed whole and then cut, and a single x is computed as a block of copies.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
from flint import arb
from torch import Tensor

from lib.derivative import power_series
from lib.derivative.arithmetics import IN_TORCH, like
from lib.experiment import functions
from lib.experiment.expressions import Tree, Variable
from lib.experiment.parser import definitions, parse

Elementwise = Callable[[Tensor], Tensor]

AUTOGRAD = "autograd"
"""The name of autograd's derivative among the names of the formulas; it comes first."""


@dataclass(frozen=True)
class Function:
    """The texts of a `functions.Function`, as functions that compute them; that class describes the fields."""

    f: Elementwise
    formulas: dict[str, Elementwise]
    inverse: Elementwise | None
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
                elementwise(parse(row.inverse, {"y": Variable()})) if row.inverse else None,
                elementwise(parse(row.exists or "1")) if exact else None,
                power_series.value(exact) if exact else power_series.derivative(f),
                tuple(elementwise(term, shared=True) for term in terms),
            )
        except ValueError as error:
            raise ValueError(f"the function {name}: {error}") from None

    @property
    def derivatives(self) -> dict[str, Elementwise]:
        """Autograd's derivative and the formulas, by name."""
        return {AUTOGRAD: lambda x: autograd(self.f, x)} | self.formulas


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
    return {name: derivative(x) for name, derivative in COMPUTED[function].derivatives.items()}

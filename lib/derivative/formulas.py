"""The functions of the derivative study in PyTorch: each with derivatives by hand that are equal on paper.

A formula is keyed by the text that the page shows, and computes just that, operation by operation, each rounded to the
dtype of x. Everything works on a whole block of x: NOTE [whole blocks].

NOTE [whole blocks]: an elementwise kernel computes most of a tensor in vector registers and the remainder one number at
a time, where some take another approximation: on the AVX-512 machine that this was measured on, an x computed alone had
another last bit in 66 % of GELU's gradients in float32, 27 % of 1/cosh(x)**2 in float64, 12 % of x**-0.5 in bfloat16. A
block of a large power of two has no remainder, and in it a value does not depend on its position: tests/
test_derivatives.py shuffles blocks. So blocks are computed whole and then cut, and a single x as a block of copies.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import gelu, softplus

from lib.reference.float64_reference import density

Elementwise = Callable[[Tensor], Tensor]

AUTOGRAD = "autograd"
"""The name of autograd's derivative among those of the formulas; it comes first."""


@dataclass(frozen=True)
class Function:
    """`f`, its derivatives by hand by their texts, and the function that undoes it where there is one."""

    f: Elementwise
    formulas: dict[str, Elementwise]
    inverse: Elementwise | None = None


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


_RECIPROCAL = {
    "-1/x**2": lambda x: -1 / x**2,
    "-(1/x)*(1/x)": lambda x: -(1 / x) * (1 / x),
    "-x**-2": lambda x: -(x**-2),
    "-(1/x)/x": lambda x: -(1 / x) / x,
}

FUNCTIONS: dict[str, Function] = {
    "reciprocal": Function(lambda x: 1 / x, _RECIPROCAL, lambda y: 1 / y),
    "ones-over-x": Function(lambda x: torch.ones_like(x) / x, _RECIPROCAL, lambda y: torch.ones_like(y) / y),
    "sqrt": Function(
        torch.sqrt,
        {
            "1/(2*sqrt(x))": lambda x: 1 / (2 * torch.sqrt(x)),
            "0.5*x**-0.5": lambda x: 0.5 * x**-0.5,
            "sqrt(x)/(2*x)": lambda x: torch.sqrt(x) / (2 * x),
        },
        lambda y: y**2,
    ),
    "exp": Function(
        torch.exp,
        {
            "exp(x)": torch.exp,
            "1/exp(-x)": lambda x: 1 / torch.exp(-x),
            "exp(x/2)**2": lambda x: torch.exp(x / 2) ** 2,
        },
        torch.log,
    ),
    "log": Function(
        torch.log,
        {
            "1/x": lambda x: 1 / x,
            "x/x**2": lambda x: x / x**2,
            "exp(-log(x))": lambda x: torch.exp(-torch.log(x)),
        },
        torch.exp,
    ),
    "tanh": Function(
        torch.tanh,
        {
            "1-tanh(x)**2": lambda x: 1 - torch.tanh(x) ** 2,
            "(1-t)*(1+t)": lambda x: (1 - torch.tanh(x)) * (1 + torch.tanh(x)),
            "1/cosh(x)**2": lambda x: 1 / torch.cosh(x) ** 2,
        },
        torch.atanh,
    ),
    "sigmoid": Function(
        torch.sigmoid,
        {
            "y*(1-y)": lambda x: torch.sigmoid(x) * (1 - torch.sigmoid(x)),
            "exp(-x)/(1+exp(-x))**2": lambda x: torch.exp(-x) / (1 + torch.exp(-x)) ** 2,
            "sigmoid(x)*sigmoid(-x)": lambda x: torch.sigmoid(x) * torch.sigmoid(-x),
        },
        torch.logit,
    ),
    "softplus": Function(
        softplus,
        {
            "sigmoid(x)": torch.sigmoid,
            "1/(1+exp(-x))": lambda x: 1 / (1 + torch.exp(-x)),
            "exp(x)/(1+exp(x))": lambda x: torch.exp(x) / (1 + torch.exp(x)),
            "1-exp(-y)": lambda x: 1 - torch.exp(-softplus(x)),
        },
        lambda y: torch.log(torch.expm1(y)),
    ),
    "gelu": Function(
        gelu,
        {
            "(1+erf(x/sqrt(2)))/2+x*p": lambda x: (1 + torch.erf(x / math.sqrt(2))) / 2 + x * density(x),
            "erfc(-x/sqrt(2))/2+x*p": lambda x: torch.erfc(-x / math.sqrt(2)) / 2 + x * density(x),
            "y/x+x*p": lambda x: gelu(x) / x + x * density(x),
        },
    ),
    "abs": Function(
        torch.abs,
        {
            "sign(x)": torch.sign,
            "x/abs(x)": lambda x: x / torch.abs(x),
            "abs(x)/x": lambda x: torch.abs(x) / x,
        },
    ),
    "relu": Function(
        torch.relu,
        {
            "1*(x>0)": lambda x: (x > 0).to(x.dtype),
            "relu(x)/x": lambda x: torch.relu(x) / x,
            "(1+sign(x))/2": lambda x: (1 + torch.sign(x)) / 2,
        },
    ),
    "square": Function(
        lambda x: x**2,
        {
            "2*x": lambda x: 2 * x,
            "x+x": lambda x: x + x,
            "2*x**2/x": lambda x: 2 * x**2 / x,
            "((x+1)**2-(x-1)**2)/2": lambda x: ((x + 1) ** 2 - (x - 1) ** 2) / 2,
        },
    ),
}

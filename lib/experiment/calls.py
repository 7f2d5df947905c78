"""The functions that an expression may call, in one table: a new one is one row, and each arithmetic must know it."""

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    """A function: its name in PyTorch, its value in floats, and its slope, an expression in x; an empty one is 0.

    `operands` is how many numbers it takes. The first one of `where` is a comparison.
    """

    torch: str
    value: Callable[..., float]
    slope: str = ""
    operands: int = 1


CALLS = {
    "abs": Call("torch.abs", abs, "sign(x)"),
    "acos": Call("torch.acos", math.acos, "-1/sqrt(1-x**2)"),
    "asin": Call("torch.asin", math.asin, "1/sqrt(1-x**2)"),
    "asinh": Call("torch.asinh", math.asinh, "1/sqrt(1+x**2)"),
    "atan": Call("torch.atan", math.atan, "1/(1+x**2)"),
    "atanh": Call("torch.atanh", math.atanh, "1/(1-x**2)"),
    "cos": Call("torch.cos", math.cos, "-sin(x)"),
    "cosh": Call("torch.cosh", math.cosh, "sinh(x)"),
    "erf": Call("torch.erf", math.erf, "2/sqrt(pi)*exp(-x**2)"),
    "erfc": Call("torch.erfc", math.erfc, "-2/sqrt(pi)*exp(-x**2)"),
    "exp": Call("torch.exp", math.exp, "exp(x)"),
    "expm1": Call("torch.expm1", math.expm1, "exp(x)"),
    "log": Call("torch.log", math.log, "1/x"),
    "log1p": Call("torch.log1p", math.log1p, "1/(1+x)"),
    "logit": Call("torch.logit", lambda a: math.log(a / (1 - a)), "1/(x*(1-x))"),
    "ones_like": Call("torch.ones_like", lambda a: 1.0),
    "reciprocal": Call("torch.reciprocal", lambda a: 1 / a, "-1/x**2"),
    "relu": Call("torch.relu", lambda a: max(a, 0), "where(x>0,1.0,0.0)"),
    "rsqrt": Call("torch.rsqrt", lambda a: 1 / math.sqrt(a), "-1/(2*x*sqrt(x))"),
    "sigmoid": Call("torch.sigmoid", lambda a: 1 / (1 + math.exp(-a)), "sigmoid(x)*(1-sigmoid(x))"),
    "sign": Call("torch.sign", lambda a: (a > 0) - (a < 0)),
    "sin": Call("torch.sin", math.sin, "cos(x)"),
    "sinh": Call("torch.sinh", math.sinh, "cosh(x)"),
    "sqrt": Call("torch.sqrt", math.sqrt, "1/(2*sqrt(x))"),
    "square": Call("torch.square", lambda a: a * a, "2*x"),
    "tan": Call("torch.tan", math.tan, "1/cos(x)**2"),
    "tanh": Call("torch.tanh", math.tanh, "1-tanh(x)**2"),
    "gelu": Call(
        "torch.nn.functional.gelu",
        lambda a: a * math.erfc(-a / math.sqrt(2)) / 2,
        "(1+erf(x/sqrt(2)))/2+x*exp(-x**2/2)/sqrt(2*pi)",
    ),
    "softplus": Call("torch.nn.functional.softplus", lambda a: max(a, 0) + math.log1p(math.exp(-abs(a))), "sigmoid(x)"),
    "maximum": Call("torch.maximum", max, operands=2),
    "minimum": Call("torch.minimum", min, operands=2),
    "where": Call("torch.where", lambda condition, this, that: this if condition else that, operands=3),
}
"""Every function by name; a text may use this name or PyTorch's. `textbook` knows the slopes of those of several."""

OF_ONE_NUMBER = [name for name, call in CALLS.items() if call.operands == 1]

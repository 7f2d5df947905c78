"""Expressions in one number, such as `-1/x**2`: trees that several arithmetics evaluate.

`parser` makes them of texts, and `textbook` differentiates them. The functions that they may call are one table: a new
one is one row, and each `Arithmetic`, which defines what the signs and functions do, must know it.
"""

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

COMPARISONS: dict[type, str] = {
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.NotEq: "ne",
}
BETWEEN: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Pow: "pow",
}
SIGNS = COMPARISONS | BETWEEN | {ast.USub: "neg"}
"""The signs of an expression, as Python reads them, with their names in its module `operator`."""


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
    "softplus": Call(
        "torch.nn.functional.softplus",
        lambda a: max(a, 0) + math.log1p(math.exp(-abs(a))),
        "sigmoid(x)",
    ),
    "maximum": Call("torch.maximum", max, operands=2),
    "minimum": Call("torch.minimum", min, operands=2),
    "where": Call(
        "torch.where", lambda condition, this, that: this if condition else that, operands=3
    ),
}
"""Every function by name; a text may use this name or PyTorch's. `textbook` knows the slopes of those of several."""

OF_ONE_NUMBER = [name for name, call in CALLS.items() if call.operands == 1]


@dataclass(frozen=True)
class Variable:
    """The number on which the expression depends."""


@dataclass(frozen=True)
class Number:
    """A finite constant."""

    value: int | float


@dataclass(frozen=True)
class Operation:
    """A sign or a function, by its name in an `Arithmetic`, with its operands; "pi" and "e" have none."""

    name: str
    operands: tuple["Tree", ...] = ()


Tree = Variable | Number | Operation

T = TypeVar("T")


@dataclass(frozen=True)
class Arithmetic(Generic[T]):
    """What constants and operations mean for numbers of type T: `number` turns a constant into a T."""

    name: str
    number: Callable[[int | float], T]
    operations: Mapping[str, Callable[..., T]]

    def function(self, tree: Tree, shared: bool = False) -> Callable[[T], T]:
        """Turn an expression into a function of x. Raises ValueError if the arithmetic lacks one of its operations.

        The function does every operation of the text, even those that occur repeatedly, unless equal ones are `shared`.
        """
        steps: list[tuple[Callable[..., T], tuple[int, ...]]] = []
        places: dict[Tree, int] = {Variable(): 0}  # of values: x, and then the result of each step

        def place_of(part: Tree) -> int:
            if part in places and (shared or part == Variable()):
                return places[part]
            match part:
                case Number(constant):
                    number = self.number(constant)
                    steps.append((lambda: number, ()))
                case Operation(name, operands):
                    if name not in self.operations:
                        raise ValueError(f"{self.name} has no {name}")
                    steps.append((self.operations[name], tuple(map(place_of, operands))))
                    places[part] = len(steps)
            return len(steps)

        place_of(tree)

        def function(x: T) -> T:
            values = [x]
            for operation, operands in steps:
                values.append(operation(*[values[place] for place in operands]))
            return values[-1]

        return function


def nodes(tree: Tree) -> Iterator[Tree]:
    """All parts of a tree, itself first, as often as they occur."""
    waiting = [tree]
    while waiting:
        yield (part := waiting.pop())
        if isinstance(part, Operation):
            waiting += reversed(part.operands)


_ON_PAPER = {
    r"\*\*2(?![\w.])": "²",
    r"\*\*-2(?![\w.])": "⁻²",
    r"\*\*": "^",
    r"\*": "·",
    "-": "−",
    r"\bpi\b": "π",
    r"\brules\b": "f′ by the rules",
}


def on_paper(text: str) -> str:
    """Write an expression with the signs that it has on paper: -1/x**2 as −1/x²."""
    for typed, written in _ON_PAPER.items():
        text = re.sub(typed, written, text)
    return text

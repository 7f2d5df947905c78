"""Expressions in one number, such as `-1/x**2`: trees that several arithmetics evaluate.

`parser` makes them of texts, and `textbook` differentiates them. The functions that they may call
are one table. A new function is one row, and each `Arithmetic`, which defines what the signs and
functions do, must know it.
"""

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

COMPARISONS: dict[type, str] = {
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.NotEq: "ne",
}
BINARY: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Pow: "pow",
}
SIGNS = COMPARISONS | BINARY | {ast.USub: "neg"}
"""The signs of an expression, as Python reads them, with their names in its module `operator`."""


@dataclass(frozen=True)
class Call:
    """A function of `operands` numbers: its value in floats, and its slope as an expression in x.

    An empty slope is 0; `textbook` has rules for the functions of several numbers. The first
    operand of `where` is a comparison. `torch` is the name of the function in PyTorch, if it is not
    `torch.` and the name in the table.
    """

    value: Callable[..., float]
    slope: str = ""
    operands: int = 1
    torch: str = ""


_CALLS = {
    "abs": Call(abs, "sign(x)"),
    "acos": Call(math.acos, "-1/sqrt(1-x**2)"),
    "asin": Call(math.asin, "1/sqrt(1-x**2)"),
    "asinh": Call(math.asinh, "1/sqrt(1+x**2)"),
    "atan": Call(math.atan, "1/(1+x**2)"),
    "atanh": Call(math.atanh, "1/(1-x**2)"),
    "cos": Call(math.cos, "-sin(x)"),
    "cosh": Call(math.cosh, "sinh(x)"),
    "erf": Call(math.erf, "2/sqrt(pi)*exp(-x**2)"),
    "erfc": Call(math.erfc, "-2/sqrt(pi)*exp(-x**2)"),
    "exp": Call(math.exp, "exp(x)"),
    "expm1": Call(math.expm1, "exp(x)"),
    "log": Call(math.log, "1/x"),
    "log1p": Call(math.log1p, "1/(1+x)"),
    "logit": Call(lambda a: math.log(a / (1 - a)), "1/(x*(1-x))"),
    "ones_like": Call(lambda a: 1.0),
    "reciprocal": Call(lambda a: 1 / a, "-1/x**2"),
    "relu": Call(lambda a: max(a, 0), "where(x>0,1.0,0.0)"),
    "rsqrt": Call(lambda a: 1 / math.sqrt(a), "-1/(2*x*sqrt(x))"),
    "sigmoid": Call(lambda a: 1 / (1 + math.exp(-a)), "sigmoid(x)*(1-sigmoid(x))"),
    "sign": Call(lambda a: (a > 0) - (a < 0)),
    "sin": Call(math.sin, "cos(x)"),
    "sinh": Call(math.sinh, "cosh(x)"),
    "sqrt": Call(math.sqrt, "1/(2*sqrt(x))"),
    "square": Call(lambda a: a * a, "2*x"),
    "tan": Call(math.tan, "1/cos(x)**2"),
    "tanh": Call(math.tanh, "1-tanh(x)**2"),
    "gelu": Call(
        lambda a: a * math.erfc(-a / math.sqrt(2)) / 2,
        "(1+erf(x/sqrt(2)))/2+x*exp(-x**2/2)/sqrt(2*pi)",
        torch="torch.nn.functional.gelu",
    ),
    "softplus": Call(
        lambda a: max(a, 0) + math.log1p(math.exp(-abs(a))),
        "sigmoid(x)",
        torch="torch.nn.functional.softplus",
    ),
    "maximum": Call(max, operands=2),
    "minimum": Call(min, operands=2),
    "where": Call(lambda condition, this, that: this if condition else that, operands=3),
}
CALLS = {name: replace(call, torch=call.torch or f"torch.{name}") for name, call in _CALLS.items()}
"""Every function by name; a text may use this name or PyTorch's."""

OF_ONE_NUMBER = [name for name, call in CALLS.items() if call.operands == 1]


@dataclass(frozen=True)
class Variable:
    """The number x."""


@dataclass(frozen=True)
class Number:
    """A finite constant."""

    value: int | float


@dataclass(frozen=True)
class Operation:
    """A sign or a function, by its name, with its operands; "pi" and "e" have none."""

    name: str
    operands: tuple["Tree", ...] = ()


Tree = Variable | Number | Operation

T = TypeVar("T")


@dataclass(frozen=True)
class Arithmetic(Generic[T]):
    """What constants and operations mean for numbers of type T.

    `number` turns a constant into a T. `operations` has the signs and functions by name.
    """

    number: Callable[[int | float], T]
    operations: Mapping[str, Callable[..., T]]

    def function(self, tree: Tree, shared: bool = False) -> Callable[[T], T]:
        """Turn an expression into a function of x.

        Args:
            tree: the expression.
            shared: whether operations that occur repeatedly are done once.

        Raises:
            KeyError: if the arithmetic lacks an operation of the expression.
        """
        steps: list[tuple[Callable[..., T], tuple[int, ...]]] = []
        # The place of each part among the values: x, and then the result of each step.
        places: dict[Tree, int] = {Variable(): 0}

        def place_of(part: Tree) -> int:
            if part in places and (shared or part == Variable()):
                return places[part]
            match part:
                case Number(constant):
                    number = self.number(constant)
                    steps.append((lambda: number, ()))
                case Operation(name, operands):
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
    """Yield all parts of a tree, the tree itself first, as often as they occur."""
    waiting = [tree]
    while waiting:
        yield (part := waiting.pop())
        if isinstance(part, Operation):
            waiting += reversed(part.operands)


_ON_PAPER = {
    r"\*\*2(?![\w.]| *\*\*)": "²",
    r"\*\*-2(?![\w.]| *\*\*)": "⁻²",
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

"""Expressions in one number, such as `-1/x**2`: trees that several arithmetics evaluate.

`parser` makes them of texts. An `Arithmetic` defines what the signs and functions do.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

COMPARISONS: dict[type, str] = {ast.Gt: "gt", ast.GtE: "ge", ast.Lt: "lt", ast.LtE: "le", ast.NotEq: "ne"}
BETWEEN: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.Pow: "pow"}
SIGNS = COMPARISONS | BETWEEN | {ast.USub: "neg"}
"""The signs of an expression, as Python reads them, with their names in its module `operator`."""


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
    """What the constants and the operations of a tree mean for numbers of type T: `number` turns a constant into a
    T."""

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

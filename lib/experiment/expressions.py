"""Expressions in one number, such as `-1/x**2`: trees that several arithmetics evaluate.

`parser` makes them of texts. An `Arithmetic` defines what the signs and functions do.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
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

    def function(self, tree: Tree, once: Sequence[Tree] = ()) -> Callable[[T], T]:
        """Turn an expression into a function of x. Raises ValueError if the arithmetic lacks one of its operations.

        The function does every operation of the text, even those that occur repeatedly; only the subtrees in `once` are
        evaluated once. A subtree comes after those that it contains.
        """
        known: dict[Tree, int] = {Variable(): 0}
        shared = []
        for subtree in once:
            shared.append(self._of_known(subtree, known))
            known[subtree] = len(known)
        result = self._of_known(tree, known)

        def function(x: T) -> T:
            values = [x]
            for evaluate in shared:
                values.append(evaluate(values))
            return result(values)

        return function

    def _of_known(self, tree: Tree, known: Mapping[Tree, int]) -> Callable[[list[T]], T]:
        """Turn a tree into a function of the list of known values; `known` holds the place of each known subtree."""
        if tree in known:
            return itemgetter(known[tree])
        match tree:
            case Number(constant):
                number = self.number(constant)
                return lambda values: number
            case Operation(name, operands):
                if name not in self.operations:
                    raise ValueError(f"{self.name} has no {name}")
                operation, functions = self.operations[name], [self._of_known(operand, known) for operand in operands]
        match functions:  # a case for each number of operands: balls are evaluated one x at a time, so speed matters
            case []:
                return lambda values: operation()
            case [of]:
                return lambda values: operation(of(values))
            case [left, right]:
                return lambda values: operation(left(values), right(values))
        return lambda values: operation(*(of(values) for of in functions))


def repeated(tree: Tree) -> list[Tree]:
    """The operations that occur more than once in a tree, each after those that it contains."""
    counts: dict[Tree, int] = {}

    def count(subtree: Tree) -> None:
        if isinstance(subtree, Operation):
            if subtree not in counts:
                for operand in subtree.operands:
                    count(operand)
            counts[subtree] = counts.get(subtree, 0) + 1

    count(tree)
    return [subtree for subtree, times in counts.items() if times > 1]


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

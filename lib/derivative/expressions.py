"""Expressions in one number, such as `-1/x**2`: a text is parsed once into a tree that several arithmetics evaluate.

No text is ever run as Python: Python's parser only reveals its structure. Numbers, known letters, and the signs and
functions below become a tree, and anything else is refused. An `Arithmetic` defines what the signs and functions do.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from operator import itemgetter
from typing import Generic, TypeVar

MOST_CHARACTERS = 200
"""The length of the longest text that is read: it bounds the depth of the tree, and so the recursion that evaluates
it."""

FUNCTIONS = {
    **{name: f"torch.{name}" for name in "abs atanh cosh erf erfc exp expm1 log logit ones_like".split()},
    **{name: f"torch.{name}" for name in "relu sigmoid sign sqrt tanh".split()},
    **{name: f"torch.nn.functional.{name}" for name in ("gelu", "softplus")},
}
"""The functions that an expression may call, each of one number, with their names in PyTorch: a text may use either
name."""

_NAMES = {spelling: name for name, in_torch in FUNCTIONS.items() for spelling in (name, in_torch)}

SIGNS: dict[type[ast.AST], str] = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.Pow: "pow"},
    **{ast.USub: "neg", ast.Gt: "gt", ast.NotEq: "ne"},
}
"""The signs of an expression, with their names in Python's module `operator`."""


@dataclass(frozen=True)
class Variable:
    """The number on which the expression depends."""


@dataclass(frozen=True)
class Number:
    """A finite constant."""

    value: int | float


@dataclass(frozen=True)
class Operation:
    """A sign or a function, by its name in an `Arithmetic`, with its one or two operands; "pi" has none."""

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
        left, right = functions
        return lambda values: operation(left(values), right(values))


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


def parse(text: str, letters: Mapping[str, Tree]) -> Tree:
    """Parse a text into a tree; each letter stands for its tree in `letters`.

    Raises:
        ValueError: if the text is too long, is not an expression, or contains anything but finite numbers, pi, the
            letters, + - * / ** > != and `FUNCTIONS` of one number. The message names it and says what is allowed.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the expression has {len(text)} characters; at most {MOST_CHARACTERS} are read")
    try:
        found = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise ValueError(f"{text!r} is no expression") from None
    return _tree(found, letters)


def definitions(text: str, letters: Mapping[str, Tree]) -> dict[str, Tree]:
    """The letters, and those that a text like `t = tanh(x), y = 1-t` defines one after the other."""
    found = dict(letters)
    for definition in filter(None, text.split(", ")):
        letter, meaning = definition.split(" = ")
        found[letter] = parse(meaning, found)
    return found


_POWERS = {"**2": "²", "**-2": "⁻²", "**": "^", "*": "·", "-": "−", "pi": "π"}


def on_paper(text: str) -> str:
    """Write an expression with the signs that it has on paper: -1/x**2 as −1/x²."""
    for typed, written in _POWERS.items():
        text = text.replace(typed, written)
    return text


def _tree(node: ast.expr, letters: Mapping[str, Tree]) -> Tree:
    def operation(sign: ast.AST, *operands: ast.expr) -> Operation:
        return Operation(SIGNS[type(sign)], tuple(_tree(operand, letters) for operand in operands))

    match node:
        case ast.Constant(int() | float() as value) if type(value) is not bool and isfinite(value):
            return Number(value if abs(value) < 2**53 else float(value))  # PyTorch takes no larger integers
        case ast.Name(letter) if letter in letters:
            return letters[letter]
        case ast.Name("pi"):
            return Operation("pi")
        case ast.UnaryOp(sign, operand) if type(sign) in SIGNS:
            return operation(sign, operand)
        case ast.BinOp(left, sign, right) if type(sign) in SIGNS:
            return operation(sign, left, right)
        case ast.Compare(left, [sign], [right]) if type(sign) in SIGNS:
            return operation(sign, left, right)
        case ast.Call(function, [operand], []) if ast.unparse(function) in _NAMES:
            return Operation(_NAMES[ast.unparse(function)], (_tree(operand, letters),))
    raise ValueError(
        f"`{ast.unparse(node)}` is not understood in an expression; allowed are finite numbers, {', '.join(letters)}, "
        f"pi, + - * / ** > !=, and {', '.join(FUNCTIONS)} of one number"
    )

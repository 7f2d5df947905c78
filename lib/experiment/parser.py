"""Texts such as `-1/x**2`, of tables or of visitors, read into the trees of `expressions`.

No text is ever run as Python: Python's parser only shows its structure. Numbers, known letters,
and the signs and functions of `expressions` become a tree. Anything else is refused by one sentence
that names the place.
"""

import ast
import math
import operator
import re
from collections.abc import Mapping
from difflib import get_close_matches
from sys import float_info

from lib.experiment.expressions import (
    CALLS,
    COMPARISONS,
    SIGNS,
    Arithmetic,
    Number,
    Operation,
    Tree,
    Variable,
    nodes,
)

# The bounds of what a visitor may send.
MOST_CHARACTERS = 200
MOST_NODES = 100
"""The most numbers, letters and operations together."""

MOST_DEPTH = 30
"""The most operations within one another."""

MOST_POWER = 64
"""The largest size of an exponent."""

X: Mapping[str, Tree] = {"x": Variable()}

_NAMES = {spelling: name for name, call in CALLS.items() for spelling in (name, call.torch)}
_UNKNOWN = re.compile(r"[^A-Za-z0-9_+\-*/(),.<>=! ]")
_IN_FLOATS: Arithmetic[float] = Arithmetic(
    number=lambda constant: constant,
    operations={sign: getattr(operator, sign) for sign in SIGNS.values()}
    | {name: call.value for name, call in CALLS.items()}
    | {"pow": math.pow, "pi": lambda: math.pi, "e": lambda: math.e},
)


def parse(text: str, letters: Mapping[str, Tree] = X, of_visitor: bool = False) -> Tree:
    """Parse a text into a tree.

    Args:
        text: the expression.
        letters: the tree that each letter stands for.
        of_visitor: whether the text must keep the bounds for visitors.

    Raises:
        ValueError: if the text is not an expression, or contains anything but finite numbers, pi,
            e, the letters, + - * / **, comparisons and the functions of `expressions`. The message
            names the place.
    """
    if other := _UNKNOWN.search(text):
        # A letter of another alphabet may look like x, so it is shown as ASCII.
        character = ascii(other[0])
        power = " (a power is written **)" if character == "'^'" else ""
        raise ValueError(f"character {other.end()} is {character}, which no expression has{power}")
    stripped = text.lstrip()
    try:
        expression = ast.parse(stripped, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        # The offset counts from 1, and is 0 or missing where the text ends too early.
        offset = getattr(error, "offset", None) or len(stripped) + 1
        place = len(text) - len(stripped) + offset
        raise ValueError(
            f"it is not an expression from character {place} on; 2x is written 2*x"
        ) from None
    return _Reader(stripped, letters, len(text) - len(stripped), of_visitor).tree(expression)


def read(text: str) -> Tree:
    """Parse a visitor's text: a function of x, within the bounds above.

    Raises:
        ValueError: as `parse` does, and beyond the bounds, for a comparison outside of `where`, and
            for constants that have no finite value.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text):,} characters, and at most {MOST_CHARACTERS} are read")
    tree = parse(text, of_visitor=True)
    names = [part.name if isinstance(part, Operation) else "" for part in nodes(tree)]
    if len(names) > MOST_NODES:
        raise ValueError(
            f"it has {len(names)} numbers, letters and operations, "
            f"and at most {MOST_NODES} are allowed"
        )
    # Each `where` has one comparison, its condition. If there are more, one lies elsewhere.
    if names.count("where") != sum(map(names.count, COMPARISONS.values())):
        raise ValueError(
            "a comparison such as x > 0 may only be the condition of where, "
            "as in where(x > 0, x, 0)"
        )
    return tree


def definitions(text: str) -> dict[str, Tree]:
    """Return x, and the letters that a text such as `t = tanh(x), y = 1-t` defines in turn."""
    defined = dict(X)
    for definition in filter(None, text.split(", ")):
        letter, meaning = definition.split(" = ")
        defined[letter] = parse(meaning, defined)
    return defined


def constant(tree: Tree) -> float | None:
    """Return the value of an expression in floats, or None if it has x.

    Raises:
        ValueError: if the value is not finite.
    """
    if Variable() in nodes(tree):
        return None
    try:
        value = _IN_FLOATS.function(tree)(math.nan)
        if math.isfinite(value):
            return value
    except (ArithmeticError, ValueError):
        pass
    raise ValueError("it has no finite value")


class _Reader:
    """Reads one text; `before` is the number of blanks that were removed in front of it."""

    def __init__(
        self, text: str, letters: Mapping[str, Tree], before: int, of_visitor: bool
    ) -> None:
        self.text = text
        self.letters = letters
        self.before = before
        self.of_visitor = of_visitor

    def tree(self, node: ast.expr, depth: int = 0) -> Tree:
        if self.of_visitor and depth > MOST_DEPTH:
            most = f"at most {MOST_DEPTH} are allowed"
            raise self._fault(node, f"lies {depth} operations deep, and {most}")
        match node:
            case ast.Constant(int() | float() as value) if type(value) is not bool:
                # A whole number may be larger than every float.
                if abs(value) > float_info.max:
                    raise self._fault(node, "is beyond the largest float")
                # Below 2**53 an integer is exact in float64. From 2**63 on PyTorch may refuse it.
                return Number(value if abs(value) < 2**53 else float(value))
            case ast.Name(letter) if letter in self.letters:
                return self.letters[letter]
            case ast.Name("pi" | "e" as name):
                return Operation(name)
            case ast.UnaryOp(ast.UAdd(), operand):
                return self.tree(operand, depth + 1)
            case ast.UnaryOp(sign, operand) if type(sign) in SIGNS:
                return self._operation(node, SIGNS[type(sign)], [operand], depth)
            case ast.BinOp(left, sign, right) if type(sign) in SIGNS:
                return self._operation(node, SIGNS[type(sign)], [left, right], depth)
            case ast.Compare(left, [ast.NotEq() | ast.Eq()], [right]) if self.of_visitor:
                allowed = "use <, <=, > or >="
                raise self._fault(node, f"compares in a way that where does not take: {allowed}")
            case ast.Compare(left, [sign], [right]) if type(sign) in SIGNS:
                return self._operation(node, SIGNS[type(sign)], [left, right], depth)
            case ast.Call(called, operands, []):
                return self._operation(node, self._function(called, len(operands)), operands, depth)
            case ast.Name(function) if function in _NAMES:
                raise self._fault(node, f"is a function: it needs parentheses, as in {function}(x)")
        unknown = f"is not on the list of what an expression may have{self._instead(node)}"
        raise self._fault(node, unknown)

    def _operation(
        self, node: ast.expr, name: str, operands: list[ast.expr], depth: int
    ) -> Operation:
        tree = Operation(name, tuple(self.tree(operand, depth + 1) for operand in operands))
        if name == "where":
            condition = tree.operands[0]
            if not isinstance(condition, Operation) or condition.name not in COMPARISONS.values():
                raise self._fault(operands[0], "must be a comparison such as x > 0")
            if Variable() not in nodes(condition):
                raise self._fault(operands[0], "has no x, so that where has nothing to choose")
        if name == "pow":
            base, exponent = tree.operands
            tree = Operation(name, (base, self._exponent(operands[1], exponent)))
        try:
            constant(tree)
        except ValueError as error:
            raise self._fault(node, f"is a constant, and {error}") from None
        return tree

    def _exponent(self, node: ast.expr, tree: Tree) -> Tree:
        """Return an exponent as Python computes it: that of x**(0.1 + 0.4) is 0.5."""
        value = constant(tree)
        is_within = value is not None and (abs(value) <= MOST_POWER or not self.of_visitor)
        if value is None or not is_within or 2 * value != int(2 * value):
            allowed = f"a number from −{MOST_POWER} to {MOST_POWER} that is whole or ends in .5"
            raise self._fault(node, f"is not allowed as an exponent: use {allowed}")
        size = Number(abs(value))
        return size if value >= 0 else Operation("neg", (size,))

    def _function(self, called: ast.expr, operands: int) -> str:
        name = _NAMES.get(self._piece(called))
        if name is None:
            raise self._fault(called, f"is not a function on the list{self._instead(called)}")
        wanted = CALLS[name].operands
        if operands != wanted:
            raise self._fault(called, f"takes {wanted} operands in parentheses, not {operands}")
        return name

    def _piece(self, node: ast.expr) -> str:
        return self.text[node.col_offset : node.end_col_offset]

    def _fault(self, node: ast.expr, fault: str) -> ValueError:
        piece = self._piece(node)
        shown = piece if len(piece) <= 40 else f"{piece[:39]}…"
        return ValueError(f"{shown!r} at character {self.before + node.col_offset + 1} {fault}")

    def _instead(self, node: ast.expr) -> str:
        names = [*_NAMES, *self.letters, "pi", "e"]
        nearest = get_close_matches(self._piece(node)[:40], names, n=1, cutoff=0.7)
        return f" (the closest on it is {nearest[0]})" if nearest else ""

"""Texts such as `-1/x**2`, read into the trees of `expressions`: those of the tables, and those that visitors send.

No text is ever run as Python: Python's parser only reveals its structure. Numbers, known letters, and the signs and
functions of `expressions` become a tree. Anything else is refused by one sentence that names the place.
"""

import ast
import math
import operator
import re
import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches

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

MOST_CHARACTERS, MOST_NODES, MOST_DEPTH, MOST_POWER = 200, 100, 30, 64
"""The bounds of what a visitor may send: characters; numbers, letters and operations; how many of these lie within one
another; and the size of the largest exponent."""

X: Mapping[str, Tree] = {"x": Variable()}

_NAMES = {spelling: name for name, call in CALLS.items() for spelling in (name, call.torch)}
_KNOWN = re.compile(r"[A-Za-z0-9_+\-*/(),.<>=! ]*")
_IN_FLOATS: Arithmetic[float] = Arithmetic(
    "floats",
    number=lambda constant: constant,
    operations={sign: getattr(operator, sign) for sign in SIGNS.values()}
    | {name: call.value for name, call in CALLS.items()}
    | {"pow": math.pow, "pi": lambda: math.pi, "e": lambda: math.e},
)


def parse(text: str, letters: Mapping[str, Tree] = X, of_visitor: bool = False) -> Tree:
    """Parse a text of a table into a tree, or one `of_visitor`; each letter stands for its tree in `letters`.

    Raises:
        ValueError: if the text is not an expression, or contains anything but finite numbers, pi, e, the letters,
            + - * / **, comparisons and the functions of `expressions`. The message names the place.
    """
    unknown = _KNOWN.match(text).end()  # type: ignore[union-attr]
    if unknown < len(text):
        found = text[unknown]
        name = (
            repr(found) if " " <= found <= "~" else unicodedata.name(found, f"U+{ord(found):04X}")
        )
        power = " (a power is written **)" if found == "^" else ""
        raise ValueError(f"character {unknown + 1} is {name}, which no expression has{power}")
    try:
        expression = ast.parse(text.lstrip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        at = getattr(error, "offset", None) or 1
        raise ValueError(f"Python reads no expression there, from character {at} on") from None
    return _Reader(text.lstrip(), letters, len(text) - len(text.lstrip()), of_visitor).tree(
        expression
    )


def read(text: str) -> Tree:
    """Parse a visitor's text: a function of x, within the bounds above.

    Raises ValueError as `parse` does, and beyond the bounds, for a comparison outside of `where`, and for constants
    that have no finite value.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text):,} characters, and at most {MOST_CHARACTERS} are read")
    tree = parse(text, of_visitor=True)
    parts = list(nodes(tree))
    if len(parts) > MOST_NODES:
        raise ValueError(
            f"it has {len(parts)} numbers, letters and operations, and at most {MOST_NODES} are allowed"
        )
    conditions = sum(isinstance(part, Operation) and part.name == "where" for part in parts)
    if conditions != sum(
        isinstance(part, Operation) and part.name in COMPARISONS.values() for part in parts
    ):
        raise ValueError(
            "a comparison such as x > 0 may only be the condition of where, as in where(x > 0, x, 0)"
        )
    return tree


def definitions(text: str, letters: Mapping[str, Tree] = X) -> dict[str, Tree]:
    """The letters, and those that a text like `t = tanh(x), y = 1-t` defines one after the other."""
    found = dict(letters)
    for definition in filter(None, text.split(", ")):
        letter, meaning = definition.split(" = ")
        found[letter] = parse(meaning, found)
    return found


def constant(tree: Tree) -> float | None:
    """The value of an expression without x, in floats; None if it has x. Raises ValueError if it is not finite."""
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
    """Reads one text, whose first character is the one after the first `before`."""

    def __init__(
        self, text: str, letters: Mapping[str, Tree], before: int, of_visitor: bool
    ) -> None:
        self.text, self.letters, self.before, self.of_visitor = text, letters, before, of_visitor

    def tree(self, node: ast.expr, depth: int = 0) -> Tree:
        if self.of_visitor and depth > MOST_DEPTH:
            raise self._fault(
                node, f"lies {depth} operations deep, and at most {MOST_DEPTH} are allowed"
            )
        match node:
            case ast.Constant(int() | float() as value) if type(value) is not bool:
                if abs(value) > 1.7e308:  # whole numbers, too
                    raise self._fault(node, "is beyond the largest float")
                return Number(
                    value if abs(value) < 2**53 else float(value)
                )  # PyTorch takes no larger integers
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
                raise self._fault(
                    node, "compares in a way that where does not take: use <, <=, > or >="
                )
            case ast.Compare(left, [sign], [right]) if type(sign) in SIGNS:
                return self._operation(node, SIGNS[type(sign)], [left, right], depth)
            case ast.Call(called, operands, []):
                return self._operation(node, self._function(called, len(operands)), operands, depth)
            case ast.Name(function) if function in _NAMES:
                raise self._fault(node, f"is a function: it needs parentheses, as in {function}(x)")
        raise self._fault(
            node, f"is not on the list of what an expression may have{self._instead(node)}"
        )

    def _operation(
        self, node: ast.expr, name: str, operands: list[ast.expr], depth: int
    ) -> Operation:
        found = Operation(name, tuple(self.tree(operand, depth + 1) for operand in operands))
        if name == "where":
            condition = found.operands[0]
            if not isinstance(condition, Operation) or condition.name not in COMPARISONS.values():
                raise self._fault(operands[0], "is no comparison, such as x > 0, as where needs it")
            if Variable() not in nodes(condition):
                raise self._fault(operands[0], "has no x, so that where has nothing to choose")
        if name == "pow" and not self._is_exponent(constant(found.operands[1])):
            allowed = f"a number from −{MOST_POWER} to {MOST_POWER} that is whole or ends in .5"
            raise self._fault(operands[1], f"is no exponent that is allowed: {allowed}")
        try:
            constant(found)
        except ValueError as error:
            raise self._fault(node, f"is a constant, and {error}") from None
        return found

    def _is_exponent(self, value: float | None) -> bool:
        within = value is not None and (abs(value) <= MOST_POWER or not self.of_visitor)
        return within and 2 * value == int(2 * value)

    def _function(self, called: ast.expr, operands: int) -> str:
        name = _NAMES.get(self._piece(called))
        if name is None:
            raise self._fault(called, f"is not a function on the list{self._instead(called)}")
        if operands != (wanted := CALLS[name].operands):
            raise self._fault(
                called, f"takes {wanted} of what stands in parentheses, not {operands}"
            )
        return name

    def _piece(self, node: ast.expr) -> str:
        return self.text[node.col_offset : node.end_col_offset]

    def _fault(self, node: ast.expr, fault: str) -> ValueError:
        piece = self._piece(node)
        shown = piece if len(piece) <= 40 else f"{piece[:39]}…"
        return ValueError(f"{shown!r} at character {self.before + node.col_offset + 1} {fault}")

    def _instead(self, node: ast.expr) -> str:
        nearest = get_close_matches(
            self._piece(node)[:40], [*_NAMES, *self.letters, "pi", "e"], n=1, cutoff=0.7
        )
        return f" (the closest on it is {nearest[0]})" if nearest else ""

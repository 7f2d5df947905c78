"""The derivative of an expression by the rules of a textbook, and an expression as text.

The rules are applied to the tree as it stands; only zeros, factors of ±1 and the powers x**0 and
x**1 are simplified.
"""

import ast
import re

from lib.experiment.expressions import (
    BINARY,
    CALLS,
    COMPARISONS,
    SIGNS,
    Number,
    Operation,
    Tree,
    Variable,
)
from lib.experiment.parser import constant, parse

ZERO, ONE = Number(0), Number(1)


def derivative(tree: Tree) -> Tree:
    """Return the derivative by the sum, product, quotient, power and chain rules."""
    match tree:
        case Variable():
            return ONE
        case Operation("add" | "sub" as name, (left, right)):
            return _sum(name, derivative(left), derivative(right))
        case Operation("neg", (operand,)):
            return _negative(derivative(operand))
        case Operation("mul", (left, right)):
            return _sum("add", _product(derivative(left), right), _product(left, derivative(right)))
        case Operation("truediv", (above, below)):
            slope = derivative(above)
            # Once, because twice would double the work at each level.
            slope_below = derivative(below)
            if slope_below == ZERO:
                return ZERO if slope == ZERO else Operation("truediv", (slope, below))
            numerator = _sum("sub", _product(slope, below), _product(above, slope_below))
            return Operation("truediv", (numerator, Operation("pow", (below, Number(2)))))
        case Operation("pow", (base, exponent)):
            return _power(base, exponent)
        case Operation("maximum" | "minimum" as name, (left, right)):
            is_left = Operation("gt" if name == "maximum" else "lt", (left, right))
            return derivative(Operation("where", (is_left, left, right)))
        case Operation("where", (condition, this, that)):
            slopes = (derivative(this), derivative(that))
            if slopes == (ZERO, ZERO):
                return ZERO
            return Operation("where", (condition, *map(_as_float, slopes)))
        case Operation(name, (operand,)) if CALLS[name].slope:
            inner = derivative(operand)
            # The slope of relu is a `where`, which needs an x.
            if inner == ZERO:
                return ZERO
            return _product(parse(CALLS[name].slope, {"x": operand}), inner)
    return ZERO


def _sum(name: str, left: Tree, right: Tree) -> Tree:
    if right == ZERO:
        return left
    if left == ZERO:
        return right if name == "add" else _negative(right)
    return Operation(name, (left, right))


def _negative(tree: Tree) -> Tree:
    return ZERO if tree == ZERO else Operation("neg", (tree,))


def _product(left: Tree, right: Tree) -> Tree:
    if ZERO in (left, right):
        return ZERO
    if ONE in (left, right):
        return right if left == ONE else left
    if right == _negative(ONE):
        return _negative(left)
    return Operation("mul", (left, right))


def _power(base: Tree, exponent: Tree) -> Tree:
    inner = derivative(base)
    n = constant(exponent)
    assert n is not None
    if inner == ZERO or n == 0:
        return ZERO
    lower: Tree = Operation("pow", (base, _number(n - 1)))
    if n in (1, 2):
        lower = ONE if n == 1 else base
    return _product(_product(_number(n), lower), inner)


def _number(value: float) -> Tree:
    size = Number(int(abs(value)) if value == int(value) else abs(value))
    return size if value >= 0 else Operation("neg", (size,))


def _as_float(tree: Tree) -> Tree:
    """A branch of `where`; two whole numbers would make a tensor that has no derivative."""
    return Number(float(tree.value)) if isinstance(tree, Number) else tree


_MARKS = {name: kind for kind, name in SIGNS.items()}


def text(tree: Tree) -> str:
    """Return an expression as a text that `parse` reads back."""
    written = ast.unparse(_in_python(tree)).replace(" ", "")
    # x**(-2) becomes x**-2.
    return re.sub(r"\*\*\((-[\w.]+)\)", r"**\1", written)


def _in_python(tree: Tree) -> ast.expr:
    match tree:
        case Variable():
            return ast.Name("x")
        case Number(value):
            return ast.Constant(value)
        case Operation(name, ()):
            return ast.Name(name)
    parts = [_in_python(operand) for operand in tree.operands]
    if tree.name == "neg":
        return ast.UnaryOp(ast.USub(), parts[0])
    if tree.name in BINARY.values():
        return ast.BinOp(parts[0], _MARKS[tree.name](), parts[1])
    if tree.name in COMPARISONS.values():
        return ast.Compare(parts[0], [_MARKS[tree.name]()], [parts[1]])
    return ast.Call(ast.Name(tree.name), parts, [])

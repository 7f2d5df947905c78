"""The derivative of an expression by the rules of a textbook, and an expression as text.

The rules are applied to the tree as it stands, and nothing is simplified but factors of ±1 and terms of 0.
"""

from collections.abc import Callable

from lib.experiment.expressions import COMPARISONS, SIGNS, Number, Operation, Tree, Variable
from lib.experiment.parser import constant, parse

ZERO, ONE = Number(0), Number(1)

_SLOPES = {
    "abs": "sign(x)",
    "acos": "-1/sqrt(1-x**2)",
    "asin": "1/sqrt(1-x**2)",
    "asinh": "1/sqrt(1+x**2)",
    "atan": "1/(1+x**2)",
    "atanh": "1/(1-x**2)",
    "cos": "-sin(x)",
    "cosh": "sinh(x)",
    "erf": "2/sqrt(pi)*exp(-x**2)",
    "erfc": "-2/sqrt(pi)*exp(-x**2)",
    "exp": "exp(x)",
    "expm1": "exp(x)",
    "gelu": "(1+erf(x/sqrt(2)))/2+x*exp(-x**2/2)/sqrt(2*pi)",
    "log": "1/x",
    "log1p": "1/(1+x)",
    "logit": "1/(x*(1-x))",
    "reciprocal": "-1/x**2",
    "relu": "where(x>0,1.0,0.0)",
    "rsqrt": "-1/(2*x*sqrt(x))",
    "sigmoid": "sigmoid(x)*(1-sigmoid(x))",
    "sin": "cos(x)",
    "sinh": "cosh(x)",
    "softplus": "sigmoid(x)",
    "sqrt": "1/(2*sqrt(x))",
    "square": "2*x",
    "tan": "1/cos(x)**2",
    "tanh": "1-tanh(x)**2",
}
"""The derivatives of the functions of one number, but for those that are 0: `sign` and `ones_like`."""


def derivative(tree: Tree) -> Tree:
    """The derivative of an expression by the sum, product, quotient, power and chain rules."""
    match tree:
        case Variable():
            return ONE
        case Operation("add" | "sub" as name, (left, right)):
            return _sum(name, derivative(left), derivative(right))
        case Operation("neg", (of,)):
            return _negative(derivative(of))
        case Operation("mul", (left, right)):
            return _sum("add", _product(derivative(left), right), _product(left, derivative(right)))
        case Operation("truediv", (above, below)):
            of_above, of_below = derivative(above), derivative(below)
            if of_below == ZERO:
                return of_above if of_above == ZERO else Operation("truediv", (of_above, below))
            whole = _sum("sub", _product(of_above, below), _product(above, of_below))
            return Operation("truediv", (whole, Operation("pow", (below, Number(2)))))
        case Operation("pow", (base, exponent)):
            return _power(base, exponent)
        case Operation("maximum" | "minimum" as name, (left, right)):
            slopes = derivative(left), derivative(right)
            larger = Operation("gt" if name == "maximum" else "lt", (left, right))
            return ZERO if set(slopes) == {ZERO} else Operation("where", (larger, *map(_as_float, slopes)))
        case Operation("where", (condition, this, that)):
            slopes = derivative(this), derivative(that)
            return ZERO if set(slopes) == {ZERO} else Operation("where", (condition, *map(_as_float, slopes)))
        case Operation(name, (of,)) if name in _SLOPES:
            inner = derivative(of)
            return ZERO if inner == ZERO else _product(parse(_SLOPES[name], {"x": of}), inner)
    return ZERO


def _sum(name: str, left: Tree, right: Tree) -> Tree:
    if right == ZERO:
        return left
    if left == ZERO:
        return right if name == "add" else _negative(right)
    return Operation(name, (left, right))


def _negative(of: Tree) -> Tree:
    return ZERO if of == ZERO else Operation("neg", (of,))


def _product(left: Tree, right: Tree) -> Tree:
    if ZERO in (left, right):
        return ZERO
    if ONE in (left, right):
        return right if left == ONE else left
    if right == _negative(ONE):
        return _negative(left)
    return Operation("mul", (left, right))


def _power(base: Tree, exponent: Tree) -> Tree:
    inner, n = derivative(base), constant(exponent)
    assert n is not None
    if inner == ZERO or n == 0:
        return ZERO
    lower = ONE if n == 1 else base if n == 2 else Operation("pow", (base, _number(n - 1)))
    return _product(_product(_number(n), lower), inner)


def _number(value: float) -> Tree:
    size = Number(int(abs(value)) if value == int(value) else abs(value))
    return size if value >= 0 else Operation("neg", (size,))


def _as_float(tree: Tree) -> Tree:
    """A branch of `where`; two whole numbers would make a tensor of whole numbers, which has no derivative."""
    return Number(float(tree.value)) if isinstance(tree, Number) else tree


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "gt": ">", "ge": ">=", "lt": "<", "le": "<=", "ne": "!="}
_BINDS = {**dict.fromkeys(COMPARISONS.values(), 0), "add": 1, "sub": 1, "mul": 2, "truediv": 2, "neg": 3, "pow": 4}
_ATOM = 5


def text(tree: Tree, function: Callable[[str], str] = str) -> str:
    """An expression as a text that `parse` reads back; `function` tells how each function and constant is spelled."""

    def within(operand: Tree, least: int) -> str:
        written = text(operand, function)
        binds = _BINDS.get(operand.name, _ATOM) if isinstance(operand, Operation) else _ATOM
        if isinstance(operand, Number) and written.startswith("-"):
            binds = _BINDS["neg"]
        return written if binds >= least else f"({written})"

    match tree:
        case Variable():
            return "x"
        case Number(value):
            return repr(value)
        case Operation("neg", (of,)):
            return f"-{within(of, _BINDS['neg'])}"
        case Operation("pow", (base, exponent)):
            return f"{within(base, _ATOM)}**{within(exponent, _BINDS['neg'])}"
        case Operation(name, (left, right)) if name in SIGNS.values():
            return f"{within(left, _BINDS[name])}{_SIGNS[name]}{within(right, _BINDS[name] + 1)}"
        case Operation(name, ()):
            return function(name)
        case Operation(name, operands):
            return f"{function(name)}({','.join(text(operand, function) for operand in operands)})"

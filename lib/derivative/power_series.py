"""The exact value and derivative of any expression at x, in ball arithmetic: the first two orders
of its power series.

NOTE [exact functions]: what an expression means exactly. Its numbers are those that Python reads:
0.1 is the float64 nearest to a tenth, as in PyTorch. pi, e and what is computed from numbers, such
as 1/3, are exact. PyTorch rounds pi and 1/3 to a float64, and rounds each constant once more to the
precision of the operation in which it meets x. Those are errors of the computed derivative, like
the errors of its operations.

NOTE [ties]: at x itself abs, relu, maximum, minimum, sign or where may turn from one branch to the
other, and the domain of a root, asin or acos may begin. The derivative is then undecided, whatever
the precision, unless both branches are known to have the same value and the same slope at x. A
function that is constant near x, such as relu left of 0, is a number and not a series. It has no
tie.
"""

import operator
from collections.abc import Callable
from typing import Any

from flint import arb, arb_series, ctx

from lib.experiment.expressions import Arithmetic, Tree

Series = Any
"""A function near x: an `arb_series`, or an `arb` if it is constant there."""

_ORDERS = 2
"""The value and the derivative."""

_NOWHERE = arb.nan()


class UnknownSide(ArithmeticError):
    """The precision does not tell on which side of a tie, or of an edge of the domain, x lies."""


def derivative(tree: Tree, number: Callable[[int | float], arb] = arb) -> Callable[[arb], arb]:
    """Return the derivative of an expression as a function of x.

    `number` converts each constant to a ball. The function returns a ball that contains the
    derivative at an exact x, or NaN where there is none. It raises `UnknownSide` if the precision
    does not tell whether there is one.
    """
    function = Arithmetic[Series](number, _OPERATIONS).function(tree, shared=True)

    def derivative_at(x: arb) -> arb:
        cap = ctx.cap
        ctx.cap = _ORDERS
        try:
            series = function(arb_series([x, 1]))
            # Where there is no value, as of x + log(x) left of 0, there is no derivative.
            if _first(series).is_nan():
                return _NOWHERE
            return arb(0) if isinstance(series, arb) else series[1]
        finally:
            ctx.cap = cap

    return derivative_at


def value(tree: Tree, number: Callable[[int | float], arb] = arb) -> Callable[[arb], arb]:
    """Return the value of an expression as a function of x, likewise."""
    return Arithmetic[Series](number, _OPERATIONS).function(tree, shared=True)


def _first(u: Series) -> arb:
    return u if isinstance(u, arb) else u[0]


def _positive(number: arb) -> bool:
    """Return whether a number is positive; if not, it is negative, 0 or NaN.

    Raises `UnknownSide` if the ball contains both.
    """
    if number > 0:
        return True
    if number <= 0 or number.is_nan():
        return False
    raise UnknownSide


def _is_positive_near_x(u: Series) -> bool:
    """Return whether a function is positive near x.

    Raises `UnknownSide` if it is 0 at x without being constant there, or if the ball contains both.
    """
    # See NOTE [ties].
    if not isinstance(u, arb) and u[0] == 0:
        raise UnknownSide
    return _positive(_first(u))


def _sign(u: Series) -> int:
    """Return the sign of a function near x."""
    if _is_positive_near_x(u):
        return 1
    return 0 if _first(u) == 0 else -1


def _constant(number: int, u: Series) -> arb:
    """Return a number wherever u has a value."""
    return _NOWHERE if _first(u).is_nan() else arb(number)


def _multiply(left: Series, right: Series) -> Series:
    """Return a product, NaN if one of the factors is NaN: flint returns 0 if the other is 0."""
    if _first(left).is_nan() or _first(right).is_nan():
        return _NOWHERE
    return left * right


def _divide(above: Series, below: Series) -> Series:
    """Return a quotient, NaN at a pole."""
    divisor = _first(below)
    if divisor == 0 or divisor.is_nan():
        return _NOWHERE
    if divisor.contains(0):
        raise UnknownSide
    return above / below


def _sqrt(u: Series) -> Series:
    if isinstance(u, arb) and u == 0:
        return u
    return u.sqrt() if _is_positive_near_x(u) else _NOWHERE


def _log(u: Series) -> Series:
    """Return the logarithm, which has no value at 0."""
    return u.log() if _positive(_first(u)) else _NOWHERE


def _exp(u: Series) -> Series:
    """Return the exponential. Raises `UnknownSide` where it is beyond all numbers of Arb."""
    power = u.exp()
    if _first(u).is_finite() and not _first(power).is_finite():
        raise UnknownSide
    return power


def _power(base: Series, exponent: arb) -> Series:
    """Return a power whose exponent is a whole number or half of one."""
    halves = int((2 * exponent).unique_fmpz())
    whole, is_odd = divmod(abs(halves), 2)
    power = base**whole if whole else _constant(1, base)
    if is_odd:
        power = _multiply(power, _sqrt(base)) if whole else _sqrt(base)
    return _divide(arb(1), power) if halves < 0 else power


def _arc(name: str) -> Callable[[Series], Series]:
    """Return asin or acos. They have no value outside of [−1, 1], and a tie at its ends."""
    arc = operator.methodcaller(name)

    def apply(u: Series) -> Series:
        is_at_end = isinstance(u, arb) and u * u == 1
        return arc(u) if is_at_end or _is_positive_near_x(1 - u * u) else _NOWHERE

    return apply


def _pick(difference: Series, this: Series, that: Series) -> Series:
    """Return `this` where `difference` is not negative, else `that`."""
    return _where((difference, False), this, that)


def _where(condition: tuple[Series, bool], this: Series, that: Series) -> Series:
    """Return `this` where the condition holds, else `that`.

    `condition` is a difference, and whether it has to be positive or may be 0.
    """
    difference, strict = condition
    if _first(difference).is_nan():
        return _NOWHERE
    # `arb_series([0])` makes a series of two constants.
    apart = this - that + arb_series([0])
    # Both are known to have the same value and the same slope at x: NOTE [ties].
    if apart[0] == apart[1] == 0:
        return this
    # The condition holds if the sign is at least this.
    least = 1 if strict else 0
    return this if _sign(difference) >= least else that


def _sigmoid(u: Series) -> Series:
    """Return sigmoid by exp of a negative number, which does not overflow."""
    if _first(u) > 0:
        return 1 / (1 + _exp(-u))
    e = _exp(u)
    return _divide(e, 1 + e)


def _softplus(u: Series) -> Series:
    if _first(u) > 0:
        return u + (_exp(-u) + 1).log()
    return (_exp(u) + 1).log()


def _asinh(u: Series) -> Series:
    root = (u * u + 1).sqrt()
    return (u + root).log() if _first(u) > 0 else -(root - u).log()


_OPERATIONS: dict[str, Callable] = {
    **{name: getattr(operator, name) for name in ("add", "neg", "sub")},
    **{name: operator.methodcaller(name) for name in ("atan", "cos", "erf", "erfc", "sin")},
    "abs": lambda u: _pick(u, u, -u),
    "acos": _arc("acos"),
    "asin": _arc("asin"),
    "asinh": _asinh,
    "atanh": lambda u: ((1 + u) / (1 - u)).log() / 2 if _positive(_first(1 - u * u)) else _NOWHERE,
    "cosh": lambda u: (_exp(u) + _exp(-u)) / 2,
    "e": lambda: arb(1).exp(),
    "exp": _exp,
    "expm1": lambda u: _exp(u) - 1,
    "ge": lambda u, v: (u - v, False),
    "gelu": lambda u: u * (-u / arb(2).sqrt()).erfc() / 2,
    "gt": lambda u, v: (u - v, True),
    "le": lambda u, v: (v - u, False),
    "log": _log,
    "log1p": lambda u: _log(1 + u),
    "logit": lambda u: _log(_divide(u, 1 - u)),
    "lt": lambda u, v: (v - u, True),
    "maximum": lambda u, v: _pick(u - v, u, v),
    "minimum": lambda u, v: _pick(v - u, u, v),
    "mul": _multiply,
    "ones_like": lambda u: _constant(1, u),
    "pi": arb.pi,
    "pow": _power,
    "reciprocal": lambda u: _divide(arb(1), u),
    "relu": lambda u: _pick(u, u, _constant(0, u)),
    "rsqrt": lambda u: u.rsqrt() if _positive(_first(u)) else _NOWHERE,
    "sigmoid": _sigmoid,
    "sign": lambda u: _NOWHERE if _first(u).is_nan() else arb(_sign(u)),
    "sinh": lambda u: (_exp(u) - _exp(-u)) / 2,
    "softplus": _softplus,
    "sqrt": _sqrt,
    "square": lambda u: u * u,
    "tan": lambda u: _divide(u.sin(), u.cos()),
    "tanh": lambda u: 2 * _sigmoid(u + u) - 1,
    "truediv": _divide,
    "where": _where,
}

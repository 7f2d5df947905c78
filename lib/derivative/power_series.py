"""The exact value and derivative of any expression at x, in ball arithmetic: its power series there.

NOTE [exact functions]: what an expression means exactly. Its numbers are those that Python reads, so 0.1 is the float64
nearest to a tenth, as PyTorch gets it; pi, e and what is computed from numbers, such as 1/3, are exact. PyTorch rounds
pi and 1/3 to a float64, and each constant once more to the precision of the operation in which it meets x. Those are
errors of the computed derivative, like the errors of its operations.

NOTE [beside x]: at a tie, where abs, relu, maximum, minimum, sign or where turn from one branch to the other, and where
a root or a denominator is 0, the series to the right of x and to the left of it are computed apart, and f(x) itself by
the branch on which x lies. The derivative exists if both meet there with the same slope. These series are in s, where
x + s**4 or x − s**4 runs through the numbers to one side: so the root of an odd power is a series, too, and its slope
is infinite if it begins below s**4. What is constant beside x, such as relu left of 0, is a number and no series: a
difference that is 0 in all orders need not be 0, and then the derivative is undecided.
"""

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from flint import arb, arb_series, ctx

from lib.experiment.expressions import Arithmetic, Tree

Series = Any
"""An `arb_series`, or an `arb`: a function of one number near x; a number is one that is constant there."""

_ORDERS = 2  # of a smooth series: the value and the derivative
_POWER, _ORDERS_BESIDE = 4, 72  # of s beside x, and the orders in s
_NOWHERE = arb.nan()


class Undecided(ArithmeticError):
    """More precision is needed to tell on which side of a tie or of an edge of the domain a number lies."""


class TooFewOrders(Undecided):
    """The orders that are kept do not tell it, and no precision does."""


class Tie(ArithmeticError):
    """A number that decides a branch, a root or a quotient is 0 at x, and need not be beside it."""


def derivative(tree: Tree) -> Callable[[arb], arb]:
    """The derivative of an expression as a function of x: a ball that contains it, NaN where it does not exist.

    The function raises `Undecided` if the precision at hand does not tell whether it exists. x is exact.
    """
    smooth, beside = (arithmetic.function(tree, shared=True) for arithmetic in (_SMOOTH, _BESIDE))

    def at(x: arb) -> arb:
        try:
            with _orders(_ORDERS):
                found = smooth(arb_series([x, 1]))
                return _coefficient(found, 1)
        except Tie:
            return _from_sides(smooth(x), x, beside)

    return at


def value(tree: Tree) -> Callable[[arb], arb]:
    """The value of an expression as a function of x, likewise."""
    return _SMOOTH.function(tree, shared=True)


@contextmanager
def _orders(count: int) -> Iterator[None]:
    """Keep so many orders of power series."""
    cap, ctx.cap = ctx.cap, count
    try:
        yield
    finally:
        ctx.cap = cap


def _from_sides(value: arb, x: arb, beside: Callable[[Series], Series]) -> arb:
    """The derivative from either side, if both sides meet the value at x with the same slope, else NaN."""
    if value.is_nan():
        return value
    sides: list[Series] = []
    undecided = None
    for sign in (1, -1):
        try:
            with _orders(_ORDERS_BESIDE):
                sides.append(beside(arb_series([x] + [0] * (_POWER - 1) + [sign])))
        except Undecided as error:
            undecided = error
    if any(_first(side).is_nan() or not _same(_first(side), value) for side in sides):
        return _NOWHERE
    if undecided:
        raise undecided
    right, left = map(_slope, sides)
    return right if _same(right, -left) else _NOWHERE


def _slope(side: Series) -> arb:
    """The coefficient of s**4, which is the slope to one side; NaN if it is infinite."""
    if isinstance(side, arb):
        return arb(0)
    if side.prec <= _POWER:
        raise TooFewOrders
    for k in range(1, _POWER):
        if side[k] != 0:
            return _NOWHERE
        if not side[k] == 0:
            raise Undecided
    return side[_POWER]


def _same(one: arb, other: arb) -> bool:
    """Whether two balls are the same number. Raises `Undecided` if they may be."""
    if one.is_nan() or other.is_nan() or not one.overlaps(other):
        return False
    if one.is_exact() and other.is_exact():
        return True
    raise Undecided


def _first(u: Series) -> arb:
    return u if isinstance(u, arb) else u[0]


def _coefficient(u: Series, order: int) -> arb:
    """The coefficient of an order other than 0."""
    if isinstance(u, arb):
        return u if u.is_nan() else arb(0)
    return u[order]


def _positive(number: arb) -> bool:
    """Whether a number is positive, else it is negative, 0 or NaN. Raises `Undecided` if the ball contains both."""
    if number > 0:
        return True
    if number <= 0 or number.is_nan():
        return False
    raise Undecided


def _constant(number: int, u: Series) -> arb:
    """A number wherever u has a value."""
    return _NOWHERE if _first(u).is_nan() else arb(number)


def _multiply(left: Series, right: Series) -> Series:
    """A product, NaN if one of the factors is; flint's is 0 if the other is."""
    if _first(left).is_nan() or _first(right).is_nan():
        return _NOWHERE
    return left * right


def _tanh(u: Series) -> Series:
    """By exp of a negative number, which does not overflow."""
    if _first(u) > 0:
        return -_tanh(-u)
    e = (u + u).exp()
    return (e - 1) / (e + 1)


def _sigmoid(u: Series) -> Series:
    e = (-u).exp() if _first(u) > 0 else u.exp()
    return 1 / (1 + e) if _first(u) > 0 else e / (1 + e)


def _softplus(u: Series) -> Series:
    return u + ((-u).exp() + 1).log() if _first(u) > 0 else (u.exp() + 1).log()


def _asinh(u: Series) -> Series:
    return (u + (u * u + 1).sqrt()).log() if _first(u) > 0 else -((u * u + 1).sqrt() - u).log()


_EVERYWHERE: dict[str, Callable[..., Series]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "neg")},
    **{name: operator.methodcaller(name) for name in ("atan", "cos", "erf", "erfc", "exp", "sin")},
    "pi": arb.pi,
    "e": lambda: arb(1).exp(),
    "mul": _multiply,
    "asinh": _asinh,
    "cosh": lambda u: (u.exp() + (-u).exp()) / 2,
    "expm1": lambda u: u.exp() - 1,
    "gelu": lambda u: u * (-u / arb(2).sqrt()).erfc() / 2,
    "ones_like": lambda u: _constant(1, u),
    "sigmoid": _sigmoid,
    "sinh": lambda u: (u.exp() - (-u).exp()) / 2,
    "softplus": _softplus,
    "square": lambda u: u * u,
    "tanh": _tanh,
}
"""What is smooth at every x."""


def _order_at(u: arb_series) -> int:
    """The order with which a series begins that has to be smooth. Raises `Tie` where that is not the first."""
    if u[0] == 0:
        raise Tie
    return 0


def _order_beside(u: arb_series) -> int:
    """The order with which a series beside x begins: its coefficient has the sign of the function there."""
    for k in range(u.prec):
        if not u[k] == 0:
            return k
    raise TooFewOrders


def _arithmetic(order_of: Callable[[arb_series], int]) -> Arithmetic[Any]:
    """The arithmetic of power series and numbers, by the order with which a series begins."""

    def split(u: Series) -> tuple[int, Series]:
        """The order with which u begins, and u divided by that power."""
        order = 0 if isinstance(u, arb) else order_of(u)
        return order, _lowered(u, order)

    def sign(u: Series) -> int:
        begins = _first(split(u)[1])
        return 1 if _positive(begins) else 0 if begins == 0 else -1

    def inside(edge: Series) -> bool:
        """Whether x is where `edge` is positive. Where that tends to 0 beside x, a function may be a number again."""
        order, begins = split(edge)
        if order and _positive(_first(begins)):
            raise TooFewOrders
        return _positive(_first(begins))

    def arc(of: Callable[[Series], Series], u: Series) -> Series:
        if isinstance(u, arb) and u * u == 1:
            return of(u)
        return of(u) if inside(1 - u * u) else _NOWHERE

    def log(u: Series) -> Series:
        return u.log() if inside(u) else _NOWHERE

    def sqrt(u: Series) -> Series:
        if isinstance(u, arb) and u == 0:
            return u
        order, begins = split(u)
        if not _positive(_first(begins)):
            return _NOWHERE
        if order % 2:
            raise TooFewOrders
        root = begins.sqrt()
        return arb_series([arb(0)] * (order // 2) + root.coeffs(), order // 2 + root.prec) if order else root

    def divide(above: Series, below: Series) -> Series:
        order, begins = split(below)
        if _first(begins) == 0 or _first(begins).is_nan():
            return _NOWHERE
        if _first(begins).contains(0):
            raise Undecided
        if any(not _of_order(above, k) == 0 for k in range(order)):
            raise TooFewOrders  # a pole, of which other operations may make a number again
        return _lowered(above, order) / begins

    def power(base: Series, exponent: arb) -> Series:
        """A power whose exponent is a whole number or half of one."""
        twice = int((2 * exponent).unique_fmpz())
        whole, half = divmod(abs(twice), 2)
        if half and whole and _first(base) == 0:  # whose root may have an infinite slope
            found = sqrt(base ** (2 * whole + 1))
        elif half:
            found = _multiply(base**whole, sqrt(base)) if whole else sqrt(base)
        else:
            found = base**whole if whole else _constant(1, base)
        return divide(arb(1), found) if twice < 0 else found

    def pick(difference: Series, this: Series, that: Series) -> Series:
        """`this` where the difference of the two is positive, `that` where it is negative; either where it is 0."""
        if _first(difference).is_nan():
            return _NOWHERE
        try:
            return this if sign(difference) >= 0 else that
        except TooFewOrders:
            return this + difference  # no more orders than are known to be the same

    def where(condition: tuple[Series, bool], this: Series, that: Series) -> Series:
        """`condition` is a difference, and whether that has to be positive or may be 0."""
        difference, strict = condition
        if _first(difference).is_nan():
            return _NOWHERE
        return this if sign(difference) >= strict else that

    at_edges: dict[str, Callable] = {
        "truediv": divide,
        "pow": power,
        "sqrt": sqrt,
        "log": log,
        "abs": lambda u: pick(u, u, -u),
        "acos": lambda u: arc(operator.methodcaller("acos"), u),
        "asin": lambda u: arc(operator.methodcaller("asin"), u),
        "atanh": lambda u: ((1 + u) / (1 - u)).log() / 2 if inside(1 - u * u) else _NOWHERE,
        "log1p": lambda u: log(1 + u),
        "logit": lambda u: log(divide(u, 1 - u)),
        "reciprocal": lambda u: divide(arb(1), u),
        "relu": lambda u: pick(u, u, _constant(0, u)),
        "rsqrt": lambda u: u.rsqrt() if inside(u) else _NOWHERE,
        "sign": lambda u: _NOWHERE if _first(u).is_nan() else arb(sign(u)),
        "tan": lambda u: divide(u.sin(), u.cos()),
        "maximum": lambda u, v: pick(u - v, u, v),
        "minimum": lambda u, v: pick(v - u, u, v),
        "gt": lambda u, v: (u - v, True),
        "ge": lambda u, v: (u - v, False),
        "lt": lambda u, v: (v - u, True),
        "le": lambda u, v: (v - u, False),
        "where": where,
    }
    return Arithmetic("Arb's power series", number=arb, operations=_EVERYWHERE | at_edges)


def _of_order(u: Series, order: int) -> arb:
    return u if isinstance(u, arb) else u[order]


def _lowered(u: Series, order: int) -> Series:
    """A series divided by a power; a number is one that is 0 then."""
    if order == 0 or isinstance(u, arb):
        return u
    return arb_series([u[k] for k in range(order, u.prec)], u.prec - order)


_SMOOTH, _BESIDE = _arithmetic(_order_at), _arithmetic(_order_beside)

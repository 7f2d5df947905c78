"""The exact derivative of any expression: the coefficient of first order of its power series, in ball arithmetic.

NOTE [exact functions]: what an expression means exactly. Its numbers are those that Python reads, so 0.1 is the float64
nearest to a tenth, as PyTorch gets it; pi, e and what is computed from numbers, such as 1/3, are exact. PyTorch rounds
pi and 1/3 to a float64, and each constant once more to the precision of the operation in which it meets x. Those are
errors of the computed derivative, like the errors of its operations.

At a tie, where abs, relu, maximum, minimum, sign or where turn from one branch to the other, the series to the right
of x and to the left of it are computed apart. The derivative exists if both are the same. So it is where a root has 0
under it: that of x**4 has a derivative at 0, and that of x**2 has none.
"""

from collections.abc import Callable
from functools import partial

from flint import arb, arb_series, ctx

from lib.experiment.expressions import Arithmetic, Tree, repeated

_ORDERS = 2  # of the series that are kept: the value and the derivative
_ORDERS_BESIDE = 10  # likewise beside a tie, where a root may halve them


class Undecided(ArithmeticError):
    """More precision is needed to tell on which side of a tie or of an edge of the domain a number lies."""


class _Tie(ArithmeticError):
    """A number lies exactly between two branches, or a root has 0 under it and no slope."""


def derivative(tree: Tree) -> Callable[[arb], arb]:
    """The derivative of an expression as a function of x: a ball that contains it, NaN where it does not exist.

    The function raises `Undecided` if the precision at hand does not tell whether it exists. x is exact.
    """
    apart = repeated(tree)
    smooth, beside = _SMOOTH.function(tree, apart), _BESIDE.function(tree, apart)

    def at(x: arb) -> arb:
        cap, ctx.cap = ctx.cap, _ORDERS
        try:
            return smooth(arb_series([x, 1]))[1]
        except _Tie:
            ctx.cap = _ORDERS_BESIDE
            right, left = (beside(arb_series([x, side])) for side in (1, -1))
        finally:
            ctx.cap = cap
        return right[1] if _same(right[0], left[0]) and _same(right[1], -left[1]) else arb.nan()

    return at


def value(tree: Tree) -> Callable[[arb], arb]:
    """The value of an expression as a function of x, likewise; at a tie, that of both sides if they meet there."""
    apart = repeated(tree)
    smooth, beside = _SMOOTH.function(tree, apart), _BESIDE.function(tree, apart)

    def at(x: arb) -> arb:
        cap, ctx.cap = ctx.cap, 1
        try:
            return smooth(arb_series([x]))[0]
        except _Tie:
            ctx.cap = _ORDERS_BESIDE
            right, left = (beside(arb_series([x, side])) for side in (1, -1))
        finally:
            ctx.cap = cap
        return right[0] if _same(right[0], left[0]) else arb.nan()

    return at


def _same(one: arb, other: arb) -> bool:
    """Whether two balls are the same number. Raises `Undecided` if they may be."""
    if one.is_nan() or other.is_nan() or not one.overlaps(other):
        return False
    if one.is_exact() and other.is_exact():
        return True
    raise Undecided


def _positive(number: arb) -> bool:
    """Whether a number is positive, else it is negative or 0. Raises `Undecided` if the ball contains both."""
    if number > 0:
        return True
    if number <= 0 or number.is_nan():
        return False
    raise Undecided


_NOWHERE = arb_series([arb.nan(), arb.nan()], _ORDERS)
_ONE = arb_series([1])


def _multiply(left: arb_series, right: arb_series) -> arb_series:
    """A product, NaN if one of the factors is; flint's is 0 if the other is."""
    found = left * right
    if found.length() == 0 and (left[0].is_nan() or right[0].is_nan()):
        return _NOWHERE
    return found


def _constant(number: int, u: arb_series) -> arb_series:
    """A number wherever u has a value."""
    return _NOWHERE if u[0].is_nan() else arb_series([number])


def _where_positive(domain: Callable[[arb_series], arb], f: Callable[[arb_series], arb_series]) -> Callable:
    """The function f where `domain` of its operand is positive; nowhere else."""

    def apply(u: arb_series) -> arb_series:
        return f(u) if _positive(domain(u)) else _NOWHERE

    return apply


def _divide(above: arb_series, below: arb_series) -> arb_series:
    if below[0].is_nan() or below[0] == 0:
        return _NOWHERE
    if below[0].contains(0):
        raise Undecided
    return above / below


def _power(sqrt: Callable[[arb_series], arb_series], base: arb_series, exponent: arb_series) -> arb_series:
    """A power whose exponent is a whole number or half of one."""
    twice = int((2 * exponent[0]).unique_fmpz())
    whole, half = divmod(abs(twice), 2)
    found = base**whole if whole else _constant(1, base)
    if half:
        found = _multiply(found, sqrt(base)) if whole else sqrt(base)
    return _divide(_ONE, found) if twice < 0 else found


def _smooth_side(difference: arb_series) -> int:
    """The sign of a number. Raises `_Tie` at 0."""
    number = difference[0]
    if number > 0:
        return 1
    if number < 0:
        return -1
    if number == 0:
        raise _Tie
    if number.is_nan():
        return 0
    raise Undecided


def _side_beside(difference: arb_series) -> int:
    """The sign of a number right beside x, on the side to which the series goes; 0 if the first order does not tell."""
    if difference[0] == 0:
        slope = difference[1]
        return 1 if slope > 0 else -1 if slope < 0 else 0 if slope == 0 or slope.is_nan() else _undecided()
    return _smooth_side(difference)


def _undecided() -> int:
    raise Undecided


def _pick(side: Callable[[arb_series], int], difference: arb_series, this: arb_series, that: arb_series) -> arb_series:
    """`this` where the difference is positive, `that` where it is negative; between them, either if they are the same
    to first order."""
    sign = side(difference)
    if sign == 0:
        alike = all(_same(this[i], that[i]) for i in range(_ORDERS))
        return this if alike else _NOWHERE
    return this if sign > 0 else that


def _where(side: Callable[[arb_series], int], condition: arb_series, this: arb_series, that: arb_series) -> arb_series:
    """At a tie, f(x) itself is on one branch, so it has no derivative there unless the two branches meet."""
    if condition[0] == 0 and not _same(this[0], that[0]):
        return _NOWHERE
    return _pick(side, condition, this, that)


def _exp(u: arb_series) -> arb_series:
    return u.exp()


def _smooth_sqrt(u: arb_series) -> arb_series:
    """A root. Raises `_Tie` at a 0 without slope, where more orders tell."""
    if u[0] == 0 and u[1] == 0:
        raise _Tie
    return u.sqrt() if _positive(u[0]) else _NOWHERE


def _sqrt_beside(u: arb_series) -> arb_series:
    """A root right beside x: that of t**n has the order n/2, and its slope at 0 is infinite for n = 1."""
    if not u[0] == 0:  # which a ball that contains more than 0 is not
        return _smooth_sqrt(u)
    order = next((k for k in range(1, u.prec) if not u[k] == 0), None)
    if order is None:
        raise Undecided
    if not _positive(u[order]):
        return _NOWHERE
    half, odd = divmod(order, 2)
    if odd:
        return arb_series([0, 0], _ORDERS) if half else arb_series([0, arb.nan()], _ORDERS)
    root = arb_series([u[k] for k in range(order, u.prec)], u.prec - order).sqrt()
    return arb_series([0] * half + [root[k] for k in range(root.prec)], half + root.prec)


_log = _where_positive(lambda u: u[0], arb_series.log)
_rsqrt = _where_positive(lambda u: u[0], arb_series.rsqrt)


def _hyperbolic(u: arb_series) -> tuple[arb_series, arb_series]:
    """2·cosh and 2·sinh."""
    e, d = u.exp(), (-u).exp()
    return e + d, e - d


def _tanh(u: arb_series) -> arb_series:
    """By exp of a negative number, which does not overflow."""
    if u[0] > 0:
        return -_tanh(-u)
    e = (u + u).exp()
    return (e - 1) / (e + 1)


def _sigmoid(u: arb_series) -> arb_series:
    e = (-u).exp() if u[0] > 0 else u.exp()
    return 1 / (1 + e) if u[0] > 0 else e / (1 + e)


def _softplus(u: arb_series) -> arb_series:
    return u + ((-u).exp() + 1).log() if u[0] > 0 else (u.exp() + 1).log()


def _asinh(u: arb_series) -> arb_series:
    return (u + (u * u + 1).sqrt()).log() if u[0] > 0 else -((u * u + 1).sqrt() - u).log()


_FUNCTIONS: dict[str, Callable] = {
    **{name: getattr(arb_series, name) for name in ("atan", "cos", "erf", "erfc", "exp", "sin")},
    "acos": _where_positive(lambda u: 1 - u[0] * u[0], arb_series.acos),
    "asin": _where_positive(lambda u: 1 - u[0] * u[0], arb_series.asin),
    "asinh": _asinh,
    "atanh": _where_positive(lambda u: 1 - u[0] * u[0], lambda u: ((1 + u) / (1 - u)).log() / 2),
    "cosh": lambda u: _hyperbolic(u)[0] / 2,
    "expm1": lambda u: u.exp() - 1,
    "gelu": lambda u: u * (-u / arb(2).sqrt()).erfc() / 2,
    "log": _log,
    "log1p": lambda u: _log(1 + u),
    "logit": lambda u: _log(_divide(u, 1 - u)),
    "ones_like": partial(_constant, 1),
    "reciprocal": lambda u: _divide(_ONE, u),
    "rsqrt": _rsqrt,
    "sigmoid": _sigmoid,
    "sinh": lambda u: _hyperbolic(u)[1] / 2,
    "softplus": _softplus,
    "square": lambda u: u * u,
    "tan": lambda u: _divide(u.sin(), u.cos()),
    "tanh": _tanh,
}


def _arithmetic(
    name: str, side: Callable[[arb_series], int], sqrt: Callable[[arb_series], arb_series]
) -> Arithmetic[arb_series]:
    """The arithmetic of power series; `side` tells the branch at which a number is, and `sqrt` is the root."""
    pick = partial(_pick, side)
    return Arithmetic(
        name,
        number=lambda constant: arb_series([arb(constant)], _ORDERS_BESIDE),  # whatever cap another thread has set
        operations=_FUNCTIONS
        | {
            **{"add": arb_series.__add__, "sub": arb_series.__sub__, "mul": _multiply},
            **{"neg": arb_series.__neg__, "truediv": _divide, "pow": partial(_power, sqrt), "sqrt": sqrt},
            **{"pi": lambda: arb_series([arb.pi()]), "e": lambda: arb_series([arb(1).exp()])},
            **{"gt": arb_series.__sub__, "ge": arb_series.__sub__},
            **{"lt": lambda u, v: v - u, "le": lambda u, v: v - u},
            "abs": lambda u: pick(u, u, -u),
            "relu": lambda u: pick(u, u, _constant(0, u)),
            "sign": lambda u: _where(side, u, _ONE, -_ONE),
            "maximum": lambda u, v: pick(u - v, u, v),
            "minimum": lambda u, v: pick(v - u, u, v),
            "where": partial(_where, side),
        },
    )


_SMOOTH = _arithmetic("Arb's power series", _smooth_side, _smooth_sqrt)
_BESIDE = _arithmetic("Arb's power series", _side_beside, _sqrt_beside)

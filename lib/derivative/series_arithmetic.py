"""Power series in ball arithmetic: their operations at x, and beside it where branches meet.

NOTE [roots of series]: beside x, series are in s, where x + s**4 or x − s**4 runs through the numbers to one side. So
the root of an odd power is a series, too, and its slope is infinite if it begins below s**4. A difference that is 0 in
all orders need not be 0: more orders are tried, and then the derivative is undecided. But what is constant beside x,
such as relu left of 0, is a number and no series, so that it is known to stay 0.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from flint import arb, arb_series

from lib.derivative.series_functions import (
    BESIDE_X,
    FUNCTIONS,
    NOWHERE,
    Series,
    Tie,
    TooFewOrders,
    Undecided,
    coefficient,
    constant,
    log,
    positive,
)
from lib.experiment.expressions import Arithmetic

_ONE = arb_series([1], BESIDE_X[-1][1])


def _multiply(left: arb_series, right: arb_series) -> arb_series:
    """A product, NaN if one of the factors is; flint's is 0 if the other is."""
    found = left * right
    if found.length() == 0 and (left[0].is_nan() or right[0].is_nan()):
        return NOWHERE
    return found


def _divide(above: arb_series, below: arb_series) -> arb_series:
    if below[0].is_nan() or below[0] == 0:
        return NOWHERE
    if below[0].contains(0):
        raise Undecided
    return above / below


def _divide_beside(above: arb_series, below: arb_series) -> arb_series:
    """A quotient right beside x, where both may go to 0."""
    if above[0].is_nan() or not below[0] == 0:
        return _divide(above, below)
    order = _first_order(below)
    if order is None or any(not above[k] == 0 for k in range(order)):
        raise TooFewOrders  # a pole, of which other operations may make a number again
    return _divide(*(arb_series([u[k] for k in range(order, u.prec)], u.prec - order) for u in (above, below)))


def _power(sqrt: Callable, divide: Callable, base: arb_series, exponent: arb_series) -> arb_series:
    """A power whose exponent is a whole number or half of one."""
    twice = int((2 * exponent[0]).unique_fmpz())
    whole, half = divmod(abs(twice), 2)
    if half and whole and base[0] == 0:  # whose root may have an infinite slope
        found, half = sqrt(base ** (2 * whole + 1)), 0
    else:
        found = base**whole if whole else constant(1, base)
    if half:
        found = _multiply(found, sqrt(base)) if whole else sqrt(base)
    return divide(_ONE, found) if twice < 0 else found


def _smooth_side(difference: arb_series) -> int:
    """The sign of a number. Raises `Tie` at 0."""
    number = difference[0]
    if number > 0:
        return 1
    if number < 0:
        return -1
    if number == 0:
        raise Tie
    if number.is_nan():
        return 0
    raise Undecided


def _side_at(difference: arb_series) -> int:
    """The sign of a number."""
    return 0 if difference[0] == 0 else _smooth_side(difference)


def _side_beside(difference: arb_series) -> int:
    """The sign of a number right beside x, on the side to which the series goes; 0 if all orders are."""
    first = _first_order(difference)
    return 0 if first is None else _smooth_side(arb_series([difference[first]]))


def _first_order(u: arb_series) -> int | None:
    """The first order that is not known to be 0; None if all are."""
    return next((k for k in range(u.prec) if not u[k] == 0), None)


def _branch(side: Callable[[arb_series], int], difference: Series) -> int:
    """The sign of a difference, 0 where it stays 0."""
    if isinstance(difference, arb):
        return _side_at(_series(difference))
    sign = side(difference)
    if sign == 0 and side is _side_beside and not difference[0].is_nan():
        raise TooFewOrders
    return sign


def _pick(side: Callable[[arb_series], int], difference: Series, this: Series, that: Series) -> Series:
    """`this` where the difference of the two is positive, `that` where it is negative; either where it is 0."""
    if coefficient(difference, 0).is_nan():
        return NOWHERE
    if isinstance(difference, arb):
        return that if _side_at(_series(difference)) < 0 else this
    sign = side(difference)
    if sign == 0:
        return _series(this) + difference  # no more orders than are known to be the same
    return this if sign > 0 else that


class _Condition(NamedTuple):
    """Whether a difference is positive, or, if it is not `strict`, positive or 0."""

    difference: Series
    strict: bool


def _where(side: Callable[[arb_series], int], condition: _Condition, this: Series, that: Series) -> Series:
    difference, strict = condition
    if coefficient(difference, 0).is_nan():
        return NOWHERE
    sign = _branch(side, difference)
    return this if sign > 0 or (sign == 0 and not strict) else that


def _smooth_sqrt(u: arb_series) -> arb_series:
    """A root. Raises `Tie` at a 0 without slope, where more orders tell."""
    if u[0] == 0 and u[1] == 0:
        raise Tie
    return u.sqrt() if positive(u[0]) else NOWHERE


def _sqrt_at(u: arb_series) -> arb_series:
    return u if u[0] == 0 else _smooth_sqrt(u)


def _sqrt_beside(u: arb_series) -> arb_series:
    """A root right beside x: that of s**n begins with the order n/2."""
    order = _first_order(u)
    if order is None:
        raise TooFewOrders
    if not positive(u[order]):
        return NOWHERE
    half, odd = divmod(order, 2)
    if odd:
        raise TooFewOrders
    root = arb_series([u[k] for k in range(order, u.prec)], u.prec - order).sqrt()
    return arb_series([0] * half + [root[k] for k in range(root.prec)], half + root.prec)


def _series(u: Series) -> arb_series:
    return arb_series([u]) if isinstance(u, arb) else u


def _lifted(of_series: Callable[..., Series], of_numbers: Callable[..., Series]) -> Callable[..., Series]:
    """An operation on series that leaves numbers numbers."""

    def apply(*operands: Series) -> Series:
        for operand in operands:
            if not isinstance(operand, arb):
                return of_series(*map(_series, operands))
        return coefficient(of_numbers(*map(_series, operands)), 0)

    return apply


def _operations(sqrt: Callable, divide: Callable) -> dict[str, Callable]:
    return FUNCTIONS | {
        **{"add": arb_series.__add__, "sub": arb_series.__sub__, "mul": _multiply, "neg": arb_series.__neg__},
        **{"truediv": divide, "pow": partial(_power, sqrt, divide), "sqrt": sqrt},
        "reciprocal": partial(divide, _ONE),
        "logit": lambda u: log(divide(u, 1 - u)),
        "tan": lambda u: divide(u.sin(), u.cos()),
    }


_OF_NUMBERS = _operations(_sqrt_at, _divide) | {
    "acos": lambda u: _series(u[0].acos()) if u[0] * u[0] == 1 else FUNCTIONS["acos"](u),
    "asin": lambda u: _series(u[0].asin()) if u[0] * u[0] == 1 else FUNCTIONS["asin"](u),
}
_MINUS = _lifted(arb_series.__sub__, arb_series.__sub__)


def _arithmetic(side: Callable[[arb_series], int], operations: dict[str, Callable]) -> Arithmetic[Any]:
    """The arithmetic of power series and numbers; `side` tells the branch at which a number is."""
    pick = partial(_pick, side)
    return Arithmetic(
        "Arb's power series",
        number=arb,
        operations={name: _lifted(of_series, _OF_NUMBERS[name]) for name, of_series in operations.items()}
        | {
            **{"pi": arb.pi, "e": lambda: arb(1).exp()},
            **{"gt": lambda u, v: _Condition(_MINUS(u, v), True), "ge": lambda u, v: _Condition(_MINUS(u, v), False)},
            **{"lt": lambda u, v: _Condition(_MINUS(v, u), True), "le": lambda u, v: _Condition(_MINUS(v, u), False)},
            "abs": lambda u: pick(u, u, -u),
            "relu": lambda u: pick(u, u, constant(0, u)),
            "sign": lambda u: constant(_branch(side, u), u),
            "maximum": lambda u, v: pick(_MINUS(u, v), u, v),
            "minimum": lambda u, v: pick(_MINUS(v, u), u, v),
            "where": partial(_where, side),
        },
    )


SMOOTH = _arithmetic(_smooth_side, _operations(_smooth_sqrt, _divide))
BESIDE = _arithmetic(_side_beside, _operations(_sqrt_beside, _divide_beside))
AT = _arithmetic(_side_at, _OF_NUMBERS)

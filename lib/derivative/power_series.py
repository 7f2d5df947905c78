"""The exact derivative of any expression: the coefficient of first order of its power series, in ball arithmetic.

NOTE [exact functions]: what an expression means exactly. Its numbers are those that Python reads, so 0.1 is the float64
nearest to a tenth, as PyTorch gets it; pi, e and what is computed from numbers, such as 1/3, are exact. PyTorch rounds
pi and 1/3 to a float64, and each constant once more to the precision of the operation in which it meets x. Those are
errors of the computed derivative, like the errors of its operations.

At a tie, where abs, relu, maximum, minimum, sign or where turn from one branch to the other, the series to the right
of x and to the left of it are computed apart, and f(x) itself by the branch on which x lies. The derivative exists if
both meet there with the same slope. So it is where a root has 0 under it: that of x**4 has a derivative at 0, and that
of x**2 has none.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from flint import arb, arb_series, ctx

from lib.derivative.series_arithmetic import AT, BESIDE, SMOOTH
from lib.derivative.series_functions import BESIDE_X, ORDERS, Series, Tie, TooFewOrders, Undecided, coefficient
from lib.experiment.expressions import Tree, repeated


def derivative(tree: Tree) -> Callable[[arb], arb]:
    """The derivative of an expression as a function of x: a ball that contains it, NaN where it does not exist.

    The function raises `Undecided` if the precision at hand does not tell whether it exists. x is exact.
    """
    apart = repeated(tree)
    smooth, beside = SMOOTH.function(tree, apart), _beside(tree)

    def at(x: arb) -> arb:
        try:
            with _orders(ORDERS):
                return coefficient(smooth(arb_series([x, 1])), 1)
        except Tie:
            return beside(x)[1]

    return at


def value(tree: Tree) -> Callable[[arb], arb]:
    """The value of an expression as a function of x, likewise; at a tie, that of both sides if they meet there."""
    apart = repeated(tree)
    smooth, beside = SMOOTH.function(tree, apart), _beside(tree)

    def at(x: arb) -> arb:
        try:
            with _orders(1):
                return coefficient(smooth(arb_series([x])), 0)
        except Tie:
            return beside(x)[0]

    return at


@contextmanager
def _orders(count: int) -> Iterator[None]:
    """Keep so many orders of power series."""
    cap, ctx.cap = ctx.cap, count
    try:
        yield
    finally:
        ctx.cap = cap


def _beside(tree: Tree) -> Callable[[arb], tuple[arb, arb]]:
    """The value and the derivative of an expression as a function of x, from either side: NaN where they differ."""
    apart = repeated(tree)
    itself, beside = AT.function(tree, apart), BESIDE.function(tree, apart)

    def from_sides(x: arb, value: arb, power: int) -> tuple[arb, arb]:
        sides = [beside(arb_series([x] + [0] * (power - 1) + [side])) for side in (1, -1)]
        limits = [coefficient(side, 0) for side in sides]
        if not all(limit.is_nan() or _same(limit, value) for limit in limits):
            return arb.nan(), arb.nan()
        if any(limit.is_nan() for limit in limits):
            return value, arb.nan()
        right, left = (_slope(side, power) for side in sides)
        return value, right if _same(right, -left) else arb.nan()

    def at(x: arb) -> tuple[arb, arb]:
        with _orders(1):
            value = coefficient(itself(arb_series([x])), 0)
        if value.is_nan():
            return value, value
        for power, orders in BESIDE_X:
            with _orders(orders), suppress(TooFewOrders):
                return from_sides(x, value, power)
        raise TooFewOrders

    return at


def _slope(side: Series, power: int) -> arb:
    """The coefficient of s**power, which is the slope to one side; NaN if it is infinite."""
    if isinstance(side, arb):
        return arb(0)
    if side.prec <= power:
        raise TooFewOrders
    for k in range(1, power):
        if side[k] != 0:
            return arb.nan()
        if not side[k] == 0:
            raise Undecided
    return side[power]


def _same(one: arb, other: arb) -> bool:
    """Whether two balls are the same number. Raises `Undecided` if they may be."""
    if one.is_nan() or other.is_nan() or not one.overlaps(other):
        return False
    if one.is_exact() and other.is_exact():
        return True
    raise Undecided

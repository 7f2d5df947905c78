"""What all power series in ball arithmetic share: numbers among them, what they cannot tell, and smooth functions."""

from collections.abc import Callable
from functools import partial

from flint import arb, arb_series

Series = arb | arb_series
"""A function of one number near x; a number is one that is constant there."""

ORDERS = 2  # of the series that are kept: the value and the derivative
BESIDE_X = ((4, 48), (8, 544))  # the power of s beside a tie, and the orders in s: the last hold roots of x**128


class Undecided(ArithmeticError):
    """More precision is needed to tell on which side of a tie or of an edge of the domain a number lies."""


class TooFewOrders(Undecided):
    """The orders that are kept do not tell it, and no precision does."""


class Tie(ArithmeticError):
    """A number lies exactly between two branches, or a root has 0 under it and no slope."""


def coefficient(series: Series, order: int) -> arb:
    """The coefficient of an order, also of a number."""
    if isinstance(series, arb):
        return arb.nan() if series.is_nan() else series if order == 0 else arb(0)
    return series[order]


def positive(number: arb) -> bool:
    """Whether a number is positive, else it is negative or 0. Raises `Undecided` if the ball contains both."""
    if number > 0:
        return True
    if number <= 0 or number.is_nan():
        return False
    raise Undecided


NOWHERE = arb_series([arb.nan(), arb.nan()], ORDERS)


def constant(number: int, u: Series) -> Series:
    """A number wherever u has a value."""
    return NOWHERE if coefficient(u, 0).is_nan() else arb(number)


def _where_positive(domain: Callable[[arb_series], arb], f: Callable[[arb_series], arb_series]) -> Callable:
    """The function f where `domain` of its operand is positive; nowhere else."""

    def apply(u: arb_series) -> arb_series:
        edge = domain(u)
        if edge == 0 and u.prec > ORDERS:
            raise TooFewOrders  # a pole, of which other operations may make a number again
        return f(u) if positive(edge) else NOWHERE

    return apply


def _inside(u: arb_series) -> arb:
    """1 − u², positive inside of the domain of acos and asin. On its edge they are infinitely steep, unless u only
    touches it."""
    edge = 1 - u[0] * u[0]
    if edge == 0 and u[1] == 0:
        raise TooFewOrders
    return edge


log = _where_positive(lambda u: u[0], arb_series.log)
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


FUNCTIONS: dict[str, Callable] = {
    **{name: getattr(arb_series, name) for name in ("atan", "cos", "erf", "erfc", "exp", "sin")},
    "acos": _where_positive(_inside, arb_series.acos),
    "asin": _where_positive(_inside, arb_series.asin),
    "asinh": _asinh,
    "atanh": _where_positive(lambda u: 1 - u[0] * u[0], lambda u: ((1 + u) / (1 - u)).log() / 2),
    "cosh": lambda u: _hyperbolic(u)[0] / 2,
    "expm1": lambda u: u.exp() - 1,
    "gelu": lambda u: u * (-u / arb(2).sqrt()).erfc() / 2,
    "log": log,
    "log1p": lambda u: log(1 + u),
    "ones_like": partial(constant, 1),
    "rsqrt": _rsqrt,
    "sigmoid": _sigmoid,
    "sinh": lambda u: _hyperbolic(u)[1] / 2,
    "softplus": _softplus,
    "square": lambda u: u * u,
    "tanh": _tanh,
}

"""An x at which a visitor's formula is proved not to be the derivative."""

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from flint import arb

from lib.derivative import power_series
from lib.derivative.formulas import parsed
from lib.derivative.power_series import UnknownSide
from lib.experiment.functions import FUNCTIONS
from lib.experiment.parser import definitions, parse
from lib.experiment.query import Experiment
from lib.reference.balls import precision

_DIFFER_BITS = 256
"""The precision in which two functions are compared."""

_FEWEST_DIGITS = 6
"""The fewest significant digits in a `Counterexample`."""

_DIGITS_15 = 2.0**-47
"""More than 5e-15: half a unit of a number's 15th digit is at most 5e-15 of the number."""

_ROUNDED_DIGITS = 7
"""As many digits as float32 holds. Most decimals that are meant exactly have fewer."""

_TRIED = sorted(((2 * k + 1) / 16 for k in range(-64, 64)), key=abs)
"""The odd sixteenths between -8 and 8, from 0 outwards."""


class Counterexample(NamedTuple):
    """An x at which a formula is not the derivative, and both values, in digits that differ."""

    x: float
    derivative: str
    by_hand: str


def counterexample(
    experiment: Experiment, formula: str, measured: Iterable[float] = ()
) -> Counterexample | None:
    """Look for an x at which a visitor's formula is proved not to be the derivative.

    It is proved where the derivative exists and two balls, one around it and one around the
    formula's value, have no number in common, whatever numbers the typed constants stand for:
    `any_number_near`. Where the formula has no value, nothing is compared.

    Args:
        experiment: has the function and the visitor's formula.
        formula: the formula that is compared; only the visitor's own is tested.
        measured: x to try as well, such as those of its largest errors: the formula may be right
            near 0 only.

    Returns:
        The first such x; None if none of the tried x is one, which proves nothing.
    """
    if not formula or formula != experiment.df:
        return None
    tried = (_counterexample(experiment.differentiated, formula, x) for x in (*_TRIED, *measured))
    return next(filter(None, tried), None)


@lru_cache(maxsize=4096)
def _counterexample(function: str, formula: str, x: float) -> Counterexample | None:
    derivative, value, value_as_typed = _balls(function, formula)
    with precision(_DIFFER_BITS):
        try:
            balls = derivative(arb(x)), value(arb(x))
        except UnknownSide:
            return None
        if not all(ball.is_finite() for ball in balls) or balls[0].overlaps(balls[1]):
            return None
        return _in_digits(x, parsed(function).exact(arb(x)), value_as_typed(arb(x)))


@lru_cache(maxsize=64)
def _balls(function: str, formula: str) -> tuple[Callable[[arb], arb], ...]:
    """Return the derivative and the formula, whose constants are balls (`any_number_near`), and the
    formula with its constants as typed."""
    row = FUNCTIONS[function]
    by_hand = parse(formula, definitions(row.where))
    return (
        power_series.derivative(parse(row.call), any_number_near),
        power_series.value(by_hand, any_number_near),
        power_series.value(by_hand),
    )


def _in_digits(x: float, derivative: arb, by_hand: arb) -> Counterexample:
    """Write both values with two digits more than they have in common."""
    relative = abs(derivative - by_hand) / max(abs(derivative), abs(by_hand))
    digits = max(_FEWEST_DIGITS, 2 - math.floor(float(relative.log().mid()) / math.log(10)))
    return Counterexample(x, *(ball.str(digits, radius=False) for ball in (derivative, by_hand)))


def any_number_near(constant: int | float) -> arb:
    """Return a ball with every number that a typed constant can stand for.

    A tenth, 1/sqrt(2) and 3*0.1 are typed as 0.1, 0.70710678 and 0.30000000000000004. The ball has
    all numbers within half a unit of the constant's 15th digit: float64 holds 15 digits of every
    decimal. If the constant has seven digits or more, the ball also has all numbers that round to
    these digits.

    Whole numbers, and decimals that float64 holds exactly, such as 0.5, stand for themselves. This
    ends at 2**53: above it, float64 does not hold every whole number.
    """
    decimal = Decimal(repr(constant))
    if decimal == constant and abs(constant) < 2**53:
        return arb(constant)
    radius = abs(constant) * _DIGITS_15
    digits = len(decimal.as_tuple().digits)
    if digits >= _ROUNDED_DIGITS:
        radius += 10.0 ** (decimal.adjusted() + 1 - digits) / 2
    return arb(constant, radius)

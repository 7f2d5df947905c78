"""The derivative at one x as a real number, in ball arithmetic: enclosed until the float nearest to
it is certain.

A ball of Arb is an interval, given by a midpoint and a radius, that is certain to contain the exact
value (F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE
Transactions on Computers 66, 2017). If both its ends round to the same float, so does everything in
between. Ends and floats are compared as whole
numbers times a power of two, never in floating-point arithmetic. A ball of
radius 0 is the exact value, and then a tie goes to even. If the exact value is a tie in a ball of
positive radius, no precision suffices, and the rounding stays undecided. This is not known to
happen for the listed functions: quotients and roots that lie half-way between two floats come out
exactly, and the values of the other functions are transcendental except at 0, where they are exact
too. (For GELU this is not proved.)
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import frexp, inf, isinf, ldexp, nan
from typing import NamedTuple

import torch
from flint import arb

from lib.derivative import power_series
from lib.derivative.formulas import computed
from lib.derivative.power_series import Undecided
from lib.experiment import functions
from lib.experiment.parser import definitions, parse
from lib.experiment.query import Experiment
from lib.floats.exact_floats import Format, format_of
from lib.reference.balls import fraction, precision

MOST_BITS = 3000
"""The precision of the last attempt. The most known to be needed is for tanh' of the smallest
float64, 1 − 2**-2148."""

_SPARE_BITS = 40  # bits of the first attempt beyond those of the dtype
_RESIDUAL_BITS = 32  # the distance to the nearest float is known to 2**-32 ulp
_BEYOND = 20_000  # powers of two far beyond all floats; larger ones could exhaust the memory
_HUGE = arb(2) ** _BEYOND
_TINY = 1 / _HUGE
_DIGITS = 30  # of exact derivatives as texts
_DIFFER_BITS = 256  # the precision in which two functions are compared
_DIFFER_DIGITS = range(6, 80)  # how many digits their values are told in, at the first that differ
_NEAR_0 = sorted(((2 * k + 1) / 16 for k in range(-64, 64)), key=abs)


class Certified(NamedTuple):
    """Where a real number lies on the float line.

    Attributes:
        nearest: its correct rounding, perhaps infinite; NaN if there is no such number, or if
            this or the correct rounding is undecided.
        residual: the number − `nearest`, in ulps; 0 if `nearest` is not finite.
        undecided: whether `MOST_BITS` do not tell.
    """

    nearest: float
    residual: float = 0.0
    undecided: bool = False


def certify(function: str, x: float, dtype: torch.dtype) -> Certified:
    """Return the derivative at x, correctly rounded.

    Args:
        function: the name of a listed function, whose derivative has to exist at x, or the text
            of a visitor's own.
        x: a finite number of the dtype.
        dtype: the dtype to which the derivative is rounded.
    """
    form = format_of(dtype)
    for bits in _precisions(form.precision + _SPARE_BITS):
        try:
            ball = _enclose(function, x, bits)
        except Undecided:
            continue
        if ball is None:
            return Certified(nan)
        certified = _locate(*ball, form)
        if certified:
            return certified
    return Certified(nan, undecided=True)


def _precisions(bits: int) -> Iterator[int]:
    """Yield the precisions of all attempts: `bits`, twice as many and so on, up to MOST_BITS."""
    while bits < MOST_BITS:
        yield bits
        bits *= 2
    yield MOST_BITS


class Exact(NamedTuple):
    """A real number as a text and as a fraction.

    Attributes:
        text: 30 significant digits, of which the last is off by at most one.
        fraction: the number to as many digits or more; 0 if it is far below all floats.
        known: whether the fraction is known to be the number itself.
    """

    text: str
    fraction: Fraction
    known: bool


def exactly(function: str, x: float) -> Exact:
    """Return the derivative at an x where it exists.

    If MOST_BITS do not tell it from 0, the text is an interval around 0.
    """
    for bits in _precisions(8 * _DIGITS):
        with precision(bits):
            try:
                ball = computed(function).exact(arb(x))
            except Undecided:
                ball = arb.nan()
            if ball.is_exact() or ball.rel_accuracy_bits() > 6 * _DIGITS:
                break
    with precision(bits):
        within = _TINY < abs(ball.mid()) < _HUGE
        known = ball.is_exact() and (within or ball == 0)
        text = ball.str(_DIGITS, radius=ball.contains(0))
        if abs(ball) > _HUGE:
            text = "more than 1e6020 in size"
        elif abs(ball) < _TINY and not ball == 0:
            text = "within 1e-6020 of 0"
        return Exact(text, fraction(ball.mid()) if within else Fraction(), known)


class Witness(NamedTuple):
    """An x at which a formula is not the derivative, and both values, in digits that differ."""

    x: float
    derivative: str
    by_hand: str


@lru_cache(maxsize=256)
def disproof(experiment: Experiment, formula: str, worst: float | None = None) -> Witness | None:
    """Look for an x at which a visitor's formula is proved not to be the derivative.

    It is proved where two balls, one around the derivative and one around the formula's value,
    have no number in common. Where one of the two has no value, nothing is compared.

    Args:
        experiment: has the function and the visitor's formula.
        formula: the formula that is compared; only the visitor's own is tested.
        worst: the x of its largest error so far. The formula is tested there, too, since it may
            be right near 0 only.

    Returns:
        The first such x; None if there is none.
    """
    if not formula or formula != experiment.df:
        return None
    function = experiment.differentiated
    letters = definitions(functions.FUNCTIONS[function].where)
    by_hand = power_series.value(parse(formula, letters))
    for x in _NEAR_0 if worst is None else [*_NEAR_0, worst]:
        with precision(_DIFFER_BITS):
            try:
                balls = computed(function).exact(arb(x)), by_hand(arb(x))
            except Undecided:
                continue
            if not all(ball.is_finite() for ball in balls) or balls[0].overlaps(balls[1]):
                continue
            for digits in _DIFFER_DIGITS:
                derivative, value = (ball.str(digits, radius=False) for ball in balls)
                if derivative != value:
                    return Witness(x, derivative, value)
    return None


def _enclose(function: str, x: float, bits: int) -> tuple[int, int, int] | None:
    """Return a ball that contains the derivative.

    Returns:
        The midpoint and the radius as whole multiples of 2**exponent, and that exponent; None if
        there is no derivative.

    Raises:
        Undecided: more bits are needed.
    """
    with precision(bits):
        ball = computed(function).exact(arb(x))
        if ball.is_nan():
            return None
        if not ball.is_finite() or ball.contains(_HUGE) or ball.contains(-_HUGE):
            raise Undecided
        if abs(ball) > _HUGE:
            return (1 if ball > 0 else -1), 0, _BEYOND
        if abs(ball.mid()) < _TINY and not ball == 0:  # != holds of balls that share no number
            ball = arb(0, ball.abs_upper() + _TINY)
        elif 0 < ball.rad() < _TINY:
            ball += arb(0, _TINY)
        middle, middle_exponent = map(int, ball.mid().man_exp())
        radius, radius_exponent = map(int, ball.rad().man_exp())
    if radius == 0:
        return middle, 0, middle_exponent
    exponent = min(middle_exponent, radius_exponent)
    middle <<= middle_exponent - exponent
    radius <<= radius_exponent - exponent
    return middle, radius, exponent


def _locate(middle: int, radius: int, exponent: int, form: Format) -> Certified | None:
    """Locate the number in a ball on the float line; return None if the ball is too wide."""
    rounded = nearest(middle - radius, exponent, form)
    if nearest(middle + radius, exponent, form) != rounded:
        return None
    if isinf(rounded):
        return Certified(rounded)
    ulp = form.quantum(frexp(rounded)[1]) if rounded else form.smallest_exponent
    if radius and radius.bit_length() + exponent > ulp - _RESIDUAL_BITS:
        return None
    shift = ulp - exponent
    if shift <= 0:  # the midpoint is a whole number of ulps, and so a float
        return Certified(rounded)
    residual = middle - (int(ldexp(rounded, -ulp)) << shift)
    return Certified(rounded, residual / (1 << shift))


def nearest(number: int, exponent: int, form: Format) -> float:
    """Round number·2**exponent to nearest, ties to even.

    It is infinite from half an ulp above the largest float on.
    """
    quantum = form.quantum(number.bit_length() + exponent)
    shift = quantum - exponent
    if shift > 0:
        is_odd = number >> shift & 1
        steps = (number + (1 << (shift - 1)) - 1 + is_odd) >> shift
    else:
        steps = number << -shift
    if steps and steps.bit_length() + quantum > form.largest_exponent + 1:
        return inf if number > 0 else -inf
    return ldexp(steps, quantum)

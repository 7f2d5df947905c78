"""The derivative at one x as a real number, in ball arithmetic: enclosed until the float nearest to it is certain.

A ball of Arb is an interval, given by a midpoint and a radius, that is certain to contain the exact value (F.
Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Transactions on Computers 66,
2017). If both its ends round to the same float, so does everything in between. Ends and floats are compared as whole
numbers times a power of two, never in floating-point arithmetic. A ball of radius 0 is the exact value, and then a tie
goes to even. If the exact value were a tie in a ball of positive radius, no precision would suffice, but this does not
happen for the listed functions: quotients and roots that lie half-way between two floats come out exactly, and the
values of the other functions are transcendental except at 0, where they are exact too. (For GELU this is not proved; a
tie there would raise an error, not pass.)
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, frexp, inf, isinf, ldexp, nan
from typing import NamedTuple

import torch
from flint import arb

from lib.derivative import power_series
from lib.derivative.formulas import COMPUTED
from lib.derivative.power_series import Tie, Undecided
from lib.experiment import functions
from lib.experiment.parser import definitions, parse
from lib.experiment.query import Experiment
from lib.floats.exact_floats import Format, format_of
from lib.network import sampling
from lib.reference.balls import fraction, precision

MOST_BITS = 3000
"""The precision of the last attempt. The most known to be needed is for tanh' of the smallest float64, 1 − 2**-2148."""

_SPARE_BITS = 40  # bits of the first attempt beyond those of the dtype
_RESIDUAL_BITS = 32  # the distance to the nearest float is known to 2**-32 ulp
_BEYOND = 20_000  # powers of two of this size are far beyond all floats, and larger ones could exhaust the memory
_HUGE, _TINY = arb(2) ** _BEYOND, arb(2) ** -_BEYOND
_DIGITS = 30  # of exact derivatives as texts
_DIFFER_BITS, _DIFFER_DIGITS = (
    256,
    6,
)  # at which two functions are compared, and of values that differ so soon
_STUDIED = (
    128  # of the study's x, at which a formula is doubted: it may be right near 0 and wrong there
)
_NEAR_0 = sorted(((2 * k + 1) / 16 for k in range(-64, 64)), key=abs)


@dataclass(frozen=True)
class Certified:
    """Where a real number lies on the float line: `nearest` is its correct rounding, perhaps infinite.

    It is NaN if there is no such number, and if that or its correct rounding is `undecided`. One ulp is 2**ulp, the way
    to the next float away from zero. `residual` is the number − nearest, in ulps, or 0 if `nearest` is infinite.
    """

    nearest: float
    residual: float
    ulp: int
    undecided: bool = False


_NOWHERE = Certified(nan, 0.0, 0)
_UNDECIDED = Certified(nan, 0.0, 0, undecided=True)


def certify(function: str, x: float, dtype: torch.dtype) -> Certified:
    """The derivative at x, correctly rounded to the dtype; x is a finite number of the dtype.

    The derivative of a listed function has to exist there. That of another is undecided if MOST_BITS do not tell
    whether there is such a number, or between which two floats it lies. If they locate it to 2**-32 ulp and yet do not
    tell on which side of half-way between two floats it lies, it counts as half-way. Raises ArithmeticError if they do
    not decide the float nearest to that of a listed function, which is not known to happen.
    """
    listed, exact, fmt = (
        bool(functions.FUNCTIONS[function].exact),
        COMPUTED[function].exact,
        format_of(dtype),
    )
    bits = fmt.precision + _SPARE_BITS
    while True:
        ball, found = None, None
        try:
            ball = _enclose(exact, x, bits)
            found = _locate(*ball, fmt) if ball else _NOWHERE
        except Tie:
            return _UNDECIDED  # however many bits there are
        except Undecided:
            pass
        if found:
            return found
        if bits >= MOST_BITS:
            break
        bits = min(2 * bits, MOST_BITS)
    if listed:
        raise ArithmeticError(
            f"{MOST_BITS} bits do not decide the {dtype} nearest to {function}'({x.hex()})"
        )
    return (ball and _half_way(*ball, fmt)) or _UNDECIDED


class Exact(NamedTuple):
    """A real number: 30 significant digits, of which the last is off by at most one, and a fraction to as many or more,
    0 for a number that is far below all floats. `known` says that no doubt is left about the fraction."""

    text: str
    fraction: Fraction
    known: bool


def exactly(function: str, x: float) -> Exact:
    """The derivative at x, where it exists. If MOST_BITS do not tell it from 0, the text says how near to 0 it is."""
    bits = 8 * _DIGITS
    while True:
        with precision(bits):
            try:
                ball = COMPUTED[function].exact(arb(x))
            except Undecided:
                ball = arb.nan()
            if bits >= MOST_BITS or ball.is_exact() or ball.rel_accuracy_bits() > 6 * _DIGITS:
                within = _TINY < abs(ball.mid()) < _HUGE
                known = ball.is_exact() and (within or ball == 0)
                return Exact(_written(ball), fraction(ball.mid()) if within else Fraction(), known)
        bits = min(2 * bits, MOST_BITS)


def _written(ball: arb) -> str:
    if abs(ball) > _HUGE:
        return "more than 1e6020 in size"
    if ball == 0 or abs(ball) > _TINY or not ball.is_finite():
        return ball.str(_DIGITS, radius=False)
    if abs(ball) < _TINY:
        return "within 1e-6020 of 0"
    return f"within 1e{ceil(float(ball.abs_upper().log() / arb(10).log()))} of 0"


class Witness(NamedTuple):
    """An x at which two functions differ, and both values, to at least six digits and as many as tell them apart."""

    x: float
    one: str
    other: str


@lru_cache(maxsize=256)
def disproof(experiment: Experiment, formula: str, worst: float | None = None) -> Witness | None:
    """An x at which a visitor's formula is proved not to be the derivative, since two enclosures have no number in
    common, with the derivative and the formula's value. None if there is no such x, or if the formula is another one.
    Where one of the two has no value, nothing is compared. `worst` is the x of its largest error so far."""
    if not formula or formula != experiment.df:
        return None
    function = experiment.differentiated
    by_hand = power_series.value(
        parse(experiment.df, definitions(functions.FUNCTIONS[function].where))
    )
    studied = sampling.points(experiment, 0)[: min(_STUDIED, experiment.samples)].tolist()
    for x in [*_NEAR_0, *studied, *([] if worst is None else [worst])]:
        with precision(_DIFFER_BITS):
            try:
                balls = COMPUTED[function].exact(arb(x)), by_hand(arb(x))
            except Undecided:
                continue
            if all(ball.is_finite() for ball in balls) and not balls[0].overlaps(balls[1]):
                texts = (
                    [ball.str(digits, radius=False) for ball in balls]
                    for digits in range(_DIFFER_DIGITS, 99)
                )
                return Witness(
                    x, *next((text for text in texts if len(set(text)) > 1), next(texts, ["", ""]))
                )
    return None


def nearest(number: int, exponent: int, fmt: Format) -> float:
    """The float nearest to number·2**exponent, ties to even; infinite from half an ulp above the largest float on."""
    quantum = fmt.quantum(number.bit_length() + exponent)
    if (shift := quantum - exponent) > 0:  # from half-way, only what is odd goes up
        steps = (number + (1 << (shift - 1)) - 1 + (number >> shift & 1)) >> shift
    else:
        steps = number << -shift
    if steps and steps.bit_length() + quantum > fmt.largest_exponent + 1:
        return inf if number > 0 else -inf
    return ldexp(steps, quantum)


def _enclose(exact: Callable[[arb], arb], x: float, bits: int) -> tuple[int, int, int] | None:
    """Return the midpoint and the radius of a ball that contains the number, as whole multiples of 2**exponent, and
    that exponent; None if there is no number. Raises `Undecided` if more bits are needed."""
    with precision(bits):
        ball = exact(arb(x))
        if ball.is_nan():
            return None
        if not ball.is_finite() or ball.contains(_HUGE) or ball.contains(-_HUGE):
            raise Undecided
        if abs(ball) > _HUGE:
            return (1 if ball > 0 else -1), 0, _BEYOND
        if (
            abs(ball.mid()) < _TINY and not ball == 0
        ):  # an inequality of balls is one of all their numbers
            ball = arb(0, ball.abs_upper() + _TINY)
        elif 0 < ball.rad() < _TINY:
            ball += arb(0, _TINY)
        middle, of_middle, radius, of_radius = map(
            int, (*ball.mid().man_exp(), *ball.rad().man_exp())
        )
    exponent = min(of_middle, of_radius) if radius else of_middle
    return (
        middle << (of_middle - exponent),
        radius << (of_radius - exponent) if radius else 0,
        exponent,
    )


def _half_way(middle: int, radius: int, exponent: int, fmt: Format) -> Certified | None:
    """Locate the midpoint of a ball, or return None if the ball is wider than residuals are to be known."""
    found = _locate(middle, 0, exponent, fmt)
    return found if found and radius.bit_length() + exponent <= found.ulp - _RESIDUAL_BITS else None


def _locate(middle: int, radius: int, exponent: int, fmt: Format) -> Certified | None:
    """Locate the number in a ball on the float line, or return None if the ball is too wide to tell."""
    rounded = nearest(middle - radius, exponent, fmt)
    if nearest(middle + radius, exponent, fmt) != rounded:
        return None
    if isinf(rounded):
        return Certified(rounded, 0.0, fmt.largest_exponent + 1 - fmt.precision)
    ulp = fmt.quantum(frexp(rounded)[1]) if rounded else fmt.smallest_exponent
    shift = ulp - exponent
    # The rounded number is a whole number of ulps, and so is the midpoint if it has no digits below one ulp.
    residual = middle - (int(ldexp(rounded, -ulp)) << shift) if shift > 0 else 0
    if radius and radius.bit_length() + exponent > ulp - _RESIDUAL_BITS:
        return None
    return Certified(rounded, residual / (1 << (ulp - exponent)) if residual else 0.0, ulp)

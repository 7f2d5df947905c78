"""The derivative at one x as a real number, in ball arithmetic: enclosed until the float nearest to it is certain.

A ball of Arb is an interval, given by a midpoint and a radius, that is certain to contain the exact value (F.
Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Transactions on Computers 66,
2017). If both its ends round to the same float, so does everything in between. Ends and floats are compared as whole
numbers times a power of two, never in floating-point arithmetic. A ball of radius 0 is the exact value, and then a tie
goes to even. If the exact value were a tie in a ball of positive radius, no precision would suffice, but this does not
happen: quotients and roots that lie half-way between two floats come out exactly, and the values of the other functions
are transcendental except at 0, where they are exact too. (For GELU this is not proved; a tie there would raise an
error, not pass.)
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, frexp, isinf, ldexp, nan

import torch
from flint import arb

from lib.derivative.formulas import COMPUTED
from lib.derivative.power_series import Tie, Undecided
from lib.experiment import functions
from lib.floats.exact_floats import Format, format_of
from lib.reference.balls import precision

MOST_BITS = 3000
"""The precision of the last attempt. The most known to be needed is for tanh' of the smallest float64, 1 − 2**-2148."""

_FLAT_FROM = 1024.0
"""For x beyond this number, a derivative that flattens is evaluated here: in every dtype the float and the error are
the same, and the exponents stay small."""

_SPARE_BITS = 40  # bits of the first attempt beyond those of the dtype
_RESIDUAL_BITS = 32  # the distance to the nearest float is known to 2**-32 ulp
_BEYOND = 2**22  # powers of two of this size are far beyond all floats, and larger ones could exhaust the memory


@dataclass(frozen=True)
class Certified:
    """Where a real number lies on the float line: `nearest` is its correct rounding, perhaps infinite.

    It is NaN if there is no such number, and if that or its correct rounding is `undecided`. One ulp is 2**ulp, the
    spacing in the binade of the number itself: if `nearest` is a power of two and the number is below it, that is
    the smaller of the two spacings there. `residual` is the number − nearest, in ulps, or 0 if `nearest` is
    infinite. `settled` is False if the number is so close to a power of two that its side is not known; it then
    counts as the power itself.
    """

    nearest: float
    residual: float
    ulp: int
    settled: bool = True
    undecided: bool = False


_NOWHERE = Certified(nan, 0.0, 0)
_UNDECIDED = Certified(nan, 0.0, 0, undecided=True)


def certify(function: str, x: float, dtype: torch.dtype, settle: bool = False) -> Certified:
    """The derivative at x, correctly rounded to the dtype; x is a finite number of the dtype.

    The derivative of a listed function has to exist there; that of another is `certified`. Raises ArithmeticError if
    MOST_BITS do not even decide the float nearest to that of a listed function, which is not known to happen.
    """
    row = functions.FUNCTIONS[function]
    if row.flattens:
        x = min(max(x, -_FLAT_FROM), _FLAT_FROM)
    found = certified(COMPUTED[function].exact, x, dtype, settle, half_way=not row.exact)
    if found.undecided and row.exact:
        raise ArithmeticError(f"{MOST_BITS} bits do not decide the {dtype} nearest to {function}'({x.hex()})")
    return found


def certified(
    exact: Callable[[arb], arb], x: float, dtype: torch.dtype, settle: bool = False, half_way: bool = True
) -> Certified:
    """The exact number of a function at x, correctly rounded to the dtype.

    It is undecided if MOST_BITS do not tell whether there is such a number, or between which two floats it lies. If
    they locate it to 2**-32 ulp and yet do not tell on which side of half-way between two floats it lies, it counts as
    half-way; without `half_way`, it is undecided, too.

    It may take thousands of bits to tell on which side of a power of two the number lies: near 0, tanh' is 1 − x². The
    side matters only for the error of a value that is another float, so it is sought only if `settle` is true, and
    MOST_BITS may still not tell it.
    """
    fmt = format_of(dtype)
    bits = fmt.precision + _SPARE_BITS
    while True:
        try:
            ball = _enclose(exact, x, bits)
        except Tie:
            return _UNDECIDED  # however many bits there are
        except Undecided:
            ball, found = None, None
        else:
            found = _locate(*ball, fmt) if ball else _NOWHERE
        if found and (found.settled or not settle or bits >= MOST_BITS):
            return found
        if bits >= MOST_BITS:
            return (ball and half_way and _half_way(*ball, fmt)) or _UNDECIDED
        bits = min(2 * bits, MOST_BITS)


def digits(function: str, x: float, count: int) -> str:
    """The derivative at x to `count` significant decimal digits, of which the last is off by at most one.

    If MOST_BITS do not tell it from 0, the text says how near to 0 it is.
    """
    if functions.FUNCTIONS[function].flattens and abs(x) > _FLAT_FROM:
        limit = certify(function, x, torch.float64).nearest
        return "more than 1e400" if isinf(limit) else f"{limit:.0f} to 400 decimals"
    bits = 4 * count + 64
    while True:
        with precision(bits):
            try:
                ball = COMPUTED[function].exact(arb(x))
            except Undecided:
                ball = arb.nan()
            if bits >= MOST_BITS or ball.is_exact() or ball.rel_accuracy_bits() > 4 * count:
                return _written(ball, count)
        bits = min(2 * bits, MOST_BITS)


def _written(ball: arb, count: int) -> str:
    if ball.is_exact() or not ball.is_finite() or not ball.contains(0):
        return ball.str(count, radius=False)
    return f"within 1e{ceil(float(ball.abs_upper().log() / arb(10).log()))} of 0"


def is_known_exactly(function: str, x: float) -> bool:
    """Whether ball arithmetic has no doubt left about the derivative at x: the radius is 0.

    One that flattens is transcendental but at 0.
    """
    if functions.FUNCTIONS[function].flattens:
        return x == 0
    with precision(MOST_BITS):
        return COMPUTED[function].exact(arb(x)).is_exact()


def nearest(number: int, exponent: int, fmt: Format) -> float:
    """The float nearest to number·2**exponent, ties to even; infinite from half an ulp above the largest float on."""
    if number == 0:
        return 0.0
    bits = number.bit_length()
    quantum = fmt.quantum(bits + exponent)
    shift = quantum - exponent
    if shift <= 0:
        steps = number << -shift
    elif shift > bits + 1:
        return 0.0
    else:
        steps, below = number >> shift, number & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        steps += below > half or (below == half and steps & 1)
    if steps.bit_length() + quantum > fmt.largest_exponent + 1:
        return float("inf") if number > 0 else float("-inf")
    return ldexp(steps, quantum)


def _enclose(exact: Callable[[arb], arb], x: float, bits: int) -> tuple[int, int, int] | None:
    """Return the midpoint and the radius of a ball that contains the number, as whole multiples of 2**exponent, and
    that exponent; None if there is no number. Raises `Undecided` if more bits are needed."""
    with precision(bits):
        ball = exact(arb(x))
        if ball.is_nan():
            return None
        if not ball.is_finite():
            raise Undecided
        middle, of_middle, radius, of_radius = map(int, (*ball.mid().man_exp(), *ball.rad().man_exp()))
    size, width = middle.bit_length() + of_middle, radius.bit_length() + of_radius if radius else -_BEYOND
    if max(size if middle else 0, width) > _BEYOND:
        if width > size - 2:
            raise Undecided
        return (1 if middle > 0 else -1), 0, _BEYOND
    if middle and size < -_BEYOND:
        middle, of_middle = (1 if middle > 0 else -1), -_BEYOND
        radius, of_radius = (radius, of_radius) if radius else (1, -_BEYOND)
    if radius and of_radius < -_BEYOND:
        radius, of_radius = (radius >> (-_BEYOND - of_radius)) + 1, -_BEYOND
    exponent = min(of_middle, of_radius) if radius else of_middle
    return middle << (of_middle - exponent), radius << (of_radius - exponent) if radius else 0, exponent


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
    fraction, bits = frexp(rounded)
    ulp = fmt.quantum(bits) if rounded else fmt.smallest_exponent
    shift = ulp - exponent
    # The rounded number is a whole number of ulps, and so is the midpoint if it has no digits below one ulp.
    residual = middle - (int(ldexp(rounded, -ulp)) << shift) if shift > 0 else 0
    settled = True
    if abs(fraction) == 0.5 and ulp > fmt.smallest_exponent:
        settled = abs(residual) > radius or radius == 0
        ulp -= settled and (residual < 0 < rounded or rounded < 0 < residual)
    if radius and radius.bit_length() + exponent > ulp - _RESIDUAL_BITS:
        return None
    return Certified(rounded, residual / (1 << (ulp - exponent)) if residual else 0.0, ulp, settled)

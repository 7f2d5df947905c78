"""The derivative at one x, in ball arithmetic of rising precision, until the nearest float is
certain.

A ball of Arb is an interval, given by a midpoint and a radius, that is certain to contain the exact
value (F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE
Transactions on Computers 66, 2017). If both its ends round to the same float, so does everything
in between. The ends are rounded as whole numbers times a power of two, never in floating-point
arithmetic. A ball of radius 0 is the exact value, and then a tie goes to even. If the exact value
is a tie in a ball of positive radius, no precision suffices, and the rounding stays undecided. This
is not known to happen for the listed functions: quotients and roots that lie half-way between two
floats come out exactly, and the values of the other functions are transcendental except at 0, where
they are exact too. (For GELU this is not proved.)
"""

from fractions import Fraction
from math import copysign, frexp, inf, isfinite, isinf, isnan, ldexp, nan
from typing import NamedTuple

import torch
from flint import arb

from lib.derivative.formulas import parsed
from lib.derivative.power_series import UnknownSide
from lib.floats.exact_floats import Format, format_of
from lib.reference.balls import precision

MOST_BITS = 3000
"""The precision of the last attempt. The most known to be needed is for tanh' of the smallest
float64, 1 − 2**-2148."""

_PRECISIONS = (128, 256, 512, 1024, 2048, MOST_BITS)
"""The precision of each attempt, in bits."""

_RESIDUAL_RADIUS = arb(2) ** -32
"""A residual is known if the radius of its ball is smaller, in ulps."""

_DIGITS = 30
"""The most significant digits of `Certified.text`."""


class Certified(NamedTuple):
    """Where a real number lies on the float line.

    Attributes:
        nearest: its correct rounding, perhaps infinite; NaN if there is no such number, or if
            `undecided`.
        residual: the number − `nearest`, in ulps; 0 if `nearest` is not finite.
        undecided: whether the precision `MOST_BITS` is too low to tell.
        ball: contains the number, if there is one.
    """

    nearest: float
    residual: float = 0.0
    undecided: bool = False
    ball: arb = arb.nan()

    @property
    def exists(self) -> bool:
        """Whether the number is known to exist."""
        return not isnan(self.nearest)

    @property
    def is_float(self) -> bool:
        """Whether the number is known to be `nearest`."""
        return isfinite(self.nearest) and self.ball.is_exact() and not self.residual

    @property
    def text(self) -> str:
        """The number in 30 significant digits, or in fewer if these are not known. The last is off
        by at most one. If no digit is known, the text is an interval around 0."""
        return self.ball.str(_DIGITS, radius=self.ball.contains(0))

    @property
    def fraction(self) -> Fraction:
        """The number as a fraction: `nearest` if the `residual` is 0, else the digits of `text`.

        `nearest` has to be finite.
        """
        if not self.residual:
            return Fraction(self.nearest)
        return Fraction(self.ball.str(_DIGITS, radius=False))


def certify(function: str, x: float, dtype: torch.dtype) -> Certified:
    """Return the derivative at x, correctly rounded.

    Args:
        function: the name of a listed function, whose derivative has to exist at x, or the text
            of a visitor's own.
        x: a finite number of the dtype.
        dtype: the dtype to which the derivative is rounded.
    """
    form = format_of(dtype)
    for bits in _PRECISIONS:
        with precision(bits):
            try:
                ball = parsed(function).exact(arb(x))
            except UnknownSide:
                continue
            if ball.is_nan():
                return Certified(nan)
            if not ball.is_finite():
                continue
            nearest = _nearest(ball.lower(), form)
            if not ball.is_exact() and _nearest(ball.upper(), form) != nearest:
                continue
            if isinf(nearest):
                return Certified(nearest, ball=ball)
            exponent = form.quantum(frexp(nearest)[1]) if nearest else form.smallest_exponent
            residual = (ball - nearest) / ldexp(1.0, exponent)
            if residual.rad() < _RESIDUAL_RADIUS:
                return Certified(nearest, float(residual.mid()), ball=ball)
    return Certified(nan, undecided=True)


def _nearest(number: arb, form: Format) -> float:
    """Round to nearest, ties to even; infinite from half an ulp above the largest float on."""
    mantissa, exponent = map(int, number.man_exp())
    bits = mantissa.bit_length() + exponent
    # The number is less than half the smallest float.
    if bits < form.smallest_exponent:
        return 0.0
    quantum = form.quantum(bits)
    shift = quantum - exponent
    if shift > 0:
        is_odd = mantissa >> shift & 1
        mantissa = (mantissa + (1 << (shift - 1)) - 1 + is_odd) >> shift
    else:
        mantissa <<= -shift
    if mantissa.bit_length() + quantum > form.largest_exponent + 1:
        return copysign(inf, mantissa)
    return ldexp(mantissa, quantum)

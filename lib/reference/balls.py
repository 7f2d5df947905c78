"""Ball arithmetic: its precision, exact numbers, and the verdicts.

A ball in Arb is a midpoint and a radius, guaranteed to hold the exact value (F. Johansson, "Arb:
efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Transactions on Computers
66, 2017).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import Lock

from flint import arb, ctx

_PRECISION = Lock()
"""The lock of python-flint's precision, which is one for the whole process."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set the precision of ball arithmetic to `bits`, for one thread at a time."""
    with _PRECISION, ctx.workprec(bits):
        yield


def fraction(number: arb) -> Fraction:
    """Return a ball of radius 0 as a fraction."""
    mantissa, exponent = map(int, number.man_exp())
    return Fraction(mantissa << max(exponent, 0), 1 << max(-exponent, 0))


VERDICTS = ("backward", "jacobian", "tie", "undecided")
"""The verdicts on a component: which of two gradients is closer to the exact one."""

FIRST_CLOSER, SECOND_CLOSER, TIE, UNDECIDED = range(4)
"""The indices of the verdicts. The two results may also be outputs in two evaluations."""

UNJUDGED = len(VERDICTS)
"""Stands in for a verdict if the sample has no reference, or a value is infinite or NaN."""

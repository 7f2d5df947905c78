"""Ball arithmetic: its precision, and the functions that exact gradients and derivatives share.

A ball of Arb is a midpoint and a radius that surely hold the exact value (F. Johansson, "Arb: efficient
arbitrary-precision midpoint-radius interval arithmetic", IEEE Transactions on Computers 66, 2017).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from flint import arb, ctx

_PRECISION = Lock()  # the precision of python-flint is one setting of the whole process


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Ball arithmetic with so many bits, for one thread at a time."""
    with _PRECISION, ctx.workprec(bits):
        yield


def logistic(x: arb) -> tuple[arb, arb]:
    """1/(1 + exp(−x)) and its slope, taken where exp does not overflow: the slope is even in x."""
    e = (-abs(x)).exp()
    value = 1 / (1 + e) if x > 0 else e / (1 + e) if x < 0 else 1 / (1 + (-x).exp())
    return value, e / (1 + e) ** 2


def normal_distribution(x: arb) -> arb:
    """The distribution function of the normal distribution."""
    return (-x / arb(2).sqrt()).erfc() / 2


def normal_density(x: arb) -> arb:
    """Its derivative, the density."""
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()

"""The exact sum of floats: a whole number of the smallest units, so it does not depend on the order of addition."""

from dataclasses import dataclass

import numpy as np

_UNIT = -1126  # an exponent: if the first of 53 bits stands for 2**-1074, the last one stands for 2**-1126
_LOW_BITS = 27


def sum_by_key(keys: np.ndarray, whole: np.ndarray) -> dict[int, int]:
    """Return the exact sum of the whole numbers of each key.

    The keys are integers, the numbers float64 from 0 to 2**53, both of shape (n,), with n at most 2**25.
    """
    if keys.size == 0:
        return {}
    lowest = int(keys.min())
    places = keys - lowest
    found = np.flatnonzero(np.bincount(places)).tolist()
    if whole.max() * whole.size <= 2.0**53:  # then float64 adds the numbers exactly
        total = np.bincount(places, whole).tolist()
        return {lowest + place: int(total[place]) for place in found}
    # Else halves of at most 27 bits, so that float64 adds the halves of one key exactly.
    high = np.floor(whole * 2.0**-_LOW_BITS)
    low = np.bincount(places, whole - high * 2.0**_LOW_BITS).tolist()
    high = np.bincount(places, high).tolist()
    return {lowest + place: (int(high[place]) << _LOW_BITS) + int(low[place]) for place in found}


@dataclass(frozen=True)
class ExactSum:
    """The number of floats added so far, and their sum in units of 2**-1126; every float64 is a whole number of units.

    The sum is one integer as wide as the range of float64: a superaccumulator, as in Neal, Fast exact summation using
    small and large superaccumulators (2015), arXiv 1505.05571, and before that in Kulisch's arithmetic.
    """

    count: int = 0
    units: int = 0

    @classmethod
    def of(cls, values: np.ndarray) -> "ExactSum":
        """Add up the values: finite, non-negative float64 of any shape, at most 2**25 of them."""
        significands, exponents = np.frexp(values.ravel())
        sums = sum_by_key(exponents, np.ldexp(significands, 53))
        return cls(values.size, sum(whole << (exponent - 53 - _UNIT) for exponent, whole in sums.items()))

    def __add__(self, other: "ExactSum") -> "ExactSum":
        return ExactSum(self.count + other.count, self.units + other.units)

    @property
    def mean(self) -> float:
        """The mean, correctly rounded; 0 for an empty sum."""
        return self.units / (self.count << -_UNIT) if self.count else 0.0

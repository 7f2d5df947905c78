"""The exact sum of floats: a whole number of the smallest units, so no order of adding changes it."""

from dataclasses import dataclass

import numpy as np

_UNIT = -1126  # as an exponent: the last of the 53 bits of a significand whose first stands for 2**-1074
_LOW_BITS = 27


def sum_by_key(keys: np.ndarray, whole: np.ndarray) -> dict[int, int]:
    """The exact sum of the whole numbers of each key. Both are integers of shape (n,), n at most 2**25; the numbers are
    from 0 up to 2**53."""
    if keys.size == 0:
        return {}
    lowest = int(keys.min())
    places = keys - lowest
    # Halves of at most 27 bits, so that float64 adds those of one key exactly.
    low = np.bincount(places, whole & (2**_LOW_BITS - 1)).tolist()
    high = np.bincount(places, whole >> _LOW_BITS).tolist()
    found = np.flatnonzero(np.bincount(places)).tolist()
    return {lowest + place: (int(high[place]) << _LOW_BITS) + int(low[place]) for place in found}


@dataclass(frozen=True)
class ExactSum:
    """So many floats, and their sum in units of 2**-1126, of which every float64 is a whole number.

    One integer as wide as the range of float64: a superaccumulator, as in Neal, Fast exact summation using small and
    large superaccumulators (2015), arXiv 1505.05571, and before that in Kulisch's arithmetic.
    """

    count: int = 0
    units: int = 0

    @classmethod
    def of(cls, values: np.ndarray) -> "ExactSum":
        """values are finite float64 of any shape, none negative; at most 2**25 of them."""
        significands, exponents = np.frexp(values.ravel())
        sums = sum_by_key(exponents, np.ldexp(significands, 53).astype(np.int64))
        return cls(values.size, sum(whole << (exponent - 53 - _UNIT) for exponent, whole in sums.items()))

    def __add__(self, other: "ExactSum") -> "ExactSum":
        return ExactSum(self.count + other.count, self.units + other.units)

    @property
    def mean(self) -> float:
        """The mean, correctly rounded; 0 of nothing."""
        return self.units / (self.count << -_UNIT) if self.count else 0.0

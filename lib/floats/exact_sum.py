"""The exact sum of floats: a whole number of the smallest units, so no order of adding changes it."""

from dataclasses import dataclass

import numpy as np

_UNIT = -1126  # as an exponent: the last of the 53 bits of a significand whose first stands for 2**-1074
_LOW_BITS = 27


@dataclass(frozen=True)
class ExactSum:
    """So many floats, and their sum in units of 2**-1126, of which every float64 is a whole number."""

    count: int = 0
    units: int = 0

    @classmethod
    def of(cls, values: np.ndarray) -> "ExactSum":
        """values are finite float64 of any shape, none negative; at most 2**25 of them."""
        values = values.ravel()
        if values.size == 0:
            return cls()
        significand, exponent = np.frexp(values)
        whole = np.ldexp(significand, 53).astype(np.int64)  # values = whole · 2**(exponent − 53)
        lowest = int(exponent.min())
        # Halves of at most 27 bits, so that float64 adds those of one exponent exactly.
        high, low = (np.bincount(exponent - lowest, half) for half in np.divmod(whole, 2**_LOW_BITS))
        units = 0
        for i in np.flatnonzero(high + low):
            units += ((int(high[i]) << _LOW_BITS) + int(low[i])) << (lowest + int(i) - 53 - _UNIT)
        return cls(values.size, units)

    def __add__(self, other: "ExactSum") -> "ExactSum":
        return ExactSum(self.count + other.count, self.units + other.units)

    @property
    def mean(self) -> float:
        """The mean, correctly rounded; 0 of nothing."""
        return self.units / (self.count << -_UNIT) if self.count else 0.0

"""Errors by their size: a histogram of cells so fine that medians and octaves can be read off."""

import numpy as np

from lib.run.tally import Histogram

_BITS_PER_CELL = 52 - 8  # drops all but 8 of a mantissa's 52 bits, so that an octave has 2**8 cells
_ZERO = -1  # the key of an error of zero, which does not fit on a log axis


def keys(errors: np.ndarray) -> np.ndarray:
    """Return the histogram keys, int64, of errors ≥ 0: their bits, which sort as the errors do, cut to 2**8 cells per
    octave."""
    return np.where(errors == 0, _ZERO, errors.view(np.int64) >> _BITS_PER_CELL)


def median(errors: Histogram) -> float:
    """Return the median of a histogram of errors, the mean of the two in the middle of an even number, to within 0.2 %;
    0 if it is empty."""
    below = errors.counts.cumsum()
    if below.size == 0:
        return 0.0
    middle = errors.keys[np.searchsorted(below, [(below[-1] + 1) // 2, below[-1] // 2 + 1])]
    return float(np.where(middle == _ZERO, 0.0, (_edges(middle) + _edges(middle + 1)) / 2).mean())


def octaves(errors: Histogram) -> tuple[np.ndarray, np.ndarray, int]:
    """Merge a histogram of errors into octaves [2**e, 2**(e + 1)): return the exponents e, the counts, and the number
    of zeros."""
    above = errors.keys != _ZERO
    exponents = np.frexp(_edges(errors.keys[above]))[1] - 1
    merged = Histogram.of(exponents.astype(np.int64), errors.counts[above])
    return merged.keys, merged.counts, errors[_ZERO]


def _edges(keys: np.ndarray) -> np.ndarray:
    """The lowest error of each key."""
    return (keys << _BITS_PER_CELL).view(np.float64)

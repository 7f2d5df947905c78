"""Bins of errors by size: whole numbers, so that counts are exact and can be merged."""

from sys import float_info

import numpy as np

_PER_ULP = 16  # bins per ulp
_FINE_UP_TO = 4  # ulps; above that, one bin for each factor of two


def bin_of_error(errors: np.ndarray) -> np.ndarray:
    """The bin of each error in ulps, int64: sixteenths of an ulp up to 4 ulps, powers of two above that."""
    bins = (np.minimum(errors, _FINE_UP_TO) * _PER_ULP).astype(np.int64)
    large = np.flatnonzero(errors >= _FINE_UP_TO)
    bins[large] += np.frexp(errors[large])[1] - 3
    return bins


def error_ends(bin_: int) -> tuple[float, float]:
    """The ends of a bin of errors: the first is in the bin, the second is not; but the last bin includes the largest
    float."""
    beyond = bin_ - _FINE_UP_TO * _PER_ULP
    if beyond < 0:
        return bin_ / _PER_ULP, (bin_ + 1) / _PER_ULP
    low = _FINE_UP_TO * 2.0**beyond
    return low, min(2 * low, float_info.max)

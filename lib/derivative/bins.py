"""The histogram bins of the derivative study: errors by size, and x along the float line.

A bin is a whole number, so that counts are exact and can be merged; `error_ends` and `x_ends` return the interval that
a bin stands for.
"""

from math import inf
from sys import float_info

import numpy as np

_PER_ULP = 16  # bins per ulp
_FINE_UP_TO = 4  # ulps; above that, one bin for each factor of two

_MANTISSA_BITS = 6  # 64 bins from 1 to 2
_FRACTION_BITS = 52  # of float64
_BIAS = 1023  # of float64's exponent
_QUARTERS = 2  # bits: four bins for each factor of two
_LOWEST, _HIGHEST = -32 << _QUARTERS, 10 << _QUARTERS  # a single bin below 2**-32, and one from 2**10 on


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


def bin_of_x(x: np.ndarray, binned: str) -> np.ndarray:
    """The bin of each x, int64, as the `binned` of a `functions.Function` says.

    "mantissa": abs(x), scaled to lie between 1 and 2, in 64ths. "binade": four bins for each factor of two of abs(x)
    from 2**-32 to 2**10 and one at either end, numbered from 1 outwards; negative for negative x.
    """
    if binned == "mantissa":
        fraction, _ = np.frexp(np.abs(x))
        return ((fraction - 0.5) * 2 ** (_MANTISSA_BITS + 1)).astype(np.int64)
    quarters = np.abs(x).view(np.int64) >> (_FRACTION_BITS - _QUARTERS)
    outward = np.minimum(np.maximum(quarters - (_BIAS << _QUARTERS), _LOWEST - 1), _HIGHEST) - _LOWEST + 2
    return np.where(x < 0, -outward, outward)


def x_ends(bin_: int, binned: str) -> tuple[float, float]:
    """The lower and the upper end of a bin of x, or of mantissas if `binned` is "mantissa".

    The end nearer to zero is in the bin.
    """
    if binned == "mantissa":
        return 1 + bin_ / 2**_MANTISSA_BITS, 1 + (bin_ + 1) / 2**_MANTISSA_BITS
    first = abs(bin_) + _LOWEST - 2
    near = 0.0 if first < _LOWEST else _quarter(first)
    far = inf if first == _HIGHEST else _quarter(first + 1)
    return (-far, -near) if bin_ < 0 else (near, far)


def _quarter(count: int) -> float:
    """The number at which a quarter of a factor of two begins; quarter 0 begins at 1."""
    exponent, quarter = divmod(count, 1 << _QUARTERS)
    return 2.0**exponent * (1 + quarter / (1 << _QUARTERS))


def bin_from(exponent: int) -> int:
    """The bin that begins at 2**exponent, if x is binned by binade."""
    return (exponent << _QUARTERS) - _LOWEST + 2

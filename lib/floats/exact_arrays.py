"""Arithmetic on arrays: exact sums of integers, and a multiply-add that rounds once (FMA)."""

import numpy as np

_LOW_BITS = 27


def sum_by_key(keys: np.ndarray, whole: np.ndarray) -> dict[int, int]:
    """Return the exact sum of the numbers of each key.

    Args:
        keys: integers, shape (n,), n at most 2**25.
        whole: whole numbers from 0 to 2**53, float64, shape (n,).
    """
    if keys.size == 0:
        return {}
    lowest = int(keys.min())
    places = keys - lowest
    seen = np.flatnonzero(np.bincount(places)).tolist()
    # Up to this limit, float64 adds the numbers exactly.
    if whole.max() * whole.size <= 2.0**53:
        total = np.bincount(places, whole).tolist()
        return {lowest + place: int(total[place]) for place in seen}
    # Else each number is cut into halves of at most 27 bits, whose sums are exact in float64.
    high = np.floor(whole * 2.0**-_LOW_BITS)
    low = np.bincount(places, whole - high * 2.0**_LOW_BITS).tolist()
    high = np.bincount(places, high).tolist()
    return {lowest + place: (int(high[place]) << _LOW_BITS) + int(low[place]) for place in seen}


def multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray, fused: bool) -> np.ndarray:
    """Return a·b + c, rounded twice, or once if fused. All are float32 or all are float64.

    NumPy has no FMA. If nothing overflows or underflows, error-free transformations emulate it:
    S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
    rounding to odd", IEEE Transactions on Computers 57, 2008.
    """
    if not fused:
        return a * b + c
    if c.dtype == np.float32:
        # The product of two float32 numbers is exact in float64.
        product = a.astype(np.float64) * b
        return _sum_to_odd(product, c.astype(np.float64)).astype(np.float32)
    high, low = _two_product(a, b)
    middle, lowest = _two_sum(c, low)
    total, residual = _two_sum(high, middle)
    return total + _sum_to_odd(residual, lowest)


def _sum_to_odd(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a + b in float64, rounded to odd: if inexact, to the neighbour whose last bit is 1."""
    total, error = _two_sum(a, b)
    bits = total.view(np.int64)
    outward = np.where((error > 0) == (total > 0), 1, -1)
    return np.where((error != 0) & (bits % 2 == 0), bits + outward, bits).view(np.float64)


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a + b rounded, and the rounding error, which is itself a float.

    D. E. Knuth, "The Art of Computer Programming", volume 2, 3rd edition, 1998, section 4.2.2,
    theorem B.
    """
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a·b rounded to float64, and the rounding error, which is itself a float.

    T. J. Dekker, "A floating-point technique for extending the available precision", Numerische
    Mathematik 18, 1971.
    """
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two float64 of at most 26 significant bits that add up to a (Dekker, Veltkamp)."""
    scaled = (2.0**27 + 1) * a
    high = scaled - (scaled - a)
    return high, a - high

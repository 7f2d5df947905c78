"""The multiply-add of float32 and float64 arrays, rounded twice, or once if fused (FMA). NumPy has no FMA."""

import numpy as np


def multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray, fused: bool) -> np.ndarray:
    """Return a·b + c in float32 or float64, rounded twice, or once if fused."""
    return _fused(a, b, c) if fused else a * b + c


def _fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a·b + c rounded once, by error-free transformations and rounding to odd; nothing may overflow or underflow.

    S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd",
    IEEE Transactions on Computers 57, 2008.
    """
    if c.dtype == np.float32:  # the product of two float32 is exact in float64
        return _sum_to_odd(a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)).astype(np.float32)
    high, low = _two_product(a, b)
    middle, lowest = _two_sum(c, low)
    total, residual = _two_sum(high, middle)
    return total + _sum_to_odd(residual, lowest)


def _sum_to_odd(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a + b in float64, rounded to odd: if the sum is not a float, the neighbouring float whose last bit is 1."""
    total, error = _two_sum(a, b)
    bits = total.view(np.int64)
    outward = np.where((error > 0) == (total > 0), 1, -1)
    return np.where((error != 0) & (bits % 2 == 0), bits + outward, bits).view(np.float64)


def _two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a + b rounded, and the rounding error, which is itself a float.

    D. E. Knuth, "The Art of Computer Programming", volume 2, 3rd edition, 1998, section 4.2.2, theorem B.
    """
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a · b rounded to float64, and the rounding error, which is itself a float.

    T. J. Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18, 1971.
    """
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two float64 that add up to a, of at most 26 significant bits each (Dekker's splitting, after Veltkamp)."""
    scaled = (2.0**27 + 1) * a
    high = scaled - (scaled - a)
    return high, a - high

"""Which relation holds between two arrays that differ: a factor, a sign, a sum over rows, another order.

Each is checked within the digits: what is printed to half a unit of its last digit is known so far and no further.

NOTE [chance]: the ratio of the largest pair is known to an interval. A whole number is looked for in it only where it
is so narrow that it seldom holds one by chance, and then all other pairs must agree with it.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from lib.experiment.choices import DTYPES
from lib.paste.floats_of import FEW, Pair

_MOST = 1 << 20
_UNLIKELY = 0.05
Array = np.ndarray[Any, Any]


class Factor(NamedTuple):
    """The whole number `size` by which one side is the other, `larger` is the first or the second; several agree."""

    size: int
    negative: bool
    larger: str
    several: bool


def factor(pairs: Sequence[Pair]) -> Factor | None:
    """Find the whole number or the power of two by which all pairs differ, zeros apart; −1 if only in sign."""
    known = [pair for pair in pairs if pair.first.size[0] and pair.second.size[0]]
    if not known:
        return None
    best = max(known, key=lambda pair: min(pair.first.size[0], pair.second.size[0]))
    swap = abs(best.first.value) < abs(best.second.value)
    negative = (best.first.value < 0) != (best.second.value < 0)
    low, high = _ratio(best, swap)
    for size in (1 << max(int(high).bit_length() - 1, 0), round((low + high) / 2)):
        width = high - low
        likely = width <= (_UNLIKELY * size if size & (size - 1) == 0 else _UNLIKELY)
        if likely and low <= size <= high and size <= _MOST and (size > 1 or negative):
            times = -size if negative else size
            if all(_is_multiple(pair, times, swap) for pair in pairs):
                texts = {(abs(pair.first.value), abs(pair.second.value)) for pair in known}
                return Factor(size, negative, "second" if swap else "first", len(texts) > 1)
    return None


def _ratio(pair: Pair, swap: bool) -> tuple[float, float]:
    above, below = (pair.second, pair.first) if swap else (pair.first, pair.second)
    slack = _slack(pair)
    return float(above.size[0] / below.size[1] * (1 - slack)), float(above.size[1] / below.size[0] * (1 + slack))


def _slack(pair: Pair) -> Fraction:
    return (1 if DTYPES[pair.format.name].narrow else FEW) * pair.format.eps


def _is_multiple(pair: Pair, times: int, swap: bool) -> bool:
    above, below = (pair.second, pair.first) if swap else (pair.first, pair.second)
    value = pair.format.value
    half_above = (value(above.highest) - value(above.lowest)) / 2
    half_below = (value(below.highest) - value(below.lowest)) / 2
    middle_above = (value(above.highest) + value(above.lowest)) / 2
    middle_below = (value(below.highest) + value(below.lowest)) / 2
    room = half_above + abs(times) * half_below + _slack(pair) * abs(middle_above) + above.spacing
    return abs(middle_above - times * middle_below) <= room


def signs(pairs: Sequence[Pair]) -> int:
    """Return how many components differ only in sign, if all others are equal within the digits; else 0."""
    flipped = [pair for pair in pairs if pair.ulps[0] > FEW and _is_multiple(pair, -1, False)]
    return len(flipped) if all(pair.ulps[0] <= FEW or pair in flipped for pair in pairs) else 0


def between(first: Array, second: Array, eps: float) -> str:
    """Name the relation of two arrays: transposed, reshaped, permuted, a sum or a mean over rows; or return ""."""
    if first.size <= 1 or second.size <= 1 or not (np.isfinite(first).all() and np.isfinite(second).all()):
        return ""

    def same(a: Array, b: Array, terms: int = 1) -> bool:
        scale = max(float(np.abs(a).max()), float(np.abs(b).max()))
        coarse = min(5e-5 * (terms + 1) * max(1.0, scale), 1e-2 * scale)  # four decimals, as PyTorch prints
        return a.shape == b.shape and bool(np.abs(a - b).max() <= max(coarse, FEW * eps * scale)) and scale > 0

    varied = len(np.unique(np.abs(first[first != 0]))) > 1
    if first.ndim == second.ndim == 2 and varied and same(first, second.T):
        return "transposed"
    for rows, other in ((first, second), (second, first)):
        if rows.ndim == 2 and len(rows) > 1:
            total = rows.sum(0)
            if other.ndim == 2 and other.shape[1:] == rows.shape[1:] and len(other) > 1:
                if same(other, np.broadcast_to(total, other.shape), len(rows)) and not same(rows, other):
                    return "sum of rows"
            if same(np.squeeze(other), total, len(rows)) and total.size > 1:
                return "is the sum"
            if same(np.squeeze(other), rows.mean(0)) and total.size > 1:
                return "is the mean"
    flat = first.ravel(), second.ravel()
    if first.shape != second.shape and same(*flat):
        return "reshaped"
    if (
        first.shape == second.shape
        and varied
        and first.size > 2
        and same(np.sort(flat[0]), np.sort(flat[1]))
        and not same(*flat)
    ):
        return "permuted"
    return ""

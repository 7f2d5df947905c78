"""Which relation holds between two arrays that differ: a factor, a sign, a sum over rows, another order, a zero.

Each relation is a function that predicts the second array from the first, and it holds where the prediction agrees
within the digits: half of what each number leaves open is propagated by the same function, and roundings are allowed.

NOTE [chance]: the ratio of the largest pair is known to an interval. A whole number is looked for in it only where it
is so narrow that it rarely holds one by chance, and then all other pairs must agree with it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lib.paste.floats_of import FEW, Array, Pairs

_MOST = 1 << 20
_UNLIKELY = 0.05


class Known(NamedTuple):
    """Numbers with their shape, and how far each may be from its text."""

    values: Array
    open: Array


class Relation(NamedTuple):
    """What one array is of another: a name, the factor where there is one, and which of the two is larger."""

    name: str = ""
    factor: int = 0
    larger: str = ""


def _in_its_order(first: Array, second: Array) -> Array:
    """The first array's numbers, in the order of the second's."""
    ordered = np.empty(second.size)
    ordered[np.argsort(second, axis=None)] = np.sort(first, axis=None)
    return ordered.reshape(second.shape)


RELATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "transposed": lambda first, second: first.T,
    "sum over rows": lambda first, second: np.broadcast_to(first.sum(0), second.shape),
    "mean over rows": lambda first, second: np.broadcast_to(first.mean(0), second.shape),
    "sign": np.copysign,
    "permuted": _in_its_order,
    "zero": lambda first, second: np.where(second == 0, 0, first),
}


def related(first: Known, second: Known, eps: float) -> Relation:
    """Return the first relation that holds, in one direction or the other, or one without a name."""
    if not (np.isfinite(first.values).all() and np.isfinite(second.values).all()):
        return Relation()
    with np.errstate(over="ignore", invalid="ignore"):
        if first.values.shape == second.values.shape:
            if _agree(lambda one, other: one, first, second, eps):
                return Relation()
            if found := _factor(first, second, eps):
                return found
        for name, predict in RELATIONS.items():
            for one, other in ((first, second), (second, first)):
                if _can_be(name, one.values, other.values) and _agree(predict, one, other, eps):
                    return Relation(name)
    return Relation()


def _can_be(name: str, first: Array, second: Array) -> bool:
    """Whether a relation is possible at all, and would not hold by chance."""
    alike = first.shape == second.shape
    if name in ("sum over rows", "mean over rows"):
        narrower = second.size < first.size and first.shape[1:] == np.squeeze(second).shape
        return narrower or alike and name == "sum over rows" and first.ndim > 1 and len(first) > 1
    varied = len(np.unique(np.abs(first[first != 0]))) > (2 if name == "permuted" else 1)
    if name == "transposed":
        return first.ndim == 2 and first.T.shape == second.shape and varied
    moved = first.size == second.size and bool((first.argsort(None) != second.argsort(None)).any())
    return moved and varied if name == "permuted" else alike


def _agree(predict: Callable[[Array, Array], Array], first: Known, second: Known, eps: float) -> bool:
    other, others = second
    if predict(first.values, other).shape != other.shape:
        other, others = np.squeeze(other), np.squeeze(others)
    room = np.abs(predict(first.open, other)) + others
    scale = np.maximum(np.abs(predict(np.abs(first.values), other)), np.abs(other))
    off = np.abs(predict(first.values, other) - other)
    return bool((off <= room + FEW * eps * scale).all())


def _factor(first: Known, second: Known, eps: float) -> Relation | None:
    """Find the whole number by which all pairs differ, zeros apart, with its sign: NOTE [chance]."""
    least = np.minimum(*(np.abs(one.values) - one.open for one in (first, second))).ravel()
    at = int(least.argmax())
    if least[at] <= 0:
        return None
    pair = [(abs(one.values.flat[at]), one.open.flat[at]) for one in (first, second)]
    turn = -1 if pair[0] > pair[1] else 1
    (small, below), (large, above) = pair[::turn]
    one, other = (first, second)[::turn]
    low = (large - above) / (small + below) * (1 - FEW * eps)
    high = min((large + above) / (small - below) * (1 + FEW * eps), 2 * _MOST)
    if low > _MOST:
        return None
    sign = 1 if (one.values.flat[at] < 0) == (other.values.flat[at] < 0) else -1
    for size in (1 << max(int(high).bit_length() - 1, 0), round((low + high) / 2)):
        likely = high - low <= (_UNLIKELY * size if size & (size - 1) == 0 else _UNLIKELY)
        if likely and low <= size <= min(high, _MOST) and size * sign != 1:
            times = size * sign
            if _agree(lambda first, second, times=times: times * first, one, other, eps):  # type: ignore[misc]
                return Relation("factor", times, ("first", "second")[turn > 0]) if size > 1 else Relation("sign")
    return None


def is_kink(pairs: Pairs) -> bool:
    """Whether all that differ differ by a half or one in slopes of 0, ½ or 1, as conventions at a kink do."""
    a, b = np.abs(pairs.first.value[pairs.finite]), np.abs(pairs.second.value[pairs.finite])
    same = pairs.ulps[0][pairs.finite] == 0
    slopes = np.isin(a, (0, 0.5, 1)) & np.isin(b, (0, 0.5, 1))
    return bool((slopes & (same | np.isin(np.abs(a - b), (0.5, 1)))).all() and not same.all())

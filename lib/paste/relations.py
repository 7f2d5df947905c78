"""How two arrays that differ are related: by a factor, a sign, a transposition, a sum over rows.

Each relation is a function that predicts the second array from the first. It holds where the
prediction agrees within the printed digits: what each number leaves open is propagated by the same
function, and roundings are allowed.

NOTE [chance]: the ratio of the largest pair is known to an interval. A whole number is looked for
in it only where the interval is so narrow that it rarely holds one by chance, and then all other
pairs must agree with it.

NOTE [residues]: where terms cancel, what is left are small multiples of a power of two, such as
9.3132e-10 and 1.8626e-09, and these often have a whole number as their ratio. A relation between
such numbers shows nothing.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lib.floats.exact_floats import Format
from lib.paste.floats_of import Array, Floats, rounded

_MOST = 1 << 20
_UNLIKELY = 0.05
_SEVERAL = 3  # pairs that agree are no coincidence, even where the first interval is wide
_PRECISION_OF_FLOAT32 = 24
_ROUNDINGS = {True: 4, False: 16}
"""How many eps a relation may be off, in a dtype of 16 bits and in others."""

_RESIDUE = Format("residue", precision=8, largest_exponent=1023)
_MOST_OF_A_RESIDUE = 256
_LEAST_DIGITS = 4  # fewer do not tell a multiple of a power of two from other numbers


class Known(NamedTuple):
    """Numbers with their shape, how far each may be from its text, and which have few digits."""

    values: Array
    open: Array
    short: Array

    @classmethod
    def of(cls, floats: Floats, shape: tuple[int, ...]) -> "Known":
        with np.errstate(invalid="ignore"):  # infinities
            open_ = (floats.high - floats.low) / 2
        digits = np.array([number.digits or _LEAST_DIGITS for number in floats.printed])
        short = digits < _LEAST_DIGITS
        return cls(floats.value.reshape(shape), open_.reshape(shape), short.reshape(shape))


class Relation(NamedTuple):
    """How one array is related to another: a name, and the factor with the larger side."""

    name: str = ""
    factor: int = 0
    larger: str = ""


Prediction = Callable[[Array, Array], Array]


def _conjugated(first: Array, second: Array) -> Array:
    return first * np.array([1, -1])


def _summed(first: Array, second: Array) -> Array:
    return np.broadcast_to(first.sum(0), second.shape)


def _averaged(first: Array, second: Array) -> Array:
    return np.broadcast_to(first.mean(0), second.shape)


def _transposed(first: Array, second: Array) -> Array:
    return first.T


RELATIONS: dict[str, Prediction] = {
    "conjugate": _conjugated,
    "transposed": _transposed,
    "sum over rows": _summed,
    "mean over rows": _averaged,
    "sign": np.copysign,
}


BETWEEN_SHAPES = ("transposed", "sum over rows", "mean over rows")
"""The relations of arrays that need not have the same shape."""


def related(first: Known, second: Known, form: Format, is_complex: bool) -> Relation:
    """Return the first relation that holds, in one direction or the other, or one without a name.

    Args:
        first, second: the two arrays, of any shapes.
        form: their format.
        is_complex: whether the last axis holds real and imaginary parts.
    """
    values = np.concatenate([first.values.ravel(), second.values.ravel()])
    if not np.isfinite(values).all() or _are_residues(first, second, form):
        return Relation()
    if not (_is_known(first) and _is_known(second)):
        return Relation()
    roundings = _ROUNDINGS[form.precision < _PRECISION_OF_FLOAT32] * float(form.eps)
    with np.errstate(over="ignore", invalid="ignore"):
        if first.values.shape == second.values.shape:
            if _agree(lambda one, other: one, first, second, roundings):
                return Relation()
            factor = _factor(first, second, roundings)
            if factor:
                return factor
        for name, predict in RELATIONS.items():
            for given, other in ((first, second), (second, first)):
                possible = _is_possible(name, given.values, other.values, is_complex)
                if possible and _agree(predict, given, other, roundings):
                    return Relation(name)
    return Relation()


def _is_known(side: Known) -> bool:
    """Whether the digits of the largest number tell it from others."""
    place = np.abs(side.values).argmax()
    return bool(side.open.flat[place] <= _UNLIKELY * abs(side.values.flat[place]))


def _are_residues(first: Known, second: Known, form: Format) -> bool:
    """Whether all numbers that differ may be what is left where terms of about 1, or of the size of
    the largest number, cancel: NOTE [residues]."""
    if first.values.shape != second.values.shape:
        return False
    differ = first.values != second.values
    values = np.array([first.values, second.values])
    differing = values[:, differ]
    open_ = np.array([first.open, second.open])[:, differ]
    most = _MOST_OF_A_RESIDUE * float(form.eps) * max(1.0, np.abs(values).max())
    is_small = np.abs(differing).max(initial=0) <= most
    short = np.array([first.short, second.short])[:, differ]
    is_multiple = short | (np.abs(rounded(differing, _RESIDUE) - differing) <= open_)
    return bool(is_small and is_multiple.all())


def _is_possible(name: str, first: Array, second: Array, is_complex: bool) -> bool:
    """Whether a relation is possible at all, and would not hold by chance."""
    alike = first.shape == second.shape
    if name == "conjugate":
        return is_complex and alike and bool(first[..., 1].any())
    if is_complex:
        return False
    if name in ("sum over rows", "mean over rows"):
        narrower = second.size < first.size and first.shape[1:] == np.squeeze(second).shape
        square = alike and name == "sum over rows" and first.ndim > 1
        return narrower or square and len(first) > 1
    sizes = len(np.unique(np.abs(first[first != 0])))
    if name == "transposed":
        return first.ndim == 2 and first.T.shape == second.shape and sizes > 1
    return alike and (sizes > 1 or first.size == 1)


def _agree(predict: Prediction, first: Known, second: Known, roundings: float) -> bool:
    """Whether a prediction of the second array from the first agrees with it.

    Numbers that are no more than roundings of the largest tell nothing.
    """
    values = second.values
    open_ = second.open
    if predict(first.values, values).shape != values.shape:
        values = np.squeeze(values)
        open_ = np.squeeze(open_)
    room = np.abs(predict(first.open, values)) + open_
    scale = np.maximum(np.abs(predict(np.abs(first.values), values)), np.abs(values))
    off = np.abs(predict(first.values, values) - values)
    is_small = scale <= roundings * scale.max()
    return bool((is_small | (off <= room + roundings * scale)).all())


def _factor(first: Known, second: Known, roundings: float) -> Relation | None:
    """Find the whole number by which all pairs differ, zeros apart: NOTE [chance]."""
    least = np.minimum(*(np.abs(side.values) - side.open for side in (first, second))).ravel()
    place = int(least.argmax())
    if least[place] <= 0:
        return None
    ratio = second.values.flat[place] / first.values.flat[place]
    small, large, larger = (first, second, "second") if abs(ratio) > 1 else (second, first, "first")
    size = abs(small.values.flat[place])
    other_size = abs(large.values.flat[place])
    low = (other_size - large.open.flat[place]) / (size + small.open.flat[place]) * (1 - roundings)
    high = (other_size + large.open.flat[place]) / (size - small.open.flat[place]) * (1 + roundings)
    unlikely = _UNLIKELY if (least > 0).sum() < _SEVERAL else 10 * _UNLIKELY
    if not high <= _MOST or high - low > unlikely:
        return None
    times = round((low + high) / 2)
    if not low <= times <= high:
        return None
    times = times if ratio > 0 else -times
    if times == 1 or not _agree(lambda given, _: times * given, small, large, roundings):
        return None
    return Relation("factor", times, larger) if abs(times) > 1 else Relation("sign")

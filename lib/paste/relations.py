"""How two arrays that differ are related: by a factor, signs, a transposition, a sum over rows.

Each relation predicts the second array from the first. It holds where the prediction agrees within
the printed digits: the doubt about each number is propagated by the same function, and roundings
are allowed.

NOTE [chance]: the ratio of the largest pair is known to an interval. A whole number is looked for
in it only where the interval is so narrow that it rarely holds one by chance, and then all other
pairs must agree with it.

NOTE [residues]: where terms cancel, what is left are small multiples of a power of two, such as
9.3132e-10 and 1.8626e-09, and these often have a whole number as their ratio. A relation between
such numbers shows nothing.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lib.floats.exact_floats import Format
from lib.paste.floats_of import Array, Floats, rounded

_UNLIKELY = 0.05

_RESIDUE = Format("residue", precision=8, largest_exponent=1023)
_LARGEST_RESIDUE = 256
"""In eps of the largest number, or of 1."""


class Known(NamedTuple):
    """An array of numbers, and how far each may be from its text."""

    values: Array
    doubt: Array

    @classmethod
    def of(cls, floats: Floats, shape: Sequence[int]) -> "Known":
        with np.errstate(invalid="ignore"):  # infinities
            doubt = (floats.high - floats.low) / 2
        return cls(floats.value.reshape(shape), doubt.reshape(shape))


class Relation(NamedTuple):
    """How one array is related to another: a name, and the factor."""

    name: str = ""
    factor: int = 0


Prediction = Callable[[Array, Array], Array]
"""Predicts the second array, of which the shape and the signs are known, from the first."""


def _same(first: Array, second: Array) -> Array:
    return first


def _conjugated(first: Array, second: Array) -> Array:
    return first * np.resize([1.0, -1.0], first.shape)


def _summed(first: Array, second: Array) -> Array:
    return np.broadcast_to(first.sum(0), second.shape)


def _transposed(first: Array, second: Array) -> Array:
    return first.T


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def related(first: Known, second: Known, form: Format, is_complex: bool) -> Relation:
    """Return the first relation that holds, in one direction or the other, or one without a name.

    Args:
        first, second: the two arrays, of any shapes.
        form: their format.
        is_complex: whether real and imaginary parts alternate.
    """
    eps = float(form.eps)
    roundings = (4 if form.is_narrow else 16) * eps
    alike = first.values.shape == second.values.shape
    is_known = all(map(_is_known, (first, second)))
    if not is_known or alike and _are_residues(first, second, eps):
        return Relation()
    if alike and _agree(_same, first, second, roundings):
        return Relation()
    sides = ((first, second), (second, first))
    for given, other in sides:
        factor = _factor(given, other, roundings) if alike else 0
        if factor:
            return Relation("factor", factor)
    for given, other in sides:
        for name, predict in _possible(given.values, other.values, is_complex).items():
            if _agree(predict, given, other, roundings):
                return Relation(name)
    return Relation()


def _is_known(side: Known) -> bool:
    """Whether all numbers are finite, and the digits of the largest tell it from others."""
    largest = np.abs(side.values).argmax()
    is_sharp = side.doubt.flat[largest] <= _UNLIKELY * abs(side.values.flat[largest])
    return bool(np.isfinite(side.values).all() and is_sharp)


def _are_residues(first: Known, second: Known, eps: float) -> bool:
    """Whether all numbers that differ may be what is left where terms cancel: NOTE [residues]."""
    values = np.array([first.values, second.values])
    doubt = np.array([first.doubt, second.doubt])
    differ = first.values != second.values
    most = _LARGEST_RESIDUE * eps * max(1.0, np.abs(values).max())
    is_small = np.abs(values) <= most
    is_multiple = np.abs(rounded(values, _RESIDUE) - values) <= doubt
    return bool((is_small & is_multiple)[:, differ].all())


def _possible(first: Array, second: Array, is_complex: bool) -> dict[str, Prediction]:
    """Return the relations that are possible at all, and would not hold by chance."""
    alike = first.shape == second.shape
    varied = len(np.unique(np.abs(first[first != 0]))) > 1
    row = first.shape[1:]
    relations: dict[str, Prediction] = {}
    if alike and is_complex:
        relations["conjugate"] = _conjugated
    if alike and (varied or first.size == 1):
        relations["sign"] = np.copysign
    if first.ndim == 2 and first.T.shape == second.shape and varied:
        relations["transposed"] = _transposed
    if len(first) > 1 and row and row in (second.shape, second.shape[1:]):
        relations["sum over rows"] = _summed
    return relations


def _agree(predict: Prediction, first: Known, second: Known, roundings: float) -> bool:
    """Whether a prediction of the second array from the first agrees with it.

    Numbers that are no more than roundings of the largest tell nothing.
    """
    values = second.values
    doubt = np.abs(predict(first.doubt, values)) + second.doubt
    scale = np.maximum(np.abs(predict(np.abs(first.values), values)), np.abs(values))
    off = np.abs(predict(first.values, values) - values)
    is_small = scale <= roundings * scale.max()
    return bool((is_small | (off <= doubt + roundings * scale)).all())


def _factor(first: Known, second: Known, roundings: float) -> int:
    """Return the whole number of which the second array is a multiple, or 0: NOTE [chance]."""
    largest = np.abs(first.values).argmax()
    values = [side.values.flat[largest] for side in (first, second)]
    doubts = [side.doubt.flat[largest] for side in (first, second)]
    ratio = values[1] / values[0]
    doubt = np.abs(ratio) * (np.abs(np.divide(doubts, values)).sum() + roundings)
    if not (abs(ratio) > 1.5 and doubt <= _UNLIKELY):
        return 0
    times = round(float(ratio))
    agrees = _agree(lambda given, _: times * given, first, second, roundings)
    return times if agrees else 0

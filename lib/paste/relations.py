"""How two arrays that differ are related: by a factor, signs, a transposition, a sum over rows.

Each relation predicts the second array from the first. It holds where the prediction agrees within
the printed digits: the doubt about each number is propagated by the same function, and roundings
are allowed.

NOTE [chance]: the ratio of the largest pair is known to an interval. A whole number is looked for
in it only where the interval is so narrow that it rarely holds one by chance, and then all other
pairs must agree with it.

NOTE [residues]: where terms cancel, what is left are small multiples of a power of two, such as
9.3132e-10 and 1.8626e-09, and these often have a whole number as their ratio. A relation between
such numbers shows nothing. Terms are taken to be up to 10,000.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lib.floats.exact_floats import Format

Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]

_UNLIKELY = 0.05

_RESIDUE_BITS = 8
_LARGEST_RESIDUE = 256
"""In eps of the largest term."""

LARGEST_TERM = 1e4
"""What terms that cancel may be without being seen."""


class Known(NamedTuple):
    """An array of numbers, how far each may be from its text, and the size of its terms."""

    values: Array
    doubt: Array
    scale: Array

    @classmethod
    def of(cls, values: Sequence[float], doubt: Sequence[float], shape: Sequence[int]) -> "Known":
        return cls(*(np.reshape(part, shape) for part in (values, doubt, np.abs(values))))

    def changed(self, change: Change) -> "Known":
        return Known(change(self.values), np.abs(change(self.doubt)), np.abs(change(self.scale)))

    @property
    def is_sharp(self) -> bool:
        """Whether all numbers are finite, and the digits of the largest tell it from others."""
        largest = self.scale.argmax()
        is_sharp = self.doubt.flat[largest] <= _UNLIKELY * self.scale.flat[largest]
        return bool(np.isfinite(self.values).all() and is_sharp)


class Relation(NamedTuple):
    """How one array is related to another: a name, and the factor."""

    name: str = ""
    factor: int = 0


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def related(first: Known, second: Known, form: Format, is_complex: bool) -> Relation:
    """Return the first relation that holds, in one direction or the other, or one without a name.

    Args:
        first: an array of any shape.
        second: an array of any shape.
        form: their format.
        is_complex: whether real and imaginary parts alternate.
    """
    eps = float(form.eps)
    roundings = (4 if form.is_narrow else 16) * eps
    alike = first.values.shape == second.values.shape
    if not first.is_sharp or not second.is_sharp:
        return Relation()
    if alike and (_are_residues(first, second, eps) or _agree(first, second, roundings)):
        return Relation()
    for given, other in ((first, second), (second, first)):
        tells = alike and not _may_have_stopped(given)
        factor = _factor(given, other, roundings) if tells else 0
        for name, change in _changes(given.values, other.values, is_complex, factor):
            if _agree(given.changed(change), other, roundings):
                return Relation(name, factor)
    return Relation()


def largest_residue(eps: float, largest: float) -> float:
    """Return how large what is left of terms that cancel may be: NOTE [residues].

    Args:
        eps: that of the format.
        largest: the largest number that is seen.
    """
    return _LARGEST_RESIDUE * eps * max(LARGEST_TERM, largest)


def _are_residues(first: Known, second: Known, eps: float) -> bool:
    """Whether all numbers that differ may be what is left where terms cancel: NOTE [residues]."""
    values = np.array([first.values, second.values])
    most = largest_residue(eps, np.abs(values).max())
    unit = np.ldexp(1.0, np.frexp(values)[1] - _RESIDUE_BITS)
    is_multiple = np.abs(np.rint(values / unit) * unit - values) <= [first.doubt, second.doubt]
    differ = first.values != second.values
    return bool((is_multiple & (np.abs(values) <= most))[:, differ].all())


def _may_have_stopped(sum_: Known) -> bool:
    """Whether an array is one number, a power of two: NOTE [stopped sums]."""
    return sum_.values.size == 1 and abs(np.frexp(sum_.values.flat[0])[0]) == 0.5


def _changes(
    first: Array, second: Array, is_complex: bool, factor: int
) -> Iterator[tuple[str, Change]]:
    """Yield what may make the second array of the first, if it would not do so by chance."""
    alike = first.shape == second.shape
    varied = len(np.unique(np.abs(first[first != 0]))) > 1
    row = first.shape[1:]
    if factor:
        yield "factor", lambda part: factor * part
    if alike and is_complex:
        yield "conjugate", lambda part: part * np.resize([1.0, -1.0], part.shape)
    if alike and (varied or first.size == 1):
        yield "sign", lambda part: np.copysign(part, second)
    if first.ndim == 2 and first.T.shape == second.shape and varied:
        yield "transposed", np.transpose
    if len(first) > 1 and row and row in (second.shape, second.shape[1:]):
        yield "sum over rows", lambda part: np.broadcast_to(part.sum(0), second.shape)


def _agree(first: Known, second: Known, roundings: float) -> bool:
    """Whether two arrays agree. Numbers no larger than roundings of the largest tell nothing."""
    scale = np.maximum(first.scale, second.scale)
    allowed = first.doubt + second.doubt + roundings * scale
    is_small = scale <= roundings * scale.max()
    return bool((is_small | (np.abs(first.values - second.values) <= allowed)).all())


def _factor(first: Known, second: Known, roundings: float) -> int:
    """Return the whole number that the ratio of the largest pair may be, or 0: NOTE [chance]."""
    largest = first.scale.argmax()
    ratio = second.values.flat[largest] / first.values.flat[largest]
    doubts = sum(side.doubt.flat[largest] / side.scale.flat[largest] for side in (first, second))
    is_known = abs(ratio) * (doubts + roundings) <= _UNLIKELY
    return round(float(ratio)) if is_known and abs(ratio) > 1.5 else 0

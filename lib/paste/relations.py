"""How two arrays that differ are related: by a factor, signs, a transposition, a sum over rows, or
by another shape of the same numbers.

Each relation predicts the second array from the first. It holds where the prediction agrees within
the printed digits: the doubt about each number is propagated by the same function, and roundings
are allowed.

NOTE [chance]: the ratio of the largest pair counts as a whole number only if it is known to 5% and
to 0.5, and all other pairs must agree with it. If there is only one pair, the ratio must be known
to within 0.01: a wider interval would often contain a whole number by chance.

NOTE [common factor]: a factor that is not a whole number counts only if at least three different
numbers are multiplied by it, to the digits printed, and if it is known to a thousandth. It is clear
if it is more than 1.01: numbers rounded to 16 bits twice are off by less.

NOTE [residues]: where terms cancel, what is left are small multiples of a power of two, such as
9.3132e-10 and 1.8626e-09, and the ratio of two of these is often a whole number. So a relation
between such numbers shows nothing, nor does one between two single small numbers of three digits.
Terms are taken to be up to 10,000. After a factor, such as the 1/n of a mean, they are no such
multiples, but the ratio stays: for six numbers x and d = x - x.mean(), d.mean() can be twice
d.flip(0).mean(). So no relation is sought between two single numbers of which one is below 100,000
eps, nor between arrays of which one has no numbers above 256 eps.

NOTE [stopped sums]: a long sum of equal terms stops at a power of two, where further terms are too
small to change it: a sum of ones in float32 at 16,777,216. The ratio of the true sum to the stopped
one shows nothing. Neither the terms are seen nor the format in which they were added, so no whole
factor is taken if the smaller side has only 0 and powers of two, at most two different ones: 2.0
and 6.0 are left open.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lib.floats.exact_floats import FORMATS, Format
from lib.paste.formats import sum_error

Array = np.ndarray[Any, Any]
Known = np.ndarray[Any, Any]
"""Three arrays of one shape: numbers, the doubt about each (how far it may be from its text), and
its scale (the sum of the sizes of its terms)."""

_UNLIKELY = 0.05
_UNLIKELY_ALONE = 0.01
"""NOTE [chance]."""

_KNOWN_TO = 1e-3
_LEAST_RATIO = 1.01
"""NOTE [common factor]."""

_RESIDUE_BITS = 8
_LARGEST_RESIDUE = 256
"""In eps: how large a residue may be, relative to the largest term, or to 1 in an array."""

_LARGEST_ALONE = 1e5
"""In eps: how large a single number may be that is a multiple of a residue of large terms."""

_VAGUE = 5e-4
"""A single number is vague if the doubt is more than this share of it: it has three digits."""

LARGEST_CANCELLING = 1e4
"""How large terms that cancel may be, since they are not seen."""


class Relation(NamedTuple):
    """How one array is related to another: a name, "" if not at all, and the factor, or 0."""

    name: str = ""
    factor: float = 0

    @property
    def is_clear(self) -> bool:
        """Whether it is more than a factor near 1: NOTE [common factor]."""
        return self.name != "factor" or abs(self.factor) > _LEAST_RATIO


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def related(first: Known, second: Known, form: Format, is_complex: bool) -> Relation:
    """Return the first relation that holds, from either side to the other, or one without a name.

    Args:
        first: the numbers of one side, of any shape, with their doubt and scale.
        second: the same of the other side, perhaps of another shape.
        form: the format in which they are compared.
        is_complex: whether the last dimension has real and imaginary parts.
    """
    roundings = sum_error(form)
    alike = first.shape == second.shape
    if not _can_be_related(first) or not _can_be_related(second):
        return Relation()
    if alike and (_are_residues(first, second, form) or _agree(first, second, roundings)):
        return Relation()
    for start, goal in ((first, second), (second, first)):
        factor = _factor(start, goal, roundings) if alike else 0.0
        for name, candidate in _candidates(start, goal, is_complex, factor):
            values, doubt, scale = candidate
            if _agree(np.stack([values, np.abs(doubt), np.abs(scale)]), goal, roundings):
                return Relation(name, factor)
    return Relation()


def _can_be_related(side: Known) -> bool:
    """Whether all numbers are finite, and the largest is known to a twentieth."""
    values, doubt, scale = side
    largest = scale.argmax()
    is_known = doubt.flat[largest] <= _UNLIKELY * scale.flat[largest]
    return bool(np.isfinite(values).all() and is_known)


def _are_residues(first: Known, second: Known, form: Format) -> bool:
    """Whether all numbers that differ may be what is left where terms cancel: NOTE [residues]."""
    values, doubt, _ = np.stack([first, second], axis=1)
    sizes = np.abs(values)
    # Numbers of a wider format may have been computed in float32.
    eps = max(float(form.eps), float(FORMATS["float32"].eps))
    is_small = sizes <= _LARGEST_RESIDUE * eps * max(LARGEST_CANCELLING, sizes.max())
    is_multiple = have_few_bits(values, doubt)
    is_single = values[0].size == 1
    is_vague = is_single & (doubt > _VAGUE * sizes)
    largest = sizes.reshape(2, -1).max(1).min()
    is_tiny = largest <= float(form.eps) * (_LARGEST_ALONE if is_single else _LARGEST_RESIDUE)
    is_residue = (is_multiple | is_vague) & is_small | is_tiny
    return bool((is_residue | (values[0] == values[1])).all())


def have_few_bits(values: Array, doubt: Array) -> Array:
    """Return which numbers have at most `_RESIDUE_BITS` bits, as far as they are known."""
    unit = np.ldexp(1.0, np.frexp(values)[1] - _RESIDUE_BITS)
    return np.abs(np.rint(values / unit) * unit - values) <= doubt


def _candidates(
    first: Known, second: Known, is_complex: bool, factor: float
) -> Iterator[tuple[str, Known]]:
    """Yield what each relation makes of the first array, if that cannot fit by chance."""
    varied = len(np.unique(first[2][first[2] > 0])) > 1
    if first.shape == second.shape:
        if is_complex:
            yield "conjugate", first * [1.0, -1.0]
        if varied or first[0].size == 1:
            yield "sign", np.copysign(first, second[0])
        if factor:
            yield "factor", factor * first
    elif first.size == second.size:
        yield "shape", first.reshape(second.shape)
    if is_complex or first.ndim < 3:
        return
    transposed = first.swapaxes(-1, -2)
    if first.ndim == 3 and transposed.shape == second.shape and varied:
        yield "transposed", transposed
    summed = first.sum(1)
    if len(first[0]) > 1 and summed.shape[1:] in (second.shape[1:], second.shape[2:]):
        rows = summed if summed.ndim == second.ndim else summed[:, None]
        yield "sum over rows", np.broadcast_to(rows, second.shape)


def _agree(first: Known, second: Known, roundings: float) -> bool:
    """Whether two arrays agree. Numbers no larger than roundings of the largest do not count."""
    apart = np.abs(first[0] - second[0])
    scale = np.maximum(first[2], second[2])
    allowed = first[1] + second[1] + roundings * scale
    is_small = scale <= roundings * scale.max()
    return bool((is_small | (apart <= allowed)).all())


def _factor(first: Known, second: Known, roundings: float) -> float:
    """Return the factor from the first to the second array, by the largest number, or 0.

    NOTE [chance], NOTE [common factor], NOTE [stopped sums].
    """
    largest = first[2].argmax()
    values, doubt, scale = np.stack([first, second], 1).reshape(3, 2, -1)[..., largest]
    factor = values[1] / values[0]
    share = float((doubt / scale + roundings).sum())
    whole = round(factor) if np.isfinite(factor) else 0
    reach = share * abs(factor)
    is_single = first[0].size == 1
    is_known = reach <= (_UNLIKELY_ALONE if is_single else min(_UNLIKELY * abs(factor), 0.5))
    sizes = np.unique(first[2])
    has_stopped = len(sizes) <= 2 and np.isin(np.frexp(sizes)[0], (0, 0.5)).all()
    if abs(whole) > 1 and abs(factor - whole) <= reach and is_known:
        return 0.0 if has_stopped else whole
    is_common = len(sizes) > 2 and share <= _KNOWN_TO
    return float(factor) if is_common and abs(factor) > 1 else 0.0

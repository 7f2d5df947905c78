"""What one of two sides shows: fewer digits, the dtype, only 0, or equal rows."""

import numpy as np

from lib.floats.exact_floats import FORMATS
from lib.paste.comparison import Comparison
from lib.paste.formats import dtype_of, sum_error
from lib.paste.relations import LARGEST_CANCELLING, have_few_bits

_LARGEST_OF_OTHERS = 2e5
"""How large terms may be if all numbers have few bits, as residues have, or if not both sides are
tensors: with precision=1, NumPy writes 0. for 0.04, but PyTorch only for 0."""

_CLEARLY = 0.1
"""Rows clearly differ if they differ by more than this share of the largest number."""

_TWO_DIGITS = 0.01


@np.errstate(over="ignore", invalid="ignore")
def has_fewer_digits(pair: Comparison) -> bool:
    """Return whether one side is the other in at least two digits fewer.

    Each number must be known to a hundredth. If the sides differ by one digit only, one of them may
    be the shortest text of another float.
    """
    digits = [max(number.digits for number in value.numbers) for value in pair.values[:2]]
    reach = np.maximum(*pair.reaches[:2])[pair.finite]
    apart = np.array(pair.distances)[pair.finite]
    sizes = np.abs(pair.numbers).min(0)[pair.finite]
    are_same = (apart <= reach) & (reach <= _TWO_DIGITS * sizes)
    return bool(are_same.all()) and pair.apart[0] == 0 and abs(digits[0] - digits[1]) > 1


def are_same_floats(pair: Comparison) -> bool:
    """Return whether a side names a dtype in which both print the same floats."""
    is_named = any(map(dtype_of, pair.values[:2]))
    return is_named and pair.apart[0] == 0 and bool(np.equal(*pair.numbers).all())


def is_zero(pair: Comparison) -> bool:
    """Return whether one side is 0, and the other is larger than what terms that cancel leave.

    A single 0 shows nothing: terms may cancel to 0 in one order of addition, and not in another.
    """
    are_zero = [not side.any() for side in pair.numbers]
    return bool(pair.first.shape) and not _may_be_left(pair) and are_zero.count(True) == 1


def has_equal_rows(pair: Comparison) -> bool:
    """Return whether all rows of one side are equal, and those of the other clearly are not."""
    is_matrix = len(pair.first.shape) > 1 and not pair.first.is_complex
    if not is_matrix or not pair.finite.all() or _may_be_left(pair):
        return False
    equal, varied = sorted(np.ptp(side[0], axis=-2).max() for side in pair.sides[:2])
    return bool(equal == 0 and varied > _CLEARLY * pair.largest)


def _may_be_left(pair: Comparison) -> bool:
    """Return whether terms that are not seen may leave all these numbers when they cancel.

    The terms are taken to be in float32 even if the numbers are float64.
    """
    form = min(pair.format, FORMATS["float32"], key=lambda form: form.precision)
    are_residues = all(have_few_bits(side[0], side[1]).all() for side in pair.sides[:2])
    are_tensors = all(value.name == "tensor" for value in pair.values)
    terms = LARGEST_CANCELLING if are_tensors and not are_residues else _LARGEST_OF_OTHERS
    return pair.largest <= sum_error(form) * terms

"""Numbers that were rounded to a narrower format, and how sure that is.

NOTE [short numbers]: every number with few bits is a float of every format: whole numbers, halves, what was typed for a
test, and what is left of terms that cancel, which is a small multiple of the spacing at the terms. Such numbers are
multiples of one step. If the largest of them is p bits of that step long or less, it takes no rounding to put all of
them into a format of p bits, and they are no evidence. If some are longer, each of these would by chance end in enough
zeros in one of 2^(length − p) cases, or in as many as its digits tell. It is sure that the numbers were rounded if at
least three use all bits of the format or all but one, and the product of their chances is at most 1e-6.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, product
from math import prod
from typing import NamedTuple

from lib.floats.exact_floats import Format, significand_and_exponent
from lib.paste.distances import Pair
from lib.paste.evidence import SURE, largest, largest_difference, narrower
from lib.paste.possible_floats import Number

_FEWEST = 3  # numbers that use the bits of the format
_STEP = 5  # bits: steps from 2^-4 to 2^4 are those of whole numbers and of what is typed


class Rounded(NamedTuple):
    """Every number of one side is a float of each format; `to_nearest` if it is the other side's, rounded.

    `sure` says that this is no chance: see NOTE [short numbers].
    """

    formats: tuple[Format, ...]
    is_first: bool
    to_nearest: bool
    sure: bool


class _Bits(NamedTuple):
    """How many bits a number has from its first to its last 1, the exponent of the last, and its chance by digits."""

    length: int
    last: int
    by_digits: Fraction


def rounded(pairs: Sequence[Pair]) -> Rounded | None:
    """Find the formats of least precision that hold every number of one side while the other side needs more digits.

    One pair or more must differ for sure.
    """
    off, size = largest_difference(pairs)[1], largest(pairs).size[0]
    pairs = [pair for pair in pairs if pair.first.value or pair.second.value]  # every format holds 0
    if not pairs:
        return None
    for precision, several in groupby(narrower(pairs), key=lambda form: form.precision):
        for forms, is_first in product([list(several)], (True, False)):
            sides = [(pair.first, pair.second) if is_first else (pair.second, pair.first) for pair in pairs]
            held = tuple(form for form in forms if all(_is_in(form, one) for one, _ in sides))
            if not held or not any(_is_out(form, other) for form in held for _, other in sides):
                continue
            form = held[-1]
            different = {one.text: _bits(form, one) for one, _ in sides if one.value}
            bits = list(different.values())
            step = min((one.last for one in bits), default=0)
            telling = [_chance(one, step, precision) for one in bits if one.length >= precision - 1]
            some = any(one.length >= precision - 3 for one in bits) and abs(step) >= _STEP
            sure = len(telling) >= _FEWEST and prod(telling) <= SURE
            if (some or sure) and off <= 4 * form.eps * size:
                return Rounded(held, is_first, all(_rounds_to(form, other, one) for one, other in sides), sure)
    return None


def _bits(form: Format, number: Number) -> _Bits:
    significand, last = significand_and_exponent(form.rounded(number.value))
    low, high = number.ends
    width = max(high - low, number.spacing)
    return _Bits(significand.bit_length(), last, width / form.spacing(form.nearest(number.value)))


def _chance(bits: _Bits, step: int, precision: int) -> Fraction:
    """Return the chance that a multiple of 2^step has no more than `precision` bits: see NOTE [short numbers]."""
    zeros = bits.length + bits.last - step - precision
    return max(min(bits.by_digits, Fraction(1)), Fraction(1, 1 << zeros)) if zeros > 0 else Fraction(1)


def _is_in(form: Format, number: Number) -> bool:
    """Whether the digits, enough to tell, are those of a float of the format."""
    low, high = number.ends
    return high - low <= abs(number.value) * form.eps / 16 and form.ceil(low) <= form.floor(high) < form.infinity


def _is_out(form: Format, number: Number) -> bool:
    """Whether no float of the format has these digits, however many they are."""
    low, high = number.ends
    return form.ceil(low) > form.floor(high)


def _rounds_to(form: Format, number: Number, to: Number) -> bool:
    return form.nearest(number.value) == form.nearest(to.value)

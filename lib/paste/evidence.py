"""What pasted pairs are evidence of: a constant factor, a narrower format, cancellation, a zero on one side.

Each function returns what it found, or None where the evidence does not hold. Digits are intervals, and so every
statement is about all floats that they stand for; see NOTE [what digits tell] in `printed`. No statement is made of
what the digits leave open.

NOTE [chance]: a ratio is known to an interval, and by chance some candidate for a factor lies in it. There are about a
thousand candidates, so the chance is at most a thousand times the interval's relative width, and every other pair must
by chance agree with the first, which happens in as many cases as its own width says. A factor is sure if the product is
at most 1e-6. One pair of four digits (1000 · 4e-4) says little, and even one of float32 in all its digits (1000 · 4e-6)
is not sure; three pairs of four digits are (1000 · 4e-4³ = 6e-8), and two of float32.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, product
from math import prod
from typing import NamedTuple

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format, significand_and_exponent
from lib.paste.distances import Pair
from lib.paste.possible_floats import FEW, Number
from lib.paste.printed import Interval

_MOST = 1000  # of a factor that is no power of two
_UNLIKELY = Fraction(1, 20)  # the width of an interval in which a whole number lies by chance
_SURE = Fraction(1, 10**6)
_CLEARLY, _AGREE = Fraction(3, 2), Fraction(1, 10)  # of a factor that is not known to be a whole number
_WIDER = 8  # times the number that cancelled: how large the terms must be at least

NARROW = (FORMATS["bfloat16"], FORMATS["float16"], TF32, FORMATS["float32"])
"""The formats that numbers of a wider one may have been rounded to, the narrowest first."""


class Factor(NamedTuple):
    """A constant ratio of two vectors: its size, 1 or more, whether the first is the larger, and its sign.

    `sure` says that this is no chance: see NOTE [chance].
    """

    size: int
    first_is_larger: bool
    negative: bool
    sure: bool


class Rounded(NamedTuple):
    """Every number of one side is a float of each format; `to_nearest` if it is the other side's, rounded."""

    formats: tuple[Format, ...]
    is_first: bool
    to_nearest: bool


def factor(pairs: Sequence[Pair]) -> Factor | None:
    """Find the whole number or the power of two by which all pairs but those of two zeros differ; −1 if only in sign.

    Both sides may be off by a few ulps, as two sums in different orders are.
    """
    ratios = _ratios(pairs)
    if not ratios:
        return None
    (low, high), negative = ratios.within, ratios.negative
    size = _whole_number(low, high)
    if size is None or size == 1 and not negative:
        return None
    sure = _MOST * prod(min(width, Fraction(1)) for width in ratios.widths) <= _SURE
    return Factor(size, ratios.first_is_larger, negative, sure)


def about(pairs: Sequence[Pair]) -> tuple[Fraction, bool] | None:
    """Return about by which factor two or more pairs differ, and whether the first is larger, if the digits are few."""
    ratios = _ratios(pairs)
    if not ratios or len(ratios.widths) < 2:
        return None
    low, high = ratios.within
    others = sorted(ratios.widths)[:-1]
    clear = low >= _CLEARLY and not ratios.negative and prod(others) <= _AGREE
    return ((low + high) / 2, ratios.first_is_larger) if clear else None


class _Ratios(NamedTuple):
    """The interval within all ratios of sizes, the relative widths of those that are not the same twice, their sign."""

    within: Interval
    widths: tuple[Fraction, ...]
    first_is_larger: bool
    negative: bool


def _ratios(pairs: Sequence[Pair]) -> _Ratios | None:
    """Return what all pairs but those of two zeros have in common, or None if their ratio is not one and the same."""
    others = [pair for pair in pairs if pair.first.size[1] or pair.second.size[1]]
    if not others or any(not pair.first.size[0] or not pair.second.size[0] for pair in others):
        return None
    signs = {(pair.first.value < 0) != (pair.second.value < 0) for pair in others}
    first_is_larger = sum(abs(pair.first.value) - abs(pair.second.value) for pair in others) > 0
    different = {(pair.first.text, pair.second.text): _ratio(pair, first_is_larger) for pair in others}
    ratios = list(different.values())
    within = max(low for low, _ in ratios), min(high for _, high in ratios)
    if len(signs) > 1 or within[0] > within[1]:
        return None
    return _Ratios(within, tuple((high - low) / low for low, high in ratios), first_is_larger, signs.pop())


def _ratio(pair: Pair, first_is_larger: bool) -> Interval:
    """The least and the greatest ratio of sizes, if each may be off by a few ulps, and by half an ulp in 16 bits."""
    above, below = (pair.first, pair.second) if first_is_larger else (pair.second, pair.first)
    slack = (1 if DTYPES[pair.format.name].narrow else FEW) * pair.format.eps
    return above.size[0] / below.size[1] * (1 - slack), above.size[1] / below.size[0] * (1 + slack)


def _whole_number(low: Fraction, high: Fraction) -> int | None:
    """The power of two or the small whole number in the interval, if the interval is too narrow for it to be chance."""
    whole = round((low + high) / 2)
    power = 1 << max(int(high).bit_length() - 1, 0)
    if low <= power <= high and high - low <= _UNLIKELY * power:
        return power
    return whole if low <= whole <= high and whole <= _MOST and high - low <= _UNLIKELY else None


def rounded(pairs: Sequence[Pair]) -> Rounded | None:
    """Find the formats of least precision that hold every number of one side while the other side needs more digits."""
    off, size = largest_difference(pairs)[1], _largest(pairs).size[0]
    for precision, several in groupby(_narrower(pairs), key=lambda form: form.precision):
        for forms, is_first in product([list(several)], (True, False)):
            sides = [(pair.first, pair.second) if is_first else (pair.second, pair.first) for pair in pairs]
            held = tuple(form for form in forms if all(_is_in(form, one) for one, _ in sides))
            if not held or all(_is_in(form, other) for form in held for _, other in sides):
                continue
            form = held[-1]
            bits = max(significand_and_exponent(form.rounded(one.value))[0].bit_length() for one, _ in sides)
            if bits >= precision - 3 and off <= 4 * form.eps * size:  # numbers that were typed, as 0.5, have fewer bits
                return Rounded(held, is_first, all(_rounds_to(form, other, one) for one, other in sides))
    return None


def _narrower(pairs: Sequence[Pair]) -> list[Format]:
    return [form for form in NARROW if form.precision < pairs[0].format.precision]


def _is_in(form: Format, number: Number) -> bool:
    """Whether the digits, enough to tell, are those of a float of the format."""
    low, high = number.ends
    return high - low <= abs(number.value) * form.eps / 16 and form.ceil(low) <= form.floor(high) < form.infinity


def _rounds_to(form: Format, number: Number, to: Number) -> bool:
    return form.nearest(number.value) == form.nearest(to.value)


def largest_difference(pairs: Sequence[Pair]) -> Interval:
    """Return the least and the greatest value of the largest difference."""
    low, high = map(max, zip(*(pair.differences for pair in pairs), strict=True))
    return low, high


def _largest(pairs: Sequence[Pair]) -> Number:
    every = [number for pair in pairs for number in (pair.first, pair.second)]
    return max(every, key=lambda number: number.size[0])


def off_by(pairs: Sequence[Pair]) -> Interval:
    """Return the largest difference relative to the largest number: a sum of large terms may be small, not its error.

    It is 0 where all numbers may be 0.
    """
    least, greatest = _largest(pairs).size
    low, high = largest_difference(pairs)
    return (low / greatest, high / least) if least else (Fraction(0), Fraction(0))


def of_eps(pairs: Sequence[Pair]) -> list[Format]:
    """Return the narrower formats whose eps the differences are about, beside the largest number; all have one eps."""
    low, high = off_by(pairs)
    if not low or high > 2 * low:
        return []
    return [form for form in _narrower(pairs) if form.eps / 8 <= low and high <= 2 * form.eps]


def cancelled(pair: Pair, pairs: Sequence[Pair]) -> Number | None:
    """Return the largest number if the pair is far apart in ulps of its own, and a few ulps of that number apart."""
    largest = _largest(pairs)
    small = _WIDER * max(pair.first.size[1], pair.second.size[1]) <= largest.size[0]
    few = pair.differences[1] <= FEW * largest.format.spacing(abs(largest.lowest)) / 2
    return largest if small and few and pair.ulps[0] > FEW else None


def zero_and_other(pair: Pair) -> Number | None:
    """Return the other number if exactly one of the two is zero, and the digits tell both."""
    zeros = [number.size[1] == 0 for number in (pair.first, pair.second)]
    other = pair.second if zeros[0] else pair.first
    return other if sum(zeros) == 1 and other.size[0] > 0 else None


def rounded_zero_and_other(pair: Pair) -> tuple[Number, Number] | None:
    """Return the number that is 0 to its decimals, but need not be 0, and the other, if that is larger for sure."""
    numbers = (pair.first, pair.second)
    for zero, other in (numbers, numbers[::-1]):
        if zero.value == 0 and 0 < 2 * zero.size[1] < other.size[0]:
            return zero, other
    return None


def smallest_normal(form: Format) -> Fraction:
    """Return the smallest float with all bits of its precision."""
    return form.smallest * (1 << (form.precision - 1))

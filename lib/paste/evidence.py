"""What pasted pairs are evidence of: a constant factor, cancellation, a zero on one side, an eps.

Each function returns what it found, or None where the evidence does not hold. Digits are intervals, and so every
statement is about all floats that they stand for; see NOTE [what digits tell] in `printed`. No statement is made of
what the digits leave open.

NOTE [chance]: a ratio is known to an interval, and by chance some candidate for a factor lies in it. There are about a
thousand candidates, so the chance is at most a thousand times the interval's relative width, and every other pair must
by chance agree with the first, which happens in as many cases as its own width says. A factor is sure if the product is
at most 1e-6. One pair of four digits (1000 · 4e-4) says little, and even one of float32 in all its digits (1000 · 4e-6)
is not sure; three pairs of four digits are (1000 · 4e-4³ = 6e-8), and two of float32. Round numbers agree more often: a
number of one digit is one of ten, however many zeros are printed behind it.

NOTE [residues]: where the terms of a sum cancel, a small multiple of the spacing at the terms is left over. Two such
residues have a small whole ratio by chance, and so that is no evidence of a factor.

NOTE [zeros]: a number that may be 0, such as 0.0000, leaves the ratio of its pair open. Such a pair is no evidence of a
factor, and it is none against it as long as its digits allow the ratio of the others.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format, significand_and_exponent
from lib.paste.distances import Pair
from lib.paste.possible_floats import FEW, Number
from lib.paste.printed import Interval

_MOST = 1000  # of a factor that is no power of two
_LARGEST_POWER = 1 << 32  # a loss is scaled by less
_UNLIKELY = Fraction(1, 20)  # the width of an interval in which a whole number lies by chance
SURE = Fraction(1, 10**6)  # the greatest chance of what is called sure
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


def factor(pairs: Sequence[Pair]) -> Factor | None:
    """Find the whole number or the power of two by which all pairs differ, zeros apart; −1 if only in sign.

    Both sides may be off by a few ulps, as two sums in different orders are.
    """
    ratios = _ratios(pairs)
    if not ratios:
        return None
    (low, high), negative = ratios.within, ratios.negative
    size = _whole_number(low, high)
    if size is None or size == 1 and not negative:
        return None
    sure = _MOST * prod(min(width, Fraction(1)) for width in ratios.widths) <= SURE
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
    """Return what all pairs have in common, or None if their ratio is not one and the same: see NOTE [zeros]."""
    telling = [pair for pair in pairs if pair.first.size[0] and pair.second.size[0]]
    if not telling or _are_residues(pairs):
        return None
    signs = {pair.first.sign != pair.second.sign for pair in pairs if pair.first.size[0] or pair.second.size[0]}
    first_is_larger = sum(abs(pair.first.value) - abs(pair.second.value) for pair in telling) > 0
    different = {(pair.first.text, pair.second.text): _ratio(pair, first_is_larger) for pair in telling}
    ratios = list(different.values())
    within = max(low for low, _ in ratios), min(high for _, high in ratios)
    if len(signs) > 1 or within[0] > within[1] or not all(_may_have(within, pair, first_is_larger) for pair in pairs):
        return None
    widths = tuple(max((high - low) / low, _by_chance(texts)) for texts, (low, high) in different.items())
    return _Ratios(within, widths, first_is_larger, signs.pop())


def _may_have(within: Interval, pair: Pair, first_is_larger: bool) -> bool:
    """Whether a pair may have a ratio in the interval, be it of numbers that may be 0."""
    above, below = (pair.first, pair.second) if first_is_larger else (pair.second, pair.first)
    return above.size[0] <= within[1] * below.size[1] and within[0] * below.size[0] <= above.size[1]


def _by_chance(texts: tuple[str, str]) -> Fraction:
    """Return in how many cases numbers as short as these two agree by chance: a round one has few digits."""
    mantissas = [text.lower().partition("e")[0].lstrip("+-").replace(".", "") for text in texts]
    return Fraction(1, 10 ** max(len(mantissa.strip("0")) for mantissa in mantissas))


def _are_residues(pairs: Sequence[Pair]) -> bool:
    """Whether all numbers may be what is left of terms that cancel: see NOTE [residues]."""
    numbers = [number for pair in pairs for number in (pair.first, pair.second) if number.value]
    parts = [number.multiple_of_power or significand_and_exponent(number.value) for number in numbers]
    spacing = Fraction(2) ** min((exponent for _, exponent in parts), default=0)
    most = max((abs(number.value) for number in numbers), default=Fraction(0))
    return most < _MOST * spacing and most**2 < pairs[0].format.eps


def _ratio(pair: Pair, first_is_larger: bool) -> Interval:
    """The least and the greatest ratio of sizes, if each may be off by a few ulps, and by half an ulp in 16 bits."""
    above, below = (pair.first, pair.second) if first_is_larger else (pair.second, pair.first)
    slack = (1 if DTYPES[pair.format.name].narrow else FEW) * pair.format.eps
    return above.size[0] / below.size[1] * (1 - slack), above.size[1] / below.size[0] * (1 + slack)


def _whole_number(low: Fraction, high: Fraction) -> int | None:
    """The power of two or the small whole number in the interval, if the interval is too narrow for it to be chance."""
    whole = round((low + high) / 2)
    power = 1 << max(int(high).bit_length() - 1, 0)
    if low <= power <= high and power <= _LARGEST_POWER and high - low <= _UNLIKELY * power:
        return power
    return whole if low <= whole <= high and whole <= _MOST and high - low <= _UNLIKELY else None


def narrower(pairs: Sequence[Pair]) -> list[Format]:
    """Return the formats of less precision than the pairs' own, the narrowest first."""
    return [form for form in NARROW if form.precision < pairs[0].format.precision]


def largest_difference(pairs: Sequence[Pair]) -> Interval:
    """Return the least and the greatest value of the largest difference."""
    low, high = map(max, zip(*(pair.differences for pair in pairs), strict=True))
    return low, high


def largest(pairs: Sequence[Pair]) -> Number:
    """Return the largest number of all, by the least that it may be."""
    every = [number for pair in pairs for number in (pair.first, pair.second)]
    return max(every, key=lambda number: number.size[0])


def off_by(pairs: Sequence[Pair]) -> Interval:
    """Return the largest difference relative to the largest number: a sum of large terms may be small, not its error.

    It is 0 where all numbers may be 0.
    """
    least, greatest = largest(pairs).size
    low, high = largest_difference(pairs)
    return (low / greatest, high / least) if least else (Fraction(0), Fraction(0))


def of_eps(pairs: Sequence[Pair]) -> list[Format]:
    """Return the narrower formats whose eps the differences are about, beside the largest number; all have one eps."""
    low, high = off_by(pairs)
    if not low or high > 2 * low:
        return []
    return [form for form in narrower(pairs) if form.eps / 8 <= low and high <= 2 * form.eps]


def cancelled(pair: Pair, pairs: Sequence[Pair]) -> Number | None:
    """Return the largest number if the pair is far apart in ulps of its own, and a few ulps of that number apart."""
    most = largest(pairs)
    small = _WIDER * max(pair.first.size[1], pair.second.size[1]) <= most.size[0]
    few = pair.differences[1] <= FEW * most.format.spacing(abs(most.lowest)) / 2
    return most if small and few and pair.ulps[0] > FEW else None


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

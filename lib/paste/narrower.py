"""Whether a narrower format explains a difference: all numbers of a side are floats of it.

NOTE [chance in a format]: digits fit a float of a narrower format by chance with a probability of
their last unit over the spacing of that format. A number tells nothing if it is whole, or if it has
few significant bits, as 0.25 has: such numbers are floats of every format. What is left where terms
cancel has few bits, too, so a format does not explain a difference far smaller than its spacing.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.readings import ROOM, Reading, ReadingPair

_UNLIKELY = 1e-6
_SPARE_BITS = 2
"""A number tells something if it has more significant bits than its format has without these."""

_ALIKE = 0.1

_LEAST = 2**-8
"""In eps of the format: the least difference that it explains, as a share of the largest number."""


class Narrower(NamedTuple):
    """A format, and the sides of which all numbers are its floats, in words."""

    form: Format
    sides: str


def narrower(pairs: Sequence[ReadingPair], share: float) -> Narrower | None:
    """Return the narrower format that explains a difference, or None.

    Args:
        pairs: the numbers of both sides, side by side.
        share: the most that the largest difference may be, as a share of the largest number.
    """
    sides = [*zip(*((pair.first, pair.second) for pair in pairs if pair.finite), strict=True)]
    formats = sorted(FORMATS.values(), key=lambda form: form.precision)
    if _have_one_ratio(pairs):
        return None
    for form in formats[: formats.index(pairs[0].first.form)]:
        count = sum(_are_floats(side, form) for side in sides)
        if count and _LEAST * form.eps <= share <= sum_error(form):
            return Narrower(form, "both sides" if count > 1 else "one side")
    return None


def sum_error(form: Format) -> float:
    """Return how much a sum of some thousand terms may be off, as a share of its largest term.

    Its rounding errors are of random signs, and grow with the square root of the number of terms, u
    for each. Sums in 16 bits are accumulated in float32, so they round once.
    """
    roundings = 2 if DTYPES[form.name].narrow else 32
    return roundings * float(form.eps)


def _have_one_ratio(pairs: Sequence[ReadingPair]) -> bool:
    """Whether all numbers of one side are the others times one factor, which rounding is not."""
    values = [(pair.first.value, pair.second.value) for pair in pairs if pair.finite]
    shares = [first / second - 1 for first, second in values if second]
    return len({*shares}) > 2 and max(shares) - min(shares) < _ALIKE * abs(shares[0])


def _are_floats(side: Sequence[Reading], form: Format) -> bool:
    """Whether all numbers of a side are floats of a format, and not by chance."""
    distinct = {reading.printed.value: reading for reading in side if reading.printed.value}
    chance = prod(_chance(reading, form) for reading in distinct.values())
    return chance <= _UNLIKELY and all(_is_float(reading, form) for reading in side)


def _is_float(reading: Reading, form: Format) -> bool:
    """Whether a float of the format is printed with these digits."""
    exact = Fraction(reading.printed.value)
    return float(abs(form.rounded(exact) - exact)) <= ROOM * float(_last_unit(reading)) / 2


def _chance(reading: Reading, form: Format) -> float:
    """Return how likely a number is a float of the format by chance."""
    ordinal = form.nearest(Fraction(reading.printed.value))
    numerator = form.value(ordinal).numerator
    bits = numerator.bit_length() - (numerator & -numerator).bit_length() + 1
    if reading.printed.whole or bits <= form.precision - _SPARE_BITS:
        return 1.0
    return float(_last_unit(reading) / form.spacing(ordinal))


def _last_unit(reading: Reading) -> Fraction:
    """Return one unit of the last digit, or one spacing of a number that has all its digits."""
    unit = Fraction(2 * reading.printed.half_a_digit)
    return max(unit, reading.form.spacing(reading.nearest))

"""Whether a narrower format explains a difference: all numbers of a side are floats of it.

NOTE [chance in a format]: digits fit a float of a narrower format by chance with a probability of
their last unit over the spacing of that format. A number tells nothing if it is whole, or if it has
few significant bits, as 0.25 has: such numbers are floats of every format. What is left where terms
cancel has few bits, too, so a format does not explain a difference far smaller than its spacing.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

from lib.floats.exact_floats import FORMATS, Format
from lib.paste.printed import Printed
from lib.paste.readings import ROOM
from lib.paste.relations import sum_error

_UNLIKELY = 1e-6
_SPARE_BITS = 2
"""A number tells something if it has more significant bits than its format has without these."""

_LEAST = 2**-8
"""In eps of the format: the least difference that it explains, as a share of the largest number."""


def narrower(sides: Sequence[Sequence[Printed]], form: Format, share: float) -> str:
    """Return the name of the narrower format that explains a difference, or "".

    Args:
        sides: the numbers of each side.
        form: their format.
        share: the most that the largest difference may be, as a share of the largest number.
    """
    for narrow in sorted(FORMATS.values(), key=lambda form: form.precision):
        explains = _LEAST * narrow.eps <= share <= sum_error(narrow)
        is_narrower = narrow.precision < form.precision
        if is_narrower and explains and any(_are_floats(side, narrow, form) for side in sides):
            return narrow.name
    return ""


def _are_floats(side: Sequence[Printed], narrow: Format, form: Format) -> bool:
    """Whether all numbers of a side are floats of a narrower format, and not by chance."""
    chance = 1.0
    for number in {number.value: number for number in side if isfinite(number.value)}.values():
        exact = Fraction(number.value)
        ordinal = narrow.nearest(exact)
        unit = max(2 * Fraction(number.half_a_digit), form.spacing(form.nearest(exact)))
        if abs(narrow.value(ordinal) - exact) > ROOM * unit / 2:
            return False
        if not number.whole and _bits(narrow.value(ordinal)) > narrow.precision - _SPARE_BITS:
            chance *= float(unit / narrow.spacing(ordinal))
    return chance <= _UNLIKELY


def _bits(number: Fraction) -> int:
    """Return how many significant bits a float has."""
    return len(f"{abs(number.numerator):b}".rstrip("0"))

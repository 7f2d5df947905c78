"""What a difference alone tells: at which sizes of numbers it is one float, in each dtype.

A difference has no verdict: 1e-3 is one float of float32 at numbers of about 10,000, and sums and
the layers before make rounding larger.
"""

from dataclasses import dataclass
from math import frexp, isfinite

from lib.floats.exact_floats import Format
from lib.floats.quantities import size
from lib.paste.printed import Printed

_SHARP = 0.01
"""The relative width to which a number must be known to be called a power of two."""


@dataclass(frozen=True)
class OneFloat:
    """Where a difference is one float of a format: at numbers from 2**exponent to twice that.

    `exactly` tells that the difference is a power of two, as far as its digits show. Otherwise it
    is between one and two floats there.
    """

    format: Format
    exponent: int
    exactly: bool

    @property
    def exists(self) -> bool:
        """Whether the format has such numbers."""
        spacing = self.exponent - self.format.precision + 1
        in_range = self.exponent <= self.format.largest_exponent
        return spacing >= self.format.smallest_exponent and in_range

    @property
    def numbers(self) -> str:
        return f"{size(2.0**self.exponent, 3)} to {size(2.0 ** (self.exponent + 1), 3)}"


def one_float(difference: Printed, form: Format) -> OneFloat:
    """Return where a printed difference, finite and not 0, is one float of a format."""
    distance = abs(difference.value)
    half_a_digit = 0.5 * 10.0**difference.place if difference.digits else 0.0
    above = frexp(distance + half_a_digit)[1] - 1  # 2**above is the largest power up to there
    is_sharp = half_a_digit <= _SHARP * distance or frexp(distance)[0] == 0.5
    exactly = distance - half_a_digit <= 2.0**above and is_sharp
    exponent = above if exactly else frexp(distance)[1] - 1
    return OneFloat(form, exponent + form.precision - 1, exactly)


def sentence(difference: Printed, form: Format) -> str:
    """Say at which numbers a printed difference is one float of a format."""
    if not isfinite(difference.value) or difference.value == 0:
        return f"{difference.text} is not a gap between neighbouring floats."
    place = one_float(difference, form)
    if not place.exists:
        return f"No two neighbouring {form.name} numbers are {difference.text} apart."
    amount = "one float" if place.exactly else "between one and two floats"
    return f"{difference.text} is {amount} of {form.name} at numbers from {place.numbers}."

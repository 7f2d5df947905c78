"""What one value shows by itself: equal rows, zeros, or how many floats it is as a difference.

NOTE [one float]: a difference alone has no verdict. 1e-3 is one float of float32 between numbers of
about 10,000, and rounding errors grow over sums and layers.
"""

from dataclasses import dataclass
from functools import cached_property
from math import frexp, isfinite

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import size
from lib.paste.formats import format_of
from lib.paste.labels import role_of
from lib.paste.printed import Printed
from lib.paste.values import Value


@dataclass(frozen=True, eq=False)
class OneValue:
    """One value, and the dtype of values that name none."""

    value: Value
    dtype: str

    @cached_property
    def format(self) -> Format:
        return format_of([self.value], self.dtype)

    @property
    def is_difference(self) -> bool:
        """Whether its label says so."""
        return role_of(self.value.label) == "difference"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.stated_shape

    @property
    def of_batch(self) -> str:
        """What a Jacobian of this shape has between samples, in a sentence, or ""."""
        half = len(self.shape) // 2
        if half != 2 or self.shape[0] != self.shape[half]:
            return ""
        pairs = (
            "it has a block for each pair of samples, and J[i, :, i] are those of single samples"
        )
        return f" If {self.shape[0]} is the size of the batch, {pairs}."

    @property
    def largest(self) -> Printed:
        """The number with the largest absolute value."""
        return max(self.value.numbers, key=lambda number: abs(number.value))

    @property
    def as_difference(self) -> str:
        """How many floats the largest number is, as a difference, in a sentence, or ""."""
        exponent = one_float(self.largest, self.format)
        if exponent is None or self.value.shape and not self.is_difference:
            return ""
        gap = 2.0 ** (exponent - self.format.precision + 1)
        count = f"{abs(self.largest.value) / gap:.3g}"
        floats = "1 float" if count == "1" else f"{count} floats"
        where = f"in {self.format.name} for {binade(exponent)}"
        return f"A difference of {self.largest.text} is {floats} {where}. "

    @property
    def is_not_finite(self) -> bool:
        return not all(isfinite(number.value) for number in self.value.numbers)

    @property
    def is_zero(self) -> bool:
        return not any(number.value for number in self.value.numbers)

    @property
    def equal_rows(self) -> int:
        """How many rows each of its matrices has, if they are all equal, or 0."""
        count = self.value.shape[-2] if len(self.value.shape) > 1 else 0
        is_equal = count > 1 and not np.ptp(self.value.array, axis=len(self.value.shape) - 2).any()
        return count if is_equal else 0


def one_float(difference: Printed, form: Format) -> int | None:
    """Return e such that between numbers from 2**e to 2**(e + 1) a difference is 1 to 2 floats.

    There the spacing of floats is the largest power of two that the difference reaches, to its
    digits and to a thousandth: 9.3132e-10 is one float where they are 2**-30 apart. None if the
    format has no such numbers.
    """
    apart = abs(difference.value)
    if not isfinite(apart) or apart == 0:
        return None
    spacing = frexp(apart + min(difference.half_a_digit, 1e-3 * apart))[1] - 1
    exponent = spacing + form.precision - 1
    exists = spacing >= form.smallest_exponent and exponent <= form.largest_exponent
    return exponent if exists else None


def binade(exponent: int) -> str:
    """Write the range of numbers from 2**exponent to 2**(exponent + 1), exactly if it is short."""
    low, high = (_power_of_two(end) for end in (exponent, exponent + 1))
    return f"numbers from {low} to {high}"


def _power_of_two(exponent: int) -> str:
    power = 2.0**exponent
    is_short = float(f"{power:.6g}") == power
    return f"{power:,.8g}" if is_short else size(power, 3)

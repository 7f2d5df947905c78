"""What one value shows by itself: equal rows, zeros, and the sizes of numbers at which it is one
float, if it is a difference.

NOTE [one float]: a difference has no verdict: 1e-3 is one float of float32 at numbers of about
10,000, and sums and the layers before make rounding larger.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import frexp, isfinite
from typing import Any

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import size
from lib.paste.formats import format_of
from lib.paste.printed import Printed
from lib.paste.values import Value


@dataclass(frozen=True, eq=False)
class OneValue:
    """One value, as a Jacobian of shape (outputs, inputs), (batch, outputs, inputs) or
    (batch, outputs, batch, inputs), or any other array; and the dtype of numbers that name none.

    `is_difference` tells whether the label says so.
    """

    value: Value
    dtype: str
    is_difference: bool

    @property
    def values(self) -> Sequence[Value]:
        return [self.value]

    @cached_property
    def format(self) -> Format:
        return format_of(self.values, self.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value, or the one that it is."""
        if not self.value.is_size:
            return self.value.shape
        return tuple(int(number.value) for number in self.value.numbers)

    @property
    def largest(self) -> Printed:
        """The largest of the numbers."""
        return max(self.value.numbers, key=lambda number: np.nan_to_num(abs(number.value)))

    @property
    def as_difference(self) -> str:
        """Where the largest number is one float, as a difference, in words, or ""."""
        exponent = one_float(self.largest, self.format)
        if exponent is None or self.value.shape and not self.is_difference:
            return ""
        floats = f"one to two floats of {self.format.name}"
        numbers = f"numbers from {binade(exponent)}"
        return f"As a difference, {self.largest.text} is {floats} at {numbers}. "

    @property
    def is_not_finite(self) -> bool:
        return not all(isfinite(number.value) for number in self.value.numbers)

    @property
    def is_zero(self) -> bool:
        return not any(number.value for number in self.value.numbers)

    @property
    def equal_rows(self) -> int:
        """How many rows each sample has, if they are all equal, or 0."""
        if len(self.value.shape) < 2 or self.value.is_complex or self.rows_apart:
            return 0
        count = self._rows.shape[1]
        return count if count > 1 else 0

    @property
    def of_each(self) -> str:
        return " for each sample" if len(self._rows) > 1 else ""

    @property
    def rows_apart(self) -> float:
        """How far a number of a row is at most from that of another one."""
        return float(np.ptp(self._rows, axis=1).max())

    @cached_property
    def _rows(self) -> np.ndarray[Any, Any]:
        """The rows of each sample, of an array of two dimensions or more."""
        shape = self.value.shape
        samples = shape[0] if len(shape) == 3 else 1
        numbers = [number.value for number in self.value.numbers]
        return np.reshape(numbers, (samples, -1, shape[-1]))


def one_float(difference: Printed, form: Format) -> int | None:
    """Return the exponent of the numbers of a format that are a printed difference apart.

    From 2**exponent to twice that, neighbouring floats are as far apart as the largest power of two
    that the difference may be, to its digits and to a thousandth: it is one float or almost two. It
    is none if the format has no such numbers.
    """
    apart = abs(difference.value)
    if not isfinite(apart) or apart == 0:
        return None
    spacing = frexp(apart + min(difference.half_a_digit, 1e-3 * apart))[1] - 1
    exponent = spacing + form.precision - 1
    exists = spacing >= form.smallest_exponent and exponent <= form.largest_exponent
    return exponent if exists else None


def binade(exponent: int) -> str:
    """Write both ends of a binade, exactly where they are short."""
    return " to ".join(_power_of_two(end) for end in (exponent, exponent + 1))


def _power_of_two(exponent: int) -> str:
    power = 2.0**exponent
    is_short = float(f"{power:.6g}") == power
    return f"{power:,.8g}" if is_short else size(power, 3)

"""What one value shows by itself: equal rows, zeros, and the sizes of numbers at which it is one
float, if it is a difference.

NOTE [one float]: a difference has no verdict: 1e-3 is one float of float32 at numbers of about
10,000, between half and twice that, and sums and the layers before make rounding larger.
"""

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import size
from lib.paste.formats import format_of
from lib.paste.labels import role_of
from lib.paste.printed import Printed
from lib.paste.values import Value


@dataclass(frozen=True, eq=False)
class OneValue:
    """One value, and the dtype of numbers that name none."""

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
        """The shape of the value, or the one that it is."""
        if not self.value.is_size:
            return self.value.shape
        return tuple(int(number.value) for number in self.value.numbers)

    @property
    def largest(self) -> Printed:
        """The largest of the numbers."""
        return max(self.value.numbers, key=lambda number: abs(number.value))

    @property
    def as_difference(self) -> str:
        """Where the largest number is one float, as a difference, in words, or ""."""
        form = self.format
        near = abs(self.largest.value) / float(form.eps)
        is_normal = float(form.value(1) / form.eps) <= near <= float(form.largest)
        if not is_normal or self.value.shape and not self.is_difference:
            return ""
        floats = f"about one float of {form.name}"
        return f"As a difference, {self.largest.text} is {floats} at numbers near {size(near)}. "

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

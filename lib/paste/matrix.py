"""What one value shows by itself: equal rows, zeros, and the sizes of numbers at which it is one
float, if it is a difference.

A difference has no verdict: 1e-3 is one float of float32 at numbers of about 10,000, and sums and
the layers before make rounding larger.
"""

from dataclasses import dataclass
from functools import cached_property
from math import frexp, isfinite, prod

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import size
from lib.paste.formats import format_of_values
from lib.paste.printed import Printed
from lib.paste.values import Value


@dataclass(frozen=True, eq=False)
class Matrix:
    """One value, as a Jacobian of shape (outputs, inputs), (batch, outputs, inputs) or
    (batch, outputs, batch, inputs), or any other array; and the dtype of numbers that name none.

    `is_difference` tells whether the label says so.
    """

    value: Value
    dtype: str
    is_difference: bool = False

    @cached_property
    def format(self) -> Format:
        return format_of_values([self.value], self.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value, or the one that it is."""
        return self.value.true_shape

    @property
    def count(self) -> int:
        return prod(self.shape)

    @property
    def largest(self) -> Printed:
        """The largest of the numbers."""
        return max(self.value.numbers, key=lambda number: np.nan_to_num(abs(number.value)))

    @property
    def numbers(self) -> str:
        """The numbers of which the largest is one or two floats, as a difference, in words."""
        exponent = one_float(self.largest, self.format)
        return "no numbers" if exponent is None else f"numbers from {binade(exponent)}"

    @property
    def not_finite(self) -> str:
        """How many numbers are NaN or infinite, in words."""
        count = sum(not isfinite(number.value) for number in self.value.numbers)
        return f"{count} of the numbers" if count else ""

    @property
    def is_zero(self) -> bool:
        return not any(number.value for number in self.value.numbers)

    @property
    def is_matrix(self) -> bool:
        """Whether it has several rows, and is not complex."""
        return prod(self.value.shape[:-1]) > 1 and not self.value.is_complex

    @property
    def equal_rows(self) -> int:
        """How many rows each sample has, if they are all equal, or 0."""
        shape = self.value.shape
        samples = shape[0] if len(shape) == 3 else 1
        rows = np.reshape([number.value for number in self.value.numbers], (samples, -1, shape[-1]))
        are_equal = rows.shape[1] > 1 and (rows == rows[:, :1]).all()
        return rows.shape[1] if are_equal else 0


def one_float(difference: Printed, form: Format) -> int | None:
    """Return the exponent of the numbers of a format that are a printed difference apart.

    From 2**exponent to twice that, neighbouring floats are as far apart as the largest power of two
    that the difference may be, to its digits and to a thousandth: it is one float or almost two. It
    is none if the format has no such numbers.
    """
    if not isfinite(difference.value) or difference.value == 0:
        return None
    half_a_digit = 0.5 * 10.0**difference.place if difference.digits else 0.0
    doubt = min(half_a_digit, 1e-3 * abs(difference.value))
    spacing = frexp(abs(difference.value) + doubt)[1] - 1
    exponent = spacing + form.precision - 1
    exists = spacing >= form.smallest_exponent and exponent <= form.largest_exponent
    return exponent if exists else None


def binade(exponent: int) -> str:
    return f"{size(2.0**exponent, 3)} to {size(2.0 ** (exponent + 1), 3)}"

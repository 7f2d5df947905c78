"""What one matrix, vector or shape shows by itself: equal rows, zeros, blocks on the diagonal."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from lib.floats.exact_floats import Format
from lib.paste import difference
from lib.paste.floats_of import Array, Floats
from lib.paste.formats import format_of_values
from lib.paste.printed import Printed
from lib.paste.values import Value

_MOST_NAMED = 6


@dataclass(frozen=True, eq=False)
class Matrix:
    """One value, as a Jacobian of shape (outputs, inputs), (batch, outputs, inputs) or
    (batch, outputs, batch, inputs), or any other array; and the dtype of numbers that name none.

    `role` is "difference" or "relative" if the label says so, or "".
    """

    value: Value
    dtype: str
    role: str = ""

    @cached_property
    def format(self) -> Format:
        return format_of_values([self.value], self.dtype)

    @cached_property
    def floats(self) -> Floats:
        return Floats.of(self.value.numbers, self.format)

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
        sizes = np.abs(np.nan_to_num(self.floats.value))
        return self.value.numbers[int(sizes.argmax())]

    @property
    def one_float(self) -> str:
        """Where the largest number is one float, as a difference, in words."""
        return difference.sentence(self.largest, self.format)

    @property
    def in_eps(self) -> str:
        """The largest number, in eps of the dtype."""
        return f"{abs(self.largest.value) / float(self.format.eps):.2g} eps of {self.format.name}"

    @property
    def not_finite(self) -> str:
        """How many numbers are NaN or infinite, in words."""
        count = int((~np.isfinite(self.floats.value)).sum())
        return f"{count} of the numbers" if count else ""

    @property
    def is_zero(self) -> bool:
        return not any(number.value for number in self.value.numbers)

    @property
    def is_matrix(self) -> bool:
        """Whether it has several rows, and is not complex."""
        return prod(self.value.shape[:-1]) > 1 and not self.value.is_complex

    @cached_property
    def _samples(self) -> Array:
        """The matrices of all samples, shape (samples, rows, columns)."""
        shape = self.value.shape
        values = self.floats.value.reshape(shape)
        if len(shape) == 3:
            return values
        columns = int(np.prod(shape[2 if len(shape) == 4 else -1 :]))
        return values.reshape(1, -1, columns)

    @property
    def equal_lines(self) -> str:
        """The rows, or columns, that are all equal in each sample, in words."""
        samples = self._samples
        if (samples == samples[:, :1]).all() and samples.shape[1] > 1:
            return "rows"
        return "columns" if (samples == samples[:, :, :1]).all() and samples.shape[2] > 1 else ""

    @property
    def zero_rows(self) -> str:
        """The rows of zeros, counted from 0, in words."""
        zero = np.flatnonzero(~np.concatenate(self._samples).any(1))
        named = ", ".join(map(str, zero[:_MOST_NAMED]))
        return f"{named}, …" if len(zero) > _MOST_NAMED else named

    @cached_property
    def blocks(self) -> int:
        """The most equal blocks along the diagonal outside of which all is zero, or 0."""
        matrix = np.concatenate(self._samples)
        rows, columns = matrix.shape
        for count in range(min(rows, columns), 1, -1):
            if rows % count == columns % count == 0:
                block = np.kron(np.eye(count), np.ones((rows // count, columns // count)))
                if not matrix[block == 0].any():
                    return count
        return 0

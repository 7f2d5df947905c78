"""What a matrix alone tells of how it was computed: its structure, of which some is a trace of a known mistake."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lib.floats.quantities import listed

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Structure:
    """A pasted matrix of two dimensions or more; rows and samples count from 0, as in code."""

    array: Array

    @cached_property
    def samples(self) -> Array:
        """The matrix of each sample, shape (samples, rows, columns); of a whole batch, the blocks on the diagonal."""
        if self.is_batch:
            return np.moveaxis(self.array.diagonal(axis1=0, axis2=2), -1, 0)
        if self.array.ndim == 4:
            first, second, third, fourth = self.array.shape
            return self.array.reshape(1, first * second, third * fourth)
        return self.array.reshape(-1, *self.array.shape[-2:])

    @property
    def size(self) -> str:
        return " × ".join(map(str, self.array.shape))

    @property
    def rows(self) -> int:
        return int(self.samples.shape[1])

    @property
    def columns(self) -> int:
        return int(self.samples.shape[2])

    @property
    def nan(self) -> bool:
        return bool(np.isnan(self.array).any())

    @property
    def infinite(self) -> bool:
        return bool(np.isinf(self.array).any())

    @property
    def where_not_finite(self) -> str:
        return _rows(np.logical_not(np.isfinite(self.samples).all(2).all(0)))

    @property
    def zero(self) -> bool:
        return not self.array.any()

    @property
    def zero_rows(self) -> str:
        return _rows((self.samples == 0).all(2).all(0))

    @property
    def equal_rows(self) -> bool:
        return self.rows > 1 and not self.zero and bool((self.samples == self.samples[:, :1]).all())

    @property
    def equal_columns(self) -> bool:
        same = bool((self.samples == self.samples[:, :, :1]).all())
        return min(self.rows, self.columns) > 1 and not self.zero and same and not self.equal_rows

    @property
    def one_row(self) -> bool:
        return self.rows == 1

    @property
    def equal_numbers(self) -> bool:
        return self.one_row and self.columns > 1 and bool((self.samples == self.samples[:, :, :1]).all())

    @property
    def is_batch(self) -> bool:
        """Whether it may be the Jacobian of a whole batch, of shape (batch, outputs, batch, inputs)."""
        return self.array.ndim == 4 and self.array.shape[0] == self.array.shape[2] > 1

    @property
    def batch(self) -> int:
        return int(self.array.shape[0])

    @cached_property
    def mixed(self) -> bool:
        """Whether a block between different samples of a batch is not zero."""
        blocks = self.array.swapaxes(1, 2)[~np.eye(len(self.array), dtype=bool)]
        return bool((np.isfinite(blocks) & (blocks != 0)).any())

    @property
    def diagonal(self) -> bool:
        square = self.array.ndim == 2 and self.rows == self.columns > 1
        return square and not self.zero and not np.any(self.array - np.diag(np.diag(self.array)))

    @cached_property
    def blocks(self) -> int:
        """The most equal blocks along the diagonal outside of which all is zero: a batch that was flattened; else 0."""
        if self.array.ndim != 2 or self.zero or not np.isfinite(self.array).all():
            return 0
        rows, columns = self.array.shape
        for count in range(min(rows, columns), 1, -1):
            if rows % count == columns % count == 0:
                block = np.kron(np.eye(count), np.ones((rows // count, columns // count)))
                if not self.array[block == 0].any():
                    return count
        return 0

    @property
    def symmetric(self) -> bool:
        square = self.array.ndim == 2 and self.rows == self.columns > 1
        return square and bool((self.array == self.array.T).all()) and not self.diagonal


def _rows(mask: Array) -> str:
    """List row numbers in words, only the first few if there are many."""
    if mask.all() and len(mask) > 1:
        return f"all {len(mask)} rows"
    numbers: Sequence[str] = [str(number) for number in np.flatnonzero(mask)]
    if len(numbers) > 6:
        numbers = [*numbers[:5], f"{len(numbers) - 5} more"]
    return f"row{'s' if len(numbers) > 1 else ''} {listed(numbers)}" if numbers else ""

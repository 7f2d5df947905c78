"""A pasted matrix as numbers: nested lists, printed tensors and arrays, or plain rows.

`tokenizer` splits the paste into values. The matrix is the first value with two or more dimensions or, if there is
none, the rows between two labels.
"""

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from lib.paste.plain import plain
from lib.paste.tokenizer import DECIMAL, HEXADECIMAL, Group, PasteError, Value, no_number, read, refused

_LONGEST_NUMBER = 400  # the largest float64 has 309 digits


def parse(text: str) -> np.ndarray:
    """Return the first matrix in the text, as float64 with 2 to 4 dimensions; a single row has the shape (1, n).

    Raise `PasteError` if there is none, or if something before its end cannot be read.
    """
    if not text.strip():
        raise PasteError("Nothing was pasted: paste a matrix as nested lists, or as a tensor or an array is printed.")
    values = _values(text)
    rows = Group("(")
    for value in values:
        rows.add(value.shape)
    matrix = np.array([number for value in values for number in value.numbers])
    if not matrix.size:
        raise PasteError("There are no numbers in it: paste a matrix as nested lists, or as a tensor is printed.")
    return matrix.reshape(rows.shape if len(rows.shape) > 1 else (1, -1))


def is_cut(text: str) -> bool:
    """Whether the matrix has an unclosed bracket, so that part of it may be missing. Raise like `parse`."""
    return any(value.is_cut for value in _values(text))


def _values(text: str) -> list[Value[float]]:
    """Return the matrix as one value, or its rows as several."""
    values = read(plain(text), _number, to_matrix=True)
    if values and len(values[-1].shape) > 1:
        return values[-1:]
    blocks = [list(block) for _, block in groupby(values, key=lambda value: value.label)]
    return next((block for block in blocks if len(block) > 1), blocks[0] if blocks else [])


def number(text: str) -> float:
    """Return the number in the text, decimal or hexadecimal. Raise `PasteError` if it is not a finite number."""
    word = text.strip().replace("\N{MINUS SIGN}", "-")[: _LONGEST_NUMBER + 1]
    in_decimal, in_hexadecimal = DECIMAL.fullmatch(word), HEXADECIMAL.fullmatch(word)
    if len(word) <= _LONGEST_NUMBER and (in_hexadecimal or in_decimal and in_decimal["digits"]):
        with suppress(OverflowError):
            value = float.fromhex(word) if in_hexadecimal else float(word)
            if math.isfinite(value):
                return value
    raise refused("{} is not a finite number: write it in decimal digits, as -0.9074, or as 0x1.8p-3.", text)


def _number(word: str) -> float:
    found = DECIMAL.fullmatch(word)
    if found is None:
        raise no_number(word)
    value = float(word)
    if found["digits"] and (math.isinf(value) or value == 0 and found["digits"].strip("0.")):
        raise refused("The number {} is beyond the range of float64, in which a matrix is read.", word)
    return value


@dataclass(frozen=True, eq=False)
class PastedMatrix:
    """A matrix of 2 to 4 dimensions, and the numbers of outputs and inputs of its function, or None if not known."""

    matrix: np.ndarray
    outputs: int | None = None
    inputs: int | None = None

    def fits(self, rows: int, columns: int) -> bool:
        """Whether a Jacobian of the function may have this shape."""
        return self.outputs in (None, rows) and self.inputs in (None, columns)

    @property
    def of_batch(self) -> bool:
        """Whether this is the Jacobian of a whole batch, (batch, outputs, batch, inputs), judging by the known numbers.

        The Jacobian of a function of one matrix has four dimensions, too, and so does that of a batch of one.
        """
        if self.matrix.ndim < 4 or not self.matrix.shape[0] == self.matrix.shape[2] > 1:
            return False
        batch, outputs, _, inputs = self.matrix.shape
        return not self.fits(batch * outputs, batch * inputs) or self.fits(outputs, inputs)

    @property
    def mixed(self) -> bool:
        """Whether a block between different samples is not zero. NaN does not count, since 0 · inf is NaN, too."""
        blocks = self.matrix.swapaxes(1, 2)[~np.eye(len(self.matrix), dtype=bool)]
        return bool((np.isfinite(blocks) & (blocks != 0)).any())

    @cached_property
    def laid_out(self) -> np.ndarray:
        """The matrix of each sample as pasted, shape (samples, rows, columns)."""
        matrix, shape = self.matrix, self.matrix.shape
        if self.of_batch:
            return np.moveaxis(matrix.diagonal(axis1=0, axis2=2), -1, 0)
        if matrix.ndim == 4:  # the function maps matrices to matrices
            return matrix.reshape(1, shape[0] * shape[1], shape[2] * shape[3])
        if matrix.ndim == 2 or self.fits(*shape[1:]):
            return matrix.reshape(-1, *shape[-2:])
        first, middle, last = shape
        if self.fits(first, last):
            return matrix.swapaxes(0, 1)  # (outputs, batch, inputs): the outputs were summed over the batch
        if self.fits(first, middle * last):  # the function takes a matrix
            return matrix.reshape(1, first, -1)
        return matrix.reshape(1, -1, last) if self.fits(first * middle, last) else matrix  # or gives a matrix

    @property
    def transposed(self) -> bool:
        rows, columns = self.laid_out.shape[1:]
        return self.fits(columns, rows) and not self.fits(rows, columns)

    @cached_property
    def samples(self) -> np.ndarray:
        """The matrix of each sample with one row per output, shape (samples, outputs, inputs)."""
        return self.laid_out.swapaxes(1, 2) if self.transposed else self.laid_out

"""What the rows and columns of one matrix show: equal ones, zeros, blocks on the diagonal, multiples of the first."""

import numpy as np

from lib.floats.quantities import counted, listed
from lib.paste.floats_of import Array
from lib.paste.kinds import Kind


class Rows:
    """A Jacobian as outputs and inputs, of all samples together; or numbers as rows of one.

    Lines that are equal and rows of zeros, in words; how many blocks; and what else holds.
    """

    def __init__(self, kind: Kind) -> None:
        self.equal, self.zero, self.blocks, self.single, self.symmetric, self.add_up = "", "", 0, False, False, False
        values, eps = kind.numbers.value, float(kind.format.eps)
        if kind.name != "jacobian":
            self.add_up = kind.name == "numbers" and _add_up(values, eps)
            return
        shape = kind.shapes[0]
        values = values.reshape(shape)
        matrix = values.reshape(-1, int(np.prod(shape[2 if len(shape) == 4 else -1 :])))
        samples = values if len(shape) == 3 else matrix[None]
        zero = np.flatnonzero((matrix == 0).all(1))
        self.equal = _equal("rows", samples) or _equal("columns", samples.swapaxes(1, 2))
        self.zero = f"{counted(len(zero), 'row')} ({listed(map(str, zero[:6]))})" if len(zero) else ""
        self.blocks = _blocks(values.reshape(shape[0], -1) if len(shape) == 3 else matrix)
        self.single, self.symmetric = len(matrix) == 1, np.array_equal(matrix, matrix.T)
        self.add_up = _add_up(matrix, eps)


def _equal(name: str, samples: Array) -> str:
    """Say that all lines of each sample are equal, if they are and that is no wonder: one column has nothing else."""
    count, length = samples.shape[1:]
    wonder = count > 1 and length > (name == "columns") and (samples == samples[:, :1]).all()
    return f"all {count} {name}" if wonder else ""


def _add_up(rows: Array, eps: float) -> bool:
    """Whether each of three rows or more is the first one times its number."""
    times = np.arange(len(rows)).reshape(-1, *[1] * (rows.ndim - 1)) + 1
    return len(rows) > 2 and bool(np.any(rows[0])) and np.allclose(rows, times * rows[0], eps, 0)


def _blocks(matrix: Array) -> int:
    """The most equal blocks along the diagonal outside of which all is zero: a batch that was flattened; else 0."""
    rows, columns = matrix.shape
    for count in range(min(rows, columns), 1, -1):
        if rows % count == columns % count == 0:
            block = np.kron(np.eye(count), np.ones((rows // count, columns // count)))
            if not matrix[block == 0].any():
                return count
    return 0

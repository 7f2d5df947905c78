"""What the rows and columns of one matrix show: equal ones, zeros, blocks on the diagonal, multiples of the first."""

from dataclasses import dataclass

import numpy as np

from lib.floats.quantities import counted, listed
from lib.paste.compared import Kind
from lib.paste.floats_of import Array


@dataclass(frozen=True)
class Rows:
    """What shows: lines that are equal and rows of zeros, in words; how many blocks; and what else holds."""

    equal: str = ""
    zero: str = ""
    blocks: int = 0
    single: bool = False
    symmetric: bool = False
    add_up: bool = False


def rows_of(kind: Kind) -> Rows:
    """Look at a Jacobian as outputs and inputs, of all samples together, or at numbers as rows of one."""
    if kind.name == "numbers":
        return Rows(add_up=_add_up(kind.numbers.value, float(kind.format.eps)))
    if kind.name != "jacobian":
        return Rows()
    shape, values = kind.shapes[0], kind.numbers.value.reshape(kind.shapes[0])
    matrix = values.reshape(-1, int(np.prod(shape[2 if len(shape) == 4 else -1 :])))
    samples = values if len(shape) == 3 else matrix[None]
    zero = np.flatnonzero((matrix == 0).all(1))
    return Rows(
        equal=_equal("rows", samples) or _equal("columns", samples.swapaxes(1, 2)),
        zero=f"{counted(len(zero), 'row')} ({listed(map(str, zero[:6]))})" if len(zero) else "",
        blocks=_blocks(values.reshape(shape[0], -1) if len(shape) == 3 else matrix),
        single=len(matrix) == 1,
        symmetric=len(matrix) > 1 and np.array_equal(matrix, matrix.T),
        add_up=_add_up(matrix, float(kind.format.eps)),
    )


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

"""The order in which this machine's kernels add, revealed entry by entry and checked.

PyTorch does not document the order in which its kernels add, which differs between processors, dtypes, shapes and batch
sizes, and within one result between columns and rows. So the order is revealed, once for each shape, and then checked
on numbers made to tell orders apart: an order is never guessed.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lib.floats.line import round_once
from lib.network.machine import use_one_thread
from lib.network.seeds import stream_seed
from lib.replay.kernels import Product
from lib.replay.reveal import MOST_WORK, Unrevealed, reveal
from lib.replay.steps import add_up
from lib.replay.trees import Tree

MOST_ROWS = 2**16
"""The most rows of a product for which an order is revealed: the groups that are kept have their numbers."""

_CHECKED = 32
"""At least so many entries are computed to check the orders; of a group, those in its last rows are compared. An order
that often gives other bits would not agree in all of them."""

_CHECKED_ROWS = 4  # of each group, since all its rows are added in the same order


@dataclass(frozen=True)
class Group:
    """Rows and columns of a product whose entries, all of them, are added in the same order."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    tree: Tree


def groups_of(
    product: Product, rows: int, terms: int, columns: int, dtype: torch.dtype, values: int = 0, times: int = 1
) -> tuple[Group, ...]:
    """Return the groups of all entries of a product, by rows, with the order in which each is added.

    The product has `rows` rows, from vectors that it uses so many `times`. The last `values` of the terms are no
    products. Raise `Unrevealed` with a sentence if the order is not revealed, or does not give the bits of the kernel.
    """
    use_one_thread()
    least = 2 * terms * rows * columns * terms  # a sum to find where each term is added, and one whether it is fused
    if rows > MOST_ROWS or least > MOST_WORK:
        raise Unrevealed(
            f"The order of {rows:,} rows of {columns} sums of {terms} terms is not revealed: that would take too much "
            "time or memory."
        )
    found = reveal(
        lambda left, right: product(right.expand(rows // times, terms), left[:, None].expand(terms, columns)),
        terms,
        dtype,
        values,
    )
    groups = [
        Group(these, those, tree)
        for mask, tree in found
        for these, those in _rectangles(np.broadcast_to(mask, (rows, columns)))
    ]
    groups.sort(key=lambda group: (group.rows, group.columns))
    if not all(group.tree.binary for group in groups):
        raise Unrevealed(f"This machine adds more than two of {terms} terms at once, which is not replayed.")
    for number in range(1 + _CHECKED // (rows * columns)):
        vectors, matrix = _probe(rows // times, terms, columns, dtype, number, values)
        by_torch = product(vectors, matrix)
        for group in groups:
            these, those = torch.tensor(group.rows[-_CHECKED_ROWS:]), torch.tensor(group.columns)
            found_again = add_up(group.tree, vectors[these % len(vectors)], matrix[:, those])
            if not torch.equal(found_again, by_torch[these][:, those]):
                raise Unrevealed(f"The order revealed for {terms} terms does not give PyTorch's own bits.")
    return tuple(groups)


def _rectangles(mask: np.ndarray) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the rows and the columns of a mask, rows with the same columns together."""
    rows_of: dict[bytes, list[int]] = {}
    for row, of_row in enumerate(mask):
        rows_of.setdefault(of_row.tobytes(), []).append(row)
    return [
        (tuple(rows), tuple(mask[rows[0]].nonzero()[0].tolist())) for rows in rows_of.values() if mask[rows[0]].any()
    ]


def _probe(
    rows: int, terms: int, columns: int, dtype: torch.dtype, number: int, values: int = 0
) -> tuple[Tensor, Tensor]:
    """Return vectors and a matrix whose product tells orders apart: it is nearly 0, so only rounding errors remain.

    Every term has a counterpart of the opposite sign somewhere, and the sizes span the bits of float32. Otherwise,
    rounding to 16 bits would hide the order in which float32 numbers were added.
    """
    generator = torch.Generator().manual_seed(stream_seed("probes", 0, number))

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, dtype=torch.float64, generator=generator)

    half, rest = terms // 2, terms % 2
    sizes = torch.exp2((8 * normal(half, columns)).clamp(-12, 12).round())
    vectors, matrix = normal(rows, half), normal(half, columns) * sizes
    vectors = torch.cat([vectors, vectors, 0.01 * normal(rows, rest)], 1)
    matrix = torch.cat([matrix, -matrix, 0.01 * normal(rest, columns)])
    places = torch.randperm(terms, generator=generator)
    vectors, matrix = vectors[:, places], matrix[places]
    vectors[:, terms - values :] = 1
    return round_once(vectors, dtype), round_once(matrix, dtype)

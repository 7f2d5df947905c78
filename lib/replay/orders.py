"""The orders in which this machine's kernels add, revealed entry by entry and cached by shape.

PyTorch does not document the order in which its kernels add. It differs between processors, dtypes,
shapes and batch sizes, and between the columns and rows of one result. So the order is revealed
once for each shape, then checked on numbers that tell orders apart. An order is never guessed.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from lib.experiment.query import Experiment
from lib.floats.ulps import round_once
from lib.network.machine import use_one_thread
from lib.network.seeds import stream_seed
from lib.replay.kernels import Product, backward, forward
from lib.replay.reveal import Unrevealed, reveal
from lib.replay.steps import add_up
from lib.replay.trees import Tree

_MOST_ROWS = 2**16
"""The most rows of a product whose orders are revealed. A group lists all its rows, so more rows
would take too much memory."""

_CHECKED = 32
"""The fewest entries that are compared with PyTorch's to check the orders.

If a wrong order often gives other values, at least one of so many entries shows it."""

_CHECKED_ROWS = 4
"""How many rows of each group are checked, the last ones: all are added in the same order."""


@dataclass(frozen=True)
class Group:
    """Rows and columns of a product whose entries are all added in the same order."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    tree: Tree


@dataclass(frozen=True)
class Orders:
    """The orders of all entries of a product.

    Attributes:
        groups: they cover every entry exactly once. Without them, no order is known.
        reason: a sentence that says why no order is known, or "".
    """

    groups: tuple[Group, ...] = ()
    reason: str = ""

    def tree(self, row: int, column: int) -> Tree:
        """Return the tree in which an entry is added."""
        for group in self.groups:
            if row in group.rows and column in group.columns:
                return group.tree
        raise LookupError(f"no group has the entry ({row}, {column})")

    def product(self, rows: Sequence[int], vectors: Tensor, matrix: Tensor) -> Tensor:
        """Return vectors @ matrix, added in these orders.

        Args:
            rows: for each vector, the number of its row in the kernel's product.
            vectors: shape (len(rows), terms).
            matrix: shape (terms, columns).
        """
        result = torch.full((len(rows), matrix.shape[1]), torch.nan, dtype=matrix.dtype)
        for group in self.groups:
            places = [place for place, row in enumerate(rows) if row in group.rows]
            if places:
                entries = np.ix_(places, group.columns)
                columns = matrix[:, torch.tensor(group.columns)]
                result[entries] = add_up(group.tree, vectors[places], columns)
        return result


# The groups of many rows take a megabyte or two.
@lru_cache(maxsize=64)
def orders_of(
    kernel: Callable[..., Product],
    arguments: tuple[Hashable, ...],
    vectors: int,
    terms: int,
    columns: int,
    dtype: torch.dtype,
    values: int = 0,
) -> Orders:
    """Return the orders of all entries of a kernel's product.

    Args:
        kernel: one of `kernels`.
        arguments: the arguments of the kernel.
        vectors: the number of vectors.
        terms: the length of a vector.
        columns: the number of columns of the matrix.
        dtype: the dtype of vectors, matrix and product.
        values: the number of terms, the last ones, that are not products, such as a bias.

    Returns:
        The orders, sorted by rows and columns. There are none if they do not give the kernel's
        values.
    """
    use_one_thread()
    product = kernel(*arguments)

    def add(column: Tensor, vector: Tensor) -> Tensor:
        return product(vector.expand(vectors, terms), column[:, None].expand(terms, columns))

    rows = len(add(*torch.zeros(2, terms, dtype=dtype)))
    if rows > _MOST_ROWS:
        return Orders(
            reason=f"The order of {rows:,} rows is not revealed: that would take too much memory."
        )
    try:
        revealed = reveal(add, terms, dtype, values)
    except Unrevealed as unrevealed:
        return Orders(reason=str(unrevealed))
    groups = [Group(*block, tree) for mask, tree in revealed for block in _blocks(mask)]
    orders = Orders(tuple(sorted(groups, key=lambda group: (group.rows, group.columns))))
    checked = sorted({row for group in groups for row in group.rows[-_CHECKED_ROWS:]})
    for number in range(1 + _CHECKED // (len(checked) * columns)):
        probes, matrix = _probe(vectors, terms, columns, dtype, number, values)
        expected = product(probes, matrix)[checked]
        added = orders.product(checked, probes[np.mod(checked, vectors)], matrix)
        if not torch.equal(added, expected):
            return Orders(
                reason=f"The order revealed for {terms} terms does not give PyTorch's own values."
            )
    return orders


def _blocks(mask: np.ndarray) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the rows and the columns of a mask, rows with the same columns together."""
    rows_by_columns: dict[tuple[int, ...], list[int]] = {}
    for row, of_row in enumerate(mask):
        columns = tuple(np.flatnonzero(of_row).tolist())
        if columns:
            rows_by_columns.setdefault(columns, []).append(row)
    return [(tuple(rows), columns) for columns, rows in rows_by_columns.items()]


def _probe(
    rows: int, terms: int, columns: int, dtype: torch.dtype, number: int, values: int
) -> tuple[Tensor, Tensor]:
    """Return vectors and a matrix whose product tells orders apart.

    Apart from the values and an odd term, every term has a counterpart of the opposite sign, so the
    product is small compared to its terms, whose sizes span the bits of float32. Otherwise, the
    final rounding to 16 bits would hide the order in which kernels add in float32.
    """
    generator = torch.Generator().manual_seed(stream_seed("probes", 0, number))

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, dtype=torch.float64, generator=generator)

    half = terms // 2
    rest = terms % 2
    sizes = torch.exp2((8 * normal(half, columns)).clamp(-12, 12).round())
    vectors = normal(rows, half)
    matrix = normal(half, columns) * sizes
    vectors = torch.cat([vectors, vectors, 0.01 * normal(rows, rest)], 1)
    matrix = torch.cat([matrix, -matrix, 0.01 * normal(rest, columns)])
    places = torch.randperm(terms, generator=generator)
    vectors = vectors[:, places]
    vectors[:, terms - values :] = 1
    return round_once(vectors, dtype), round_once(matrix[places], dtype)


def layer_orders(experiment: Experiment, batch: int | None, direction: str, layer: int) -> Orders:
    """Return the orders of a linear layer.

    Args:
        experiment: the experiment, which determines the network.
        batch: the number of samples in the batch, or None for one alone, of shape (inputs,).
        direction: "forward", with the bias as the last term of each sum, or "backward", for the
            gradient of the layer's input.
        layer: the number of the layer, counted from 1.
    """
    if experiment.device != "cpu":
        return Orders(reason="Only orders of the CPU are revealed.")
    dtype = getattr(torch, experiment.dtype)
    inputs, outputs = experiment.widths[layer - 1 : layer + 1]
    if direction == "forward":
        return orders_of(forward, (batch,), batch or 1, inputs + 1, outputs, dtype, 1)
    return orders_of(backward, (batch,), batch or 1, outputs, inputs, dtype)

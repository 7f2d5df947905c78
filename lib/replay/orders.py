"""The orders in which this machine's kernels add, revealed entry by entry, checked, and kept for
each shape.

PyTorch does not document the order in which its kernels add, which differs between processors,
dtypes, shapes and batch sizes, and within one result between columns and rows. So the order is
revealed, once for each shape, and then checked on numbers made to tell orders apart: an order is
never guessed.

The activations between the layers have kernels of their own, which add nothing up; they are
elementwise, apart from softmax. In a batch they too may round differently than for a sample alone,
since the numbers that fill no vector register go through other instructions.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from lib.experiment.query import Experiment
from lib.floats.line import round_once
from lib.network.machine import use_one_thread
from lib.network.seeds import stream_seed
from lib.replay.kernels import Product, backward, forward
from lib.replay.reveal import Unrevealed, reveal
from lib.replay.steps import add_up
from lib.replay.trees import Tree

MOST_ROWS = 2**16
"""The most rows of a product for which an order is revealed: the groups that are kept have their
numbers."""

_CHECKED = 32
"""At least so many entries are computed to check the orders; of a group, those in its last rows are
compared. An order that often gives other bits would not agree in all of them."""

_CHECKED_ROWS = 4  # of each group, since all its rows are added in the same order


@dataclass(frozen=True)
class Group:
    """Rows and columns of a product whose entries, all of them, are added in the same order."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    tree: Tree


@dataclass(frozen=True)
class Orders:
    """The orders of all entries of a product: the `groups` cover every row and column once.

    If nothing is revealed there are none, and `reason` is a sentence that says why.
    """

    groups: tuple[Group, ...] = ()
    reason: str = ""

    def tree(self, row: int, column: int) -> Tree:
        """Return the tree in which an entry is added."""
        return next(
            group.tree for group in self.groups if row in group.rows and column in group.columns
        )

    def product(self, rows: Sequence[int], vectors: Tensor, matrix: Tensor) -> Tensor:
        """Return vectors @ matrix, where each vector is that of one of the `rows` of the kernel's
        product."""
        result = torch.full((len(rows), matrix.shape[1]), torch.nan, dtype=matrix.dtype)
        for group in self.groups:
            these = torch.tensor(
                [place for place, row in enumerate(rows) if row in group.rows], dtype=torch.int64
            )
            if len(these):
                columns = torch.tensor(group.columns)
                result[these[:, None], columns] = add_up(
                    group.tree, vectors[these], matrix[:, columns]
                )
        return result


@lru_cache(maxsize=64)  # groups of many rows take a megabyte or two
def orders_of(
    kernel: Callable[..., Product],
    arguments: tuple[Hashable, ...],
    vectors: int,
    terms: int,
    columns: int,
    dtype: torch.dtype,
    values: int = 0,
) -> Orders:
    """Return the orders of all entries of the product `kernel(*arguments)` for so many vectors, its
    groups by rows.

    The last `values` of the terms are no products. Orders that do not give the bits of the kernel
    are none.
    """
    use_one_thread()
    product = kernel(*arguments)

    def add(left: Tensor, right: Tensor) -> Tensor:
        return product(right.expand(vectors, terms), left[:, None].expand(terms, columns))

    rows = len(add(*torch.zeros(2, terms, dtype=dtype)))
    if rows > MOST_ROWS:
        return Orders(
            reason=f"The order of {rows:,} rows is not revealed: that would take too much memory."
        )
    try:
        found = reveal(add, terms, dtype, values)
    except Unrevealed as reason:
        return Orders(reason=str(reason))
    groups = [Group(these, those, tree) for mask, tree in found for these, those in _blocks(mask)]
    if not all(group.tree.binary for group in groups):
        return Orders(
            reason=f"This machine adds more than two of {terms} terms at once, which is not replayed."
        )
    orders = Orders(tuple(sorted(groups, key=lambda group: (group.rows, group.columns))))
    checked = sorted({row for group in groups for row in group.rows[-_CHECKED_ROWS:]})
    for number in range(1 + _CHECKED // (rows * columns)):
        left, right = _probe(vectors, terms, columns, dtype, number, values)
        by_torch = product(left, right)[checked]
        if not torch.equal(
            orders.product(checked, left[torch.tensor(checked) % vectors], right), by_torch
        ):
            return Orders(
                reason=f"The order revealed for {terms} terms does not give PyTorch's own bits."
            )
    return orders


def _blocks(mask: np.ndarray) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the rows and the columns of a mask, rows with the same columns together."""
    rows_of: dict[bytes, list[int]] = {}
    for row in np.flatnonzero(mask.any(1)).tolist():
        rows_of.setdefault(mask[row].tobytes(), []).append(row)
    return [
        (tuple(rows), tuple(np.flatnonzero(mask[rows[0]]).tolist())) for rows in rows_of.values()
    ]


def _probe(
    rows: int, terms: int, columns: int, dtype: torch.dtype, number: int, values: int
) -> tuple[Tensor, Tensor]:
    """Return vectors and a matrix whose product tells orders apart: it is nearly 0, so only
    rounding errors remain.

    Every term has a counterpart of the opposite sign somewhere, and the sizes span the bits of
    float32. Otherwise, rounding to 16 bits would hide the order in which float32 numbers were
    added.
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


def layer_orders(experiment: Experiment, batch: int | None) -> dict[tuple[str, int], Orders]:
    """Return the orders of all linear layers for a batch of so many samples, None for one alone,
    shape (inputs,).

    The keys are "forward", with the bias as the last term of each sum, or "backward", for the
    gradient of the layer's input; and the number of the layer, counted from 1.
    """
    rows, dtype, orders = batch or 1, getattr(torch, experiment.dtype), {}
    for direction in ("forward", "backward"):
        for place, (inputs, outputs) in enumerate(pairwise(experiment.widths), start=1):
            if experiment.device != "cpu":
                found = Orders(reason="Only orders of the CPU are revealed.")
            elif direction == "forward":
                found = orders_of(forward, (batch,), rows, inputs + 1, outputs, dtype, 1)
            else:
                found = orders_of(backward, (batch,), rows, outputs, inputs, dtype)
            orders[direction, place] = found
    return orders

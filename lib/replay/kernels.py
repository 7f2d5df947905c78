"""The order in which this machine's kernels add, revealed: linear layers forward and backward, and sums of rows.

PyTorch does not document the order in which its kernels add, which differs between processors, dtypes, shapes and batch
sizes, and within one result between columns and rows. So the order is revealed, once for each shape, and then checked
on numbers made to tell orders apart: an order is never guessed. The weights carry the terms, so a kernel is handed ones
and zeros where a network has its samples or gradients.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import linear

from lib.floats.line import round_once
from lib.network.machine import use_one_thread
from lib.network.seeds import stream_seed
from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, Columns, Order, add_up_by
from lib.replay.reveal import Unrevealed, reveal
from lib.replay.trees import Tree

MOST_WORK = 2**33
"""The most multiplications, terms times those of one product, for which an order is revealed: a few seconds."""

_CHECKED = 32
"""The least number of entries to compare: two orders that often differ would have to agree in all of them."""

_CHECKED_ROWS = 4  # of each group, since all its rows are added in the same order

Product = Callable[[Tensor, Tensor], Tensor]
"""A kernel as a function of vectors, shape (rows, terms), and a matrix, shape (terms, columns): their product, as a new
tensor of shape (rows, columns). Terms that are values, the last ones, have ones in the vectors."""


@dataclass(frozen=True)
class Group:
    """Rows and columns of a product whose entries, all of them, are added in the same order."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    tree: Tree


def forward(rows: int | None, offset: int = 0) -> Product:
    """Return the forward pass of a linear layer on a batch of samples, or on one sample alone if `rows` is None.

    The last term is the bias. The batch begins `offset` numbers behind an address that is a multiple of 64 bytes.
    """

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        memory = matrix.new_empty(offset + vectors[:, :-1].numel())
        x = memory[offset:].view(vectors[:, :-1].shape).copy_(vectors[:, :-1])
        return linear(x if rows else x[0], _new(matrix[:-1].T), _new(matrix[-1])).view(len(x), -1)

    return product


def backward(rows: int | None) -> Product:
    """Return the pass of `backward()` through a linear layer for a batch of samples, or one alone if `rows` is None."""

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        shape = (len(vectors), matrix.shape[1]) if rows else matrix.shape[1:]
        x = torch.zeros(shape, dtype=matrix.dtype, requires_grad=True)
        y = linear(x, _new(matrix), matrix.new_zeros(len(matrix)))
        return torch.autograd.grad(y, x, _new(vectors).view(y.shape))[0].view(len(vectors), -1)

    return product


def sum_of_rows(vectors: Tensor, matrix: Tensor) -> Tensor:
    """Return `matrix.sum(0)`; the vectors are ones."""
    return _new(matrix).sum(0)[None]


def _new(x: Tensor) -> Tensor:
    """Return a copy of x in new memory, without gaps."""
    return torch.empty(x.shape, dtype=x.dtype).copy_(x)


def groups_of(
    product: Product, rows: int, terms: int, columns: int, dtype: torch.dtype, values: int = 0
) -> tuple[Group, ...]:
    """Return the groups of all entries of a product, by rows, with the order in which each is added.

    The last `values` of the terms are no products. Raise `Unrevealed` with a sentence if the order is not revealed, or
    does not give the same bits as the kernel.
    """
    use_one_thread()
    if rows * columns * terms**2 > MOST_WORK:
        raise Unrevealed(
            f"The order of {rows:,} rows of {columns} sums of {terms} terms is not revealed: it would take too long."
        )
    found = reveal(
        lambda left, right: product(right.expand(rows, terms), left[:, None].expand(terms, columns)),
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
    _check(product, rows, terms, columns, dtype, values, groups)
    return tuple(groups)


def _rectangles(mask: np.ndarray) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the rows and the columns of a mask, rows with the same columns together."""
    rows_of: dict[bytes, list[int]] = {}
    for row, of_row in enumerate(mask):
        rows_of.setdefault(of_row.tobytes(), []).append(row)
    return [
        (tuple(rows), tuple(mask[rows[0]].nonzero()[0].tolist())) for rows in rows_of.values() if mask[rows[0]].any()
    ]


def _check(
    product: Product, rows: int, terms: int, columns: int, dtype: torch.dtype, values: int, groups: list[Group]
) -> None:
    for number in range(1 + _CHECKED // (rows * columns)):
        vectors, matrix = _probe(rows, terms, columns, dtype, number, values)
        by_torch = product(vectors, matrix)
        for group in groups:
            these, those = torch.tensor(group.rows[-_CHECKED_ROWS:]), torch.tensor(group.columns)
            if not torch.equal(
                add_up_by(group.tree.adds(), vectors[these], matrix[:, those]), by_torch[these][:, those]
            ):
                raise Unrevealed(f"The order revealed for {terms} terms does not give PyTorch's own bits.")


def _probe(
    rows: int, terms: int, columns: int, dtype: torch.dtype, number: int, values: int = 0
) -> tuple[Tensor, Tensor]:
    """Return vectors and a matrix whose product reveals the order: it is nearly 0, so only rounding errors remain.

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


@lru_cache
def dot_order(terms: int, columns: int, dtype: torch.dtype) -> Order | None:
    """Return the order in which the backward pass of a linear layer with `terms` outputs and `columns` inputs adds.

    It holds for one sample at a time.
    """
    return _named(DOT_ORDERS, backward(None), terms, columns, dtype)


@lru_cache
def sum_order(terms: int, columns: int, dtype: torch.dtype) -> Order | None:
    """Return the order in which `matrix.sum(0)` adds, for a matrix of shape (terms, columns)."""
    return _named(SUM_ORDERS, sum_of_rows, terms, columns, dtype, values=terms)


def _named(
    orders: tuple[Order, ...], product: Product, terms: int, columns: int, dtype: torch.dtype, values: int = 0
) -> Order | None:
    """Return the order of a product with one row: the first of these orders that is the same, or else the trees'."""
    try:
        groups = groups_of(product, 1, terms, columns, dtype, values)
    except Unrevealed:
        return None
    trees = {column: group.tree for group in groups for column in group.columns}
    told = groups[0].tree.fused is not None
    for order in orders:
        if all(
            (tree.sums, tree.fused) == (trees[column].sums, trees[column].fused)
            for those, adds in order.of(terms, columns, dtype.itemsize)
            if range(columns)[those]
            for tree in [Tree.of_adds(terms, adds, told)]
            for column in range(columns)[those]
        ):
            return order
    return revealed_order(trees)


def revealed_order(trees: dict[int, Tree]) -> Order:
    """Return the order that adds each column in its own tree."""
    columns: Columns = []
    for column, tree in sorted(trees.items()):
        adds = tree.adds()
        if columns and columns[-1][1] == adds:
            columns[-1] = slice(columns[-1][0].start, column + 1), adds
        else:
            columns.append((slice(column, column + 1), adds))
    kinds = {tree.products for tree in trees.values()}
    fused = ", fused" if kinds == {"fused"} else ", partly fused" if kinds & {"fused", "some fused"} else ""
    return Order(f"a tree of its own{fused}", lambda *shape: columns)

"""The order in which a kernel adds one row of its result, by its name if it is one of the named orders.

Where a batch is None the sample is alone. Where an order is not revealed there is none, but None.
"""

from collections.abc import Sequence
from functools import lru_cache

import torch

from lib.experiment.methods import METHODS
from lib.replay.groups import Group, groups_of
from lib.replay.kernels import Product, backward, by_method, sum_by_method, sum_of_rows
from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, Columns, Order
from lib.replay.reveal import Unrevealed
from lib.replay.trees import Tree


def dot_order(shape: Sequence[int], dtype: torch.dtype, *, batch: int | None = None, sample: int = 0) -> Order | None:
    """Return the order in which `backward()` adds in a linear layer whose weight has this shape, (outputs, inputs)."""
    return named_order(DOT_ORDERS, _of_backward(batch, *shape, dtype), sample, dtype)


def row_orders(
    method: str, outputs: int, shape: Sequence[int], dtype: torch.dtype, *, batch: int | None = None, sample: int = 0
) -> list[Order | None]:
    """Return the same of a Jacobian method in reverse mode, for each of the network's outputs."""
    if not METHODS[method].batched:  # one pass per output, each with the shapes of `backward()`
        return [dot_order(shape, dtype, batch=batch, sample=sample)] * outputs
    groups = _of_method(method, batch, outputs, *shape, dtype)
    return [named_order(DOT_ORDERS, groups, sample * outputs + output, dtype) for output in range(outputs)]


def sum_order(
    shape: Sequence[int], dtype: torch.dtype, *, method: str = "functional", batch: int | None = None, sample: int = 0
) -> Order | None:
    """Return the order in which the rows of a Jacobian of this shape, (outputs, inputs), are added after a method."""
    return named_order(SUM_ORDERS, _of_sum(method if batch else "", batch, *shape, dtype), sample, dtype)


@lru_cache(maxsize=16)  # groups of many rows take a megabyte or two
def _of_backward(batch: int | None, terms: int, columns: int, dtype: torch.dtype) -> tuple[Group, ...]:
    return _groups_or_none(backward(batch), batch or 1, terms, columns, dtype)


@lru_cache(maxsize=16)
def _of_method(
    method: str, batch: int | None, outputs: int, terms: int, columns: int, dtype: torch.dtype
) -> tuple[Group, ...]:
    times = batch or 1
    return _groups_or_none(by_method(method, batch), times * outputs, terms, columns, dtype, times=times)


@lru_cache(maxsize=16)
def _of_sum(method: str, batch: int | None, terms: int, columns: int, dtype: torch.dtype) -> tuple[Group, ...]:
    times = batch or 1
    product = sum_by_method(method, batch) if batch else sum_of_rows
    return _groups_or_none(product, times, terms, columns, dtype, values=terms, times=times)


def _groups_or_none(
    product: Product, rows: int, terms: int, columns: int, dtype: torch.dtype, values: int = 0, times: int = 1
) -> tuple[Group, ...]:
    try:
        return groups_of(product, rows, terms, columns, dtype, values, times)
    except Unrevealed:
        return ()


def named_order(orders: tuple[Order, ...], groups: tuple[Group, ...], row: int, dtype: torch.dtype) -> Order | None:
    """Return the order of a row: the first of these orders that is the same, or else that of the row's own trees."""
    of_row = tuple((group.columns, group.tree) for group in groups if row in group.rows)
    return _named(orders, of_row, dtype.itemsize) if of_row else None


@lru_cache(maxsize=64)  # without the groups, so that it keeps no more than the trees of a row
def _named(orders: tuple[Order, ...], of_row: tuple[tuple[tuple[int, ...], Tree], ...], itemsize: int) -> Order:
    trees = {column: tree for columns, tree in of_row for column in columns}
    columns, terms, told = len(trees), trees[0].terms, trees[0].fused is not None
    for order in orders:
        if all(
            (tree.sums, tree.fused, ()) == (trees[column].sums, trees[column].fused, trees[column].rounded)
            for those, adds in order.of(terms, columns, itemsize)
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

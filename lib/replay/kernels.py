"""The order in which this machine adds, found by experiment, for the CPU kernels that handle one sample at a time.

PyTorch does not document the order in which its kernels add, which differs between processors, dtypes and shapes. So
the functions here return the first of `orders` that reproduces PyTorch's own values on vectors made to reveal the
order. If no order does, they return None: an order is never guessed.
"""

from collections.abc import Callable
from functools import lru_cache

import torch
from torch import Tensor

from lib.floats.line import round_once
from lib.network.seeds import stream_seed
from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, Order, add_up

_PROBED = 128
"""The least number of entries to compare: two orders that often differ would have to agree in all of them."""


@lru_cache
def dot_order(terms: int, columns: int, dtype: torch.dtype) -> Order | None:
    """Return the order in which the backward pass of a linear layer with `terms` outputs and `columns` inputs adds.

    It holds for one sample at a time.
    """

    def by_torch(vector: Tensor, matrix: Tensor) -> Tensor:
        x = torch.zeros(columns, dtype=dtype, requires_grad=True)
        return torch.autograd.grad(torch.nn.functional.linear(x, matrix, torch.zeros_like(vector)), x, vector)[0]

    return _first_that_fits(DOT_ORDERS, terms, columns, dtype, by_torch)


@lru_cache
def sum_order(terms: int, columns: int, dtype: torch.dtype) -> Order | None:
    """Return the order in which `matrix.sum(0)` adds, for a matrix of shape (terms, columns)."""

    def by_torch(vector: Tensor, matrix: Tensor) -> Tensor:
        return matrix.sum(0)

    return _first_that_fits(SUM_ORDERS, terms, columns, dtype, by_torch, ones=True)


def _first_that_fits(
    orders: tuple[Order, ...],
    terms: int,
    columns: int,
    dtype: torch.dtype,
    by_torch: Callable[[Tensor, Tensor], Tensor],
    ones: bool = False,
) -> Order | None:
    probes = [_probe(terms, columns, dtype, number, ones) for number in range(8 + _PROBED // columns)]
    answers = [by_torch(*probe) for probe in probes]
    for order in orders:
        if all(
            torch.equal(add_up(order, vector[None], matrix)[0], answer)
            for (vector, matrix), answer in zip(probes, answers, strict=True)
        ):
            return order
    return None


def _probe(terms: int, columns: int, dtype: torch.dtype, number: int, ones: bool) -> tuple[Tensor, Tensor]:
    """Return a vector and a matrix whose product reveals the order: it is nearly 0, so only rounding errors remain.

    Every term has a counterpart of the opposite sign somewhere, and the sizes span the bits of float32. Otherwise,
    rounding to 16 bits would hide the order in which float32 numbers were added.
    """
    generator = torch.Generator().manual_seed(stream_seed("probes", 0, number))

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, dtype=torch.float64, generator=generator)

    half = terms // 2
    vector, matrix = (
        normal(half),
        normal(half, columns) * torch.exp2((8 * normal(half, columns)).clamp(-12, 12).round()),
    )
    vector = torch.cat([vector, vector, 0.01 * normal(terms - 2 * half)])
    matrix = torch.cat([matrix, -matrix, 0.01 * normal(terms - 2 * half, columns)])
    if ones:
        vector = torch.ones_like(vector)
    places = torch.randperm(terms, generator=generator)
    return round_once(vector[places], dtype), round_once(matrix[places], dtype)

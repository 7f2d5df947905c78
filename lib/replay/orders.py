"""Orders of addition by name: how a dot product, or the sum over the rows of a matrix, may be added up.

NOTE [orders]: an order is a list of `Add`s, each into one of several accumulators that all start at zero; the result is
accumulator 0. A sum over rows is a dot product with ones, whose products are exact. 16-bit dtypes are added in float32
and rounded once at the end.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from lib.floats.fma import multiply_add


class Add(NamedTuple):
    """One operation: into accumulator `into` goes the product number `term`, or, where that is None, `accumulator`."""

    into: int
    term: int | None
    accumulator: int | None = None


Columns = list[tuple[slice, list[Add]]]
"""The operations for each column of a matrix: columns of one slice share them."""


@dataclass(frozen=True)
class Order:
    """`of(terms, columns, itemsize)` gives the operations that add so many terms in each of so many columns.

    The terms have `itemsize` bytes. `fused`: a product is not rounded before it is added (fused multiply-add, FMA).
    """

    name: str
    of: Callable[[int, int, int], Columns]
    fused: bool = False


def _left_to_right(terms: int, first: int = 0) -> list[Add]:
    return [Add(0, first + term) for term in range(terms)]


def _accumulators(terms: int, count: int) -> list[Add]:
    """Term k goes into accumulator k modulo their count, the terms left over into the first one."""
    whole = terms // count * count
    adds = [Add(term % count if term < whole else 0, term) for term in range(terms)]
    return adds + [Add(0, None, other) for other in range(1, count) if whole]


def _odd_before_even(terms: int) -> list[Add]:
    """The second of each two neighbours is added first, as by the processor instruction VDPBF16PS."""
    return [Add(0, term ^ 1 if term < terms // 2 * 2 else term) for term in range(terms)]


def _eight_lanes(terms: int, columns: int, itemsize: int) -> Columns:
    """The terms of one 16-byte register from left to right, then blocks of 8 in lanes, then the terms left over.

    Measured for a single column on an AMD processor, with PyTorch's MKL, as FPRev does (Xie, Gao and Xue 2024, arXiv
    2411.00442): two terms M and −M absorb the ones that are added before they meet, so the result counts the others.
    """
    width = 16 // max(itemsize, 4)
    blocks = max(terms - width, 0) // 8
    if not blocks:
        return [(slice(0, columns), _left_to_right(terms))]
    end = width + 8 * blocks
    adds = [*_left_to_right(width), *(Add((term - width) % 8, term) for term in range(width, end))]
    lanes = list(range(8))
    for distance in (2, 4, 1) if width == 2 else (4, 2, 1):  # neighbouring registers, and at last the halves of one
        lanes = [lane for lane in lanes if not lane & distance]
        adds += [Add(lane, None, lane + distance) for lane in lanes]
    return [(slice(0, columns), adds + _left_to_right(terms - end, end))]


def _blocks_of_16(terms: int) -> list[Add]:
    """Accumulator 1 adds up the sums of whole blocks of 16 terms, each summed in an accumulator of its own."""
    adds = []
    for block in range(terms // 16):
        adds += [Add(2 + block, 16 * block + term) for term in range(16)] + [Add(1, None, 2 + block)]
    adds += _left_to_right(terms % 16, terms // 16 * 16)
    return [*adds, Add(0, None, 1)] if terms >= 16 else adds


def _lanes(terms: int, width: int, loads: int) -> list[Add]:
    """A single column, contiguous in memory: every lane of a vector register adds its terms in four accumulators.

    One load of 16-bit floats fills two registers, which are added first. The terms left over come before the lanes,
    and the lanes one after the other, as in `vectorized_inner_sum` of the same kernel.
    """
    load = width * loads
    vectors = terms // load
    adds = _left_to_right(terms - vectors * load, vectors * load)
    for lane in range(width):
        first = 1 + lane * (4 + vectors)
        for add in _accumulators(vectors, 4):
            into, other = first + add.into, add.accumulator
            if add.term is None:
                adds.append(Add(into, None, first + other))
            elif loads == 1:
                adds.append(Add(into, add.term * load + lane))
            else:
                pair = first + 4 + add.term
                adds += [Add(pair, add.term * load + part * width + lane) for part in range(loads)]
                adds.append(Add(into, None, pair))
    return adds + [Add(0, None, 1 + lane * (4 + vectors)) for lane in range(width)]


def _cascade(register: int) -> Callable[[int, int, int], Columns]:
    """`Tensor.sum` on the CPU, with vector registers of so many bytes, for at most 64 rows.

    Columns that fill four registers (or, if there are fewer columns than a register loads, come in fours) are added
    from left to right in blocks of 16, as in `multi_row_sum` of PyTorch's kernel; each column left over in four
    accumulators, as in its `row_sum`:
    https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native/cpu/SumKernel.cpp
    """

    def of(terms: int, columns: int, itemsize: int) -> Columns:
        width = register // max(itemsize, 4)  # 16-bit floats are added as float32
        load = register // itemsize
        if columns == 1 and terms >= load:
            return [(slice(0, 1), _lanes(terms, width, load // width))]
        group = 4 * width if columns >= load else 4
        whole = columns // group * group
        return [(slice(0, whole), _blocks_of_16(terms)), (slice(whole, columns), _accumulators(terms, 4))]

    return of


def _same(adds: Callable[[int], list[Add]]) -> Callable[[int, int, int], Columns]:
    """The same operations for every column."""
    return lambda terms, columns, itemsize: [(slice(0, columns), adds(terms))]


LEFT_TO_RIGHT = Order("left to right", _same(_left_to_right))

DOT_ORDERS = (
    LEFT_TO_RIGHT,
    Order("left to right, fused", _same(_left_to_right), fused=True),
    *(
        Order(f"{count} accumulators{', fused' * fused}", _same(partial(_accumulators, count=count)), fused)
        for count in (4, 8, 16)
        for fused in (False, True)
    ),
    Order("left to right, odd before even", _same(_odd_before_even)),
    Order("eight lanes", _eight_lanes),
)
"""Orders of a dot product, in which the first that fits is taken."""

SUM_ORDERS = (
    LEFT_TO_RIGHT,
    *(Order(f"cascade of {register}-byte registers", _cascade(register)) for register in (32, 16, 64)),
)
"""Orders of a sum over the rows of a matrix, likewise."""


def accumulates(dtype: torch.dtype) -> type[np.floating]:
    """The numbers that sums of the dtype are computed with."""
    return np.float64 if dtype == torch.float64 else np.float32


def add_up(order: Order, left: Tensor, right: Tensor) -> Tensor:
    """left @ right in that order, of their dtype: shapes (vectors, terms) and (terms, columns)."""
    number = accumulates(left.dtype)
    a, b = (x.to(torch.promote_types(x.dtype, torch.float32)).numpy() for x in (left.T[:, :, None], right[:, None, :]))
    total = np.zeros((len(left), right.shape[1]), number)
    with np.errstate(all="ignore"):  # what overflows here did so in PyTorch, and the comparison of bits tells
        for columns, adds in order.of(len(right), right.shape[1], right.itemsize):
            held: defaultdict[int, np.ndarray] = defaultdict(partial(np.zeros_like, total[:, columns]))
            for add in adds:
                before = held[add.into]
                if add.term is None:
                    held[add.into] = before + held[add.accumulator]
                else:
                    held[add.into] = multiply_add(a[add.term], b[add.term][:, columns], before, order.fused)
            total[:, columns] = held[0]
    return torch.from_numpy(total).to(left.dtype)

"""Named orders of addition: the ways in which a kernel may add up a dot product or the rows of a matrix.

NOTE [orders]: an order is a list of `Add`s, each into one of several accumulators that all start at zero; the result is
accumulator 0. A sum over rows is a dot product with ones, whose products are exact. 16-bit numbers are added in float32
and the sum is rounded once at the end, unless an `Add` says that it is rounded before.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from lib.floats.fma import multiply_add
from lib.replay.trees import Add

Columns = list[tuple[slice, list[Add]]]
"""The operations for each column of a matrix; the columns of a slice share them."""


@dataclass(frozen=True)
class Order:
    """An order of addition: `of(terms, columns, itemsize)` returns the operations that add `terms` terms per column.

    Each term has `itemsize` bytes.
    """

    name: str
    of: Callable[[int, int, int], Columns]


def _left_to_right(terms: int, first: int = 0) -> list[Add]:
    return [Add(0, first + term) for term in range(terms)]


def _accumulators(terms: int, count: int) -> list[Add]:
    """Add term k to accumulator k mod `count`; leftover terms go into accumulator 0."""
    whole = terms // count * count
    adds = [Add(term % count if term < whole else 0, term) for term in range(terms)]
    return adds + [Add(0, None, other) for other in range(1, count) if whole]


def _odd_before_even(terms: int) -> list[Add]:
    """Add the second of each pair of neighbours first, as the processor instruction VDPBF16PS does."""
    return [Add(0, term ^ 1 if term < terms // 2 * 2 else term) for term in range(terms)]


def _eight_lanes(terms: int, columns: int, itemsize: int) -> Columns:
    """Add the terms of one 16-byte register from left to right, then blocks of 8 in lanes, then the leftover terms.

    This order was measured for a single column on an AMD processor with PyTorch's MKL, by the method of FPRev (Xie, Gao
    and Xue 2024, arXiv 2411.00442): two terms M and −M absorb all ones that are added before the two meet, so the
    result counts the remaining ones.
    """
    width = 16 // max(itemsize, 4)
    blocks = max(terms - width, 0) // 8
    if not blocks:
        return [(slice(0, columns), _left_to_right(terms))]
    end = width + 8 * blocks
    adds = [*_left_to_right(width), *(Add((term - width) % 8, term) for term in range(width, end))]
    lanes = list(range(8))
    for distance in (2, 4, 1) if width == 2 else (4, 2, 1):  # first neighbouring registers, last the halves of one
        lanes = [lane for lane in lanes if not lane & distance]
        adds += [Add(lane, None, lane + distance) for lane in lanes]
    return [(slice(0, columns), adds + _left_to_right(terms - end, end))]


def _blocks_of_16(terms: int) -> list[Add]:
    """Sum each whole block of 16 terms in its own accumulator, and add these sums up in accumulator 1."""
    adds = []
    for block in range(terms // 16):
        adds += [Add(2 + block, 16 * block + term) for term in range(16)] + [Add(1, None, 2 + block)]
    adds += _left_to_right(terms % 16, terms // 16 * 16)
    return [*adds, Add(0, None, 1)] if terms >= 16 else adds


def _lanes(terms: int, width: int, loads: int) -> list[Add]:
    """Add a single column, contiguous in memory: every lane of a vector register adds its terms in four accumulators.

    One load of 16-bit floats fills two registers, which are first added to each other. The leftover terms are added
    before the lanes, and the lanes one after another, as in `vectorized_inner_sum` of the kernel in `_cascade`.
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
    """Add as `Tensor.sum` does on the CPU with vector registers of `register` bytes, for at most 64 rows.

    Groups of columns that fill four registers are added from left to right in blocks of 16, as in `multi_row_sum` of
    PyTorch's kernel; a group is four columns if there are fewer columns than a register loads. Each leftover column is
    added in four accumulators, as in the kernel's `row_sum`:
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


def _same(adds: Callable[[int], list[Add]], fused: bool = False) -> Callable[[int, int, int], Columns]:
    """Use the same operations for every column, with all products fused or none."""
    return lambda terms, columns, itemsize: [
        (slice(0, columns), [add._replace(fused=fused and add.term is not None) for add in adds(terms)])
    ]


LEFT_TO_RIGHT = Order("left to right", _same(_left_to_right))

DOT_ORDERS = (
    LEFT_TO_RIGHT,
    Order("left to right, fused", _same(_left_to_right, fused=True)),
    *(
        Order(f"{count} accumulators{', fused' * fused}", _same(partial(_accumulators, count=count), fused))
        for count in (4, 8, 16)
        for fused in (False, True)
    ),
    Order("left to right, odd before even", _same(_odd_before_even)),
    Order("eight lanes", _eight_lanes),
)
"""Orders of a dot product; the first one that fits is taken."""

SUM_ORDERS = (
    LEFT_TO_RIGHT,
    *(Order(f"cascade of {register}-byte registers", _cascade(register)) for register in (32, 16, 64)),
)
"""Orders of a sum over the rows of a matrix; the first one that fits is taken."""


def accumulates(dtype: torch.dtype) -> type[np.floating]:
    """Return the NumPy type in which sums of the dtype are computed."""
    return np.float64 if dtype == torch.float64 else np.float32


def add_up(order: Order, left: Tensor, right: Tensor) -> Tensor:
    """Return left @ right, added in the given order, in their dtype: shapes (vectors, terms) and (terms, columns)."""
    of_columns = order.of(len(right), right.shape[1], right.itemsize)
    return torch.cat([add_up_by(adds, left, right[:, columns]) for columns, adds in of_columns], 1)


def add_up_by(adds: Sequence[Add], left: Tensor, right: Tensor) -> Tensor:
    """Return left @ right by the same operations for every entry, in their dtype; the shapes are those of `add_up`."""
    number, dtype = accumulates(left.dtype), left.dtype
    a, b = (x.to(torch.promote_types(x.dtype, torch.float32)).numpy() for x in (left.T[:, :, None], right[:, None, :]))
    held: defaultdict[int, np.ndarray] = defaultdict(partial(np.zeros, (len(left), right.shape[1]), number))
    with np.errstate(all="ignore"):  # PyTorch overflowed here too, or the comparison of bits fails
        for add in adds:
            before = held[add.into]
            if add.term is not None:
                held[add.into] = multiply_add(a[add.term], b[add.term], before, add.fused)
            elif add.accumulator is not None:
                held[add.into] = before + held[add.accumulator]
            else:
                held[add.into] = torch.from_numpy(before).to(dtype).to(torch.float32).numpy()
    return torch.from_numpy(held[0]).to(dtype)

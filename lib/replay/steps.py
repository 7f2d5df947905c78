"""Sums along a tree: the results of many sums at once, or the steps of one.

NOTE [accumulators]: all accumulators start at zero, and accumulator 0 has the result. 16-bit
numbers are added in float32, and the sum is rounded once at the end.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Self

import numpy as np
import torch
from torch import Tensor

from lib.floats.exact_arrays import multiply_add
from lib.floats.exact_floats import format_of
from lib.replay.trees import Add, Tree

ROUNDING = "rounded to 16 bits"
"""The label of a step that rounds a float32 sum, as the last one of a 16-bit sum does."""

Term = tuple[str, float | None, float]
"""A label, a weight, and the number that it multiplies.

If the weight is None, the number itself is added, such as a row or a bias."""


def operations(
    tree: Tree, vectors: Tensor, matrix: Tensor
) -> Iterator[tuple[Add, np.ndarray, np.ndarray]]:
    """Yield every operation of vectors @ matrix along a tree: NOTE [accumulators].

    Args:
        tree: a binary tree.
        vectors: shape (rows, terms).
        matrix: shape (terms, columns).

    Yields:
        An operation, and its accumulator before and after it, shape (rows, columns).
    """
    wide = torch.promote_types(vectors.dtype, torch.float32)
    a = vectors.T[:, :, None].to(wide).numpy()
    b = matrix[:, None, :].to(wide).numpy()
    zeros = partial(np.zeros, (len(vectors), matrix.shape[1]), a.dtype)
    accumulators: defaultdict[int, np.ndarray] = defaultdict(zeros)
    adds = tree.adds()
    if vectors.itemsize < 4:
        adds.append(Add(0))
    for add in adds:
        before = accumulators[add.into]
        # If PyTorch does not overflow here, its bits differ.
        with np.errstate(all="ignore"):
            if add.term is not None:
                after = multiply_add(a[add.term], b[add.term], before, add.fused)
            elif add.accumulator is not None:
                after = before + accumulators[add.accumulator]
            else:
                after = torch.from_numpy(before).to(vectors.dtype).to(wide).numpy()
        accumulators[add.into] = after
        yield add, before, after


def add_up(tree: Tree, vectors: Tensor, matrix: Tensor) -> Tensor:
    """Return vectors @ matrix in their dtype, with every entry added along a binary tree."""
    ((_, _, total),) = deque(operations(tree, vectors, matrix), maxlen=1)
    return torch.from_numpy(total).to(vectors.dtype)


@dataclass(frozen=True)
class Step:
    """One operation: `after` is `before` plus `left`·`right` (a weight and a δ), rounded.

    `exact` is what `after` would be without rounding. `error` and `product_error` are rounded −
    exact, in ulps of the rounded number. A fused multiply-add does not round the product: `product`
    is then the nearest float64. A step that adds an accumulator or a row, or rounds the result to
    16 bits, has no factors and no product. `term` is the number of the unit or of the row that is
    added, None if an accumulator is added or the result is rounded.
    """

    label: str
    accumulator: int
    left: float | None
    right: float | None
    product: float | None
    product_error: float
    before: float
    after: float
    exact: Fraction
    error: float
    term: int | None


def in_steps(tree: Tree, terms: Sequence[Term], dtype: torch.dtype) -> tuple[Step, ...]:
    """Return the steps of one sum.

    Args:
        tree: a binary tree.
        terms: its terms.
        dtype: the dtype of the weights, the numbers and the result.
    """
    # Kernels multiply a number without a weight by 1.
    factors = [(1.0, number) if weight is None else (number, weight) for _, weight, number in terms]
    vector, column = torch.tensor(factors, dtype=dtype).T
    wide = torch.promote_types(dtype, torch.float32)
    accumulators: dict[int, Fraction] = {}
    steps = []
    for add, (before,), (after,) in operations(tree, vector[None], column[:, None]):
        label = ROUNDING
        left = right = product = None
        product_error = 0.0
        exact = Fraction(before.item())
        if add.term is not None:
            label, left, right = terms[add.term]
            if left is None:
                exact += Fraction(right)
                right = None
            else:
                exact_product = Fraction(left) * Fraction(right)
                if add.fused:
                    product = float(exact_product)
                    exact += exact_product
                else:
                    product = _product(left, right, wide)
                    product_error = _error(product, exact_product, wide)
                    exact += Fraction(product)
        elif add.accumulator is not None:
            label = f"accumulator {add.accumulator}"
            exact += accumulators[add.accumulator]
        result = after.item()
        accumulators[add.into] = Fraction(result)
        steps.append(
            Step(
                label=label,
                accumulator=add.into,
                left=left,
                right=right,
                product=product,
                product_error=product_error,
                before=before.item(),
                after=result,
                exact=exact,
                error=_error(result, exact, dtype if label == ROUNDING else wide),
                term=add.term,
            )
        )
    return tuple(steps)


@dataclass(frozen=True)
class TreeSum:
    """A sum with the values of all nodes of its tree.

    Attributes:
        tree: the tree.
        names: the labels of the terms.
        values: the terms, then the sums, as the kernel holds them: in float64 if the dtype is
            float64, else in float32. For a fused product, which is not rounded, the nearest
            float64.
        roundings: rounded − exact of each sum.
        exact: the sum of the exact products.
        result: the root, rounded to the dtype.
    """

    tree: Tree
    names: tuple[str, ...]
    values: tuple[float, ...]
    roundings: tuple[Fraction, ...]
    exact: Fraction
    result: float

    @classmethod
    def of(cls, tree: Tree, terms: Sequence[Term], dtype: torch.dtype) -> Self:
        """Add up the terms along a binary tree, as a kernel does in this dtype.

        No sum may overflow.
        """
        steps = in_steps(tree, terms, dtype)
        values = [number for _, _, number in terms] + [0.0] * len(tree.sums)
        roundings = [Fraction()] * len(tree.sums)
        # For 16-bit numbers there is one more step, which rounds the result.
        for add, step in zip(tree.adds(), steps, strict=False):
            if add.term is not None and step.product is not None:
                values[add.term] = step.product
            if add.node is not None:
                values[add.node] = step.after
                roundings[add.node - tree.terms] += Fraction(step.after) - step.exact
        exact = Fraction()
        for _, weight, number in terms:
            exact += Fraction(number) * Fraction(1 if weight is None else weight)
        names = tuple(name for name, _, _ in terms)
        return cls(tree, names, tuple(values), tuple(roundings), exact, steps[-1].after)


def _product(left: float, right: float, dtype: torch.dtype) -> float:
    return (torch.tensor(left, dtype=dtype) * torch.tensor(right, dtype=dtype)).item()


def _error(rounded: float, exact: Fraction, dtype: torch.dtype) -> float:
    """Return rounded − exact, in ulps of the rounded number."""
    off = Fraction(rounded) - exact
    floats = format_of(dtype)
    return float(off / floats.spacing(floats.nearest(Fraction(rounded)))) if off else 0.0

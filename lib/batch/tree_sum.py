"""One sum of a layer in the order in which this machine adds it: the value of every leaf and of every partial sum."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch

from lib.replay.steps import Term, in_steps
from lib.replay.trees import Tree


@dataclass(frozen=True)
class TreeSum:
    """A sum in the order of a tree.

    `values` are those of the terms, then of the sums, as the kernel holds them: float64, or float32 for all narrower
    dtypes. A fused product is not rounded; its leaf has the nearest float64. `roundings` are rounded − exact of each
    sum. `exact` is the sum of the exact products, and `result` the root, rounded to the dtype.
    """

    tree: Tree
    names: tuple[str, ...]
    values: tuple[float, ...]
    roundings: tuple[Fraction, ...]
    exact: Fraction
    result: float


def along(tree: Tree, terms: Sequence[Term], dtype: torch.dtype) -> TreeSum:
    """Add up the terms in a binary tree, as a kernel does for numbers of this dtype. No sum may overflow."""
    steps = in_steps(tree, terms, dtype)
    leaves = [value for _, _, value in terms]
    sums: list[float] = []
    roundings: list[Fraction] = []
    begun = set()
    for add, step in zip(tree.adds(), steps, strict=False):  # 16-bit numbers are rounded in one more step
        if step.product is not None and add.term is not None:
            leaves[add.term] = step.product
        if add.term is None and add.accumulator is None:
            sums[-1] = step.after
            roundings[-1] += Fraction(step.after) - step.exact
        elif add.into in begun:
            sums.append(step.after)
            roundings.append(Fraction(step.after) - step.exact)
        begun.add(add.into)
    exact = sum((Fraction(h) if w is None else Fraction(w) * Fraction(h) for _, w, h in terms), Fraction())
    names = tuple(name for name, _, _ in terms)
    return TreeSum(tree, names, (*leaves, *sums), tuple(roundings), exact, steps[-1].after)

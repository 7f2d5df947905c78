"""One sum of a layer in the order in which this machine adds it: the value of every leaf and of every partial sum."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch

from lib.floats.fma import multiply_add
from lib.floats.line import round_once
from lib.replay.orders import accumulates
from lib.replay.trees import Tree


@dataclass(frozen=True)
class Term:
    """One term of a sum: the product of `left` and `right`, a weight and a number of the network. A bias is a number
    by itself: it has no `left`."""

    name: str
    left: float | None
    right: float

    @property
    def exact(self) -> Fraction:
        return Fraction(self.right) * (1 if self.left is None else Fraction(self.left))


@dataclass(frozen=True)
class TracedSum:
    """The sum of `terms` in a tree.

    `values` are those of the leaves, then of the sums, as the kernel holds them: float64, or float32 for all narrower
    dtypes. A fused product is not rounded; its leaf has the nearest float64. `errors` are rounded − exact of each sum,
    in ulps of the rounded number. `result` is the root, rounded to the dtype of the terms.
    """

    tree: Tree
    terms: tuple[Term, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]
    result: float

    @property
    def exact(self) -> Fraction:
        """The sum of the exact products."""
        return sum((term.exact for term in self.terms), Fraction())


def trace(tree: Tree, terms: Sequence[Term], dtype: torch.dtype) -> TracedSum:
    """Add up the terms in a binary tree, as a kernel does for numbers of this dtype."""
    number = accumulates(dtype)
    fused = set(tree.fused or ())
    values: list[np.floating] = [
        number(term.right) if term.left is None else number(term.left) * number(term.right) for term in terms
    ]
    written = [float(term.exact) if leaf in fused else float(values[leaf]) for leaf, term in enumerate(terms)]
    errors = []
    with np.errstate(all="ignore"):  # PyTorch overflowed here too, or the results differ
        for place, addends in enumerate(tree.sums):
            first, second = sorted(addends, key=lambda addend: (addend < tree.terms, addend in fused))
            before = values[first]
            if second in fused:
                term = terms[second]
                left, right = (np.asarray(number(factor)) for factor in (term.left, term.right))
                exact, after = term.exact, number(multiply_add(left, right, np.asarray(before), True))
            else:
                exact, after = _fraction(values[second]), before + values[second]
            errors.append(_error(after, _fraction(before), exact))
            if place in tree.rounded:
                after = number(_rounded(float(after), dtype))
            values.append(after)
            written.append(float(after))
    return TracedSum(tree, tuple(terms), tuple(written), tuple(errors), _rounded(float(values[-1]), dtype))


def _rounded(value: float, dtype: torch.dtype) -> float:
    return round_once(torch.tensor(value, dtype=torch.float64), dtype).item()


def _fraction(value: np.floating) -> Fraction | None:
    return Fraction(float(value)) if np.isfinite(value) else None


def _error(after: np.floating, before: Fraction | None, added: Fraction | None) -> float:
    if before is None or added is None or not np.isfinite(after):
        return float("nan")
    return float((Fraction(float(after)) - before - added) / Fraction(float(np.spacing(abs(after)))))

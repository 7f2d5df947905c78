"""The order in which a function adds, revealed by the sums that it returns.

NOTE [reveal]: every term is one unit, except that term i is M and term j is −M, where M is so large
that a unit added to it is lost in rounding. So a partial sum that contains only one of i and j
loses all units that are added to it. Where the two meet, M − M = 0 remains, and units that are
added later count. The function returns the number of these: the terms outside the smallest partial
sum that contains both i and j. The number of terms inside is the size of this partial sum. All
partial sums that contain term i have different sizes, so the sizes for one i and every j tell which
terms each of these contains. The terms that a partial sum has beyond the next smaller one are the
leaves of a subtree, which is searched in the same way. P. Xie, Y. Gao, J. Xue, "FPRev: Revealing
the Floating-Point Summation Order in Numerical Libraries", arXiv 2411.00442, section 5. A tree of n
leaves takes between n − 1 and n(n − 1)/2 sums.

NOTE [units]: a unit is 2**−24, the smallest float16. M is 2**100, or in float16 its largest power
of two, 2**15. That is at least 2**39 units, so 2**14 units are lost in M even if a kernel adds
float16 in float32. The dtype of the result must be able to hold the number of units exactly. So
only as many terms are units as the dtype can count, and the others are 0. This is repeated until
every term was a unit, and the counts are added up.

NOTE [rounding]: two factors 1 + ε have the product 1 + 2ε + ε², which is rounded to 1 + 2ε. Another
term is −(1 + 2ε), in the addend to which the product is added, and all others are 0. Then the sum
is 0 if the product is rounded, and ε² if it is fused. In 16 bits this does not matter: kernels add
in float32, in which these products are exact. A kernel that rounds partial sums to 16 bits is not
replayed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import frexp, prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lib.replay.trees import Tree

Adder = Callable[[Tensor, Tensor], Tensor]
"""A function of two vectors, shape (terms,), that returns Σ left·right.

It may return this sum many times, in any shape, each added in an order of its own. Values that are
not products ignore their right factor."""

MOST_WORK = 2**32
"""The most multiplications to reveal an order. They take a second or two, in which the page's runs
wait. The limit also keeps the number of terms below 2**14, as NOTE [units] requires."""

_CALL = 2**18
"""The time of a call of the function without its work, in multiplications."""

_UNIT = 2.0**-24


class Unrevealed(Exception):
    """The order of a function is not revealed. The message says why, in one sentence."""


def reveal(
    add: Adder, terms: int, dtype: torch.dtype, values: int = 0
) -> list[tuple[np.ndarray, Tree]]:
    """Return the trees in which a function adds.

    Args:
        add: the function.
        terms: the number of terms.
        dtype: the dtype of the terms and the results.
        values: the number of terms, the last ones, that are not products, such as a bias.

    Returns:
        Each tree, with a mask of the results that are added along it, in the shape of the results.

    Raises:
        Unrevealed: if the results do not come from additions in a tree, or if finding out takes
            more than `MOST_WORK`.
    """
    probe = _Probe(add, terms, dtype)
    is_open = np.ones(prod(probe.shape), bool)
    revealed = []
    while is_open.any():
        search = _Search(probe, is_open)
        tree = search.tree(values)
        revealed.append((search.same.reshape(probe.shape), tree))
        is_open &= ~search.same
    return revealed


class _Probe:
    """Sums of chosen terms by a function."""

    def __init__(self, add: Adder, terms: int, dtype: torch.dtype) -> None:
        finfo = torch.finfo(dtype)
        self.terms = terms
        self.dtype = dtype
        self.eps = finfo.eps
        self._add = add
        self._large = 2.0 ** min(frexp(finfo.max)[1] - 1, 100)
        self._most_units = round(2 / finfo.eps)
        self.shape = tuple(add(*torch.zeros(2, terms, dtype=dtype)).shape)
        self._sums_left = MOST_WORK // (_CALL + terms * prod(self.shape))
        # For each term, at least one sum finds where it is added, and one whether it is fused.
        if self._sums_left < 2 * terms:
            raise self._takes_too_long()

    def size(self, i: int, j: int) -> np.ndarray:
        """Return the size of the smallest partial sum with i and j, for each result.

        See NOTE [reveal] and NOTE [units].
        """
        outside = np.zeros(prod(self.shape))
        for start in range(0, self.terms, self._most_units):
            left = torch.zeros(self.terms, dtype=self.dtype)
            left[start : start + self._most_units] = _UNIT
            left[i] = self._large
            left[j] = -self._large
            outside += self._sums(left, torch.ones_like(left)) / _UNIT
        return self.terms - outside

    def fuses(self, leaf: int, other: int) -> np.ndarray:
        """Return whether the product `leaf` is fused when it is added to the sum with `other`.

        See NOTE [rounding].
        """
        left, right = torch.zeros(2, self.terms, dtype=self.dtype)
        left[leaf] = right[leaf] = 1 + self.eps
        left[other] = -(1 + 2 * self.eps)
        right[other] = 1
        return self._sums(left, right) != 0

    def _sums(self, left: Tensor, right: Tensor) -> np.ndarray:
        """Return Σ left·right of all results, in float64, flat."""
        self._sums_left -= 1
        if self._sums_left < 0:
            raise self._takes_too_long()
        sums = self._add(left, right).detach().to(torch.float64).numpy().ravel()
        if not np.isfinite(sums).all():
            raise Unrevealed("The order is not revealed: a sum of finite terms overflowed.")
        return sums

    def _takes_too_long(self) -> Unrevealed:
        return Unrevealed(
            f"The order of {self.terms:,} terms is not revealed: that would take too much time."
        )


class _Search:
    """The search for the tree of the first result whose tree is not known.

    `same` marks the results that have given the same answers so far.
    """

    def __init__(self, probe: _Probe, is_open: np.ndarray) -> None:
        self._probe = probe
        self._place = int(is_open.argmax())
        self.same = is_open.copy()

    def tree(self, values: int) -> Tree:
        """Return the tree. The last `values` of the terms are not products."""
        terms = self._probe.terms
        # The largest partial sum so far that contains each leaf.
        largest = list(range(terms))
        sums = []
        for leaves in sorted(self._partial_sums(), key=len):
            sums.append({largest[leaf] for leaf in leaves})
            for leaf in leaves:
                largest[leaf] = terms + len(sums) - 1
        tree = Tree.of(terms, sums, values=values)
        first_leaves = list(range(terms))
        for addends in tree.sums:
            first_leaves.append(first_leaves[addends[0]])
        products = terms - values
        # In 16 bits products are exact.
        if not products or torch.finfo(self._probe.dtype).bits < 32:
            return tree
        return replace(tree, fused=self._fused(tree, first_leaves, products))

    def _answer(self, results: np.ndarray) -> Any:
        """Return the result at `_place`; drop from `same` all results that answer otherwise."""
        result = results[self._place]
        self.same &= results == result
        return result

    def _partial_sums(self) -> list[list[int]]:
        """Return the leaves of each partial sum: NOTE [reveal]."""
        partial_sums = []
        subtrees = [list(range(self._probe.terms))]
        while subtrees:
            first, *others = subtrees.pop()
            joining: dict[int, list[int]] = {}
            for other in others:
                size = self._answer(self._probe.size(first, other))
                joining.setdefault(size, []).append(other)
            inside = [first]
            for size, leaves in sorted(joining.items()):
                inside += leaves
                if size != len(inside):
                    raise Unrevealed(
                        "No order is revealed: the function does not add two numbers at a time."
                    )
                partial_sums.append(list(inside))
                subtrees.append(leaves)
        return partial_sums

    def _fused(self, tree: Tree, first_leaves: Sequence[int], products: int) -> tuple[int, ...]:
        """Return the leaves below `products` that are fused."""
        return tuple(
            sorted(
                leaf
                for leaf, sibling in _siblings(tree)
                if leaf < products and self._answer(self._probe.fuses(leaf, first_leaves[sibling]))
            )
        )


def _siblings(tree: Tree) -> Iterator[tuple[int, int]]:
    """Yield each addend of each sum, and the other one."""
    for first, second in tree.sums:
        yield first, second
        yield second, first

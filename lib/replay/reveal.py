"""The order in which a function adds, revealed by the sums that it returns.

NOTE [reveal]: let all terms be one unit, but term i be M and term j be −M, where M is so large that
a unit added to it is lost in rounding. A partial sum that contains only one of i and j absorbs all
units that are added to it. Where the two meet, M − M = 0 remains, and from there on units count. So
the function returns the number of terms outside the smallest partial sum that contains both i and
j, which gives the number of terms inside: its size. The partial sums that contain term i have
different sizes, so the sizes of one i with all j tell which terms each of them contains, and what
joins from one to the next is a subtree of its own, or several if a kernel adds more than two
numbers at once: their sizes with each other are not smaller than the size of what they join. P.
Xie, Y. Gao, J. Xue, "FPRev: Revealing the Floating-Point Summation Order in Numerical Libraries",
arXiv 2411.00442, section 5. A tree of n leaves takes between n − 1 and n(n − 1)/2 sums.

NOTE [units]: a unit is 2**−24, the smallest float16, and M is 2**100, or 2**15 in float16, its
largest power of two. That is at least 2**39 units, so 2**14 of them are lost in M even if a kernel
adds float16 in float32. The result has to hold the number of units exactly. So no more terms than a
float of the dtype can count are units at a time, the others are 0, and the counts are added up.

NOTE [rounding]: two factors 1 + ε have the product 1 + 2ε + ε², which is rounded to 1 + 2ε. Against
a term −(1 + 2ε) in another addend of the sum that the product joins, with zeros for all others, a
rounded product gives 0 and a fused one ε². In 16 bits products are exact in float32, in which
kernels add, but a partial sum may be rounded to 16 bits before it is added to another: then 1 and
ε/4, which meet in it, and −1 outside give 0 instead of ε/4.
"""

from collections.abc import Callable
from dataclasses import replace
from math import frexp, prod

import numpy as np
import torch
from torch import Tensor

from lib.replay.trees import Tree

Adder = Callable[[Tensor, Tensor], Tensor]
"""A function of two vectors, shape (terms,), that returns Σ left·right: one number, or many in any
shape, each of which may be added in an order of its own. Values that are added as they are ignore
their right factor."""

MOST_WORK = 2**32
"""The most multiplications for which an order is revealed: a second or two, since the page's
questions are answered in turn with its runs. They leave fewer than 2**14 terms: NOTE [units]."""

_CALL = 2**18
"""The multiplications that take as long as a call of the function by itself."""

_UNIT = 2.0**-24


class Unrevealed(Exception):
    """Why the order of a function is not revealed, in one sentence."""


def reveal(
    add: Adder, terms: int, dtype: torch.dtype, values: int = 0
) -> list[tuple[np.ndarray, Tree]]:
    """Return the trees in which a function adds, each with a mask of the results that are added in
    it.

    The masks have the shape of the results. The last `values` of the terms are numbers, all others
    products of two. Raise `Unrevealed` if the results do not come from additions in a tree, or if
    finding out takes more than `MOST_WORK`.
    """
    probe = _Probe(add, terms, dtype)
    open_, revealed = np.ones(probe.shape, bool), []
    while open_.any():
        tree, same = _tree_at(probe, int(open_.argmax()), open_.ravel(), values)
        revealed.append((same.reshape(probe.shape), tree))
        open_ &= ~revealed[-1][0]
    return revealed


class _Probe:
    """Sums of chosen terms by a function."""

    def __init__(self, add: Adder, terms: int, dtype: torch.dtype) -> None:
        self._add, self.terms, self.dtype = add, terms, dtype
        finfo = torch.finfo(dtype)
        self._large, self._most = 2.0 ** min(frexp(finfo.max)[1] - 1, 100), round(2 / finfo.eps)
        self.eps = finfo.eps
        self.shape = tuple(add(*torch.zeros(2, terms, dtype=dtype)).shape)
        self._left = MOST_WORK // (_CALL + terms * prod(self.shape))
        self._take(
            0, planned=2 * terms
        )  # a sum to find where each term is added, and one whether it is fused

    def _take(self, sums: int, planned: int = 0) -> None:
        self._left -= sums
        if self._left < planned:
            raise Unrevealed(
                f"The order of {self.terms:,} terms is not revealed: that would take too much time."
            )

    def sums(self, left: Tensor, right: Tensor) -> np.ndarray:
        """Return Σ left·right of all results, in float64, flat."""
        self._take(1)
        found = self._add(left, right).detach().to(torch.float64).numpy().ravel()
        if not np.isfinite(found).all():
            raise Unrevealed("The order is not revealed: a sum of finite terms overflowed.")
        return found

    def size(self, i: int, j: int) -> np.ndarray:
        """Return the number of terms of the smallest partial sum with i and j, of each result: NOTE
        [reveal]."""
        outside = np.zeros(prod(self.shape))
        for first in range(0, self.terms, self._most):
            left, right = (
                torch.zeros(self.terms, dtype=self.dtype),
                torch.ones(self.terms, dtype=self.dtype),
            )
            left[first : first + self._most] = _UNIT
            left[i], left[j] = self._large, -self._large
            outside += self.sums(left, right) / _UNIT
        return self.terms - outside

    def fuses(self, leaf: int, other: int) -> np.ndarray:
        """Return whether product `leaf` is fused where it meets the partial sum with term `other`:
        NOTE [rounding]."""
        left, right = torch.zeros(2, self.terms, dtype=self.dtype)
        left[leaf] = right[leaf] = 1 + self.eps
        left[other], right[other] = -(1 + 2 * self.eps), 1
        return self.sums(left, right) != 0

    def rounds(self, one: int, other: int, outside: int) -> np.ndarray:
        """Return whether the sum in which two terms meet is rounded before it meets a third one:
        NOTE [rounding]."""
        left, right = (
            torch.zeros(self.terms, dtype=self.dtype),
            torch.ones(self.terms, dtype=self.dtype),
        )
        left[one], left[other], left[outside] = 1, self.eps / 4, -1
        return self.sums(left, right) == 0


def _tree_at(probe: _Probe, place: int, wanted: np.ndarray, values: int) -> tuple[Tree, np.ndarray]:
    """Return the tree of the result at a place, and a mask of those of the wanted results that
    share it."""
    same, sums = wanted.copy(), []
    open_: list[tuple[list[int], float]] = [([*range(probe.terms)], np.inf)]
    while open_:
        # Subtrees of these leaves are addends of a sum of so many terms.
        (first, *others), of_sum = open_.pop()
        sizes: dict[int, list[int]] = {}
        for other in others:
            found = probe.size(first, other)
            same &= found == found[place]
            sizes.setdefault(found[place], []).append(other)
        inside = [first]
        for size, joining in sorted(sizes.items()):
            inside += joining
            if size != (len(inside) if size < of_sum else of_sum):
                raise Unrevealed(
                    "The order is not revealed: the sums are not those of additions in a tree."
                )
            if size < of_sum:
                sums.append(sorted(inside))
            open_.append((joining, size))
    nodes, addends_of = (
        [*range(probe.terms)],
        [],
    )  # the largest partial sum so far that contains each leaf
    for inside in sorted(sums, key=len):
        addends_of.append({nodes[leaf] for leaf in inside})
        for leaf in inside:
            nodes[leaf] = probe.terms + len(addends_of) - 1
    tree = Tree.of(probe.terms, addends_of, values=values)
    wide, products = torch.finfo(probe.dtype).bits >= 32, probe.terms - values
    leaves, marked = [*range(probe.terms)], []  # the first leaf of each leaf and sum
    for addends in tree.sums:
        leaves.append(leaves[addends[0]])
        for addend in addends:
            other = leaves[addends[addend == addends[0]]]
            if wide and addend < products:
                found = probe.fuses(addend, other)
            elif not wide and addend >= probe.terms:
                one, another = tree.sums[addend - probe.terms][:2]
                found = probe.rounds(leaves[one], leaves[another], other)
            else:
                continue
            same &= found == found[place]
            marked += [addend] if found[place] else []
    if wide:
        return replace(tree, fused=tuple(sorted(marked)) if products else None), same
    return replace(tree, rounded=tuple(sorted(sum_ - probe.terms for sum_ in marked))), same

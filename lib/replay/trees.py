"""The tree of a sum: which partial sums a kernel adds to which, and which products it fuses.

NOTE [trees]: the leaves are the terms, and every inner node is one addition. Addition commutes, so
the order of a node's addends does not matter. A tree is written in only one way, so that equal
trees have equal texts: addends are sorted by their smallest leaf, and sums are listed depth first,
each after its addends. A fused leaf is a product that is not rounded before it is added.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self


class Add(NamedTuple):
    """One operation: add product `term`, or accumulator `accumulator`, to accumulator `into`.

    If `fused`, the product is not rounded before it is added (fused multiply-add, FMA). If `term`
    and `accumulator` are None, nothing is added: accumulator `into` is rounded to the dtype of the
    terms. `node` is the sum of the tree that the accumulator then holds, None if it holds a single
    product.
    """

    into: int
    term: int | None = None
    accumulator: int | None = None
    fused: bool = False
    node: int | None = None


@dataclass(frozen=True)
class Tree:
    """The tree of a sum: NOTE [trees].

    Args:
        terms: the number of terms.
        sums: the addends of each sum. A number below `terms` is a leaf, and `terms` + k is sum k.
            The last sum is the root; a single term has no sum.
        fused: the leaves whose products are fused into their sum, or None if that makes no
            difference, since the terms are not products or their products are exact.
        values: the number of terms, the last ones, that are not products, such as a bias.
    """

    terms: int
    sums: tuple[tuple[int, ...], ...]
    fused: tuple[int, ...] | None = None
    values: int = 0

    @classmethod
    def of(
        cls,
        terms: int,
        sums: Sequence[Collection[int]],
        fused: Iterable[int] | None = None,
        values: int = 0,
    ) -> Self:
        """Make a tree of sums that are not sorted yet. A sum follows its addends; the root is last.

        The arguments are otherwise those of the class.
        """
        smallest = list(range(terms))
        for addends in sums:
            smallest.append(min(smallest[addend] for addend in addends))
        ordered = [sorted(addends, key=smallest.__getitem__) for addends in sums]
        waiting = [terms + len(sums) - 1] if sums else []
        nodes = []
        # The root is first and the last addend first, to be reversed.
        while waiting:
            node = waiting.pop()
            nodes.append(node)
            waiting += [addend for addend in ordered[node - terms] if addend >= terms]
        nodes.reverse()
        renamed = {leaf: leaf for leaf in range(terms)}
        renamed |= {node: terms + place for place, node in enumerate(nodes)}
        return cls(
            terms,
            tuple(tuple(renamed[addend] for addend in ordered[node - terms]) for node in nodes),
            None if fused is None else tuple(sorted(fused)),
            values,
        )

    @property
    def label(self) -> str:
        """The order in words if terms are added from left to right, else the text of the tree."""
        chain = [(self.terms + k - 1 if k else 0, k + 1) for k in range(self.terms - 1)]
        if list(self.sums) != chain:
            return str(self)
        if not self.fused:
            return "left to right"
        # Where two products meet, one of them is rounded.
        all_fused = len(self.fused) >= self.terms - self.values - 1
        return "left to right, fused" if all_fused else str(self)

    def __str__(self) -> str:
        """The sum with its brackets; a dot marks a product that is fused."""
        fused = self.fused or ()
        texts = [f"·{leaf}" if leaf in fused else str(leaf) for leaf in range(self.terms)]
        for addends in self.sums:
            texts.append(f"({' '.join(texts[addend] for addend in addends)})")
        return texts[-1]

    def adds(self) -> list[Add]:
        """Return the operations of a binary tree. Accumulator 0 holds the result.

        A sum uses the accumulator of one of its addends, so a chain of additions needs only one.
        """
        if not self.sums:
            return [Add(0, 0)]
        fused = self.fused or ()
        root = self.terms + len(self.sums) - 1
        accumulators = {root: 0}
        count = 1
        pairs = {}
        for node in range(root, self.terms - 1, -1):
            # A sum before a leaf, a rounded product before a fused one.
            addends = self.sums[node - self.terms]
            first, second = sorted(addends, key=lambda a: (a < self.terms, a in fused))
            pairs[node] = first, second
            accumulators[first] = accumulators[node]
            if second >= self.terms:
                accumulators[second] = count
                count += 1
        adds = []
        for node, (first, second) in sorted(pairs.items()):
            into = accumulators[node]
            if first < self.terms:
                adds.append(Add(into, first))
            if second < self.terms:
                adds.append(Add(into, second, fused=second in fused, node=node))
            else:
                adds.append(Add(into, accumulator=accumulators[second], node=node))
        return adds

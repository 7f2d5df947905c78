"""The tree of a sum: which partial sums a kernel adds to which, and which products it fuses into an
addition.

NOTE [trees]: the leaves are the terms, and every inner node is one addition, of two addends or,
where a kernel adds several numbers at once, of more. Addition commutes, so the addends of a node
have no order, and a tree is written in one way only: addends by their smallest leaf, sums after the
sums that they add up, depth first. The same tree thus has the same text on every machine. A fused
leaf is a product that is not rounded before it is added.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self


class Add(NamedTuple):
    """One operation: add product `term` to accumulator `into` or, if `term` is None, accumulator
    `accumulator`.

    If `fused`, the product is not rounded before it is added (fused multiply-add, FMA). If both are
    None, nothing is added: accumulator `into` is rounded to the dtype of the terms. `node` is the
    sum of the tree that the accumulator then holds, None if it holds a single product.
    """

    into: int
    term: int | None = None
    accumulator: int | None = None
    fused: bool = False
    node: int | None = None


@dataclass(frozen=True)
class Tree:
    """The tree of a sum of `terms` terms: NOTE [trees].

    `sums[k]` lists the addends of sum k: a number below `terms` is a leaf, and `terms` + k stands
    for sum k. The last sum is the root; a single term has no sum. `fused` are the leaves whose
    products are fused into their sum, or None if that makes no difference, since the terms are no
    products or their products are exact. The last `values` terms are numbers, such as a bias, and
    no products. `rounded` are the sums below the root that are rounded from float32 to the 16 bits
    of the terms before they are added to another.
    """

    terms: int
    sums: tuple[tuple[int, ...], ...]
    fused: tuple[int, ...] | None = None
    values: int = 0
    rounded: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        terms: int,
        sums: Sequence[Collection[int]],
        fused: Iterable[int] | None = None,
        values: int = 0,
    ) -> Self:
        """Make a tree of sums in any order in which each comes after its addends, the root last."""
        smallest = [*range(terms)]
        for addends in sums:
            smallest.append(min(smallest[addend] for addend in addends))
        ordered = [sorted(addends, key=smallest.__getitem__) for addends in sums]
        open_, nodes = [terms + len(sums) - 1] if sums else [], []
        while open_:  # from the root on, the last addend first; backwards, that is depth first
            nodes.append(open_.pop())
            open_ += [addend for addend in ordered[nodes[-1] - terms] if addend >= terms]
        nodes.reverse()
        places = {node: terms + place for place, node in enumerate(nodes)}
        renamed = tuple(
            tuple(places.get(addend, addend) for addend in ordered[node - terms]) for node in nodes
        )
        return cls(terms, renamed, None if fused is None else tuple(sorted(fused)), values)

    @property
    def binary(self) -> bool:
        """Whether every sum has two addends."""
        return all(len(addends) == 2 for addends in self.sums)

    @property
    def label(self) -> str:
        """The order in words if it is plain or fused throughout from left to right, or else the sum
        with its brackets.

        Where two products meet, one of them is rounded.
        """
        left_to_right = tuple(
            (self.terms + k - 1 if k else 0, k + 1) for k in range(self.terms - 1)
        )
        if self.sums == left_to_right and not self.rounded:
            if not self.fused:
                return "left to right"
            if len(self.fused) >= self.terms - self.values - 1:
                return "left to right, fused"
        return str(self)

    def __str__(self) -> str:
        """The sum with its brackets: a dot marks a product that is fused, a tilde a sum that is
        rounded to 16 bits."""
        texts = [
            f"·{leaf}" if self.fused and leaf in self.fused else str(leaf)
            for leaf in range(self.terms)
        ]
        for place, addends in enumerate(self.sums):
            texts.append(
                f"{'~' * (place in self.rounded)}({' '.join(texts[addend] for addend in addends)})"
            )
        return texts[-1]

    def adds(self) -> list[Add]:
        """Return the operations that add in this order, into accumulator 0. The tree has to be
        binary.

        A sum goes on in the accumulator of one of its addends, so a chain of additions needs only
        one.
        """
        if not self.sums:
            return [Add(0, 0)]
        fused, root = self.fused or (), self.terms + len(self.sums) - 1
        accumulators, count, addends_of = {root: 0}, 1, {}
        for node in range(root, self.terms - 1, -1):
            # A sum before a leaf, a rounded product before a fused one.
            first, second = sorted(
                self.sums[node - self.terms], key=lambda a: (a < self.terms, a in fused)
            )
            accumulators[first], addends_of[node] = accumulators[node], (first, second)
            if second >= self.terms:
                accumulators[second], count = count, count + 1
        adds = []
        for node, (first, second) in sorted(addends_of.items()):
            into = accumulators[node]
            adds += [Add(into, first)] if first < self.terms else []
            if second < self.terms:
                adds.append(Add(into, second, None, second in fused, node))
            else:
                adds.append(Add(into, None, accumulators[second], False, node))
            adds += [Add(into, node=node)] if node - self.terms in self.rounded else []
        return adds

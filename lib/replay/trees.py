"""The tree of a sum: which partial sums a kernel adds to which, and which products it fuses into an addition.

NOTE [trees]: the leaves are the terms, and every inner node is one addition, of two addends or, where a kernel adds
several numbers at once, of more. Addition commutes, so the addends of a node have no order, and a tree is written in
one way only: addends by their smallest leaf, sums after the sums that they add up, depth first. The same tree thus has
the same text on every machine. A fused leaf is a product that is not rounded before it is added.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self


class Add(NamedTuple):
    """One operation: add product `term` to accumulator `into` or, if `term` is None, accumulator `accumulator`.

    If `fused`, the product is not rounded before it is added (fused multiply-add, FMA). If both are None, nothing is
    added: accumulator `into` is rounded to the dtype of the terms.
    """

    into: int
    term: int | None
    accumulator: int | None = None
    fused: bool = False


@dataclass(frozen=True)
class Tree:
    """The tree of a sum of `terms` terms: NOTE [trees].

    `sums[k]` lists the addends of sum k: a number below `terms` is a leaf, and `terms` + k stands for sum k. The last
    sum is the root; a single term has no sum. `fused` are the leaves whose products are fused into their sum, or None
    if that makes no difference, since the terms are no products or their products are exact. The last `values` terms
    are numbers, such as a bias, and no products. `rounded` are the sums below the root that are rounded from float32 to
    the 16 bits of the terms before they are added to another.
    """

    terms: int
    sums: tuple[tuple[int, ...], ...]
    fused: tuple[int, ...] | None = None
    values: int = 0
    rounded: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, terms: int, sums: Sequence[Collection[int]], fused: Iterable[int] | None = None, values: int = 0
    ) -> Self:
        """Make a tree of sums in any order in which each comes after its addends, the root last."""
        smallest = [*range(terms)]
        for addends in sums:
            smallest.append(min(smallest[addend] for addend in addends))
        ordered = [sorted(addends, key=smallest.__getitem__) for addends in sums]
        places: dict[int, int] = {}
        for node in _depth_first(terms, ordered):
            places[node] = terms + len(places)
        renamed = tuple(tuple(places.get(addend, addend) for addend in ordered[node - terms]) for node in places)
        return cls(terms, renamed, None if fused is None else tuple(sorted(fused)), values)

    @property
    def binary(self) -> bool:
        """Whether every sum has two addends."""
        return all(len(addends) == 2 for addends in self.sums)

    @property
    def products(self) -> str:
        """Whether products are rounded before they are added: "rounded", "fused", "some fused", or "exact".

        "fused" means that every product is fused which is added to something else; where two products meet, one of them
        is rounded. "exact" means that it makes no difference.
        """
        if self.fused is None:
            return "exact"
        if not self.fused:
            return "rounded"
        for addends in self.sums:
            products = [addend for addend in addends if addend < self.terms - self.values]
            if len(products) - sum(addend in self.fused for addend in products) > (len(products) == len(addends)):
                return "some fused"
        return "fused"

    @property
    def label(self) -> str:
        """The order in words if the terms are added from left to right, or else the sum with its brackets."""
        if self.sums != tuple((self.terms + k - 1 if k else 0, k + 1) for k in range(self.terms - 1)) or self.rounded:
            return str(self)
        return "left to right" + {"fused": ", fused", "some fused": ", partly fused"}.get(self.products, "")

    def __str__(self) -> str:
        """The sum with its brackets: a dot marks a product that is fused, a tilde a sum that is rounded to 16 bits."""
        texts = [f"·{leaf}" if self.fused and leaf in self.fused else str(leaf) for leaf in range(self.terms)]
        for place, addends in enumerate(self.sums):
            texts.append(f"{'~' * (place in self.rounded)}({' '.join(texts[addend] for addend in addends)})")
        return texts[-1]

    def adds(self) -> list[Add]:
        """Return the operations that add in this order, into accumulator 0. The tree has to be binary.

        A sum goes on in the accumulator of one of its addends, so a chain of additions needs only one.
        """
        if not self.sums:
            return [Add(0, 0)]
        fused, root = self.fused or (), self.terms + len(self.sums) - 1
        accumulators, count, addends_of = {root: 0}, 1, {}
        for node in range(root, self.terms - 1, -1):
            # A sum before a leaf, a rounded product before a fused one.
            first, second = sorted(self.sums[node - self.terms], key=lambda a: (a < self.terms, a in fused))
            accumulators[first], addends_of[node] = accumulators[node], (first, second)
            if second >= self.terms:
                accumulators[second], count = count, count + 1
        adds = []
        for node, (first, second) in sorted(addends_of.items()):
            into = accumulators[node]
            if first < self.terms:
                adds.append(Add(into, first))
            leaf = second < self.terms
            adds.append(Add(into, second, None, second in fused) if leaf else Add(into, None, accumulators[second]))
            adds += [Add(into, None)] if node - self.terms in self.rounded else []
        return adds


def _depth_first(terms: int, sums: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the nodes that are sums, each after its addends, the root last, without recursion: chains may be long."""
    stack = [(terms + len(sums) - 1, False)] if sums else []
    while stack:
        node, entered = stack.pop()
        if entered:
            yield node
        elif node >= terms:
            stack.append((node, True))
            stack += [(addend, False) for addend in reversed(sums[node - terms])]

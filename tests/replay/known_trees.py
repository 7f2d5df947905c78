"""Functions that add in a tree known by construction, in exact fractions that are rounded where the
tree says."""

from fractions import Fraction

import torch
from hypothesis import strategies as st

from lib.replay.trees import Tree
from tests.oracles import rounded


def added_up(tree, exact, dtype):
    """The values of all terms and sums, the rounding errors of the sums, and the result, by the
    definition: a sum is that of exact numbers, rounded once, 16-bit numbers to float32."""
    wide = "float64" if dtype == "float64" else "float32"
    fused, roundings = tree.fused or (), []
    held = [
        product if term in fused else Fraction(rounded(product, wide))
        for term, product in enumerate(exact)
    ]
    for addends in tree.sums:
        parts = [held[addend] for addend in addends]
        whole = sum(parts)
        total = rounded(whole, wide)
        held.append(Fraction(total))
        roundings.append(held[-1] - whole)
    return [float(value) for value in held], roundings, rounded(held[-1], dtype)


def adder(tree, dtype):
    """Σ left·right of two vectors, added as the tree says."""

    def add(left, right):
        exact = [
            Fraction(a) * Fraction(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)
        ]
        return torch.tensor(added_up(tree, exact, dtype)[-1], dtype=torch.float64).to(
            getattr(torch, dtype)
        )

    return add


@st.composite
def trees(draw, dtype, like=None):
    """Any tree of up to 12 terms, or of those of another tree."""
    terms = like.terms if like else draw(st.integers(1, 12))
    values = like.values if like else draw(st.integers(0, 1 if terms > 1 else 0))
    nodes, sums, fused = [*range(terms)], [], []
    fuses = dtype in ("float32", "float64")
    while len(nodes) > 1:
        nodes = draw(st.permutations(nodes))
        addends, nodes = nodes[:2], nodes[2:]
        products = [addend for addend in addends if addend < terms - values]
        if products and fuses:
            # the first of two products is rounded
            alone = products[0] if len(products) == len(addends) else None
            fused += [product for product in products if product != alone and draw(st.booleans())]
        nodes.append(terms + len(sums))
        sums.append(addends)
    return Tree.of(terms, sums, fused if fuses else None, values)


def chain(terms):
    """From left to right."""
    return [[terms + k - 1 if k else 0, k + 1] for k in range(terms - 1)]

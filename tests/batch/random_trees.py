"""Random binary trees of a sum, some of whose products are fused into their additions."""

from hypothesis import strategies as st

from lib.replay.trees import Tree


@st.composite
def trees(draw: st.DrawFn, most: int = 12, least: int = 1) -> Tree:
    """Trees of products and at most one number. Of two products that meet, at most one is fused."""
    terms, values = draw(st.integers(least, most)), draw(st.integers(0, 1))
    open_, sums, fused = list(range(terms)), [], set()
    while len(open_) > 1:
        first, second = (open_.pop(draw(st.integers(0, len(open_) - 1))) for _ in range(2))
        sums.append((first, second))
        products = [addend for addend in (first, second) if addend < terms - values]
        if products and draw(st.booleans()):
            fused.add(products[-1])
        open_.append(terms + len(sums) - 1)
    return Tree.of(terms, sums, sorted(fused), values)

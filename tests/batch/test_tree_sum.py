"""A sum along a tree against exact fractions that the test rounds."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.batch.tree_sum import along
from lib.replay.steps import Term
from lib.replay.trees import Tree
from tests.batch.random_trees import trees
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded


def exact(term: Term) -> Fraction:
    _, left, right = term
    return Fraction(right) * (Fraction(1) if left is None else Fraction(left))


def added_up(tree: Tree, terms: list[Term], dtype: str) -> tuple[list[float], list[Fraction], float]:
    """The values, roundings and result by the definition: every sum is that of two exact numbers, rounded once."""
    held = "float64" if dtype == "float64" else "float32"
    fused = tree.fused or ()
    numbers = [exact(term) if k in fused else Fraction(rounded(exact(term), held)) for k, term in enumerate(terms)]
    roundings = []
    for place, addends in enumerate(tree.sums):
        whole = sum((numbers[addend] for addend in addends), Fraction())
        after = rounded(whole, held)
        numbers.append(Fraction(rounded(Fraction(after), dtype) if place in tree.rounded else after))
        roundings.append(numbers[-1] - whole)
    return [float(number) for number in numbers], roundings, rounded(numbers[-1], dtype)


def of_dtype(values: Iterable[float], dtype: str) -> list[float]:
    return torch.tensor(list(values), dtype=torch.float64).to(getattr(torch, dtype)).tolist()


@settings(max_examples=200)
@given(trees(), st.sampled_from(EVERY_DTYPE), st.data())
def test_every_sum_is_that_of_exact_numbers_rounded_once(tree, dtype, data):
    if dtype in ("bfloat16", "float16"):
        below_root = st.sets(st.integers(0, max(0, len(tree.sums) - 2)))
        tree = replace(tree, rounded=tuple(data.draw(below_root))) if len(tree.sums) > 1 else tree
    numbers = st.floats(-8, 8, allow_subnormal=False).filter(lambda value: value == 0 or abs(value) > 2**-9)
    drawn = [data.draw(st.lists(numbers, min_size=tree.terms, max_size=tree.terms)) for _ in range(2)]
    left, right = (of_dtype(values, dtype) for values in drawn)
    terms = [
        (f"t{k}", None if k >= tree.terms - tree.values else w, h)
        for k, (w, h) in enumerate(zip(left, right, strict=True))
    ]
    found = along(tree, terms, getattr(torch, dtype))
    values, roundings, result = added_up(tree, terms, dtype)
    assert list(found.values) == values and found.result == result
    assert list(found.roundings) == roundings
    assert found.exact == sum(map(exact, terms)) and found.names == tuple(name for name, _, _ in terms)


def test_a_single_term_has_no_roundings_of_sums():
    single = along(Tree(1, ()), [("", 0.5, 0.25)], torch.float32)
    assert single.values == (0.125,) and single.roundings == () and single.result == 0.125

"""Adding along a tree: on numbers that can be added in the head, and on whole numbers."""

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.replay.steps import ROUNDING, Step, TreeSum, add_up, in_steps
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.replay.known_trees import added_up, adder, chain, in_parts, trees

ULP = 2.0**-23


def steps(terms: list[tuple[float | None, float]], dtype: str = "float32", tree: Tree | None = None) -> list[Step]:
    """The steps from left to right, or along a tree."""
    named = [(f"t{place}", *term) for place, term in enumerate(terms)]
    tree = tree or Tree.of(len(terms), chain(len(terms)), ())
    return list(in_steps(tree, named, getattr(torch, dtype)))


def test_a_product_and_a_sum_are_each_rounded():
    """(1 + ulp)² is 1 + 2 ulp + ulp², of which the product loses ulp² = 2**-23 ulp; then 2**-25 is a quarter ulp."""
    first, second = steps([(1 + ULP, 1 + ULP), (0.5, 2.0**-24)])
    assert first == Step("t0", 0, 1 + ULP, 1 + ULP, 1 + 2 * ULP, -ULP, 0.0, 1 + 2 * ULP, 1 + 2 * Fraction(ULP), 0.0, 0)
    exact = 1 + 2 * Fraction(ULP) + Fraction(1, 2**25)
    assert second == Step("t1", 0, 0.5, 2.0**-24, 2.0**-25, 0.0, 1 + 2 * ULP, 1 + 2 * ULP, exact, -0.25, 1)


def test_fused_the_sum_alone_is_rounded():
    """−(1 + 2 ulp) is added to (1 + ulp)²: what the product would have lost is all there is."""
    first, second = steps([(-1.0, 1 + 2 * ULP), (1 + ULP, 1 + ULP)], tree=Tree.of(2, chain(2), [1]))
    assert (first.after, first.error, first.product_error) == (-1 - 2 * ULP, 0.0, 0.0)
    sums = -1 - 2 * ULP, ULP**2, Fraction(ULP) ** 2, 0.0
    assert second == Step("t1", 0, 1 + ULP, 1 + ULP, (1 + ULP) ** 2, 0.0, *sums, 1)


def test_values_without_a_factor_are_added_as_they_are():
    first, second = steps([(None, 1.0), (None, ULP / 2)])
    assert (first.left, first.right, first.product, first.product_error, first.after) == (None, None, None, 0.0, 1.0)
    assert second == Step("t1", 0, None, None, None, 0.0, 1.0, 1.0, 1 + Fraction(ULP) / 2, -0.5, 1)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_sixteen_bits_are_added_in_float32_and_rounded_at_the_end(dtype):
    eps = torch.finfo(getattr(torch, dtype)).eps
    *adds, last = steps([(1.0, 1.0), (1.0, eps / 4)], dtype)
    assert [step.after for step in adds] == [1.0, 1 + eps / 4] and not any(step.error for step in adds)
    assert last == Step(ROUNDING, 0, None, None, None, 0.0, 1 + eps / 4, 1.0, 1 + Fraction(eps) / 4, -0.25, None)
    ones = torch.ones(1, 258, dtype=torch.bfloat16)
    assert add_up(Tree.of(258, chain(258)), ones, ones.T).item() == 258  # bfloat16 itself would stop at 256


def test_accumulators_are_added_as_the_tree_says():
    found = steps([(None, float(2**k)) for k in range(5)], tree=Tree.of(5, in_parts(5, [[0, 2, 4], [1, 3]])))
    assert [(step.label, step.accumulator, step.before, step.after, step.term) for step in found] == [
        *(("t0", 0, 0, 1, 0), ("t2", 0, 1, 5, 2), ("t4", 0, 5, 21, 4), ("t1", 1, 0, 2, 1), ("t3", 1, 2, 10, 3)),
        ("accumulator 1", 0, 21, 31, None),
    ]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@given(data=st.data())
def test_every_entry_every_step_and_every_node_is_that_of_exact_numbers_rounded_once(dtype, data):
    tree, number = data.draw(trees(dtype)), getattr(torch, dtype)
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 2**31)))
    left, right = (torch.randn(shape, generator=generator) for shape in ((2, tree.terms), (tree.terms, 3)))
    left[:, tree.terms - tree.values :] = 1
    left, right = left.to(number), right.to(number)
    found = add_up(tree, left, right)
    expected = [[adder(tree, dtype)(row, column) for column in right.T] for row in left]
    assert found.dtype == number and found.tolist() == [[entry.item() for entry in row] for row in expected]

    products = tree.terms - tree.values
    factors = zip(range(tree.terms), right[:, 2].tolist(), left[1].tolist(), strict=True)
    terms = [(str(k), weight, number) if k < products else (str(k), None, weight) for k, weight, number in factors]
    assert in_steps(tree, terms, number)[-1].after == found[1, 2].item()
    exact = [Fraction(a) * Fraction(b) for a, b in zip(left[1].tolist(), right[:, 2].tolist(), strict=True)]
    whole = TreeSum.of(tree, terms, number)
    assert (list(whole.values), list(whole.roundings), whole.result) == added_up(tree, exact, dtype)
    assert whole.exact == sum(exact) and whole.names == tuple(map(str, range(tree.terms)))

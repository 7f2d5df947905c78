"""Orders known by construction are found again; what does not add in a tree is refused."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.replay.reveal import Unrevealed, reveal
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.replay.known_trees import adder, chain, trees


def revealed(add, terms: int, dtype: str, values: int = 0) -> Tree:
    ((mask, tree),) = reveal(add, terms, getattr(torch, dtype), values)
    assert mask.all()
    return tree


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@settings(max_examples=25)
@given(data=st.data())
def test_any_tree_is_found_again(dtype, data):
    tree = data.draw(trees(dtype))
    assert revealed(adder(tree, dtype), tree.terms, dtype, tree.values) == tree


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@settings(max_examples=15)
@given(data=st.data())
def test_sums_of_several_terms_at_once_are_found_again(dtype, data):
    tree = data.draw(trees(dtype, at_once=12))
    found = revealed(adder(tree, dtype), tree.terms, dtype, tree.values)
    assert (found.sums, found.terms) == (tree.sums, tree.terms)


def test_bfloat16_counts_more_terms_than_it_has_digits():
    tree = Tree.of(600, chain(600))
    counted = 0

    def add(left, right):
        nonlocal counted
        counted += 1
        return torch.cumsum(left.float() * right.float(), 0)[-1].to(left.dtype)

    assert torch.tensor(599.0).to(torch.bfloat16).item() != 599
    assert revealed(add, 600, "bfloat16").sums == tree.sums
    assert counted < 5 * 600


def test_results_that_are_added_in_different_orders_are_told_apart():
    one, other = Tree.of(6, chain(6), [2]), Tree.of(6, [[4, 5], [3, 6], [2, 7], [1, 8], [0, 9]], ())
    same_shape = Tree.of(6, chain(6), ())
    adders = [adder(tree, "float32") for tree in (one, other, one, same_shape)]
    found = reveal(
        lambda left, right: torch.stack([add(left, right) for add in adders]).view(2, 2),
        6,
        torch.float32,
    )
    assert [(mask.tolist(), tree) for mask, tree in found] == [
        ([[True, False], [True, False]], one),
        ([[False, True], [False, False]], other),
        ([[False, False], [False, True]], same_shape),
    ]


def test_far_fewer_sums_are_needed_than_pairs():
    counted = 0

    def add(left, right):
        nonlocal counted
        counted += 1
        return left.view(16, 16).cumsum(0)[-1].cumsum(0)[-1]  # in 16 lanes

    tree = revealed(add, 256, "float32", values=256)
    assert len(tree.sums) == 255 and counted < 256 * 255 / 2 / 10


@pytest.mark.parametrize(
    "add",
    [
        lambda left, right: torch.tensor(math.fsum((left * right).tolist())),
        lambda left, right: left.max(),
        lambda left, right: left.sum() * 0.3,
    ],
    ids=["exact", "largest", "scaled"],
)
def test_what_does_not_add_in_a_tree_is_refused(add):
    with pytest.raises(Unrevealed, match=r"^The order is not revealed: .*\.$"):
        reveal(add, 9, torch.float32)


def test_an_overflow_is_refused():
    with pytest.raises(Unrevealed, match="overflowed"):
        reveal(lambda left, right: (2.0**40 * left).cumsum(0)[-1], 9, torch.float32)


@pytest.mark.parametrize(("terms", "results", "calls"), [(300, 1, 2**14), (200, 2**12, 2**12)])
def test_an_order_that_takes_too_long_to_find_is_refused(terms, results, calls):
    """From right to left, every term is held against every other one; from left to right each is
    only against one."""
    counted = 0

    def add(left, right):
        nonlocal counted
        counted += 1
        return (left * right).cumsum(0)[-1].expand(results)

    ((mask, tree),) = reveal(add, terms, torch.float32)
    assert mask.all() and tree.sums == Tree.of(terms, chain(terms)).sums and counted < 3 * terms
    counted = 0
    with pytest.raises(
        Unrevealed,
        match=f"^The order of {terms} terms is not revealed: that would take too much time",
    ):
        reveal(lambda left, right: add(left.flip(0), right.flip(0)), terms, torch.float32)
    assert calls / 2 < counted < calls < terms * (terms - 1) / 2


def test_too_many_terms_are_refused_before_the_first_sum():
    with pytest.raises(
        Unrevealed,
        match=r"^The order of 16,384 terms is not revealed: that would take too much time",
    ):
        reveal(
            lambda left, right: torch.zeros(()) if not left.any() else pytest.fail(),
            2**14,
            torch.float32,
        )


def test_one_term_is_a_tree_without_sums():
    assert revealed(lambda left, right: left[0] * right[0], 1, "float32") == Tree(1, (), ())

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


class Counted:
    """An adder that counts its calls."""

    def __init__(self, add):
        self.add = add
        self.calls = 0

    def __call__(self, left, right):
        self.calls += 1
        return self.add(left, right)


def revealed(add, terms: int, dtype: str, values: int = 0) -> Tree:
    ((mask, tree),) = reveal(add, terms, getattr(torch, dtype), values)
    assert mask.all()
    return tree


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@settings(max_examples=20)
@given(data=st.data())
def test_any_tree_is_found_again_and_the_sums_of_several_terms_at_once(dtype, data):
    tree = data.draw(trees(dtype))
    assert revealed(adder(tree, dtype), tree.terms, dtype, tree.values) == tree
    tree = data.draw(trees(dtype, at_once=12))
    assert revealed(adder(tree, dtype), tree.terms, dtype, tree.values).sums == tree.sums


def test_bfloat16_counts_more_terms_than_it_has_digits_in_few_sums():
    add = Counted(lambda a, b: (a.float() * b.float()).cumsum(0)[-1].to(a.dtype))
    assert torch.tensor(599.0).to(torch.bfloat16).item() != 599
    assert revealed(add, 600, "bfloat16").sums == Tree.of(600, chain(600)).sums
    assert add.calls < 5 * 600
    in_16_lanes = Counted(lambda a, b: a.view(16, 16).cumsum(0)[-1].cumsum(0)[-1])
    assert len(revealed(in_16_lanes, 256, "float32", values=256).sums) == 255
    assert in_16_lanes.calls < 256 * 255 / 2 / 10


def test_results_that_are_added_in_different_orders_are_told_apart():
    first = Tree.of(6, chain(6), [2])
    second = Tree.of(6, [[4, 5], [3, 6], [2, 7], [1, 8], [0, 9]], ())
    same_shape = Tree.of(6, chain(6), ())
    adders = [adder(tree, "float32") for tree in (first, second, first, same_shape)]

    def add(left, right):
        return torch.stack([add(left, right) for add in adders]).view(2, 2)

    assert [(mask.tolist(), tree) for mask, tree in reveal(add, 6, torch.float32)] == [
        ([[True, False], [True, False]], first),
        ([[False, True], [False, False]], second),
        ([[False, False], [False, True]], same_shape),
    ]


NO_TREE = r"^The order is not revealed: the sums are not those of additions in a tree\.$"


@pytest.mark.parametrize(
    ("add", "reason"),
    [
        (lambda left, right: torch.tensor(math.fsum((left * right).tolist())), NO_TREE),
        (lambda left, right: left.max(), NO_TREE),
        (lambda left, right: left.sum() * 0.3, NO_TREE),
        (lambda left, right: (2.0**40 * left).cumsum(0)[-1], "overflowed"),
    ],
    ids=["exact", "largest", "scaled", "overflow"],
)
def test_what_does_not_add_in_a_tree_is_refused(add, reason):
    with pytest.raises(Unrevealed, match=reason):
        reveal(add, 9, torch.float32)


TOO_LONG = "^The order of {} terms is not revealed: that would take too much time"


@pytest.mark.parametrize(("terms", "results", "calls"), [(300, 1, 2**14), (200, 2**12, 2**12)])
def test_an_order_that_takes_too_long_to_find_is_refused(terms, results, calls):
    """From right to left, every term is held against every other one; from left to right, against
    only one."""
    add = Counted(lambda left, right: (left * right).cumsum(0)[-1].expand(results))
    assert revealed(add, terms, "float32").sums == Tree.of(terms, chain(terms)).sums
    assert add.calls < 3 * terms
    add.calls = 0
    with pytest.raises(Unrevealed, match=TOO_LONG.format(terms)):
        reveal(lambda left, right: add(left.flip(0), right.flip(0)), terms, torch.float32)
    assert calls / 2 < add.calls < calls < terms * (terms - 1) / 2


def test_too_many_terms_are_refused_before_the_first_sum():
    add = Counted(lambda left, right: torch.zeros(()))
    with pytest.raises(Unrevealed, match=TOO_LONG.format("10,000")):
        reveal(add, 10_000, torch.float32)
    assert add.calls == 1


def test_one_term_is_a_tree_without_sums():
    assert revealed(lambda left, right: left[0] * right[0], 1, "float32") == Tree(1, (), ())

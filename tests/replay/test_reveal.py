"""Orders known by construction are found again; what does not add in a tree is refused."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.replay.reveal import Unrevealed, reveal
from lib.replay.trees import Tree
from tests.cases import every_dtype
from tests.replay.known_trees import adder, chain, trees


def revealed(add, terms, dtype, values=0):
    ((mask, tree),) = reveal(add, terms, getattr(torch, dtype), values)
    assert mask.all()
    return tree


@every_dtype
@settings(max_examples=20)
@given(data=st.data())
def test_any_tree_is_found_again(dtype, data):
    tree = data.draw(trees(dtype))
    assert revealed(adder(tree, dtype), tree.terms, dtype, tree.values) == tree


def test_bfloat16_counts_more_terms_than_it_has_digits():
    def add(left, right):
        return (left.float() * right.float()).cumsum(0)[-1].to(left.dtype)

    assert revealed(add, 600, "bfloat16").sums == Tree.of(600, chain(600)).sums


@pytest.mark.parametrize(
    "add, reason",
    [
        (
            lambda left, right: torch.tensor(math.fsum((left * right).tolist())),
            "two numbers at a time",
        ),
        (lambda left, right: left.max(), "two numbers at a time"),
        (
            lambda left, right: (left[:, None] * torch.tensor([1, 2.0**40])).cumsum(0)[-1],
            "overflowed",
        ),
    ],
)
def test_what_does_not_add_in_a_tree_is_refused(add, reason):
    with pytest.raises(Unrevealed, match=reason):
        reveal(add, 9, torch.float32)


@pytest.mark.parametrize("terms, results, most", [(200, 52_376, 401), (10_000, 1, 1)])
def test_an_order_that_takes_too_long_is_refused(terms, results, most):
    """From right to left, every term is compared with every other one; from left to right, with
    only one."""
    calls = []

    def add(left, right):
        calls.append(None)
        return (left * right).cumsum(0)[-1].expand(results)

    if most > 1:
        assert revealed(add, terms, "float32").sums == Tree.of(terms, chain(terms)).sums
        assert len(calls) < 3 * terms
    calls.clear()
    with pytest.raises(Unrevealed, match=f"{terms:,} terms .* too much time"):
        reveal(lambda left, right: add(left.flip(0), right), terms, torch.float32)
    assert len(calls) == most

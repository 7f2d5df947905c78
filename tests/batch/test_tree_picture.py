"""A sum in two orders as a picture, against the trees themselves and the exact sum."""

import re
from fractions import Fraction
from itertools import pairwise
from math import ulp

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.batch.tree_picture import MOST_LEAVES, tree_pictures
from lib.replay.steps import TreeSum
from lib.replay.trees import Tree
from tests.replay.known_trees import chain, trees
from tests.sentences import read

NUMBERS = st.sampled_from([0.0, 0.1, -0.3, 0.5, 1.25, -7.0, 1e-3])


def below(of: list[list[int]], leaves: list[str]) -> list[frozenset[str]]:
    """Return the names of the terms below each node. `of` has its addends, none for a leaf."""
    names: list[frozenset[str]] = []
    waiting = iter(leaves)
    for addends in of:
        parts = [names[k] for k in addends] or [frozenset({next(waiting)})]
        names.append(frozenset().union(*parts))
    return names


def roundings(picture: dict) -> list[float]:
    """Return the rounding of each step in ulps, as its text says; it has three digits or more."""
    texts = [re.search("rounded by (.*) ulps$|exact$", step["text"]) for step in picture["steps"]]
    return [read(text[1].lstrip("+")) if text[1] else 0.0 for text in texts]


@st.composite
def orders(draw: st.DrawFn) -> tuple[TreeSum, TreeSum]:
    first = draw(trees("float32"))
    second = draw(trees("float32", like=first))
    count = first.terms
    products = count - first.values
    factors = torch.tensor(draw(st.lists(NUMBERS, min_size=count, max_size=count))).tolist()
    terms = [(f"w·h{k}", factors[k], 0.25 + k) for k in range(products)]
    terms += [(f"bias{k}", None, factors[k]) for k in range(products, count)]
    return tuple(TreeSum.of(tree, terms, torch.float32) for tree in (first, second))


@settings(max_examples=40, deadline=None)
@given(orders())
def test_each_join_is_a_sum_of_the_order_and_no_brackets_overlap(both):
    pictures = tree_pictures(both, "float32")
    for picture, order in zip(pictures, both, strict=True):
        nodes = picture["nodes"]
        leaves = [node["name"] for node in nodes if not node["of"]]
        drawn = below([node["of"] for node in nodes], leaves)
        addends = [[]] * order.tree.terms + list(order.tree.sums)
        assert set(drawn) == set(below(addends, order.names)) and len(leaves) == len(order.names)
        spans: dict[float, list[tuple[float, float]]] = {}
        for node in nodes:
            places = [nodes[k]["x"] for k in node["of"]] or [node["x"]]
            assert all(node["y"] > nodes[k]["y"] for k in node["of"])
            spans.setdefault(node["y"], []).append((min(places), max(places)))
        for level in spans.values():
            level.sort()
            assert all(left[1] < right[0] for left, right in pairwise(level))


@pytest.mark.parametrize("terms", [MOST_LEAVES, 300])
def test_of_a_large_sum_few_leaves_are_drawn_and_no_term_is_lost(terms):
    made = [(f"w·h{k}", 0.1 + k % 7, 0.3 + k) for k in range(terms)]
    halves = [(2 * k, 2 * k + 1) for k in range(terms - 1)]
    both = tuple(
        TreeSum.of(Tree.of(terms, sums, ()), made, torch.float64) for sums in (chain(terms), halves)
    )
    exact = sum(Fraction(w) * Fraction(h) for _, w, h in made)
    for picture, order in zip(tree_pictures(both, "float64"), both, strict=True):
        leaves = [node["name"] for node in picture["nodes"] if not node["of"]]
        counts = [int(name.split()[0]) if name.endswith(" terms") else 1 for name in leaves]
        assert sum(counts) == terms and 2 <= len(leaves) <= MOST_LEAVES
        assert (max(counts) > 1) == (terms > MOST_LEAVES)
        apart = (Fraction(order.result) - exact) / Fraction(ulp(float(exact)))
        assert sum(roundings(picture)) == pytest.approx(float(apart), abs=0.01 * terms)


def test_products_sums_and_the_last_rounding_are_told():
    terms = [("a", None, 1.0), ("b", None, 2.0**-24 * 1.5), ("c", None, 1.0)]
    trees = [Tree.of(3, sums, (), 3) for sums in ([(0, 1), (3, 2)], [(0, 2), (1, 3)])]
    first, second = tree_pictures(
        [TreeSum.of(tree, terms, torch.float32) for tree in trees], "float32"
    )
    assert [(step["node"], step["text"]) for step in first["steps"]] == [
        (2, "2 terms: a (1.000) + b (9e−08) = 1.00000012, rounded by +0.12 ulps"),
        (4, "3 terms: a sum of 2 (1.000) + c (1.000) = 2.00000000, rounded by −0.50 ulps"),
    ]
    assert second["steps"][0]["text"] == "2 terms: a (1.000) + c (1.000) = 2.00000000, exact"
    assert [node["shared"] for node in first["nodes"]] == [True, True, False, True, True]
    terms = [("w·h", 1 + 2.0**-12, 1 + 2.0**-12), ("bias", None, 1.0)]
    order = TreeSum.of(Tree.of(2, chain(2), (), 1), terms, torch.float32)
    steps = tree_pictures((order, order), "float32")[0]["steps"]
    assert steps[0] == {"node": None, "text": "All products, rounded by −0.25 ulps"}
    terms = [("a", None, 1.0), ("b", None, 2.0**-7), ("c", None, 2.0**-9)]
    order = TreeSum.of(Tree.of(3, chain(3), (), 3), terms, torch.bfloat16)
    last = tree_pictures((order, order), "bfloat16")[0]["steps"][-1]
    assert last == {"node": None, "text": "The sum as bfloat16, 1.008, rounded by −0.25 ulps"}

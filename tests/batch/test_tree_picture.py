"""A sum in two orders as a picture, against the trees themselves and the exact sum."""

import re
from fractions import Fraction
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.batch.tree_picture import tree_pictures
from lib.replay.steps import TreeSum
from lib.replay.trees import Tree
from tests.oracles import ulp_exponent
from tests.replay.known_trees import chain, trees
from tests.sentences import read

NUMBERS = st.sampled_from([0.0, 0.1, -0.3, 0.5, 1.25, -7.0, 1e-3])


def below(of, leaves):
    """Return the names of the terms below each node. `of` has its addends, none for a leaf."""
    names = []
    waiting = iter(leaves)
    for addends in of:
        parts = [names[k] for k in addends] or [frozenset({next(waiting)})]
        names.append(frozenset().union(*parts))
    return names


def add_up(picture, order, exact, dtype):
    """Whether the roundings of the steps, which have three digits, lead from exact to result."""
    texts = [re.search("rounded by (.*) ulps$|exact$", step["text"]) for step in picture["steps"]]
    ulps = [read(text[1].lstrip("+")) if text[1] else 0.0 for text in texts]
    ulp = Fraction(2) ** ulp_exponent(exact or Fraction(2) ** -9999, dtype)
    off = float((Fraction(order.result) - exact) / ulp) - sum(ulps)
    return abs(off) <= 0.005 * (len(ulps) + sum(map(abs, ulps)))


@st.composite
def orders(draw):
    """Return a dtype, two orders of the same terms, and the exact sum."""
    dtype = draw(st.sampled_from(["float32", "bfloat16"]))
    first = draw(trees(dtype))
    second = draw(trees(dtype, like=first))
    count = first.terms
    products = count - first.values
    number = getattr(torch, dtype)
    factors = draw(st.lists(NUMBERS, min_size=count, max_size=count))
    factors = torch.tensor(factors).to(number).tolist()
    terms = [(f"w·h{k}", factors[k], 0.3125 + k) for k in range(products)]
    terms += [(f"bias{k}", None, factors[k]) for k in range(products, count)]
    exact = sum(Fraction(1 if w is None else w) * Fraction(h) for _, w, h in terms)
    return dtype, tuple(TreeSum.of(tree, terms, number) for tree in (first, second)), exact


@settings(max_examples=60)
@given(orders())
def test_each_join_and_each_step_is_a_sum_of_the_order(drawn):
    """And no brackets overlap."""
    dtype, both, exact = drawn
    values = []
    for order in both:
        addends = [[]] * order.tree.terms + list(order.tree.sums)
        values.append(dict(zip(below(addends, order.names), order.values, strict=True)))
    pictures = tree_pictures(both, dtype)
    for picture, order, own, other in zip(pictures, both, values, reversed(values), strict=True):
        nodes = picture["nodes"]
        leaves = [node["name"] for node in nodes if not node["of"]]
        terms = below([node["of"] for node in nodes], leaves)
        assert set(terms) == set(own) and len(leaves) == len(order.names)
        assert [node["shared"] for node in nodes] == [other.get(t) == own[t] for t in terms]
        spans = {}
        for node in nodes:
            places = [nodes[k]["x"] for k in node["of"]] or [node["x"]]
            assert all(node["y"] > nodes[k]["y"] for k in node["of"])
            spans.setdefault(node["y"], []).append((min(places), max(places)))
        for level in spans.values():
            level.sort()
            assert all(left[1] < right[0] for left, right in pairwise(level))
        steps = [step for step in picture["steps"] if step["node"] is not None]
        assert [step["node"] for step in steps] == [k for k, n in enumerate(nodes) if n["of"]]
        for step in steps:
            value = read(re.search(" = (\\S+), ", step["text"])[1])
            assert torch.tensor(value).item() == own[terms[step["node"]]]
        assert add_up(picture, order, exact, dtype)


@pytest.mark.parametrize("terms", [48, 300])
def test_of_a_large_sum_few_leaves_are_drawn(terms):
    """And no term is lost."""
    made = [(f"w·h{k}", 0.1 + k % 7, 0.3 + k) for k in range(terms)]
    halves = [(2 * k, 2 * k + 1) for k in range(terms - 1)]
    both = tuple(
        TreeSum.of(Tree.of(terms, sums, ()), made, torch.float64) for sums in (chain(terms), halves)
    )
    exact = sum(Fraction(w) * Fraction(h) for _, w, h in made)
    for picture, order in zip(tree_pictures(both, "float64"), both, strict=True):
        leaves = [node["name"] for node in picture["nodes"] if not node["of"]]
        counts = [int(name.split()[0]) if name.endswith(" terms") else 1 for name in leaves]
        assert sum(counts) == terms and 2 <= len(leaves) <= 48
        assert (max(counts) > 1) == (terms > 48)
        assert add_up(picture, order, exact, "float64")

"""A sum in two orders as a picture, against the trees themselves and the exact sum."""

from fractions import Fraction
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.batch.tree_picture import MOST_LEAVES, tree_pictures
from lib.replay.steps import Term, TreeSum
from lib.replay.trees import Tree
from tests.replay.known_trees import chain, trees

NUMBERS = st.sampled_from([0.0, 0.1, -0.3, 0.5, 1.25, -7.0, 1e-3])


def terms_of(factors: list[float], values: int) -> list[Term]:
    products = [
        (f"w·h{k}", factor, 0.3 + k) for k, factor in enumerate(factors[: len(factors) - values])
    ]
    return products + [("bias", None, factor) for factor in factors[len(factors) - values :]]


def under(tree: Tree, node: int) -> frozenset[int]:
    if node < tree.terms:
        return frozenset({node})
    return frozenset().union(*(under(tree, addend) for addend in tree.sums[node - tree.terms]))


def drawn(picture: dict) -> list[frozenset[str]]:
    """The names of the terms below each node of a picture."""
    below: list[frozenset[str]] = []
    for node in picture["nodes"]:
        below.append(
            frozenset({node["name"]})
            if not node["of"]
            else frozenset().union(*(below[k] for k in node["of"]))
        )
    return below


@st.composite
def orders(draw: st.DrawFn) -> tuple[TreeSum, TreeSum]:
    one = draw(trees("float32"))
    other = draw(trees("float32", like=one))
    terms = terms_of(draw(st.lists(NUMBERS, min_size=one.terms, max_size=one.terms)), one.values)
    dtype = draw(st.sampled_from([torch.float32, torch.float64]))
    rounded = [(name, w, torch.tensor(h, dtype=dtype).item()) for name, w, h in terms]
    rounded = [(name, w and torch.tensor(w, dtype=dtype).item(), h) for name, w, h in rounded]
    return TreeSum.of(one, rounded, dtype), TreeSum.of(other, rounded, dtype)


@settings(max_examples=40, deadline=None)
@given(orders())
def test_each_join_is_a_sum_of_the_order_without_the_terms_that_are_zero(both):
    zero = {k for k in range(both[0].tree.terms) if not any(order.values[k] for order in both)}
    kept = [name for k, name in enumerate(both[0].names) if k not in zero] or [both[0].names[0]]
    pictures = tree_pictures(both, "float64", float)
    for picture, order in zip(pictures, both, strict=True):
        sets = drawn(picture)
        sums = range(order.tree.terms, order.tree.terms + len(order.tree.sums))
        wanted = {
            frozenset(order.names[k] for k in under(order.tree, node) - zero) for node in sums
        }
        assert {one for one in sets if len(one) > 1} == {one for one in wanted if len(one) > 1}
        assert sorted(node["name"] for node in picture["nodes"] if not node["of"]) == sorted(kept)
        assert all(
            node["y"] > picture["nodes"][k]["y"] for node in picture["nodes"] for k in node["of"]
        )
        spans: dict[float, list[tuple[float, float]]] = {}
        for node in picture["nodes"]:
            below = [picture["nodes"][k]["x"] for k in node["of"]]
            spans.setdefault(node["y"], []).append(
                (min(below, default=node["x"]), max(below, default=node["x"]))
            )
        for level in spans.values():
            level.sort()
            assert all(left[1] < right[0] for left, right in pairwise(level)), (
                "brackets of one height overlap"
            )
    keys = [
        dict(zip((node["key"] for node in one["nodes"]), drawn(one), strict=True))
        for one in pictures
    ]
    assert all(keys[0][key] == keys[1][key] for key in keys[0].keys() & keys[1].keys())
    assert {*keys[0].values()} & {*keys[1].values()} == {
        keys[0][key] for key in keys[0].keys() & keys[1].keys()
    }


@settings(max_examples=40, deadline=None)
@given(orders())
def test_the_walk_goes_from_the_exact_sum_to_the_result_by_the_roundings_of_the_joins(both):
    for picture, order in zip(
        tree_pictures(both, "float64", lambda number: number), both, strict=True
    ):
        now = order.exact
        for step in picture["steps"]:
            assert step["from"] == now
            now = step["to"]
            assert step["told"].endswith(", exact") == (step["from"] == step["to"])
            assert (": " in step["told"]) == (step["node"] is not None)
        assert now == Fraction(order.result)
        joins = [step["to"] - step["from"] for step in picture["steps"] if step["node"] is not None]
        assert sum(joins) == sum(order.roundings)
        assert picture["steps"] or order.exact == order.result


def halves(terms: int) -> Tree:
    open_, sums = list(range(terms)), []
    while len(open_) > 1:
        sums.append((open_.pop(0), open_.pop(0)))
        open_.append(terms + len(sums) - 1)
    return Tree.of(terms, sums, ())


@pytest.mark.parametrize("terms", [MOST_LEAVES + 1, 700])
def test_of_a_large_sum_few_leaves_are_drawn_and_no_term_and_no_rounding_is_lost(terms):
    made = terms_of([0.1 + k % 7 for k in range(terms)], 0)
    both = (
        TreeSum.of(Tree.of(terms, chain(terms), ()), made, torch.float32),
        TreeSum.of(halves(terms), made, torch.float32),
    )
    for picture, order in zip(
        tree_pictures(both, "float32", lambda number: number), both, strict=True
    ):
        leaves = [node["name"] for node in picture["nodes"] if not node["of"]]
        assert 2 <= len(leaves) <= MOST_LEAVES
        assert (
            sum(int(name.split()[0]) if name.endswith(" terms") else 1 for name in leaves) == terms
        )
        assert picture["steps"][-1]["to"] == Fraction(order.result)


def test_the_same_sum_with_the_same_value_is_shared_and_each_rounding_is_told():
    terms = [("a", None, 1.0), ("b", None, 2.0**-24 * 1.5), ("c", None, 1.0), ("d", None, 0.0)]
    one, other = (
        Tree.of(4, [(0, 1), (4, 2), (5, 3)], (), 4),
        Tree.of(4, [(0, 2), (1, 4), (5, 3)], (), 4),
    )
    both = TreeSum.of(one, terms, torch.float32), TreeSum.of(other, terms, torch.float32)
    first, second = tree_pictures(both, "float32", lambda number: float(number * 2**23))
    assert (
        first["steps"][0]["told"]
        == "2 terms: a (1.000) + b (9e−08) = 1.00000012, rounded by +0.25 floats"
    )
    assert first["steps"][1]["told"].startswith("3 terms: a sum of 2 (1.000) + c (1.000) = 2.0000")
    assert first["steps"][1]["told"].endswith("rounded by −1.00 floats")
    assert [node["shared"] for node in first["nodes"] if node["of"]] == [
        False,
        both[0].result == both[1].result,
    ]
    assert len(second["nodes"]) == 5


def test_a_sum_of_16_bits_ends_with_its_last_rounding():
    made = terms_of([0.1, 0.7], 0)
    terms = [
        (name, *(torch.tensor(number).bfloat16().item() for number in factors))
        for name, *factors in made
    ]
    order = TreeSum.of(Tree.of(2, chain(2), ()), terms, torch.bfloat16)
    (picture, _) = tree_pictures((order, order), "bfloat16", lambda number: number)
    assert (
        picture["steps"][-1]["told"].startswith("The sum as bfloat16")
        and picture["steps"][-1]["node"] is None
    )
    assert picture["steps"][-1]["to"] == Fraction(order.result)
    assert tree_pictures((order, order), "bfloat16", None)[0]["steps"] == []

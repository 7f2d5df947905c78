"""The tree of a sum as a picture, against the tree itself."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.batch.tree_picture import MOST_LEAVES, tree_picture
from lib.batch.tree_sum import Term, TreeSum, along
from lib.replay.trees import Tree
from tests.batch.random_trees import trees


def terms_of(count: int, values: int = 0) -> list[Term]:
    products = [(f"w·h{k}", 0.1 * (k % 7), 0.3 + k) for k in range(count - values)]
    return products + [("bias", None, 0.25)] * values


def traced(tree: Tree) -> TreeSum:
    return along(tree, terms_of(tree.terms, tree.values), torch.float32)


def picture(tree: Tree, beside: Tree | None = None) -> dict:
    return tree_picture(traced(tree), "float32", beside and traced(beside))


def from_left(tree: Tree, node: int) -> list[int]:
    if node < tree.terms:
        return [node]
    return [leaf for addend in tree.sums[node - tree.terms] for leaf in from_left(tree, addend)]


def drawn(tree: Tree) -> list[int]:
    return from_left(tree, tree.terms + len(tree.sums) - 1)


@settings(max_examples=60)
@given(trees(most=20))
def test_the_leaves_are_the_terms_in_the_trees_order_and_every_sum_adds_its_addends(tree):
    shown, terms = picture(tree), terms_of(tree.terms, tree.values)
    order = drawn(tree)
    assert [leaf["name"] for leaf in shown["leaves"]] == [terms[leaf][0] for leaf in order]
    assert all(leaf["told"].startswith(f"{terms[k][0]} = ") for leaf, k in zip(shown["leaves"], order, strict=True))
    assert [leaf["zero"] for leaf in shown["leaves"]] == [terms[k][1] == 0 for k in order]
    assert [("fused" in leaf["told"]) for leaf in shown["leaves"]] == [k in tree.fused for k in order]
    assert not any(leaf["moved"] for leaf in shown["leaves"])
    numbers = {leaf: place for place, leaf in enumerate(order)}
    for k in range(len(tree.sums)):
        numbers[tree.terms + k] = tree.terms + k
    assert [sum_["of"] for sum_ in shown["sums"]] == [[numbers[addend] for addend in of] for of in tree.sums]
    for k, sum_ in enumerate(shown["sums"]):
        under = [shown["sums"][one - tree.terms]["y"] if one >= tree.terms else 0 for one in sum_["of"]]
        assert sum_["y"] > max(under)
        count = len(from_left(tree, tree.terms + k))
        assert sum_["told"].startswith(f"{count} terms: ")
    assert [sum_["y"] for sum_ in shown["sums"]][-1:] in ([1], [])


@settings(max_examples=60)
@given(st.integers(2, 12).flatmap(lambda terms: st.tuples(trees(terms, terms), trees(terms, terms))))
def test_a_term_is_moved_that_adds_something_in_another_place(both):
    one, other = (Tree.of(tree.terms, tree.sums, ()) for tree in both)
    shown = picture(one, other)
    terms_ = terms_of(one.terms)
    for leaf, here, there in zip(shown["leaves"], drawn(one), drawn(other), strict=True):
        assert leaf["moved"] == (here != there and terms_[here][1] != 0)


def chain(terms: int) -> Tree:
    return Tree.of(terms, [(0, 1), *((terms + k, k + 2) for k in range(terms - 2))], ())


def halves(terms: int) -> Tree:
    open_, sums = list(range(terms)), []
    while len(open_) > 1:
        sums.append((open_.pop(0), open_.pop(0)))
        open_.append(terms + len(sums) - 1)
    return Tree.of(terms, sums, ())


@pytest.mark.parametrize(
    "tree", [chain(200), halves(256), halves(257), chain(33), halves(33)], ids=lambda t: str(t.terms)
)
def test_of_a_large_tree_few_leaves_are_drawn_and_no_term_is_lost(tree):
    shown = picture(tree)
    leaves = shown["leaves"]
    assert 2 <= len(leaves) <= MOST_LEAVES < tree.terms
    counts = [int(leaf["name"].split()[0]) if leaf["name"].endswith(" terms") else 1 for leaf in leaves]
    assert sum(counts) == tree.terms and max(counts) > 1
    assert not any(leaf["moved"] for leaf in leaves)
    for sum_ in shown["sums"]:
        counts.append(sum(counts[one] for one in sum_["of"]))
        assert sum_["told"].startswith(f"{counts[-1]} terms: ")
    assert counts[-1] == tree.terms
    assert sorted(one for sum_ in shown["sums"] for one in sum_["of"]) == list(range(len(counts) - 1))
    assert shown["sums"][-1]["y"] == 1


def test_a_single_term_is_a_leaf_and_its_own_result():
    term = ("w·h₁", 0.5, 0.5)
    shown = tree_picture(along(Tree(1, ()), [term], torch.float32), "float32")
    assert [leaf["name"] for leaf in shown["leaves"]] == ["w·h₁"] and shown["sums"] == []
    assert float(shown["result"]) == 0.25


def test_what_is_told_of_a_sum_is_its_rounding():
    terms = [("a", None, 1.0), ("b", None, 2.0**-24 * 1.5), ("c", None, 1.0)]
    found = along(Tree.of(3, [(0, 1), (3, 2)], (), 3), terms, torch.float32)
    first, second = (sum_["told"] for sum_ in tree_picture(found, "float32")["sums"])
    assert first.startswith("2 terms: a (1.000) + b (9e−08) = ") and first.endswith(", rounded by +0.25 ulp")
    assert second.startswith("3 terms: ") and "a sum of 2 (1.000)" in second

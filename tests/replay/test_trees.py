"""Trees have one form and one text, and their operations add every term where the tree says."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.replay.known_trees import chain, trees


def test_a_tree_is_written_in_one_way_in_whichever_order_its_sums_are_given():
    first = Tree.of(5, [[0, 1], [3, 4], [2, 6], [5, 7]])
    assert first == Tree.of(5, [[4, 3], [5, 2], [1, 0], [6, 7]])
    assert first.sums == ((0, 1), (3, 4), (2, 6), (5, 7))


@pytest.mark.parametrize(
    ("tree", "label"),
    [
        (Tree(1, ()), "left to right"),
        (Tree.of(4, chain(4), ()), "left to right"),
        (Tree.of(4, chain(4), (1, 2, 3)), "left to right, fused"),
        (Tree.of(4, chain(4), (0, 2, 3)), "left to right, fused"),
        (Tree.of(4, chain(4), (1, 2), 1), "left to right, fused"),
        (Tree.of(4, chain(4), (2,)), "(((0 1) ·2) 3)"),
        (Tree.of(4, chain(4), (1, 2)), "(((0 ·1) ·2) 3)"),
        (Tree.of(3, [[1, 2], [0, 3]]), "(0 (1 2))"),
        (Tree(3, ((0, 1), (3, 2)), None, 0, (0,)), "(~(0 1) 2)"),
    ],
)
def test_an_order_from_left_to_right_has_a_label_and_any_other_is_written_out(tree, label):
    assert tree.label == label


@settings(max_examples=40)
@given(st.sampled_from(EVERY_DTYPE).flatmap(lambda dtype: trees(dtype, at_once=4)))
def test_the_brackets_of_the_text_hold_the_terms_of_each_sum(tree):
    table = str.maketrans({"·": "", "~": "", "(": "[", ")": "]", " ": ", "})
    brackets = []

    def leaves(node):
        if isinstance(node, int):
            return [node]
        inside = sorted(leaf for addend in node for leaf in leaves(addend))
        brackets.append(inside)
        return inside

    assert leaves(json.loads(str(tree).translate(table))) == [*range(tree.terms)]
    of_nodes = [[term] for term in range(tree.terms)]
    for addends in tree.sums:
        of_nodes.append(sorted(leaf for addend in addends for leaf in of_nodes[addend]))
    assert brackets == of_nodes[tree.terms :]
    assert tree.binary == all(len(addends) == 2 for addends in tree.sums)

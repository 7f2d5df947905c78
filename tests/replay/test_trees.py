"""A tree has one text, whose brackets hold the terms of each sum."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.replay.known_trees import chain, trees


@pytest.mark.parametrize(
    ("tree", "label"),
    [
        (Tree(1, ()), "left to right"),
        (Tree.of(4, chain(4), (0, 2, 3)), "left to right, fused"),
        (Tree.of(4, chain(4), (1, 2), 1), "left to right, fused"),
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
            return {node}
        brackets.append(set().union(*map(leaves, node)))
        return brackets[-1]

    leaves(json.loads(str(tree).translate(table)))
    terms = [{term} for term in range(tree.terms)]
    for addends in tree.sums:
        terms.append(set().union(*(terms[addend] for addend in addends)))
    assert brackets == terms[tree.terms :]

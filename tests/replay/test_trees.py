"""A tree has one text, however its sums were listed."""

import pytest

from lib.replay.trees import Tree
from tests.replay.known_trees import chain


@pytest.mark.parametrize(
    "tree, label",
    [
        (Tree(1, ()), "left to right"),
        (Tree.of(4, chain(4), (0, 2, 3)), "left to right, fused"),
        (Tree.of(4, chain(4), (1, 2), 1), "left to right, fused"),
        (Tree.of(4, chain(4), (1, 2)), "(((0 ·1) ·2) 3)"),
        (Tree.of(6, [[5, 3], [4, 1], [7, 2], [0, 8], [9, 6]], (3,)), "((0 ((1 4) 2)) (·3 5))"),
    ],
)
def test_an_order_has_a_label_or_is_written_out(tree, label):
    """From left to right it has a label."""
    assert tree.label == label

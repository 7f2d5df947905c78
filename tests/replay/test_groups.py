"""Entries are grouped by their order; an order that does not give the kernel's bits is no order."""

import pytest
import torch

from lib.replay.groups import groups_of
from lib.replay.kernels import forward
from lib.replay.reveal import Unrevealed
from lib.replay.steps import add_up
from lib.replay.trees import Tree
from tests.replay.known_trees import chain, in_parts

CHAIN = Tree.of(9, chain(9), ())


def test_rows_and_columns_that_share_an_order_are_a_group():
    one, other = CHAIN, Tree.of(9, in_parts(9, [[0, 4, 8], [1, 5], [2, 6], [3, 7]]), ())

    def product(vectors, matrix):
        result = add_up(one, vectors, matrix)
        result[::2, 1:] = add_up(other, vectors[::2], matrix[:, 1:])
        return result

    groups = groups_of(product, 5, 9, 3, torch.float32)
    assert [(group.rows, group.columns) for group in groups] == [
        ((0, 2, 4), (0,)),
        ((0, 2, 4), (1, 2)),
        ((1, 3), (0, 1, 2)),
    ]
    assert [group.tree for group in groups] == [one, other, one]


@pytest.mark.parametrize(
    ("product", "reason"),
    [
        (
            lambda v, m: add_up(CHAIN, v.double(), m.double()).float(),
            "The order revealed for 9 terms does not give PyTorch's own bits.",
        ),
        (
            lambda v, m: add_up(CHAIN, v.roll(1, 1), m),
            "The order revealed for 9 terms does not give PyTorch's own bits.",
        ),
        (lambda v, m: add_up(CHAIN, v, m) * 1.5, "The order is not revealed: "),
    ],
    ids=["wider", "other terms", "scaled"],
)
def test_an_order_is_never_guessed(product, reason):
    with pytest.raises(Unrevealed) as refused:
        groups_of(product, 2, 9, 3, torch.float32)
    assert str(refused.value).startswith(reason)


def test_too_much_work_is_refused():
    with pytest.raises(Unrevealed, match=r"^The order of 65,537 rows of 1 sums of 2 terms is not revealed: "):
        groups_of(forward(65537), 65537, 2, 1, torch.float32, values=1)
    with pytest.raises(Unrevealed, match=r"^The order of 8,192 rows of 256 sums of 257 terms is not revealed: "):
        groups_of(forward(8192), 8192, 257, 256, torch.float32)


def test_sums_of_several_terms_at_once_are_not_replayed():
    def product(vectors, matrix):
        """In float64, as long as the largest term leaves room for the others, as adders of several terms do."""
        terms = vectors.double()[:, :, None] * matrix.double()
        quantum = terms.abs().amax(1, keepdim=True) * 2.0**-30
        return torch.where(quantum > 0, (terms / quantum).trunc() * quantum, 0).sum(1).float()

    with pytest.raises(Unrevealed, match="more than two of 9 terms at once"):
        groups_of(product, 2, 9, 3, torch.float32)

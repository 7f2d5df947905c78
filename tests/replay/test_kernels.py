"""The revealed orders give PyTorch's bits on other numbers than those that revealed them."""

import pytest
import torch
from torch.nn.functional import linear

from lib.replay import kernels
from lib.replay.kernels import dot_order, groups_of, sum_order
from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, add_up
from lib.replay.reveal import Unrevealed
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.known_orders import known

SHAPES = [(1, 5), (2, 5), (10, 5), (7, 4), (9, 12), (17, 33), (12, 1), (64, 33), (3, 40)]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize(("terms", "columns"), SHAPES)
def test_the_order_that_was_found_gives_the_bits_of_pytorch_on_other_numbers(terms, columns, dtype):
    dtype = getattr(torch, dtype)
    generator = torch.Generator().manual_seed(100)
    vector, matrix = (torch.randn(shape, generator=generator).to(dtype) for shape in ((terms,), (terms, columns)))
    x = torch.zeros(columns, dtype=dtype, requires_grad=True)
    linear(x, matrix).backward(vector)
    order, of_sum = dot_order(terms, columns, dtype), sum_order(terms, columns, dtype)
    known(order and of_sum, f"the order of {terms} terms in {columns} columns is not known")
    assert torch.equal(add_up(order, vector[None], matrix)[0], x.grad)
    assert torch.equal(add_up(of_sum, torch.ones(1, terms, dtype=dtype), matrix)[0], matrix.sum(0))


def test_one_term_is_a_product_whatever_the_kernel():
    for dtype in EVERY_DTYPE:
        assert dot_order(1, 5, getattr(torch, dtype)) is not None


@pytest.mark.parametrize(
    ("order", "dtype"),
    [
        (order, dtype)
        for order in DOT_ORDERS
        for dtype in (("float64", "float32") if "fused" in order.name else EVERY_DTYPE)
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_named_order_of_a_dot_product_is_known_by_its_name(order, dtype):
    """Products of 16-bit floats are exact in float32: fused or not is the same there."""
    found = kernels._named(DOT_ORDERS, lambda v, m: add_up(order, v, m), 33, 5, getattr(torch, dtype))
    assert found is order


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", SUM_ORDERS, ids=lambda order: order.name)
def test_a_named_order_of_a_sum_is_known_by_its_name(order, dtype):
    found = kernels._named(SUM_ORDERS, lambda v, m: add_up(order, v, m), 23, 57, getattr(torch, dtype), values=23)
    assert found is order


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_an_order_without_a_name_is_revealed_column_by_column(dtype):
    def product(vectors, matrix):
        backwards = add_up(DOT_ORDERS[1], vectors.flip(1), matrix.flip(0)[:, :2])
        return torch.cat([backwards, add_up(DOT_ORDERS[0], vectors, matrix[:, 2:])], 1)

    dtype = getattr(torch, dtype)
    order = kernels._named(DOT_ORDERS, product, 17, 3, dtype)
    assert order.name == ("a tree of its own" if dtype.itemsize < 4 else "a tree of its own, partly fused")
    generator = torch.Generator().manual_seed(3)
    vectors, matrix = (torch.randn(shape, generator=generator).to(dtype) for shape in ((4, 17), (17, 3)))
    assert torch.equal(add_up(order, vectors, matrix), product(vectors, matrix))
    assert [columns for columns, _ in order.of(17, 3, dtype.itemsize)] == [slice(0, 2), slice(2, 3)]


def test_rows_and_columns_that_share_an_order_are_a_group():
    one, other = DOT_ORDERS[0], next(order for order in DOT_ORDERS if order.name == "4 accumulators")

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
    trees = [Tree.of_adds(9, order.of(9, 3, 4)[0][1]) for order in (one, other, one)]
    assert [group.tree for group in groups] == trees


@pytest.mark.parametrize(
    ("product", "reason"),
    [
        (
            lambda v, m: (v.double() @ m.double()).float(),
            "The order revealed for 9 terms does not give PyTorch's own bits.",
        ),
        (lambda v, m: v.roll(1, 1) @ m, "The order revealed for 9 terms does not give PyTorch's own bits."),
        (lambda v, m: v @ m * 1.5, "The order is not revealed: "),
    ],
    ids=["wider", "other terms", "scaled"],
)
def test_an_order_is_never_guessed(product, reason):
    with pytest.raises(Unrevealed) as refused:
        groups_of(product, 2, 9, 3, torch.float32)
    assert str(refused.value).startswith(reason)
    assert kernels._named(DOT_ORDERS, product, 9, 3, torch.float32) is None


def test_too_much_work_is_refused():
    with pytest.raises(Unrevealed, match=r"^The order of 8,192 rows of 256 sums of 257 terms is not revealed: "):
        groups_of(kernels.forward(8192), 8192, 257, 256, torch.float32)

"""The orders of rows give PyTorch's bits on other numbers than those that revealed them, and have their names."""

import gc
from weakref import ref

import pytest
import torch
from torch.nn.functional import linear

from lib.replay.groups import groups_of
from lib.replay.named import dot_order, named_order, row_orders, sum_order
from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, Order, add_up
from tests.cases import EVERY_DTYPE
from tests.known_orders import known

SHAPES = [(1, 5), (2, 5), (10, 5), (7, 4), (9, 12), (17, 33), (12, 1), (64, 33), (3, 40)]


def named(orders: tuple[Order, ...], product, terms: int, columns: int, dtype: str, values: int = 0) -> Order:
    groups = groups_of(product, 1, terms, columns, getattr(torch, dtype), values)
    return named_order(orders, groups, 0, getattr(torch, dtype))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize(("terms", "columns"), SHAPES)
def test_the_order_that_was_found_gives_the_bits_of_pytorch_on_other_numbers(terms, columns, dtype):
    dtype = getattr(torch, dtype)
    generator = torch.Generator().manual_seed(100)
    vector, matrix = (torch.randn(shape, generator=generator).to(dtype) for shape in ((terms,), (terms, columns)))
    x = torch.zeros(columns, dtype=dtype, requires_grad=True)
    linear(x, matrix).backward(vector)
    order, of_sum = dot_order((terms, columns), dtype), sum_order((terms, columns), dtype)
    known(order and of_sum, f"the order of {terms} terms in {columns} columns is not known")
    assert torch.equal(add_up(order, vector[None], matrix)[0], x.grad)
    assert torch.equal(add_up(of_sum, torch.ones(1, terms, dtype=dtype), matrix)[0], matrix.sum(0))


def test_one_term_is_a_product_whatever_the_kernel():
    for dtype in EVERY_DTYPE:
        assert dot_order((1, 5), getattr(torch, dtype)) is not None


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
    found = named(DOT_ORDERS, lambda v, m: add_up(order, v, m), 33, 5, dtype)
    assert found is order


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", SUM_ORDERS, ids=lambda order: order.name)
def test_a_named_order_of_a_sum_is_known_by_its_name(order, dtype):
    found = named(SUM_ORDERS, lambda v, m: add_up(order, v, m), 23, 57, dtype, values=23)
    assert found is order


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_an_order_without_a_name_is_revealed_column_by_column(dtype):
    def product(vectors, matrix):
        backwards = add_up(DOT_ORDERS[1], vectors.flip(1), matrix.flip(0)[:, :2])
        return torch.cat([backwards, add_up(DOT_ORDERS[0], vectors, matrix[:, 2:])], 1)

    order, dtype = named(DOT_ORDERS, product, 17, 3, dtype), getattr(torch, dtype)
    assert order.name == ("a tree of its own" if dtype.itemsize < 4 else "a tree of its own, partly fused")
    generator = torch.Generator().manual_seed(3)
    vectors, matrix = (torch.randn(shape, generator=generator).to(dtype) for shape in ((4, 17), (17, 3)))
    assert torch.equal(add_up(order, vectors, matrix), product(vectors, matrix))
    assert [columns for columns, _ in order.of(17, 3, dtype.itemsize)] == [slice(0, 2), slice(2, 3)]


@pytest.mark.parametrize("batch", [1, 2, 3, 16])
def test_each_sample_of_a_batch_has_the_bits_of_pytorch_in_its_own_order(batch):
    generator, dtype = torch.Generator().manual_seed(4), torch.float32
    matrix, vectors = torch.randn((20, 6), generator=generator), torch.randn((batch, 20), generator=generator)
    x = torch.zeros((batch, 6), requires_grad=True)
    linear(x, matrix).backward(vectors)
    for sample, vector in enumerate(vectors):
        order = dot_order((20, 6), dtype, batch=batch, sample=sample)
        known(order, "the order of 20 terms in 6 columns is not known")
        assert torch.equal(add_up(order, vector[None], matrix)[0], x.grad[sample])
        assert row_orders("rows", 3, (20, 6), dtype, batch=batch, sample=sample) == [order] * 3


def test_rows_with_the_same_trees_share_an_order_that_outlives_the_groups():
    def backwards(vectors, matrix):
        return add_up(DOT_ORDERS[0], vectors.flip(1), matrix.flip(0))

    groups = groups_of(backwards, 3, 9, 4, torch.float32)
    kept = [ref(group) for group in groups]
    one, other = (named_order(DOT_ORDERS, groups, row, torch.float32) for row in (0, 2))
    assert one is other and one.name == "a tree of its own"
    assert named_order(DOT_ORDERS, groups, 3, torch.float32) is None
    del groups
    gc.collect()
    assert kept and not any(group() for group in kept)


def test_what_is_not_revealed_has_no_order():
    assert dot_order((257, 256), torch.float32, batch=8192, sample=5) is None

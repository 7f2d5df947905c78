import pytest
import torch
from torch.nn.functional import linear

from lib.replay.kernels import _first_that_fits, dot_order, sum_order
from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, add_up
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
    [(order, dtype) for order in DOT_ORDERS for dtype in (("float64", "float32") if order.fused else EVERY_DTYPE)],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_probes_tell_each_order_of_a_dot_product_from_the_others(order, dtype):
    """Products of 16-bit floats are exact in float32: fused or not is the same there."""
    dtype = getattr(torch, dtype)
    found = _first_that_fits(DOT_ORDERS, 33, 5, dtype, lambda v, m: add_up(order, v[None], m)[0])
    assert found is order


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("order", SUM_ORDERS, ids=lambda order: order.name)
def test_the_probes_tell_each_order_of_a_sum_from_the_others(order, dtype):
    dtype = getattr(torch, dtype)
    found = _first_that_fits(SUM_ORDERS, 23, 57, dtype, lambda v, m: add_up(order, v[None], m)[0], ones=True)
    assert found is order


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_an_order_that_is_not_in_the_table_is_not_guessed(dtype):
    def backwards(vector, matrix):
        return add_up(DOT_ORDERS[0], vector.flip(0)[None], matrix.flip(0))[0]

    assert _first_that_fits(DOT_ORDERS, 17, 3, getattr(torch, dtype), backwards) is None

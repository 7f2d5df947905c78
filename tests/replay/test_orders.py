from collections import defaultdict
from functools import reduce

import pytest
import torch

from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, Order, add_up
from tests.cases import EVERY_DTYPE

ORDERS = [*DOT_ORDERS, *SUM_ORDERS[1:]]
SIZES = [*range(1, 20), 31, 32, 33, 48, 63, 64]


def written(adds) -> str:
    """The sum with its brackets: the terms are numbers."""
    held = defaultdict(str)
    for into, term, accumulator, _ in adds:
        added = str(term) if accumulator is None else held[accumulator]
        held[into] = f"({held[into]}+{added})" if held[into] else added
    return held[0]


def of(orders: tuple[Order, ...], name: str) -> Order:
    return next(order for order in orders if order.name == name)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)
@pytest.mark.parametrize("itemsize", [2, 4, 8])
def test_every_term_of_every_column_is_added_once(order, itemsize):
    for terms in SIZES:
        for columns in (1, 2, 5, 8, 33):
            covered = []
            for those, adds in order.of(terms, columns, itemsize):
                covered += range(columns)[those]
                held = defaultdict(list)
                for into, term, accumulator, _ in adds:
                    held[into] += [term] if accumulator is None else held[accumulator]
                assert sorted(held[0]) == list(range(terms)), (terms, columns)
            assert covered == list(range(columns))


@pytest.mark.parametrize(
    ("name", "terms", "itemsize", "sum_"),
    [
        ("left to right", 4, 4, "(((0+1)+2)+3)"),
        ("left to right, odd before even", 5, 4, "((((1+0)+3)+2)+4)"),
        ("4 accumulators", 3, 4, "((0+1)+2)"),
        ("4 accumulators", 9, 4, "(((((0+4)+8)+(1+5))+(2+6))+(3+7))"),
        ("4 accumulators", 6, 4, "(((((0+4)+5)+1)+2)+3)"),
        ("eight lanes", 11, 4, "((((((((((0+1)+2)+3)+4)+5)+6)+7)+8)+9)+10)"),
        ("eight lanes", 12, 4, "(((((((0+1)+2)+3)+4)+8)+(6+10))+((5+9)+(7+11)))"),
        ("eight lanes", 12, 2, "(((((((0+1)+2)+3)+4)+8)+(6+10))+((5+9)+(7+11)))"),
        ("eight lanes", 11, 8, "((((((0+1)+2)+4)+(6+8))+((3+5)+(7+9)))+10)"),
    ],
)
def test_a_dot_product_is_added_up_as_its_order_says(name, terms, itemsize, sum_):
    ((_, adds),) = of(DOT_ORDERS, name).of(terms, 5, itemsize)
    assert written(adds) == sum_


def test_the_cascade_adds_the_columns_left_over_in_four_accumulators():
    order = of(SUM_ORDERS, "cascade of 32-byte registers")
    assert [(those, written(adds)) for those, adds in order.of(5, 7, 4)] == [
        (slice(0, 4), "((((0+1)+2)+3)+4)"),
        (slice(4, 7), "((((0+4)+1)+2)+3)"),
    ]
    ((_, of_40), (rest, _)) = order.of(18, 40, 4)
    assert rest == slice(32, 40)
    block = "0"
    for term in range(1, 16):
        block = f"({block}+{term})"
    assert written(of_40) == f"((16+17)+{block})"


@pytest.mark.parametrize("count", [4, 8, 16])
@pytest.mark.parametrize("fused", [False, True])
def test_so_many_accumulators_are_added_at_last_as_the_name_says(count, fused):
    order = of(DOT_ORDERS, f"{count} accumulators{', fused' * fused}")
    ((_, adds),) = order.of(2 * count, 1, 4)
    sums = [f"({k}+{k + count})" for k in range(count)]
    assert written(adds) == reduce(lambda held, added: f"({held}+{added})", sums)
    assert all(add.fused == (fused and add.term is not None) for add in adds)


@pytest.mark.parametrize("register", [16, 32, 64])
@pytest.mark.parametrize("itemsize", [2, 4, 8])
def test_four_registers_of_columns_are_added_in_blocks(register, itemsize):
    """16-bit floats are added as float32; columns that fill no register come in fours."""
    group = 4 * (register // max(itemsize, 4))
    order = of(SUM_ORDERS, f"cascade of {register}-byte registers")
    assert [those for those, _ in order.of(5, 3 * group - 1, itemsize)] == [
        slice(0, 2 * group),
        slice(2 * group, 3 * group - 1),
    ]
    few = register // itemsize - 1
    assert few < 2 or [those for those, _ in order.of(5, few, itemsize)] == [
        slice(0, few // 4 * 4),
        slice(few // 4 * 4, few),
    ]


@pytest.mark.parametrize(
    ("terms", "itemsize", "sum_"),
    [
        (17, 8, "((16+((((0+8)+(2+10))+(4+12))+(6+14)))+((((1+9)+(3+11))+(5+13))+(7+15)))"),
        (9, 2, "((((8+(0+4))+(1+5))+(2+6))+(3+7))"),  # two registers for one load
    ],
)
def test_a_single_column_is_added_in_lanes_behind_the_terms_left_over(terms, itemsize, sum_):
    ((_, adds),) = of(SUM_ORDERS, "cascade of 16-byte registers").of(terms, 1, itemsize)
    assert written(adds) == sum_


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_small_whole_numbers_are_added_exactly_in_any_order(order, dtype):
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randint(-3, 4, shape, generator=generator) for shape in ((3, 21), (21, 9)))
    total = add_up(order, left.to(getattr(torch, dtype)), right.to(getattr(torch, dtype)))
    assert total.dtype == getattr(torch, dtype)
    assert torch.equal(total.long(), left @ right)


def test_a_sum_in_16_bits_is_rounded_once():
    ones = torch.ones(1, 258, dtype=torch.bfloat16)
    assert add_up(DOT_ORDERS[0], ones, ones.T).item() == 258  # bfloat16 itself would stop at 256


@pytest.mark.parametrize(("dtype", "bits"), [("float64", 53), ("float32", 24), ("bfloat16", 24), ("float16", 24)])
def test_sums_hold_the_bits_of_float64_or_else_of_float32(dtype, bits):
    """Of 1 and the last of so many bits nothing is lost before −1 is added, and 1 with half of that is 1."""
    for last, kept in ((bits - 1, True), (bits, False)):
        halves = [-(last // 2), last // 2 - last]  # of the exponent, as float16 has not that of the product
        left, right = (torch.tensor([[1, 2.0**half, 1]], dtype=getattr(torch, dtype)) for half in halves)
        right[0, 2] = -1
        assert add_up(DOT_ORDERS[0], left, right.T).item() == (2.0**-last if kept else 0)


def test_the_orders_are_tried_by_these_names():
    accumulators = [f"{count} accumulators{fused}" for count in (4, 8, 16) for fused in ("", ", fused")]
    assert [order.name for order in DOT_ORDERS] == [
        *("left to right", "left to right, fused", *accumulators),
        *("left to right, odd before even", "eight lanes"),
    ]
    cascades = [f"cascade of {register}-byte registers" for register in (32, 16, 64)]
    assert [order.name for order in SUM_ORDERS] == ["left to right", *cascades]


def test_eight_lanes_are_added_by_seven_additions():
    ((_, adds),) = of(DOT_ORDERS, "eight lanes").of(27, 1, 4)
    assert [add.term for add in adds if add.term is not None] == list(range(27))
    assert sum(add.term is None for add in adds) == 7

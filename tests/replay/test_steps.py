"""The steps of one sum on numbers that can be added in the head."""

from fractions import Fraction

import pytest
import torch

from lib.replay.orders import DOT_ORDERS, SUM_ORDERS, Order
from lib.replay.steps import ROUNDING, Step, add_up_in_steps
from tests.replay.test_orders import of

ULP = 2.0**-23
LEFT_TO_RIGHT, FUSED = of(DOT_ORDERS, "left to right"), of(DOT_ORDERS, "left to right, fused")
CASCADE = of(SUM_ORDERS, "cascade of 32-byte registers")


def steps(
    order: Order, terms: list[tuple[float | None, float]], dtype: str = "float32", columns: int = 1, column: int = 0
) -> tuple[Step, ...]:
    named = [(f"t{place}", *term) for place, term in enumerate(terms)]
    return add_up_in_steps(order, named, columns, column, getattr(torch, dtype))


def test_a_product_and_a_sum_are_each_rounded():
    """(1 + ulp)² is 1 + 2 ulp + ulp², of which the product loses ulp² = 2**-23 ulp; then 2**-25 is a quarter ulp."""
    first, second = steps(LEFT_TO_RIGHT, [(1 + ULP, 1 + ULP), (0.5, 2.0**-24)])
    assert first == Step("t0", 0, 1 + ULP, 1 + ULP, 1 + 2 * ULP, -ULP, 0.0, 1 + 2 * ULP, 1 + 2 * Fraction(ULP), 0.0, 0)
    exact = 1 + 2 * Fraction(ULP) + Fraction(1, 2**25)
    assert second == Step("t1", 0, 0.5, 2.0**-24, 2.0**-25, 0.0, 1 + 2 * ULP, 1 + 2 * ULP, exact, -0.25, 1)


def test_fused_the_sum_alone_is_rounded():
    """−(1 + 2 ulp) is added to (1 + ulp)²: what the product would have lost is all there is."""
    first, second = steps(FUSED, [(-1.0, 1 + 2 * ULP), (1 + ULP, 1 + ULP)])
    assert (first.after, first.error, first.product_error) == (-1 - 2 * ULP, 0.0, 0.0)
    sums = -1 - 2 * ULP, ULP**2, Fraction(ULP) ** 2, 0.0
    assert second == Step("t1", 0, 1 + ULP, 1 + ULP, (1 + ULP) ** 2, 0.0, *sums, 1)


def test_values_without_a_factor_are_added_as_they_are():
    first, second = steps(LEFT_TO_RIGHT, [(None, 1.0), (None, ULP / 2)])
    assert (first.left, first.right, first.product, first.product_error, first.after) == (None, None, None, 0.0, 1.0)
    assert second == Step("t1", 0, None, None, None, 0.0, 1.0, 1.0, 1 + Fraction(ULP) / 2, -0.5, 1)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_sixteen_bits_are_added_in_float32_and_rounded_at_the_end(dtype):
    eps = torch.finfo(getattr(torch, dtype)).eps
    *adds, last = steps(LEFT_TO_RIGHT, [(1.0, 1.0), (1.0, eps / 4)], dtype)
    assert [step.after for step in adds] == [1.0, 1 + eps / 4] and not any(step.error for step in adds)
    assert last == Step(ROUNDING, 0, None, None, None, 0.0, 1 + eps / 4, 1.0, 1 + Fraction(eps) / 4, -0.25, None)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_wider_sums_are_not_rounded_again(dtype):
    assert [step.label for step in steps(LEFT_TO_RIGHT, [(1.0, 1.0)] * 2, dtype)] == ["t0", "t1"]


def test_each_column_has_the_operations_of_its_own_slice():
    """Of 35 columns the first 32 are added from left to right, the others in four accumulators."""
    terms = [(None, float(2**k)) for k in range(5)]
    assert [step.after for step in steps(CASCADE, terms, columns=35, column=31)] == [1, 3, 7, 15, 31]
    last = steps(CASCADE, terms, columns=35, column=32)
    assert [step.term for step in last] == [0, 1, 2, 3, 4, None, None, None]
    assert [(step.label, step.accumulator, step.before, step.after) for step in last] == [
        ("t0", 0, 0, 1),
        ("t1", 1, 0, 2),
        ("t2", 2, 0, 4),
        ("t3", 3, 0, 8),
        ("t4", 0, 1, 17),
        ("accumulator 1", 0, 17, 19),
        ("accumulator 2", 0, 19, 23),
        ("accumulator 3", 0, 23, 31),
    ]

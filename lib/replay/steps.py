"""A sum in a given order, one operation at a time: the exact and the rounded result of each, and the error."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from lib.floats.fma import multiply_add
from lib.floats.line import spacing
from lib.replay.orders import Order, accumulates

ROUNDING = "rounded to 16 bits"
"""The label of the last step of a 16-bit sum, which rounds a float32 sum."""


@dataclass(frozen=True)
class Step:
    """One operation: it adds `left` times `right` (a weight and a δ) to `before`, and the result is `after`.

    A step that adds an accumulator or a row, or rounds the result to 16 bits, has no factors and no product. `exact` is
    what `after` would be without rounding; `error` and `product_error` are rounded − exact, in ulps of the rounded
    number. The product in a fused multiply-add is not rounded; `product` is then the nearest float64. `term` is the
    number of the unit or of the row that is added, None if an accumulator is added or the result is rounded.
    """

    label: str
    accumulator: int
    left: float | None
    right: float | None
    product: float | None
    product_error: float
    before: float
    after: float
    exact: Fraction
    error: float
    term: int | None


def dot_in_steps(weight: Tensor, column: int, vector: Tensor, names: Sequence[str], order: Order) -> tuple[Step, ...]:
    """Return the steps of Σ w·δ for one column of a linear layer's weight, in an order.

    `vector` holds the δ, and `names` the names of their units.
    """
    labels = (f"{name}: w·δ" for name in names)
    terms = list(zip(labels, weight[:, column].tolist(), vector.tolist(), strict=True))
    return add_up_in_steps(order, terms, weight.shape[1], column, weight.dtype)


def add_up_in_steps(
    order: Order, terms: Sequence[tuple[str, float | None, float]], columns: int, column: int, dtype: torch.dtype
) -> tuple[Step, ...]:
    """Return the steps of one column. A term is (label, weight, δ), or (label, None, value) if it is not a product."""
    number = accumulates(dtype)
    of_columns = order.of(len(terms), columns, dtype.itemsize)
    (adds,) = (adds for those, adds in of_columns if column in range(columns)[those])
    held: defaultdict[int, np.floating] = defaultdict(number)
    steps = []
    for add in adds:
        before = held[add.into]
        if add.term is None and add.accumulator is None:
            steps.append(_rounding(add.into, float(before), dtype))
            held[add.into] = number(steps[-1].after)
            continue
        label, left, right = (f"accumulator {add.accumulator}", None, None) if add.term is None else terms[add.term]
        product, product_error = None, 0.0
        if left is None:
            added = held[add.accumulator] if add.term is None else number(right)
            exact = Fraction(float(added))
            after, right = before + added, None
        else:
            w, d = number(left), number(right)
            exact = Fraction(left) * Fraction(right)
            after = number(multiply_add(np.asarray(d), np.asarray(w), np.asarray(before), add.fused))
            product = float(exact) if add.fused else float(d * w)
            product_error = 0.0 if add.fused else _error(product, exact, number)
        added_up = Fraction(float(before)) + (exact if add.fused or product is None else Fraction(product))
        held[add.into] = after
        error = _error(float(after), added_up, number)
        sums = float(before), float(after), added_up, error
        steps.append(Step(label, add.into, left, right, product, product_error, *sums, add.term))
    if dtype.itemsize < 4:
        steps.append(_rounding(0, float(held[0]), dtype))
    return tuple(steps)


def _rounding(accumulator: int, total: float, dtype: torch.dtype) -> Step:
    """The step that rounds a float32 sum to 16 bits."""
    rounded = torch.tensor(total, dtype=torch.float32).to(dtype)
    error = float((Fraction(rounded.item()) - Fraction(total)) / Fraction(float(spacing(rounded))))
    return Step(ROUNDING, accumulator, None, None, None, 0.0, total, rounded.item(), Fraction(total), error, None)


def _error(rounded: float, exact: Fraction, number: type[np.floating]) -> float:
    """Return rounded − exact, in ulps of the rounded number."""
    (a, b), (c, d) = rounded.as_integer_ratio(), exact.as_integer_ratio()
    off = a * d - c * b
    if not off:
        return 0.0
    ulp, parts = float(np.spacing(number(abs(rounded)))).as_integer_ratio()
    return off * parts / (b * d * ulp)  # whole numbers, which are many times as fast as fractions

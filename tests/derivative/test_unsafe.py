"""Unsafe and safe spellings, run as they are shown, against difference quotients in 200 digits."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isfinite

import mpmath
import pytest
from mpmath import mpf

from lib.derivative.tables import unsafe
from lib.derivative.unsafe import UNSAFE, gradient, gradients
from tests.oracles import as_fraction, rounded

every_row = pytest.mark.parametrize("key", UNSAFE)

MEANT: dict[str, Callable] = {
    "where": lambda x: mpmath.sin(x) / x if x else mpf(1),
    "acos": lambda x, y: mpmath.acos(x / mpmath.sqrt(x**2 + y**2)),
    "log": lambda p, q: -q * mpmath.log(q) - (p * mpmath.log(p) if p else 0),
    "log-softmax": lambda x, y: mpmath.log(mpmath.exp(y) / (mpmath.exp(x) + mpmath.exp(y))),
    "logsumexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "expm1": lambda x: mpmath.log(1 - mpmath.exp(-x)),
    "hypot": lambda x, y: mpmath.sqrt(x**2 + y**2),
    "relu": lambda x: max(x, mpf(0)) - max(-x, mpf(0)),
    "max": lambda x, y: max(x, y) + min(x, y),
}
"""The functions that are meant, as a textbook has them, where they have a derivative."""

WITHOUT = {"sqrt": {0}, "norm": {0, 1}, "normalize": {0, 1}, "log": {0}}
"""The components without one: a vertical tangent, a cone's tip, a jump, a vertical tangent."""


def quotient(f: Callable, x: list[mpf], i: int) -> float:
    """∂f/∂x_i by a central difference, rounded to float32."""
    step = mpf(10) ** -50 * max(abs(x[i]), 1)
    above, below = ([v + side * step * (i == j) for j, v in enumerate(x)] for side in (1, -1))
    slope = (f(*above) - f(*below)) / (2 * step)
    return rounded(as_fraction(slope) if abs(slope) > 1e-20 else Fraction(0), "float32")


@every_row
def test_what_is_right_is_the_derivative_of_the_function_that_is_meant(key):
    row = UNSAFE[key]
    missing = WITHOUT.get(key, ())
    with mpmath.workdps(200):
        x = [mpf(value) for value in row.x]
        exact = [None if i in missing else quotient(MEANT[key], x, i) for i in range(len(x))]
    assert row.right == tuple(exact)


@every_row
def test_the_unsafe_spelling_is_wrong_and_the_safe_one_right(key):
    """And both are the same function where neither fails."""
    row = UNSAFE[key]
    first, second = gradients(key)
    assert first != pytest.approx([0.0 if v is None else v for v in row.right], rel=8 * 2.0**-24)
    for computed, right in zip(second, row.right, strict=True):
        assert isfinite(computed) if right is None else computed == pytest.approx(right, 5e-7)
    away = replace(row, x=tuple(0.75 + 0.5 * i for i in range(len(row.x))))
    assert gradient(away, row.code) == pytest.approx(gradient(away, row.safe), rel=1e-5)


def test_the_table_has_what_pytorch_gives_beside_what_is_right():
    table = unsafe(UNSAFE["acos"], ((float("nan"), 2.0), (-0.5, 1.0)))
    assert table.columns.tolist() == ["spelling", "gradient in float32 at x = (1, 0.0001220703)"]
    expected = [("unsafe", "(nan, 2)"), ("instead", "(−0.5, 1)"), ("exact", "(−0.0001220703, 1)")]
    assert list(table.itertuples(index=False, name=None)) == expected

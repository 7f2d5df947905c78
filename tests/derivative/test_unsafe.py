"""Unsafe and safe spellings, run as they are shown, against difference quotients in 200 digits."""

from collections.abc import Callable
from fractions import Fraction
from math import isclose, isfinite, isnan

import mpmath
import pytest
from mpmath import mpf

from lib.derivative.unsafe import UNSAFE, gradient, gradients
from tests.oracles import as_fraction, rounded

every_row = pytest.mark.parametrize("key", UNSAFE)
STEP = mpf(10) ** -50

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


def quotient(f: Callable, x: list[mpf], i: int) -> mpf:
    """∂f/∂x_i by a central difference."""
    h = STEP * max(abs(x[i]), 1)
    above, below = ([v + side * h * (i == j) for j, v in enumerate(x)] for side in (1, -1))
    return (f(*above) - f(*below)) / (2 * h)


@every_row
def test_what_is_right_is_the_derivative_of_the_function_that_is_meant(key):
    row = UNSAFE[key]
    with mpmath.workdps(200):
        x = [mpf(v) for v in row.x]
        exact = [
            None if i in WITHOUT.get(key, ()) else quotient(MEANT[key], x, i) for i in range(len(x))
        ]
        fractions = [
            one if one is None else as_fraction(one) if abs(one) > 1e-20 else Fraction(0)
            for one in exact
        ]
    assert row.right == tuple(None if one is None else rounded(one, "float32") for one in fractions)


@every_row
def test_the_unsafe_spelling_gives_what_the_table_says_and_the_safe_one_what_is_right(key):
    row = UNSAFE[key]
    first, second = gradients(key)
    assert all(
        (isnan(a) and isnan(b)) or isclose(a, b, rel_tol=1e-4)
        for a, b in zip(first, row.gives, strict=True)
    )
    assert not all(a == b for a, b in zip(first, row.right, strict=True))
    for computed, right in zip(second, row.right, strict=True):
        assert (
            isfinite(computed)
            if right is None
            else computed == pytest.approx(right, rel=8 * 2.0**-24)
        )


@every_row
def test_both_spellings_are_the_same_function_where_neither_fails(key):
    """At some x on which no spelling stumbles, both have the same gradient, but for rounding."""
    row = UNSAFE[key]
    away = type(row)(**{**vars(row), "x": tuple(0.75 + 0.5 * i for i in range(len(row.x)))})
    assert gradient(away, row.code) == pytest.approx(gradient(away, row.safe), rel=1e-5)


@every_row
def test_a_row_fits_a_phone(key):
    assert (
        max(len(line) for line in [*UNSAFE[key].code.splitlines(), *UNSAFE[key].safe.splitlines()])
        <= 48
    )

"""Unsafe and safe spellings, run as they are shown, against the safe one in float64."""

from math import isfinite

import pytest
import torch

from lib.derivative.unsafe import UNSAFE, gradients

WITHOUT = {"sqrt": {0}, "norm": {0, 1}, "normalize": {0, 1}, "log": {0}}
"""The components without a derivative: a vertical tangent, a cone's tip, a jump, a vertical
tangent."""


def in_float64(x, code):
    leaf = torch.tensor(x if len(x) > 1 else x[0], dtype=torch.float64, requires_grad=True)
    names = {"torch": torch, "x": leaf}
    exec(code, names)
    names["y"].backward()
    return leaf.grad.ravel().tolist()


@pytest.mark.parametrize("key", UNSAFE)
def test_the_unsafe_spelling_is_wrong(key):
    """And the safe one is right. Both are the same function where neither fails."""
    row = UNSAFE[key]
    first, second = gradients(key)
    exact = torch.tensor(in_float64(row.x, row.safe)).tolist()
    missing = WITHOUT.get(key, ())
    assert row.exact == ["none" if i in missing else value for i, value in enumerate(exact)]
    for i, right in enumerate(exact):
        assert isfinite(second[i]) if i in missing else second[i] == pytest.approx(right, 5e-7)
    is_finite = all(map(isfinite, first))
    assert not is_finite or first != pytest.approx(exact, rel=8 * 2.0**-24)
    away = [0.75 + 0.5 * i for i in range(len(row.x))]
    assert in_float64(away, row.code) == pytest.approx(in_float64(away, row.safe), rel=1e-5)

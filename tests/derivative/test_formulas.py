"""The formulas are what their texts say, equal on paper, and not equal in floats in just the ways the posts found."""

import random
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import torch

from lib.derivative.formulas import COMPUTED, Function, autograd
from lib.derivative.reference import exists_at
from lib.experiment import functions
from lib.experiment.choices import X_FROM
from lib.experiment.query import Experiment
from lib.network.sampling import POINTS, points
from tests import oracles
from tests.cases import EVERY_DTYPE

every_function = pytest.mark.parametrize("function", COMPUTED)
every_dtype = pytest.mark.parametrize("dtype", EVERY_DTYPE)


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """±0 told apart, and NaN equal to NaN."""
    return a.dtype == b.dtype and torch.equal(
        a.nan_to_num(7.0, 8.0, 9.0), b.nan_to_num(7.0, 8.0, 9.0)
    )


@pytest.mark.parametrize(
    ("field", "text", "why"),
    [
        ("call", "torch.load(x)", "'torch.load' at character 1 is not a function"),
        ("formulas", ("1/x", "1/t"), "'t' at character 3 is not on the list"),
        ("where", "t = tanh(y)", "'y' at character 6 is not on the list"),
        ("exists", "x is not None", "'x is not None' at character 1 is not on the list"),
        ("exact", "x != 0", "Arb's power series has no ne"),
        ("exact", "1/", "Python reads no expression there"),
        ("terms", ("1", ""), "Python reads no expression there"),
    ],
)
def test_a_row_that_cannot_be_read_is_an_error_with_its_name(field, text, why):
    row = replace(functions.FUNCTIONS["reciprocal"], **{field: text})
    with pytest.raises(ValueError, match=f"the function unread: .*{why}"):
        Function.of("unread", row)


@every_function
def test_the_formulas_are_equal_on_paper(function):
    """In float64 at moderate x, every one is the derivative but for rounding."""
    row = COMPUTED[function]
    x = [random.Random(4).uniform(-4, 4) for _ in range(200)]
    x = [v for v in x if exists_at(function, np.array(v))]
    exact = [float(oracles.DERIVATIVES[function](mpmath.mpf(v))) for v in x]
    at = torch.tensor(x, dtype=torch.float64)
    for values in [autograd(row.f, at), *(formula(at) for formula in row.formulas.values())]:
        np.testing.assert_allclose(values.numpy(), exact, rtol=1e-12, atol=1e-14)


@every_function
@every_dtype
@pytest.mark.parametrize("x_from", ["normal", "log-uniform"])
def test_a_value_does_not_depend_on_its_position_in_a_block(function, dtype, x_from):
    row = COMPUTED[function]
    x = points(Experiment(dtype=dtype, x_from=x_from), 3)
    order = torch.randperm(POINTS, generator=torch.Generator().manual_seed(1))
    for compute in (row.f, lambda x: autograd(row.f, x), *row.formulas.values()):
        assert same_bits(compute(x)[order], compute(x[order]))


@every_dtype
def test_autograd_uses_the_formula_that_the_table_says(dtype):
    """Where a kernel does nothing but what is written. x are whole blocks: scalar code may have other last bits."""
    for x_from in X_FROM:
        x = torch.cat(
            [points(Experiment(dtype=dtype, x_from=x_from), number) for number in range(4)]
        )
        y = {name: row.f(x) for name, row in COMPUTED.items()}
        expected = {
            "reciprocal": -(1 / x) * (1 / x),  # the post's finding
            "ones-over-x": -(1 / x) / x,
            "sqrt": 1 / (2 * y["sqrt"]),
            "exp": y["exp"],
            "log": 1 / x,
            "abs": torch.sign(x),
            "relu": (y["relu"] > 0).to(x.dtype),
            "square": 2 * x,
        }
        if dtype != "bfloat16":  # there the kernel computes in float32 and rounds once
            expected["sigmoid"] = (1 - y["sigmoid"]) * y["sigmoid"]
        for name, values in expected.items():
            assert same_bits(autograd(COMPUTED[name].f, x), values), name


def test_softplus_is_cut_off_at_20_in_float64_too():
    """Beyond 20 PyTorch's derivative is 1, though in float64 the true one is 2e-9 less: 18 million ulp."""
    x = torch.full((POINTS,), 20.0 + 2**-40, dtype=torch.float64)
    assert autograd(COMPUTED["softplus"].f, x)[0] == 1
    assert 1 - float(oracles.DERIVATIVES["softplus"](mpmath.mpf(20))) == pytest.approx(
        2.06e-9, rel=1e-2
    )

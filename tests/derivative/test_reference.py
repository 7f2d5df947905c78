"""The formulas are equal on paper, not in floats; their reference is that of ball arithmetic."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch

from lib.derivative.certified import certify
from lib.derivative.formulas import autograd, derivatives_at, parsed
from lib.derivative.reference import reference
from lib.experiment.choices import X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.network.sampling import points
from tests.cases import every_dtype
from tests.oracles import DERIVATIVES, exact_derivative

every_function = pytest.mark.parametrize("function", FUNCTIONS)


@every_function
def test_the_formulas_are_equal_on_paper(function):
    """In float64 at moderate x, every one is the derivative but for rounding."""
    x = torch.linspace(-4, 4, 200, dtype=torch.float64)
    x = x[parsed(function).exists(x).bool()]
    exact = [float(DERIVATIVES[function](mpmath.mpf(value))) for value in x.tolist()]
    for values in derivatives_at(function, x).values():
        np.testing.assert_allclose(values.numpy(), exact, rtol=1e-12, atol=1e-14)


@every_function
@every_dtype
def test_a_value_is_the_same_anywhere_in_a_block(function, dtype):
    x = points(Experiment(dtype=dtype, x_from="log-uniform"), 3)
    order = torch.randperm(2**15, generator=torch.Generator().manual_seed(1))
    shuffled = derivatives_at(function, x[order])
    for name, values in derivatives_at(function, x).items():
        torch.testing.assert_close(values[order], shuffled[name], rtol=0, atol=0, equal_nan=True)


@every_dtype
def test_autograd_uses_the_formula_that_the_table_says(dtype):
    """Where the kernel does nothing but what is written; a comma leads to more words."""
    for x_from in X_FROM:
        x = points(Experiment(dtype=dtype, x_from=x_from), 0)[:4096]
        for name, row in FUNCTIONS.items():
            # In bfloat16 the kernel of sigmoid computes in float32 and rounds once.
            if "," in row.autograd or (name, dtype) == ("sigmoid", "bfloat16"):
                continue
            f = parsed(name).f
            expected = eval(row.autograd, {"sign": torch.sign, "x": x, "y": f(x)})
            torch.testing.assert_close(autograd(f, x), expected, rtol=0, atol=0, equal_nan=True)


def finite_numbers(dtype):
    """Every 97th number of a 16-bit dtype; of float32, random ones from everywhere."""
    if dtype == "float32":
        experiments = [Experiment(x_from=x_from) for x_from in X_FROM]
        return torch.cat([points(experiment, 1)[:250] for experiment in experiments])
    x = torch.arange(-(2**15), 2**15, 97, dtype=torch.int32).to(torch.int16)
    x = x.view(getattr(torch, dtype))
    return x[x.isfinite()]


@every_function
def test_the_float64_reference_is_within_its_bound(function):
    """It uses less than a tenth of the bound."""
    row = parsed(function)
    x = torch.cat([points(Experiment(x_from=x_from), 0)[:150] for x_from in ("normal", "uniform")])
    x = x.double()
    x = x[row.exists(x).bool()]
    terms = [term(x) for term in row.terms]
    values = sum(terms).tolist()
    sizes = sum(term.abs() for term in terms).tolist()
    for at, value, size in zip(x.tolist(), values, sizes, strict=True):
        bound = Fraction(size) * Fraction(2) ** -44 + Fraction(2) ** -1000
        assert abs(Fraction(value) - exact_derivative(function, at)) < bound / 10


@every_function
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_fast_path_gives_what_ball_arithmetic_gives(function, dtype):
    x = finite_numbers(dtype)
    fast = reference(function, x)
    assert fast.certified < len(x) / 4
    for i in np.flatnonzero(fast.exists):
        assert certify(function, x[i].item(), x.dtype).nearest == fast.nearest[i]

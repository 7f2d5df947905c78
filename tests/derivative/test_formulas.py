"""The formulas are what their texts say, equal on paper, and not in floats."""

import random

import mpmath
import numpy as np
import pytest
import torch

from lib.derivative.formulas import autograd, derivatives_at, parsed
from lib.experiment.choices import X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.network.sampling import POINTS, points
from tests import oracles
from tests.cases import every_dtype

every_function = pytest.mark.parametrize("function", FUNCTIONS)


@every_function
def test_the_formulas_are_equal_on_paper(function):
    """In float64 at moderate x, every one is the derivative but for rounding."""
    x = torch.tensor([random.Random(4).uniform(-4, 4) for _ in range(200)], dtype=torch.float64)
    x = x[parsed(function).exists(x).bool()]
    exact = [float(oracles.DERIVATIVES[function](mpmath.mpf(value))) for value in x.tolist()]
    for values in derivatives_at(function, x).values():
        np.testing.assert_allclose(values.numpy(), exact, rtol=1e-12, atol=1e-14)


@every_function
@every_dtype
def test_a_value_does_not_depend_on_its_position_in_a_block(function, dtype):
    x = points(Experiment(dtype=dtype, x_from="log-uniform"), 3)
    order = torch.randperm(POINTS, generator=torch.Generator().manual_seed(1))
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

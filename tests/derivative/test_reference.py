"""The reference of many x: float64 against mpmath and against ball arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.derivative.certified import certify
from lib.derivative.formulas import parsed
from lib.derivative.reference import _UNDERFLOW, RELATIVE, reference
from lib.experiment.choices import X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.network.sampling import points
from tests.oracles import exact_derivative

every_function = pytest.mark.parametrize("function", FUNCTIONS)


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
        bound = Fraction(size) * Fraction(RELATIVE) + Fraction(_UNDERFLOW)
        assert abs(Fraction(value) - exact_derivative(function, at)) < bound / 10


@every_function
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_fast_path_gives_what_ball_arithmetic_gives(function, dtype):
    x = finite_numbers(dtype)
    fast = reference(function, x)
    assert fast.certified < len(x) / 4
    for i in np.flatnonzero(fast.exists):
        assert certify(function, x[i].item(), x.dtype).nearest == fast.nearest[i]

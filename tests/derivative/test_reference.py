"""The reference of many x: float64 against ball arithmetic, and errors in ulps against fractions."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.derivative.certified import _enclose, certify
from lib.derivative.formulas import COMPUTED, derivatives_at
from lib.derivative.reference import _UNDERFLOW, RELATIVE, exists_at, reference
from lib.experiment import functions
from lib.experiment.choices import X_FROM
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.sampling import points
from tests.oracles import floats_off

NARROW = ["float32", "bfloat16", "float16"]
every_function = pytest.mark.parametrize("function", functions.FUNCTIONS)
every_origin = pytest.mark.parametrize("x_from", X_FROM)


def every_finite(dtype: str) -> torch.Tensor:
    """All numbers of a 16-bit dtype."""
    x = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(getattr(torch, dtype))
    return x[x.isfinite()]


def computed_at(function: str, x: torch.Tensor) -> list[np.ndarray]:
    return [to_float64(values) for values in derivatives_at(function, x).values()]


@every_function
def test_the_float64_reference_is_within_its_bound(function):
    """Its error is held against the exact value in whole numbers; it uses up less than a tenth of the bound."""
    worst = 0.0
    for x_from in X_FROM:
        x = points(Experiment(function=function, x_from=x_from), 0)[:300].double()
        terms = [term(x) for term in COMPUTED[function].terms]
        value, size = sum(terms).tolist(), sum(term.abs() for term in terms).tolist()
        for at, found, scale in zip(x.tolist(), value, size, strict=True):
            if (at < 0 and function in ("sqrt", "log")) or math.isinf(found):
                continue
            middle, _, exponent = _enclose(COMPUTED[function].exact, at, 200)
            error = abs(Fraction(found) - middle * Fraction(2) ** exponent)
            worst = max(
                worst, error / (Fraction(scale) * Fraction(RELATIVE) + Fraction(_UNDERFLOW))
            )
    assert worst < 0.1


@every_function
@pytest.mark.parametrize("dtype", NARROW)
@every_origin
def test_the_fast_path_gives_what_ball_arithmetic_gives(function, dtype, x_from):
    x = points(Experiment(function=function, dtype=dtype, x_from=x_from), 1)
    computed = [values[:400] for values in computed_at(function, x)]
    found = reference(function, x[:400])
    check_against_balls(function, dtype, to_float64(x[:400]), computed, found)


@pytest.mark.parametrize(
    ("function", "dtype"), [("reciprocal", "float16"), ("sqrt", "float16"), ("tanh", "bfloat16")]
)
def test_it_does_so_for_every_number_of_sixteen_bits(function, dtype):
    x = every_finite(dtype)
    computed = computed_at(function, x)
    check_against_balls(function, dtype, to_float64(x), computed, reference(function, x))


def check_against_balls(function, dtype, x, computed, found):
    assert found.certified < len(x)
    for i in np.flatnonzero(found.exists):
        ball = certify(function, x[i].item(), getattr(torch, dtype))
        assert ball.nearest == found.nearest[i]
        if math.isfinite(ball.nearest) and any(
            np.isfinite(v[i]) and v[i] != ball.nearest for v in computed
        ):
            assert ball.ulp == found.ulp[i]
            # The bound of float64 in ulps; of GELU's two terms near the zero of its derivative, of their size.
            size = 1 if function == "gelu" else abs(ball.nearest)
            residual = ball.residual * (
                1 + (i in found.powers and ball.residual * ball.nearest < 0)
            )
            assert abs(residual - found.residual[i]) <= 2.0**-30 + math.ldexp(
                2 * RELATIVE * size, -int(found.ulp[i])
            )


def test_where_balls_find_no_derivative_none_is_certified():
    found = reference("log(x)", torch.tensor([-1.0, 2.0, -3.0, 0.5, 4.0]))
    assert found.exists.tolist() == [False, True, False, True, True] and found.certified == 3
    assert exists_at("log(x)", np.array([-1.0, 2.0, math.inf])).tolist() == [False, True, False]


def test_where_the_derivative_does_not_exist_there_is_no_reference():
    x = torch.tensor([0.0, -0.0, -1.0, 1.0])
    at_positive, but_at_zero = ["sqrt", "log"], ["reciprocal", "ones-over-x", "abs", "relu"]
    for function in functions.FUNCTIONS:
        at_zero, at_negative = (
            function not in [*at_positive, *but_at_zero],
            function not in at_positive,
        )
        expected = [at_zero, at_zero, at_negative, True]
        assert reference(function, x).exists.tolist() == expected, function
        assert exists_at(function, to_float64(x)).tolist() == expected, function


@pytest.mark.parametrize("dtype", [*NARROW, "float64"])
def test_an_error_is_the_distance_to_the_exact_derivative_in_floats(dtype):
    """The derivative −1/x² is a fraction, so the error of any float is one too."""
    x = points(Experiment(dtype=dtype, x_from="log-uniform"), 0)[:300].clone()
    x[:4] = torch.tensor([0.25, -0.5, 1, 2])
    found = reference("reciprocal", x)
    largest = np.full(len(x), torch.finfo(x.dtype).max)
    values = [
        *computed_at("reciprocal", x),
        np.zeros(len(x)),
        to_float64(x),
        -found.nearest,
        largest,
        -largest,
    ]
    finite = 0
    for computed in values:
        for at, value, error in zip(
            x.tolist(), computed.tolist(), found.errors(computed).tolist(), strict=True
        ):
            exact = -1 / Fraction(at) ** 2
            if math.isfinite(value) and math.isfinite(found.nearest[x.tolist().index(at)]):
                expected = float(
                    min(floats_off(Fraction(value), exact, dtype), Fraction(sys.float_info.max))
                )
                assert error == pytest.approx(expected, rel=1e-9, abs=2.0**-18)
                finite += 1
            else:
                assert math.isnan(error)
    assert finite > 1600 and len(found.powers) >= 4

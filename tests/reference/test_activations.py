"""Every activation in numbers, against mpmath."""

import mpmath
import pytest
import torch
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.network import network
from lib.reference.activations import ACTIVATIONS
from lib.reference.balls import precision
from tests.oracles import in_mpmath


@pytest.mark.parametrize("activation", choices.ACTIVATIONS)
def test_no_activation_is_steeper_than_it_says(activation):
    """Nor more curved."""
    row = ACTIVATIONS[activation](Experiment(dtype="float64"))
    z = torch.linspace(-12, 12, 240_001, dtype=torch.float64)
    value, slope = row.value_and_slope(z)
    assert slope.abs().max() <= row.steepest
    assert (value.abs() <= (z.abs() + 1).clamp(max=row.largest)).all()
    assert row.largest in (mpmath.inf, round(value.abs().max().item()))
    assert row.kink == (activation in ("relu", "leaky_relu"))
    curvature = (slope.diff() / z.diff()).abs()
    if row.kink:
        curvature = curvature[z[1:] * z[:-1] > 0]
    assert curvature.max() <= row.curvature + 1e-9
    assert row.steepest < 1.001 * slope.abs().max() and row.curvature <= 1.05 * curvature.max()


numbers = st.one_of(st.floats(-size, size, width=32) for size in (2.0**-10, 40.0, 800.0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("activation", choices.ACTIVATIONS)
@settings(max_examples=25)
@given(z=numbers.filter(lambda z: abs(z) > 2**-60), bits=st.sampled_from([64, 128, 300]))
def test_values_slopes_and_results_are_those_of_mpmath(activation, dtype, z, bits):
    """Floats with a factor of four to spare; what is not rounded is exact. mpmath has so many more
    digits that its own error is far below the radius of a ball that has one. PyTorch's results, by
    the vector kernel and the scalar one, are within what the table states."""
    experiment = Experiment(hidden=(), output_activation=activation, dtype=dtype)
    row = ACTIVATIONS[activation](experiment)
    number = torch.tensor([z], dtype=torch.float64)
    floats = row.value_and_slope(number)
    with mpmath.workdps(400):
        value = in_mpmath(activation, getattr(torch, dtype))
        exact = value(mpmath.mpf(z)), mpmath.diff(value, mpmath.mpf(z), h=mpmath.mpf(2) ** -600)
        allowed = row.inexact * 2.0**-48 * (1 + abs(z)) / 4 + mpmath.mpf(10) ** -20
        with precision(bits):
            balls = row.value_and_slope(arb(z))
        for part, ball, expected in zip(floats, balls, exact, strict=True):
            assert abs(part.item() - expected) <= allowed
            with precision(3000):
                off = abs(ball - arb(mpmath.nstr(expected, 200)))
                assert off.overlaps(arb(0)) or off < arb("1e-150")
                assert ball.rad() <= (abs(ball.mid()) + 1) * arb(2) ** (20 - bits)
        if (activation, dtype) != ("softplus", "float64"):
            finfo = torch.finfo(getattr(torch, dtype))
            c = row.of_result * finfo.eps / 2
            size = row.size(number, torch.tensor([float(exact[0])], dtype=torch.float64)).item()
            room = c / (1 - c) * size + 1024 * finfo.smallest_normal
            module, numbers = network.build(experiment)[-1], number.to(getattr(torch, dtype))
            for results in (module(numbers), module(numbers.repeat(64))):
                assert abs(results[-1].item() - exact[0]) <= room

"""Every activation in numbers: against mpmath, and none can be left out or left incomplete."""

from runpy import run_path

import mpmath
import pytest
import torch
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.reference import activations
from lib.reference.activation import GIVEN, Activation
from lib.reference.activations import ACTIVATIONS
from lib.reference.balls import precision
from tests.oracles import in_mpmath

COMPLETE = {"value_and_slope", "terms", "steepest", "curvature", "roundings"}


@pytest.mark.parametrize("lacking", sorted(COMPLETE))
def test_an_activation_that_lacks_something_is_an_error_that_names_both(lacking):
    members = {name: getattr(ACTIVATIONS["gelu"], name) for name in COMPLETE - {lacking}}
    with pytest.raises(TypeError, match=f"^The activation mish lacks {lacking}.$"):
        type("Mish", (Activation,), members, name="mish")
    assert "mish" not in GIVEN


def test_an_activation_without_numbers_or_that_cannot_be_chosen_is_an_error_that_names_it(
    monkeypatch,
):
    """When the module is imported, on a copy of it."""
    rows = dict(choices.OUTPUT_ACTIVATIONS)
    monkeypatch.setitem(choices.OUTPUT_ACTIVATIONS, "mish", rows["silu"])
    with pytest.raises(TypeError, match="^The activation mish lacks a row.$"):
        run_path(activations.__file__)
    monkeypatch.setattr(
        choices, "OUTPUT_ACTIVATIONS", {name: row for name, row in rows.items() if name != "gelu"}
    )
    with pytest.raises(TypeError, match="^The activation gelu is not among the choices.$"):
        run_path(activations.__file__)


@pytest.mark.parametrize("activation", choices.ACTIVATIONS)
def test_no_activation_is_steeper_or_more_curved_than_it_says(activation):
    row = ACTIVATIONS[activation](Experiment(dtype="float64"))
    z = torch.linspace(-12, 12, 240_001, dtype=torch.float64)
    value, slope = row.value_and_slope(z)
    assert slope.abs().max() <= row.steepest
    assert (value.abs() <= (z.abs() + 1).clamp(max=row.largest)).all()
    away = (z[1:] * z[:-1] > 0) if row.kink else torch.ones(len(z) - 1, dtype=torch.bool)
    curvature = ((slope[1:] - slope[:-1]) / (z[1:] - z[:-1])).abs()[away]
    assert curvature.max() <= row.curvature + 1e-9
    assert row.steepest < 1.001 * slope.abs().max() and row.curvature <= 1.05 * curvature.max()
    assert row.kink == (activation in ("relu", "leaky_relu"))


numbers = st.one_of(st.floats(-40, 40), st.floats(-800, 800), st.floats(-1e-3, 1e-3)).filter(
    lambda z: abs(z) > 1e-20
)


@pytest.mark.parametrize("activation", choices.ACTIVATIONS)
@settings(max_examples=25)
@given(z=numbers, bits=st.sampled_from([64, 128, 300]))
def test_values_and_slopes_are_those_of_mpmath_and_balls_hold_them(activation, z, bits):
    """Floats with a factor of four to spare; what is not rounded is exact. mpmath has so many more
    digits that its own error is far below the radius of a ball that has one."""
    row = ACTIVATIONS[activation](Experiment(dtype="float64"))
    floats = [part.item() for part in row.value_and_slope(torch.tensor([z], dtype=torch.float64))]
    with mpmath.workdps(700):
        value = in_mpmath(activation)
        exact = value(mpmath.mpf(z)), mpmath.diff(value, mpmath.mpf(z), h=mpmath.mpf(2) ** -1200)
        allowed = row.inexact * 2.0**-48 * (1 + abs(z)) / 4 + mpmath.mpf(10) ** -20
        assert all(abs(a - b) <= allowed for a, b in zip(floats, exact, strict=True))
        with precision(bits):
            balls = row.value_and_slope(arb(z))
        for ball, expected in zip(balls, exact, strict=True):
            with precision(3000):
                off = abs(ball - arb(mpmath.nstr(expected, 900)))
                assert off.overlaps(arb(0)) or off < arb("1e-300")
                largest = abs(ball.mid()) * arb(2) ** (20 - bits) + arb(2) ** (20 - bits)
                assert ball.rad() <= largest

"""The outcome on both sides of each limit; what its texts say is held in `test_every_state`."""

from dataclasses import replace

import pytest

from lib.floats.outcome import Outcome, State, outcome_of
from lib.floats.verdict import verdict

STATE = State("one", "other", "float32", checks=1, finite=1, different=1)
OUTCOMES = [
    (Outcome.ROUNDING, {"units": 64.0}),
    (Outcome.UNKNOWN, {"units": 64.1}),
    (Outcome.ROUNDING, {"units": 64.1, "bound": 100.0}),
    (Outcome.CANCELLED, {"relative": 0.01, "kept": 0.5}),
    (Outcome.UNKNOWN, {"not_close": 1, "kept": 0.5, "units": 64.1}),
    (Outcome.CANCELLED, {"not_close": 1, "kept": 0.5, "units": 64.1, "bound": 100.0}),
    (Outcome.CANCELLED, {"dtype": "bfloat16", "not_close": 1, "units": 2.55}),
    (Outcome.ROUNDING, {"dtype": "bfloat16", "not_close": 1, "units": 2.57}),
    (Outcome.ROUNDING, {"relative": 0.01, "kept": 0.51}),
    (Outcome.ROUNDING, {"relative": 0.009, "kept": 0.5}),
    (Outcome.CANCELLED, {"zero": "It is 0."}),
    (Outcome.CANCELLED, {"size": "So large.", "units": 64.1}),
    (Outcome.ROUNDING, {"size": "So large.", "units": 64, "relative": 0.02, "not_close": 1}),
    (Outcome.APPROXIMATION, {"approximates": "It is near."}),
    (Outcome.CANCELLED, {"approximates": "It is near.", "zero": "It is 0."}),
    (Outcome.EXCESS, {"beyond": 1}),
    (Outcome.NOTHING, {"different": 0, "beyond": 1}),
    (Outcome.UNKNOWN, {"finite": 0, "different": 0}),
    (Outcome.LOST, {"finite": 0, "lost": (0, 1)}),
    (Outcome.ANOTHER, {"another": "Not so.", "lost": (0, 1)}),
]


@pytest.mark.parametrize("outcome, changes", OUTCOMES)
def test_the_first_outcome_that_holds_counts(outcome, changes):
    assert outcome_of(replace(STATE, **changes)) is outcome


def test_without_rtol_the_difference_passes_as_atol():
    remedy = verdict(replace(STATE, not_close=1, largest=0.5)).remedy
    assert "It passes with rtol=0 and atol=5.00e-01." in remedy


def test_more_precision_is_suggested_below_float64():
    of_dtypes = (replace(STATE, units=99.0, dtype=name) for name in ("bfloat16", "float64"))
    assert ["In float64" in verdict(state).bug for state in of_dtypes] == [True, False]


def test_equal_values_are_the_same_and_others_tie():
    ties = replace(STATE, closer=(0, 0, 3, 0))
    assert "0%" in verdict(ties).right
    assert "same values" in verdict(replace(ties, different=0)).right
    assert "None" in verdict(STATE).right

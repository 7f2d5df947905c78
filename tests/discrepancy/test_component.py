"""All that is known of one component, against the study, fractions by hand and the judge."""

from fractions import Fraction
from math import inf

import pytest
import torch

from lib.discrepancy.component import component_of
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import network
from lib.reference.balls import VERDICTS
from tests.cases import EVERY_DTYPE, EVERY_METHOD
from tests.known_orders import replayed
from tests.oracles import rational_gradient, ulp_exponent

FOLLOWED = ["functional", "functional-vectorized", "rows", "batched-grad"]
CASES = [
    *(Experiment(dtype=dtype, samples=40) for dtype in EVERY_DTYPE),
    Experiment(samples=300, evaluation="batched", inputs=3, hidden=(), outputs=4),
    Experiment(samples=40, inputs=2, hidden=(5,), outputs=3, output_activation="softmax"),
]


@pytest.mark.parametrize("experiment", CASES)
@pytest.mark.parametrize("sample, component", [(7, 1), (39, 0)])
def test_its_values_are_the_studys_and_of_fractions(experiment, sample, component):
    whole = Discrepancy(experiment).measure(0, inf)
    shown = component_of(experiment, sample, component)
    values = tuple(side[sample, component].item() for side in whole.values)
    assert shown.values == values and (shown.ulps < 0) == (values[0] < values[1])
    assert abs(shown.ulps) == whole.ulps[sample, component]
    assert shown.closer == VERDICTS[whole.judged.verdicts[sample, component]]
    assert shown.condition == whole.condition[sample, component]

    x = whole.x[sample].tolist()
    exact = rational_gradient(network.build(experiment), x)[component]
    assert abs(shown.exact - exact) <= abs(exact) / 2**79 + Fraction(1, 10**100)
    largest = exact if shown.exact else max(map(Fraction, values), key=abs)
    if largest:
        assert shown.ulp == Fraction(2) ** ulp_exponent(largest, experiment.dtype)
    errors = [float((Fraction(value) - exact) / shown.ulp) for value in values]
    assert shown.errors == pytest.approx(errors, rel=1e-9, abs=1e-20)


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize("method", EVERY_METHOD)
def test_steps_are_the_values_own(method, evaluation):
    shown = component_of(Experiment(method=method, evaluation=evaluation), 0, 0)
    replayed(shown.replay)
    own = method in FOLLOWED or (method, evaluation) == ("jacrev", "batched")
    assert shown.replay.jacobian_method == (method if own else "functional")
    assert shown.replay.method_result == shown.jacobian
    assert shown.drift.reason == ("" if own else f"{method} is not replayed here.")
    assert bool(shown.drift.backward) == bool(shown.drift.jacobian) == own


@pytest.mark.parametrize("fill, exact", [(0.0, None), (60000.0, 6 * 60_000**2)])
def test_at_a_kink_and_beyond_all_floats_is_no_error(monkeypatch, fill, exact):
    """Every parameter is 0, so that all pre-activations are on the kink; or so large that the
    product of two overflows."""
    monkeypatch.setattr(
        network, "round_once", lambda x, dtype: torch.full_like(x, fill, dtype=dtype)
    )
    experiment = Experiment(inputs=2, hidden=(3,), dtype="float16", output_activation="identity")
    shown = component_of(experiment, 0, 0)
    assert shown.exact == exact and shown.errors == (None, None) and not shown.condition
    assert shown.finite == (not fill) and shown.closer == ("" if fill else "tie")
    assert ("kink" in shown.drift.reason) == (not fill) and not shown.drift.backward
    if fill:
        # that of the largest float16
        assert shown.ulps is None and shown.ulp == 32

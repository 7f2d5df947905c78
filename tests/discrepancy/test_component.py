"""All that is said of one component, against the study, fractions by hand and the judge."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isfinite
from types import SimpleNamespace

import pytest
import torch

from lib.discrepancy.component import _closer, _hit, component_of
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.sampled_study import Source
from lib.reference.balls import VERDICTS
from lib.reference.compared import Variant
from lib.replay.operations import MOST_ROWS
from lib.replay.replay import replay
from tests.cases import EVERY_DTYPE, EVERY_METHOD
from tests.exact_networks import exact_component
from tests.known_orders import replayed
from tests.oracles import rounded, ulp_exponent

NEVER = float("inf")
CASES = [
    *(Experiment(dtype=dtype, samples=40) for dtype in EVERY_DTYPE),
    Experiment(samples=40, method="jacrev", hidden=(6, 5), activation="tanh"),
    Experiment(samples=40, method="single-call", outputs=3, activation="identity"),
    Experiment(samples=40, method="finite-difference"),
    Experiment(
        samples=300, evaluation="batched", networks="each-block", inputs=3, hidden=(), outputs=4
    ),
    Experiment(samples=40, inputs=2, hidden=(5,), outputs=3, output_activation="softmax"),
]
ALWAYS_REPLAYED = ["functional", "functional-vectorized", "rows", "batched-grad"]
PLACES = [(0, 0), (7, 1), (39, 0)]


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query)
def test_the_values_are_the_studys_own_and_all_that_hangs_on_the_exact_value_is_that_of_fractions(
    experiment,
):
    whole = Discrepancy(experiment).measure(0, NEVER)
    for sample, component in PLACES:
        found = component_of(experiment, sample, component)
        backward, jacobian = (values[sample, component].item() for values in whole.values)
        assert (found.backward, found.jacobian) == (backward, jacobian)
        assert abs(found.ulps) == whole.ulps[sample, component] and (found.ulps < 0) == (
            backward < jacobian
        )
        assert (found.sample, found.component, found.dtype) == (sample, component, experiment.dtype)
        assert found.closer == VERDICTS[whole.judged.verdicts[sample, component]]
        net = network.build(experiment, 0)
        exact = exact_component(net, experiment.activations, whole.x[sample].tolist(), component)
        assert abs(found.exact - exact) <= abs(exact) / 2**79 + Fraction(1, 10**100)
        nearest, values = (
            Fraction(rounded(exact, experiment.dtype)),
            (Fraction(backward), Fraction(jacobian)),
        )
        assert found.nearest == nearest and found.unknown == ""
        largest = exact if found.exact else max(values, key=abs)
        assert (
            found.ulp == Fraction(2) ** ulp_exponent(largest, experiment.dtype)
            if largest
            else found.ulp > 0
        )
        errors = [float((value - exact) / found.ulp) for value in values]
        assert found.errors == pytest.approx(errors, rel=1e-9, abs=1e-20)
        one, other = (value == nearest for value in values)
        assert found.hit == (
            "both" if one and other else "backward" if one else "jacobian" if other else "none"
        )


@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
def test_steps_that_are_not_the_values_own_are_not_shown(method, evaluation):
    found = component_of(Experiment(method=method, evaluation=evaluation), 0, 0)
    replayed(found.replay)
    if method in ALWAYS_REPLAYED or (method, evaluation) == ("jacrev", "batched"):
        assert found.drift.reason == "" and found.replay.replayed == method
        assert found.drift.backward and found.drift.jacobian
    else:
        assert (
            found.drift.reason == f"{method} is not replayed here."
            and found.replay.replayed == "functional"
        )
        assert not found.drift.backward and not found.drift.jacobian
    assert found.exact is not None and any(found.layers[1].flows.values()) and found.closer


@pytest.fixture
def filled(monkeypatch):
    """Make every example's network one whose parameters are all the given number."""

    def fill(value: float) -> None:
        def build(experiment, block=0):
            net = network.build(experiment, block)
            for parameter in net.parameters():
                parameter.fill_(value)
            return net

        source = Source(build, sampling.block)
        monkeypatch.setattr("lib.discrepancy.component.Variant", partial(Variant, source=source))
        monkeypatch.setattr("lib.replay.replay.network", SimpleNamespace(build=build))

    return fill


def test_a_long_replay_is_cut_but_its_drift_is_not():
    experiment = Experiment(inputs=4, hidden=(64,), outputs=16, activation="tanh")
    found, whole = component_of(experiment, 0, 1), replay(experiment, 0, 1)
    assert (
        len(found.replay.jacobian)
        == MOST_ROWS
        < len(whole.jacobian)
        == found.drift.jacobian_operations
    )
    assert found.replay == replace(whole, jacobian=whole.jacobian[:MOST_ROWS])
    assert found.drift.jacobian[-1].step == whole.jacobian[-1]


def test_at_a_kink_the_exact_value_is_not_known(filled):
    filled(0.0)
    found = component_of(Experiment(inputs=2, hidden=(3,)), 0, 0)
    assert (
        found.exact is None
        and "kink" in found.unknown
        and found.nearest is None
        and found.hit is None
    )
    assert found.errors == (None, None) and found.closer == "tie" and found.ulps == 0
    assert found.drift.reason == found.unknown and not any(found.layers[1].flows.values())


def test_values_that_overflow_have_no_distance(filled):
    filled(60000.0)
    found = component_of(
        Experiment(inputs=2, hidden=(3,), dtype="float16", output_activation="identity"), 0, 0
    )
    assert not isfinite(found.backward) and found.ulps is None and not found.finite
    assert found.closer is None and found.errors == (None, None) and found.hit == "none"
    assert "infinite or NaN" in found.drift.reason
    assert found.exact == 2 * 3 * Fraction(torch.tensor(60000.0).half().item()) ** 2


def test_the_unit_of_the_first_divergence_is_shown():
    experiment = Experiment(inputs=8, hidden=(100, 60), outputs=6, activation="relu")
    for sample in range(4):
        found = component_of(experiment, sample, 3)
        name = replayed(found.replay).first_divergence.unit
        layer, number = found.first_divergence
        assert number in found.layers[layer].units and found.names[layer][number] == name
    assert component_of(Experiment(outputs=1), 0, 0).first_divergence is None


def test_half_way_neither_is_closer():
    """Of 1 and 1 + eps the exact value 1 + eps/2 is as far from the one as from the other, and both are nearest."""
    one, eps = 1.0, torch.finfo(torch.float32).eps
    exact = 1 + Fraction(eps) / 2
    assert _closer(exact, Fraction(), one, one + eps) == "tie"
    assert _closer(exact, Fraction(1, 2**90), one, one + eps) is None
    assert _closer(exact + Fraction(1, 2**80), Fraction(1, 2**90), one, one + eps) == "jacobian"
    assert _hit(exact, Fraction(one), one, one + eps) == "both"
    assert _hit(exact, Fraction(one), one + 2 * eps, one) == "jacobian"

"""What is said of a replay is what was replayed."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import summed_jacobian
from lib.network.sampling import block_size
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay, replay
from lib.replay.sentences import first_divergence_claim, replayed_method, verified
from lib.run.stream import Stream
from tests.cases import EVERY_METHOD
from tests.known_orders import replayed

POST = Experiment(samples=60)
NAMES = {
    "functional": "functional.jacobian",
    "functional-vectorized": "functional.jacobian, vectorized",
    "rows": "grad, row by row",
    "batched-grad": "grad, is_grads_batched",
}
"""The methods that are replayed for a sample alone, and what they are called; for others it is the first."""


def worst() -> tuple[int, int]:
    """The sample and the component with the largest discrepancy."""
    place = Stream(Discrepancy(POST)).finish().max_abs.place
    return place.block * block_size(POST) + place.index, place.component


def test_a_first_divergence_is_told_with_both_results():
    found = replayed(replay(POST, *worst()))
    text = first_divergence_claim(found)
    numbers = [float(np.float32(number)) for number in re.findall(r"`(-?[0-9.e-]+)`", text)]
    assert numbers[-2] - numbers[-1] == found.discrepancy
    assert "first diverge in the gradient of" in text and found.dot_order in verified(found)


def test_with_one_output_the_evaluations_never_diverge():
    assert "never diverge" in first_divergence_claim(replayed(replay(Experiment(outputs=1), 0, 0)))


@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_replay_names_its_method_and_says_what_the_chosen_one_gave(method, outputs):
    experiment = Experiment(samples=10, method=method, outputs=outputs, step=-9)
    found = replayed(replay(experiment, 3, 2))
    net, x = network.build(experiment), sampling.block(experiment, 0)[3].clone()
    given, of_functional = (
        summed_jacobian(name, net, x, **replace(experiment, method=name).options)[2].item()
        for name in (method, "functional")
    )
    assert (found.method, found.method_result) == (method, given)
    text = replayed_method(found)
    if method in NAMES:
        assert text == ""
    elif given == of_functional:
        assert text == f"These are the operations of `functional.jacobian`: `{method}` gives the same value here."
    else:
        assert float(np.float32(re.search("gives `(.*)` here", text)[1])) == given and "not shown" in text
    assert f"`backward()` and `{NAMES.get(method, 'functional.jacobian')}` " in first_divergence_claim(found)


def test_what_is_not_replayed_is_said_so():
    reason = "Only what the CPU computes is replayed, not what a graphics card does."
    found = Replay(0, 0, "float32", "functional", 2.0, 2.0, 2.0, reason=reason)
    assert first_divergence_claim(found) == f"Component 0 of sample 0 is not replayed. {reason}"


def test_a_first_divergence_that_rounds_to_equal_results_is_told_as_such():
    divergence = FirstDivergence("slope", "h0", 1.0, (0.5, 0.25), Fraction(3, 4), None)
    found = Replay(0, 0, "float32", "functional", 2.0, 2.0, 2.0, True, True, first_divergence=divergence)
    assert first_divergence_claim(found).endswith("Yet both results are `2.0`.")

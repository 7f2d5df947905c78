"""What is said of the origin and of the remedies is what was counted."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lib.discrepancy.study import Discrepancy
from lib.display.quantities import at_most
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import summed_jacobian
from lib.network.sampling import block_size
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay, replay
from lib.run.stream import Stream
from lib.run.tally import ByName, Histogram
from lib.variations.agreement import NAMES, Agreement
from lib.variations.controls import Controls
from lib.variations.ladder import Ladder
from lib.variations.origin_sentences import (
    agreement_claim,
    bit_classes,
    controls_claim,
    first_divergence_claim,
    ladder_claim,
    ladder_reading,
    remedies_claim,
    replayed_method,
    scaling_claim,
    verified,
)
from lib.variations.remedies import Remedies
from lib.variations.scaling import Scaling
from tests.cases import EVERY_METHOD
from tests.known_orders import replayed

POST = Experiment(samples=60)


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


def test_with_one_output_the_evaluations_never_part():
    assert "never diverge" in first_divergence_claim(replayed(replay(Experiment(outputs=1), 0, 0)))


@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_replay_names_functional_and_says_what_the_chosen_method_gave(method, outputs):
    experiment = Experiment(samples=10, method=method, outputs=outputs, step=-9)
    found = replayed(replay(experiment, 3, 2))
    net, x = network.build(experiment), sampling.block(experiment, 0)[3].clone()
    given, of_functional = (
        summed_jacobian(name, net, x, **replace(experiment, method=name).options)[2].item()
        for name in (method, "functional")
    )
    assert (found.method, found.method_result) == (method, given)
    text = replayed_method(found)
    if method == "functional":
        assert text == ""
    elif given == of_functional:
        assert text.endswith(f"`{method}` gives the same value here.")
    else:
        assert float(np.float32(re.search("gives `(.*)` here", text)[1])) == given and "not shown" in text
    assert "`backward()` and `functional.jacobian` " in first_divergence_claim(found)


def test_what_is_not_replayed_is_said_so():
    found = replay(Experiment(evaluation="batched"), 0, 0)
    assert first_divergence_claim(found) == (
        "Component 0 of sample 0 is not replayed. Only per-sample evaluation is replayed: batches go through other "
        "kernels."
    )


def test_a_first_divergence_that_rounds_to_equal_results_is_told_as_such():
    divergence = FirstDivergence("slope", "h0", 1.0, (0.5, 0.25), Fraction(3, 4), None)
    found = Replay(0, 0, "float32", "functional", 2.0, 2.0, 2.0, True, True, first_divergence=divergence)
    assert first_divergence_claim(found).endswith("Yet both results are `2.0`.")


def test_the_agreement_counts_its_classes():
    tally = Stream(Agreement(Experiment(samples=20))).finish()
    text, classes = agreement_claim(tally, POST), tally.classes()
    assert f"11 methods give {len(classes)} different answers" in text and "`summed-output`" in text
    assert bit_classes(tally).count("\n") == len(classes) - 1
    assert sorted(re.findall("`(.*?)`", bit_classes(tally))) == sorted(NAMES)
    assert "on their way" in agreement_claim(Agreement.empty, POST)


def test_the_controls_hold_or_it_is_said():
    tally = Stream(Controls(Experiment(samples=20))).finish()
    holds = all(row["holds"] for row in tally.figures()["controls"])
    assert ("two gradients are equal, as they must be" in controls_claim(tally, POST)) == holds
    assert "on their way" in controls_claim(Controls.empty, POST)


def test_the_growth_is_that_of_the_ends():
    experiment = Experiment(evaluation="batched")
    tally = Stream(Scaling(experiment)).finish()
    rows = {(row["sweep"], row["value"]): row["max_units"] for row in tally.figures()["scaling"]}
    growth = rows["width", 128] / rows["width", 1]
    assert f"{growth:.1f} with width" in scaling_claim(tally, experiment)
    assert scaling_claim(Scaling.empty, experiment).startswith("Networks of growing width")


def test_the_ladder_names_every_dtype_with_a_discrepancy():
    tally = Stream(Ladder(Experiment(samples=20))).finish()
    text = ladder_claim(tally, POST)
    for dtype, rung in tally.rungs.tallies.items():
        assert f"{at_most(rung.discrepancy.max_abs.value)} in {dtype}" in text
    assert (
        ladder_claim(Stream(Ladder(Experiment(samples=5, outputs=1))).finish(), POST) == "No discrepancy in any dtype."
    )
    assert "on their way" in ladder_claim(Ladder.empty, POST)


def test_the_ladder_says_why_a_rung_may_lie_off_its_line():
    tally = Stream(Ladder(Experiment(samples=5))).finish()
    reading = ladder_reading(tally, POST)
    assert "bug" not in reading and "numbers that underflow lose digits" in reading and "truncation" not in reading
    assert "truncation error" in ladder_reading(tally, replace(POST, method="finite-difference"))
    narrow = tally.rungs.tallies["float16"]
    overflowed = replace(narrow.discrepancy, arrived_nonfinite=Histogram.of(np.zeros(1, np.int64)))
    rungs = ByName({**tally.rungs.tallies, "float16": replace(narrow, discrepancy=overflowed)})
    assert "are infinite or NaN" in ladder_reading(replace(tally, rungs=rungs), POST)


def test_a_remedy_that_left_nothing_finite_left_no_difference_nowhere():
    tally = Stream(Remedies(Experiment(samples=2))).finish()
    nothing = ByName({name: replace(part, ulps=Histogram()) for name, part in tally.remedies.tallies.items()})
    assert remedies_claim(replace(tally, remedies=nothing), POST).startswith("Of 4 remedies, 0 leave no difference")


def test_the_remedies_that_leave_nothing_are_counted():
    tally = Stream(Remedies(Experiment(samples=40))).finish()
    rows = tally.figures()["remedies"][1:]
    gone = sum(row["equal"] == row["components"] for row in rows)
    assert remedies_claim(tally, POST) == f"Of {len(rows)} remedies, {gone} leave no difference in 40 samples."
    assert "on their way" in remedies_claim(Remedies.empty, POST)

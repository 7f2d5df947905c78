"""What is said of the variations is what was counted."""

import re
from dataclasses import replace

import numpy as np

from lib.display.quantities import at_most
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.run.tally import ByName, Histogram
from lib.variations.agreement import NAMES, Agreement
from lib.variations.controls import Controls
from lib.variations.ladder import Ladder
from lib.variations.remedies import Remedies
from lib.variations.scaling import Scaling
from lib.variations.sentences import (
    agreement_claim,
    bit_classes,
    controls_claim,
    ladder_claim,
    ladder_reading,
    remedies_claim,
    scaling_claim,
)

POST = Experiment(samples=60)


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


def test_the_ladder_names_every_dtype_with_a_discrepancy():
    tally = Stream(Ladder(Experiment(samples=20))).finish()
    text = ladder_claim(tally, POST)
    for dtype in DTYPES:
        assert f"{at_most(tally[dtype].discrepancy.max_abs.value)} in {dtype}" in text
    assert (
        ladder_claim(Stream(Ladder(Experiment(samples=5, outputs=1))).finish(), POST) == "No discrepancy in any dtype."
    )
    assert "on their way" in ladder_claim(Ladder.empty, POST)


def test_the_ladder_says_why_a_rung_may_lie_off_its_line():
    tally = Stream(Ladder(Experiment(samples=5))).finish()
    reading = ladder_reading(tally, POST)
    assert "bug" not in reading and "numbers that underflow lose digits" in reading and "truncation" not in reading
    assert "truncation error" in ladder_reading(tally, replace(POST, method="finite-difference"))
    narrow = tally["float16"]
    overflowed = replace(narrow.discrepancy, arrived_nonfinite=Histogram.of(np.zeros(1, np.int64)))
    rungs = ByName({**tally.known, "float16": replace(narrow, discrepancy=overflowed)})
    assert "are infinite or NaN" in ladder_reading(replace(tally, by_name=rungs), POST)


def test_the_growth_is_that_of_the_ends():
    experiment = Experiment(evaluation="batched")
    tally = Stream(Scaling(experiment)).finish()
    rows = {(row["sweep"], row["value"]): row["max_units"] for row in tally.figures()["scaling"]}
    growth = rows["width", 128] / rows["width", 1]
    assert f"{growth:.1f} with width" in scaling_claim(tally, experiment)
    assert scaling_claim(Scaling.empty, experiment).startswith("Networks of growing width")


def test_a_remedy_that_left_nothing_finite_left_no_difference_nowhere():
    tally = Stream(Remedies(Experiment(samples=2))).finish()
    nothing = ByName({name: replace(part, ulps=Histogram()) for name, part in tally.known.items()})
    assert remedies_claim(replace(tally, by_name=nothing), POST).startswith("Of 4 remedies, 0 leave no difference")


def test_the_remedies_that_leave_nothing_are_counted():
    tally = Stream(Remedies(Experiment(samples=40))).finish()
    rows = tally.figures()["remedies"][1:]
    gone = sum(row["equal"] == row["components"] for row in rows)
    assert remedies_claim(tally, POST) == f"Of {len(rows)} remedies, {gone} leave no difference in 40 samples."
    assert "on their way" in remedies_claim(Remedies.empty, POST)

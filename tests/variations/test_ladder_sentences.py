"""What is said of the ladder is what was measured on its rungs."""

from dataclasses import replace

import numpy as np

from lib.display.quantities import at_most
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.run.tally import ByName, Histogram
from lib.variations.ladder import Ladder
from lib.variations.ladder_sentences import ladder_claim, ladder_reading

POST = Experiment(samples=60)


def test_the_ladder_names_every_dtype_with_a_discrepancy():
    tally = Stream(Ladder(Experiment(samples=20))).finish()
    text = ladder_claim(tally, POST)
    for dtype, rung in tally.known.items():
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
    narrow = tally["float16"]
    overflowed = replace(narrow.discrepancy, arrived_nonfinite=Histogram.of(np.zeros(1, np.int64)))
    rungs = ByName({**tally.known, "float16": replace(narrow, discrepancy=overflowed)})
    assert "are infinite or NaN" in ladder_reading(replace(tally, by_name=rungs), POST)

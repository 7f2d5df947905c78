"""The remedies and the ladder of dtypes are tried when they are opened."""

import re

import pandas as pd

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.variations import ladder
from lib.variations.ladder import Ladder
from lib.variations.remedies import Remedies, readable, readable_tolerances
from lib.variations.sentences import emulated_reading, ladder_claim
from tests.page.visiting import drawn, visit, watch


def test_the_remedies_are_tried_when_they_are_opened():
    at = watch(visit("samples=30&remedies=true"), "Remedies")
    tally = Stream(Remedies(Experiment(samples=30))).finish()
    shown = [table.value for table in at.table]
    assert any(readable_tolerances(tally).equals(other) for other in shown)
    (remedies,) = (table for table in shown if "remedy" in table.columns)
    assert remedies["equal"].tolist() == readable(tally)["equal"].tolist()
    assert all(re.fullmatch(r"× [0-9.,]+", time) for time in remedies["time"])


def test_the_ladder_is_drawn_when_it_is_opened():
    at = watch(visit("samples=30&ladder=true&dtype=bfloat16"), "Ladder")
    tally = Stream(Ladder(Experiment(samples=30))).finish()
    assert ladder_claim(tally, Experiment()) in {text.value for text in at.subheader}
    for name in ("ladder", "ladder_emulated"):
        pd.testing.assert_frame_equal(drawn(at)[name], ladder.tables(tally)[name])
    assert any(ladder.readable(tally).equals(table.value) for table in at.table)
    assert emulated_reading(tally, Experiment()) in {text.value for text in at.caption}

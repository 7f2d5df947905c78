"""The sections that open are computed when they are opened."""

import pandas as pd

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.variations import agreement, controls, scaling
from lib.variations.agreement import Agreement
from lib.variations.controls import Controls
from lib.variations.scaling import Scaling
from lib.variations.sentences import agreement_claim
from tests.page.visiting import drawn, visit, watch


def test_the_agreement_is_computed_when_it_is_opened(runs):
    experiment = Experiment(samples=30)
    assert "agreement" not in drawn(watch(visit("samples=30")))
    at = watch(visit("samples=30&agreement=true"), "Agreement")
    tally = Stream(Agreement(experiment)).finish()
    assert agreement_claim(tally, experiment) in {text.value for text in at.subheader}
    pd.testing.assert_frame_equal(drawn(at)["agreement"], agreement.tables(tally)["agreement"])


def test_controls_and_scaling_are_computed_when_they_are_opened(monkeypatch):
    monkeypatch.setattr("lib.variations.scaling.SAMPLES", 4)
    monkeypatch.setattr("lib.page.variations.SAMPLES", 4)
    at = watch(visit("samples=20&controls=true"), "Controls")
    tally = Stream(Controls(Experiment(samples=20))).finish()
    assert any(controls.readable(tally).equals(table.value) for table in at.table)
    at = watch(visit("samples=20&scaling=true"), "Scaling")
    expected = scaling.tables(Stream(Scaling(Experiment(samples=20))).finish())
    shown = drawn(at)
    assert expected.keys() <= shown.keys()
    for name, table in expected.items():
        pd.testing.assert_frame_equal(shown[name], table.reset_index(drop=True), obj=name)

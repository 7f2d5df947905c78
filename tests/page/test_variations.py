"""The sections that open are computed when they are opened."""

import pandas as pd

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.variations import agreement, controls, differences, scaling
from lib.variations import difference_tables as differences_tables
from lib.variations.agreement import Agreement
from lib.variations.controls import Controls
from lib.variations.difference_sentences import differences_claim
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


def test_the_step_of_finite_differences_is_measured_when_it_is_opened(monkeypatch):
    monkeypatch.setattr(differences, "SAMPLES", 1)
    at = watch(visit("method=finite-difference&samples=5&differences=true&step=-5"), "FiniteDifferences")
    experiment = differences.subject(Experiment(method="finite-difference", samples=5, step=-5))
    tally = Stream(differences.FiniteDifferences(experiment)).finish()
    assert any(text.value == differences_claim(tally, experiment) for text in at.subheader)
    shown = drawn(at)
    for name, table in differences_tables.tables(tally, experiment).items():
        assert table.equals(shown[name])
    assert any(table.value.equals(differences_tables.readable(tally, experiment)) for table in at.table)


def test_the_step_is_no_matter_of_other_methods():
    at = watch(visit("samples=5&differences=true"))
    assert not any("Which step?" in part.label for part in at.expander)
    assert any("Which step?" in part.label for part in visit("samples=5&method=finite-difference").expander)


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

"""What each study asks, in one sentence."""

import pytest

from lib.experiment.query import PRESETS, Experiment
from lib.takeaway.study_table import SUBJECTS


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("method=finite-difference", "the summed Jacobian (finite differences) give equal values, over"),
        ("method=rows", "the summed Jacobian (grad, row by row) give equal values, over"),
    ],
)
def test_the_question_names_the_method(query, words):
    assert words in SUBJECTS["discrepancy"].question(Experiment.parse(query))


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_question_fits_a_preview_and_names_the_experiment(subject, preset):
    text = subject.question(preset)
    assert len(text) <= 200 and text.count("?") == 1 and text.endswith("?")
    assert f" {preset.samples:,} random " in text and preset.dtype in text

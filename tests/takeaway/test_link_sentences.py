"""A title and a summary for a link, and what it promises."""

import pytest

from lib.experiment.query import PRESETS, Experiment
from lib.network import machine
from lib.takeaway.link_sentences import elsewhere
from lib.takeaway.study_table import SUBJECTS


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("method=finite-difference", "How far from backward() are finite differences, over"),
        ("method=single-call", "How far from backward() is the sum of the rows of one call of grad"),
        ("method=single-call&outputs=1", "the only row of the single call (the pitfall) give equal values, over"),
        ("method=summed-output", "the only row of the jacobian of the summed outputs give equal values, over"),
        ("method=rows", "the summed Jacobian (grad, row by row) give equal values, over"),
    ],
)
def test_the_summary_asks_what_the_method_can_answer(query, words):
    assert words in SUBJECTS["discrepancy"].summary(Experiment.parse(query))


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_title_and_a_summary_fit_a_preview_and_name_the_experiment(subject, preset):
    assert len(subject.title(preset)) <= 60 and preset.dtype in subject.title(preset)
    text = subject.summary(preset)
    assert len(text) <= 200 and text.count("?") == 1 and text.endswith("?")
    assert f" {preset.samples:,} random " in text and preset.dtype in text


def test_a_title_and_a_summary_say_what_is_special():
    experiment = Experiment(hidden=(3, 4), device="cuda", networks="each-block", samples=1, method="single-call")
    assert SUBJECTS["discrepancy"].title(Experiment()) == "Last Bit: 5→10→2 relu, float32, functional"
    assert SUBJECTS["pitfall"].title(experiment) == "Last Bit: 5→3→4→2 relu, float32, single-call"
    assert SUBJECTS["derivative"].title(experiment) == "Last Bit: the derivative of 1/x, float32"
    assert "over 1 random sample of 5→3→4→2 networks (relu, sigmoid) in float32 on CUDA" in SUBJECTS[
        "discrepancy"
    ].summary(experiment)
    assert "(functional.jacobian)" in SUBJECTS["pitfall"].summary(experiment)
    assert "of torch.exp(x)" in SUBJECTS["derivative"].summary(Experiment(function="exp"))


def test_what_matters_on_another_machine_is_said():
    described = machine.describe(Experiment())
    assert described["cpu_capability"] in elsewhere(described) and described["torch"] in elsewhere(described)

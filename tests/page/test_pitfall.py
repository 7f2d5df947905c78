"""Why are all rows the same? The picture, the cards, and the sections that open."""

import json
from urllib.parse import urlencode

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from lib.experiment.query import Experiment
from lib.page.pitfall import OWN
from lib.pitfall import tables as pitfall_tables
from lib.pitfall.card_sentences import fix_card, notice_card, rounding_card
from lib.pitfall.graph import one_leaf, one_leaf_each
from lib.pitfall.head_sentences import headline, why_in_short
from lib.pitfall.opening import picture
from lib.pitfall.populations import bars
from lib.pitfall.sentences import pitfall_rows
from lib.pitfall.study import Pitfall, PitfallTally, inspect
from lib.run.stream import Stream
from tests.page.visiting import MOST_TICKS, PITFALL, drawn, progress, tick, visit, visit_pitfall, watch

OPEN = "fixes=true&distances=true"


def pictured(at: AppTest) -> dict:
    """The data of the picture."""
    (drawn_,) = (part.proto for part in at.get("bidi_component") if part.proto.component_name == "last_bit_pitfall")
    return json.loads(drawn_.json)


def texts(at: AppTest) -> list[str]:
    return [text.value for text in [*at.title, *at.markdown, *at.caption]]


def finish(experiment: Experiment) -> PitfallTally:
    return Stream(Pitfall(experiment)).finish()


@pytest.mark.parametrize(
    "query",
    [
        "samples=40",
        "samples=30&dtype=bfloat16&outputs=4&evaluation=batched",
        "samples=20&outputs=1",
        "samples=9&dtype=float64&inputs=8&hidden=64,64&outputs=16",
        "samples=5&hidden=&output_activation=identity",
    ],
)
def test_the_first_screen_shows_the_figures_that_the_library_gives(query):
    experiment = Experiment.parse(query)
    at = visit_pitfall(query)
    assert not at.error and not drawn(at)
    tally = finish(experiment)
    assert progress(at) == (tally.samples, experiment.samples)
    assert at.title[0].value == headline(tally, experiment)
    answers = rounding_card(tally, experiment), fix_card(experiment), notice_card(tally, experiment)
    asked = ("Is it rounding?", "What is the fix?", "How do I notice?")
    cards = [f"**{question}** {answer}" for question, answer in zip(asked, answers, strict=True)]
    assert {why_in_short(experiment), pitfall_rows(tally, experiment), *cards} <= set(texts(at))
    assert pictured(at) == json.loads(json.dumps(picture(tally, experiment)))


@pytest.mark.parametrize("query", ["samples=40", "samples=30&dtype=bfloat16&outputs=4&evaluation=batched"])
def test_what_opens_has_the_figures_that_the_library_gives(query):
    experiment = Experiment.parse(query)
    at = visit_pitfall(f"{query}&{OPEN}")
    tally = finish(experiment)
    inspection = inspect(experiment, tally.worst_number(experiment))
    largest = max(inspection.rows.abs().max().item(), inspection.single.abs().max().item())
    expected = {
        **pitfall_tables.tables(tally, experiment),
        "right": pitfall_tables.entries(inspection.rows, largest),
        "single": pitfall_tables.entries(inspection.single, largest),
    }
    shown = drawn(at)
    assert shown.keys() == expected.keys()
    for name, table in expected.items():
        pd.testing.assert_frame_equal(shown[name], table, obj=name)
    (fixes,) = at.table
    pd.testing.assert_frame_equal(fixes.value, pitfall_tables.fix_rows(inspection.outcomes))
    assert all(chart.proto.alt for chart in at.get("vega_lite_chart"))


def test_a_card_opens_its_section():
    at = visit_pitfall("samples=20")
    assert not at.table
    at.button(key="on to fixes").click()
    tick(tick(at))
    assert len(at.table) == 1


def test_a_card_leads_to_the_check_of_ones_own_matrix():
    at = visit_pitfall("samples=20")
    at.button(key="on to matrix_box").click()
    tick(tick(at))
    assert at.session_state["tab"] == OWN and at.text_area(key="matrix")


def test_few_words_stand_before_the_picture():
    at = visit_pitfall("samples=20")
    assert len(f"{at.title[0].value} {why_in_short(Experiment())}".split()) <= 40


def test_the_populations_of_the_experiment_before_stay_as_an_outline():
    at = visit_pitfall("samples=20&dtype=float64")
    assert not pictured(at)["errors"]["ghost"]
    at.selectbox(key="dtype").set_value("float32")
    at = watch(tick(at), "Pitfall")
    errors = pictured(at)["errors"]
    assert errors["ghost_name"] == "before: float64"
    former = Experiment(samples=20, dtype="float64")
    present = Experiment(samples=20)
    expected = picture(finish(present), present, bars(finish(former), former), "float64")["errors"]
    assert errors == json.loads(json.dumps(expected))


def test_a_link_to_a_sample_opens_where_it_is_shown():
    at = visit_pitfall("samples=30&look_at=7")
    assert any(text.value.startswith("Sample 7.") for text in at.caption)


def test_another_sample_can_be_picked():
    at = visit_pitfall("samples=30&fixes=true")
    worst = drawn(at)["single"]
    at.number_input(key="look_at").set_value(7)
    tick(at)
    assert not drawn(at)["single"].equals(worst)
    assert any(text.value.startswith("Sample 7.") for text in at.caption)


def test_a_picked_sample_that_fewer_samples_lack_gives_way_to_the_worst():
    at = visit_pitfall("samples=30&fixes=true")
    at.number_input(key="look_at").set_value(25)
    tick(at).number_input(key="samples").set_value(10)
    at = watch(tick(at), "Pitfall")
    assert not at.error
    worst = Stream(Pitfall(Experiment(samples=10))).finish().worst_number(Experiment(samples=10))
    assert any(text.value.startswith(f"Sample {worst}.") for text in at.caption)


def test_the_diagrams_have_as_many_outputs_as_the_network():
    fenced = [
        text.value for text in visit_pitfall("samples=10&outputs=3&meeting=true").markdown if "mermaid" in text.value
    ]
    assert [body in text for body, text in zip([one_leaf(3), one_leaf_each(3)], fenced, strict=True)] == [True, True]


def test_the_last_matrices_stay_while_others_are_computed(monkeypatch, runs):
    at = visit(f"samples={10**6}&fixes=true&{urlencode({'tab': PITFALL})}")
    for _ in range(MOST_TICKS):
        if "single" in drawn(at):
            break
        tick(at)
    before = drawn(at)["single"]
    monkeypatch.setattr(runs.answers, "ask", lambda *_, **__: None)
    at.number_input(key="look_at").set_value(7)
    tick(at)
    assert drawn(at)["single"].equals(before) and not any(text.value.startswith("Sample 7.") for text in at.caption)
    at.number_input(key="seed").set_value(1)
    tick(at)
    assert "single" not in drawn(at) and any(text.value == "The matrices are on the way." for text in at.caption)


def test_a_page_that_draws_no_more_waits_for_an_answer_as_long_as_it_takes(monkeypatch, runs):
    at = visit_pitfall("samples=30&fixes=true")
    late, ask, calls = 200, runs.answers.ask, []

    def ask_late(*arguments, **options):
        calls.append(arguments)
        return ask(*arguments, **options) if len(calls) > late else None

    monkeypatch.setattr(runs.answers, "ask", ask_late)
    at.number_input(key="look_at").set_value(7)
    tick(at)
    assert len(calls) == late + 1
    assert any(text.value.startswith("Sample 7.") for text in at.caption)
    assert not any(text.value.endswith("on the way.") for text in at.caption)


def test_a_matrix_that_cannot_be_computed_gets_a_sentence(monkeypatch):
    monkeypatch.setattr("lib.pitfall.study.try_all", lambda *_: 1 / 0)
    at = visit_pitfall("samples=10&fixes=true")
    (error,) = at.error
    assert error.value == "The computation failed: division by zero"
    assert pictured(at)["errors"]["bars"]

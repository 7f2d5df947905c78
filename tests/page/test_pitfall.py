"""Section 5: the pitfall's figures, its matrices and its diagrams."""

from urllib.parse import urlencode

import pandas as pd
import pytest
import torch

from lib.experiment.query import Experiment
from lib.page.pitfall import ROW_BY_ROW, SINGLE_CALL
from lib.pitfall import tables as pitfall_tables
from lib.pitfall.graph import one_leaf, one_leaf_each
from lib.pitfall.sentences import pitfall_claim, pitfall_rows
from lib.pitfall.study import Pitfall, inspect
from lib.run.stream import Stream
from tests.page.visiting import MOST_TICKS, PITFALL, drawn, progress, tick, visit, visit_pitfall, watch


@pytest.mark.parametrize("query", ["samples=40", "samples=30&dtype=bfloat16&outputs=4&evaluation=batched"])
def test_the_pitfall_shows_the_figures_that_the_library_gives(query):
    experiment = Experiment.parse(query)
    at = visit_pitfall(query)
    assert not at.error
    tally = Stream(Pitfall(experiment)).finish()
    assert progress(at) == (tally.samples, experiment.samples)
    texts = {text.value for text in [*at.title, *at.subheader, *at.caption]}
    assert {pitfall_claim(tally, experiment), pitfall_rows(tally, experiment)} <= texts
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


def test_the_posts_matrices_are_shown_beside_their_lines():
    at = visit_pitfall("samples=20")
    codes = [code.value for code in at.code]
    assert any("[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])" in code for code in codes)
    assert any("[ 2.,  0.],\n        [ 0.,  2.],\n        [ 8.,  0.],\n        [ 0., 16.]])" in code for code in codes)
    for lines in SINGLE_CALL, ROW_BY_ROW:
        assert lines.strip() in codes
        known = {"torch": torch, "grad": torch.autograd.grad}
        exec(lines, known)
        assert f"J = {known['J']}" in codes


def test_another_sample_can_be_picked():
    at = visit_pitfall("samples=30")
    worst = drawn(at)["single"]
    at.number_input(key="look_at").set_value(7)
    tick(at)
    assert not drawn(at)["single"].equals(worst)
    assert any(text.value.startswith("Sample 7.") for text in at.caption)


def test_a_picked_sample_that_fewer_samples_lack_gives_way_to_the_worst():
    at = visit_pitfall("samples=30")
    at.number_input(key="look_at").set_value(25)
    tick(at).number_input(key="samples").set_value(10)
    at = watch(tick(at), "Pitfall")
    assert not at.error
    worst = Stream(Pitfall(Experiment(samples=10))).finish().worst_number(Experiment(samples=10))
    assert any(text.value.startswith(f"Sample {worst}.") for text in at.caption)


def test_the_diagrams_have_as_many_outputs_as_the_network():
    fenced = [text.value for text in visit_pitfall("samples=10&outputs=3").markdown if "mermaid" in text.value]
    assert [body in text for body, text in zip([one_leaf(3), one_leaf_each(3)], fenced, strict=True)] == [True, True]


def test_the_last_matrices_stay_while_others_are_computed(monkeypatch, runs):
    at = visit(f"samples={10**6}&{urlencode({'tab': PITFALL})}")
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
    at = visit_pitfall("samples=30")
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
    at = visit_pitfall("samples=10")
    (error,) = at.error
    assert error.value == "The computation failed: division by zero"
    assert "Check my matrix" in {header.value for header in at.header}

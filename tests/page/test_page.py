"""The page without a browser: what it shows for every kind of experiment, link and click. Each run is one tick."""

import ast
import json
import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pandas as pd
import pyarrow
import pytest
import streamlit as st
import torch
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup

from lib.derivative import tables as derivative_tables
from lib.derivative.points import explain
from lib.derivative.saturation import saturation
from lib.derivative.sentences import (
    derivative_claim,
    derivative_intro,
    derivative_reference,
    round_trip,
    saturation_claim,
    twins,
)
from lib.derivative.study import Derivative
from lib.discrepancy import verdict_tables
from lib.discrepancy.charts import ARRIVALS, CELLS, CLOSER, ULPS, UNITS
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.discrepancy.tables import tables
from lib.discrepancy.verdict_sentences import verdict_claim
from lib.display.quantities import at_most
from lib.experiment.query import FIELDS, PRESETS, Experiment
from lib.network import machine
from lib.page.controls import as_text
from lib.page.pitfall import ROW_BY_ROW, SINGLE_CALL
from lib.pitfall import cost_tables
from lib.pitfall import tables as pitfall_tables
from lib.pitfall.cost_sentences import cost_claim
from lib.pitfall.costs import Costs, subject, summary
from lib.pitfall.graph import one_leaf, one_leaf_each
from lib.pitfall.sentences import pitfall_claim, pitfall_rows
from lib.pitfall.study import Pitfall, inspect
from lib.replay.replay import replay
from lib.replay.sentences import first_divergence_claim
from lib.replay.tables import rows
from lib.run.store import Runs
from lib.run.stream import Stream
from lib.variations import agreement, controls, differences, ladder, lean_tables, scaling
from lib.variations import difference_tables as differences_tables
from lib.variations.agreement import Agreement
from lib.variations.agreement_sentences import agreement_claim
from lib.variations.controls import Controls
from lib.variations.difference_sentences import differences_claim
from lib.variations.ladder import Ladder
from lib.variations.ladder_sentences import ladder_claim
from lib.variations.lean import Lean
from lib.variations.lean_sentences import outputs_claim
from lib.variations.remedies import Remedies, readable, readable_tolerances
from lib.variations.scaling import Scaling
from tests.cases import EVERY_DTYPE, EVERY_METHOD
from tests.known_orders import replayed
from tests.server import ROOT

PAGE = ROOT / "streamlit_app.py"
MOST_TICKS = 400
LONG = Experiment(samples=10**6)


@pytest.fixture(autouse=True)
def runs(monkeypatch) -> Runs:
    """A store of runs for each test, in place of the one that all pages of a process share."""
    store = Runs()
    st.cache_resource.clear()
    monkeypatch.setattr("lib.run.store.Runs", lambda: store)
    return store


def tick(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    return at


def visit(query: str) -> AppTest:
    """The whole page for a link, as it is there a moment after its first screen."""
    return tick(arrive(query))


def arrive(query: str) -> AppTest:
    """The page as it first shows for a link."""
    at = AppTest.from_file(PAGE, default_timeout=60)
    for key, text in parse_qsl(query, keep_blank_values=True):
        at.query_params[key] = [*at.query_params.get(key, []), text]
    return tick(at)


def watch(at: AppTest, study: str = "Discrepancy") -> AppTest:
    """The page when its run is finished."""
    for _ in range(MOST_TICKS):
        if at.button(key=f"pause {study}").disabled:
            return at
        tick(at)
    pytest.fail(f"not finished after {MOST_TICKS} ticks: {progress(at)}")


def let_rest(runs) -> None:
    """Waits until the long run has stopped, since no page has drawn it for a while, and shows what it has."""
    while (run := runs.get(Discrepancy, LONG)).at_work:
        run.wait(60)


def progress(at: AppTest) -> tuple[int, int]:
    """Samples measured, and samples in all."""
    (bar,) = at.get("progress")
    return numbers(r"([\d,]+) of ([\d,]+) samples", bar.proto.text)


def numbers(pattern: str, text: str) -> tuple[int, ...]:
    match = re.search(pattern, text)
    assert match, text
    return tuple(int(group.replace(",", "")) for group in match.groups())


def claim(at: AppTest) -> str:
    (text,) = (heading.value for heading in at.main.subheader if "gradient components" in heading.value)
    return text


def presets(at: AppTest) -> ButtonGroup:
    (pills,) = at.pills
    return pills


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in at.metric}


def chosen(at: AppTest) -> Experiment:
    """The experiment that the controls stand for."""
    return Experiment.from_pairs((name, as_text(at.session_state[name])) for name in FIELDS)


def drawn(at: AppTest) -> dict[str, pd.DataFrame]:
    """The rows of all charts by the names of their tables."""
    sets = [data for chart in at.get("vega_lite_chart") for data in chart.proto.datasets]
    return {data.name: pyarrow.ipc.open_stream(data.data.data).read_all().to_pandas() for data in sets}


PITFALL = "Why are all rows the same?"


def visit_pitfall(query: str) -> AppTest:
    """The tab of the pitfall, when its run is finished."""
    return watch(visit(f"{query}&{urlencode({'tab': PITFALL})}"), "Pitfall")


def specs(at: AppTest) -> list[str]:
    return [chart.proto.spec for chart in at.get("vega_lite_chart")]


def figures(experiment: Experiment) -> DiscrepancyTally:
    """The same experiment without the page."""
    return Stream(Discrepancy(experiment)).finish()


def assert_shows(at: AppTest, tally: DiscrepancyTally, experiment: Experiment) -> None:
    assert progress(at) == (tally.samples, experiment.samples)
    assert numbers(r"([\d,]+) gradient components", claim(at)) == (tally.components,)
    assert ("equal values in all" in claim(at)) == (tally.equal == tally.components)
    shown = metrics(at)
    assert float(shown["Equal components"].rstrip("%")) / 100 == pytest.approx(
        tally.equal / tally.components, abs=0.0051
    )
    assert shown["Equal samples"] == f"{tally.samples_equal:,}"
    assert shown["Largest difference"] == at_most(tally.max_abs.value)
    longest = float(shown["Longest distance"].removesuffix(" ulp").replace(",", ""))
    assert longest == pytest.approx(tally.max_ulps.value, rel=0.05 if longest >= 100_000 else 0)
    for name, table in {**tables(tally, experiment), **verdict_tables.tables(tally.verdict)}.items():
        pd.testing.assert_frame_equal(drawn(at)[name], table, obj=name)
    assert any(text.value == f"**{verdict_claim(tally.verdict, experiment)}**" for text in at.markdown)


EXPERIMENTS = [
    *(Experiment(method=method, samples=50) for method in EVERY_METHOD),
    *(Experiment(dtype=dtype, method="jacrev", samples=50) for dtype in EVERY_DTYPE),
    *(Experiment(evaluation="batched", dtype=dtype, samples=5000) for dtype in EVERY_DTYPE),
    Experiment(inputs=1, hidden=(), outputs=1, output_activation="identity", samples=1),
    *(replace(preset, samples=min(preset.samples, 300)) for preset in PRESETS.values()),
    PRESETS["a million samples"],
]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.query)
def test_shows_the_figures_that_the_library_gives(experiment):
    at = watch(visit(experiment.query))
    assert not at.error and not at.warning
    assert chosen(at) == experiment
    assert_shows(at, figures(experiment), experiment)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_every_control(name):
    at = visit("inputs=3&hidden=&activation=tanh&device=mps&distribution=normal&seed=5&samples=20")
    presets(at).set_value(name)
    tick(at)
    assert chosen(at) == PRESETS[name]
    assert progress(at)[1] == PRESETS[name].samples


def test_a_preset_is_marked_when_its_experiment_is_set_by_hand():
    at = visit("samples=20")
    assert presets(at).value is None
    at.number_input(key="samples").set_value(2000)
    assert presets(tick(at)).value == "the post"


HOSTILE = {
    "unknown dtype": ("dtype=float8", "dtype"),
    "unknown key in a table": ("activation=__class__", "activation"),
    "table of the wrong field": ("activation=softmax", "activation"),
    "too small": ("samples=0", "samples"),
    "too large": (f"seed={2**31}", "seed"),
    "negative": ("inputs=-5", "inputs"),
    "a fraction": ("inputs=2.5", "inputs"),
    "in scientific notation": ("samples=1e3", "samples"),
    "a thousand digits": ("seed=" + "9" * 1000, "seed"),
    "digits of another script": ("samples=٣٠", "samples"),
    "letters of another width": ("dtype=ｆｌｏａｔ３２", "dtype"),
    "not a number": ("outputs=nan", "outputs"),
    "a script": ("method=<script>alert(1)</script>", "method"),
    "a path": ("device=../../etc/passwd", "device"),
    "a control character": ("distribution=normal%00", "distribution"),
    "empty number": ("samples=", "samples"),
    "empty choice": ("evaluation=", "evaluation"),
    "a comma alone": ("hidden=,", "hidden"),
    "too many widths": ("hidden=1,1,1,1,1,1,1", "hidden"),
    "too wide": ("hidden=257", "hidden"),
    "too costly": ("hidden=256,256,256&outputs=64", "hidden"),
    "a step beyond": ("step=17", "step"),
    "a key twice": ("samples=10&samples=20", "samples"),
    "the same value twice": ("output_activation=relu&output_activation=relu", "output_activation"),
    "a bad field among good ones": ("dtype=float64&samples=100&method=magic&seed=3", "method"),
}


@pytest.mark.parametrize("query, field", HOSTILE.values(), ids=HOSTILE)
def test_a_malformed_link_gives_one_sentence_and_the_first_experiment(query, field):
    at = visit(urlencode(parse_qsl(query, keep_blank_values=True)))
    (error,) = at.error
    assert re.search(rf"\b{field}\b", error.value)
    assert len(error.value) < 400 and "\n" not in error.value
    assert chosen(at) == Experiment() and progress(at)[1] == 2000 and claim(at)
    assert not FIELDS.keys() & at.query_params.keys()


def test_the_sentence_about_a_link_goes_with_the_next_experiment():
    at = visit("dtype=float8")
    at.number_input(key="samples").set_value(30)
    assert not tick(at).error
    assert progress(at)[1] == 30


def test_unknown_keys_of_a_link_are_ignored():
    at = watch(visit("utm_source=letter&utm_source=again&samples=30&fbclid=<b>"))
    assert not at.error
    assert_shows(at, figures(Experiment(samples=30)), Experiment(samples=30))


def test_other_controls_go_on_while_one_is_invalid():
    """The figures, and with them the link, are of what the controls say otherwise, on the last possible network."""
    at = watch(visit("samples=40&hidden=4,3"))
    at.text_input(key="hidden").set_value("10,abc")
    at.number_input(key="seed").set_value(7)
    (error,) = tick(at).error
    assert "The network is still 5→4→3→2." in error.value
    experiment = Experiment(samples=40, hidden=(4, 3), seed=7)
    assert_shows(watch(at), figures(experiment), experiment)


@pytest.mark.parametrize("text", ["10;5", "0", "ten", "1,,2", "9" * 30, "256,256,256,256,256,256,256"])
def test_an_invalid_control_gives_a_sentence_and_keeps_the_figures(text):
    at = watch(visit("dtype=float64&samples=40"))
    before = claim(at), metrics(at)
    at.text_input(key="hidden").set_value(text)
    (error,) = tick(at).error
    assert error.value.startswith("hidden = ")
    assert (claim(at), metrics(at)) == before
    at.text_input(key="hidden").set_value("4, 3")
    assert not tick(at).error
    experiment = Experiment(dtype="float64", samples=40, hidden=(4, 3))
    assert_shows(watch(at), figures(experiment), experiment)


@pytest.mark.parametrize(
    "query, lack", [("device=cuda", "CUDA"), ("device=mps", "MPS"), ("device=mps&dtype=float64", "float64")]
)
def test_a_missing_device_is_noted_and_the_cpu_computes(monkeypatch, query, lack):
    for device in "cuda", "mps":
        monkeypatch.setitem(machine._AVAILABLE, device, lambda: False)
    experiment = Experiment.parse(f"{query}&samples=40")
    at = watch(visit(experiment.query))
    (note,) = at.warning
    assert lack in note.value and "CPU" in note.value
    assert chosen(at) == experiment
    on_cpu = replace(experiment, device="cpu")
    assert_shows(at, figures(on_cpu), on_cpu)


@pytest.mark.parametrize("query", ["device=cpu&matmul=tf32", "device=cuda&matmul=tf32", "device=mps&matmul=tf32"])
def test_how_a_card_rounds_is_chosen_for_a_card_alone_and_stays_in_the_link(query):
    at = visit(f"{query}&samples=5")
    (control,) = (group for group in at.get("button_group") if group.label == "Matrix products on CUDA")
    assert control.disabled == ("cuda" not in query)
    assert chosen(at) == Experiment.parse(f"{query}&samples=5")


@pytest.mark.parametrize("query", ["method=finite-difference&step=-9", "method=finite-difference", "step=-9"])
def test_the_step_is_chosen_for_finite_differences_alone_and_stays_in_the_link(query):
    at = visit(f"{query}&samples=5")
    assert at.number_input(key="step").disabled == ("method" not in query)
    assert chosen(at) == Experiment.parse(f"{query}&samples=5")


def test_controls_that_streamlit_has_lost_are_set_by_the_address_again():
    """As when a run ends before it comes to them: no control has a state, and what the address says was put there."""
    at = AppTest.from_file(str(PAGE), default_timeout=60)
    experiment = Experiment(inputs=7, hidden=(4, 3), outputs=3, samples=5)
    at.query_params.update(experiment.pairs())
    at.session_state["first"] = {"inputs": 5, "hidden": "10", "outputs": 2}
    at.session_state["put"] = {name: experiment.text(name) for name in ("inputs", "hidden", "outputs")}
    assert chosen(at.run()) == experiment


@pytest.mark.parametrize("experiment", [Experiment(samples=5), Experiment(inputs=7, hidden=(4, 3), outputs=3)])
def test_the_controls_start_from_the_link_by_default(experiment):
    """A value that is set as a state is sent once, and a browser may drop that run for the next one."""
    at = visit(experiment.query)
    numbers = {name: at.number_input(key=name).proto.default for name in ("inputs", "outputs")}
    assert numbers == {"inputs": experiment.inputs, "outputs": experiment.outputs}
    assert at.text_input(key="hidden").proto.default == experiment.text("hidden")


def test_pause_stops_the_progress_and_resume_goes_on(runs):
    def settled_tick() -> int:
        """Samples on the page when no slice is outstanding any more."""
        tick(at)
        let_rest(runs)
        return progress(tick(at))[0]

    at = visit(LONG.query)
    assert settled_tick() < settled_tick()
    at.button(key="pause Discrepancy").click()
    paused = settled_tick()
    assert settled_tick() == settled_tick() == paused
    at.button(key="resume Discrepancy").click()
    assert settled_tick() > paused
    assert not at.button(key="pause Discrepancy").disabled


def test_another_experiment_is_not_paused():
    at = visit(LONG.query)
    at.button(key="pause Discrepancy").click()
    tick(at).number_input(key="samples").set_value(30)
    assert progress(watch(tick(at))) == (30, 30)


def test_pages_of_one_experiment_share_its_run(runs):
    first = visit(LONG.query)
    runs.get(Discrepancy, LONG).wait(60)
    reached, _ = progress(tick(first))
    assert progress(visit(LONG.query))[0] >= reached > 0
    assert len(runs) == 1


def test_a_failed_run_gives_one_sentence_and_can_be_tried_again(monkeypatch):
    with monkeypatch.context() as failing:
        failing.setattr(Discrepancy, "measure", lambda *_: 1 / 0)
        at = visit("samples=30")
        (error,) = at.error
        assert "failed" in error.value and "Traceback" not in error.value
    (again,) = (button for button in at.button if button.label == "Try again")
    again.click()
    assert not tick(at).error
    assert_shows(watch(at), figures(Experiment(samples=30)), Experiment(samples=30))


COLUMNS = {
    "ulps": {"ulps", "kind", "components", "share"},
    "cells": {"x", "x2", "y", "y2", "kind", "condition", "ulps", "components", "share"},
    "frame": {"x", "y", "line", "line_name", "zero_name"},
    "arrivals": {"samples", "share"},
    "span": {"samples", "share"},
    "closer": {"verdict", "components", "share"},
    "units": {"series", "x", "size", "share"},
    "bound": {"x", "name", "limit"},
}


def test_a_run_of_the_script_ends_with_a_rest_in_which_it_is_sent(monkeypatch):
    rests = []
    monkeypatch.setattr("lib.page.shared.pace", lambda: 0.5)
    monkeypatch.setattr("lib.page.shared.sleep", rests.append)
    at = arrive("samples=10")
    assert rests == [0.15]
    tick(at)
    assert rests == [0.15, 0.15]


def test_a_page_arrives_with_its_first_chart_and_is_whole_by_the_next_run():
    at = arrive("samples=40")
    assert set(drawn(at)) == set(ULPS.tables)
    assert metrics(at)["Equal samples"] and [header.value for header in at.header] == ["How far apart are they?"]
    tick(at)
    assert set(drawn(at)) == set(COLUMNS)
    assert [header.value for header in at.header][-1] == "How do I make it go away?"


def test_charts_have_their_tables_and_say_what_they_show():
    at = watch(visit("samples=40"))
    assert {name: set(table) for name, table in drawn(at).items()} == COLUMNS
    charts = at.get("vega_lite_chart")
    assert [[data.name for data in chart.proto.datasets] for chart in charts] == [
        list(chart.tables) for chart in (ULPS, ARRIVALS, CELLS, CLOSER, UNITS)
    ]
    for chart in charts:
        assert re.fullmatch(r"[A-Z][^:]+: .*\d.*\.", chart.proto.alt)
    assert len({chart.proto.alt for chart in charts}) == len(charts)


def test_only_the_rows_of_a_chart_change_between_ticks(runs):
    def settled() -> tuple:
        types = {name: list(table.dtypes) for name, table in drawn(at).items()}
        return specs(at), [chart.proto.alt for chart in at.get("vega_lite_chart")], types

    at = visit(LONG.query)
    rows, kept = [], [settled()]
    for _ in range(3):
        rows.append(drawn(at)["arrivals"])
        let_rest(runs)
        tick(at)
        kept.append(settled())
    assert all(len(before) < len(after) for before, after in zip(rows, rows[1:], strict=False))
    assert kept == [kept[0]] * 4
    assert specs(watch(visit("dtype=bfloat16&samples=20"))) == specs(at)


def test_every_field_that_a_chart_draws_is_a_column():
    def fields(part: object, table: str | None = None):
        if isinstance(part, dict):
            table = part.get("data", {}).get("name", table)
            if isinstance(part.get("field"), str):
                yield table, part["field"]
            part = part.values()
        if not isinstance(part, str | int | float | None):
            for inner in part:
                yield from fields(inner, table)

    at = watch(visit("samples=20"))
    asked = {pair for spec in specs(at) for pair in fields(json.loads(spec))}
    assert len(asked) > 15
    assert not {(table, field) for table, field in asked if field not in COLUMNS[table]}


def test_docstrings_of_the_page_stay_in_its_source():
    lone = (node.value for node in ast.walk(ast.parse(PAGE.read_text())) if isinstance(node, ast.Expr))
    docstrings = {node.value for node in lone if isinstance(node, ast.Constant)}
    assert docstrings
    assert not docstrings & {text.value for text in visit("samples=20").markdown}


@pytest.mark.parametrize("query", ["samples=40", "samples=30&dtype=bfloat16&outputs=4&evaluation=batched"])
def test_the_pitfall_shows_the_figures_that_the_library_gives(query):
    experiment = Experiment.parse(query)
    at = visit_pitfall(query)
    assert not at.error
    tally = Stream(Pitfall(experiment)).finish()
    assert progress(at) == (tally.samples, experiment.samples)
    texts = {text.value for text in [*at.subheader, *at.caption]}
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


def test_only_the_open_tab_computes(runs):
    experiment = Experiment(samples=30)
    watch(visit("samples=30"))
    assert runs.get(Pitfall, experiment).tally.samples == 0
    visit_pitfall("samples=30")
    assert runs.get(Pitfall, experiment).tally.samples == 30


def test_the_diagrams_have_as_many_outputs_as_the_network():
    fenced = [text.value for text in visit_pitfall("samples=10&outputs=3").markdown if "mermaid" in text.value]
    assert [body in text for body, text in zip([one_leaf(3), one_leaf_each(3)], fenced, strict=True)] == [True, True]


def test_the_costs_can_be_stopped_and_go_on(runs):
    at = visit(f"samples=10&costs=true&{urlencode({'tab': PITFALL})}")
    run = runs.get(Costs, subject(Experiment()))
    at.button(key="pause Costs").click()
    tick(at)
    while run.at_work:
        run.wait(60)
    turns = run.tally.turns
    assert at.get("progress")[-1].proto.text.endswith("turns · paused")
    tick(tick(at))
    assert not run.at_work and run.tally.turns == turns < Costs.total(subject(Experiment()))
    at.button(key="resume Costs").click()
    watch(tick(at), "Costs")
    assert run.tally.turns == Costs.total(subject(Experiment()))


def test_a_run_that_is_finished_cannot_be_resumed(runs):
    """It ended before the click on Pause came."""
    at = watch(visit("samples=10"))
    at.session_state["paused"] = frozenset({"Discrepancy"})
    assert tick(at).button(key="pause Discrepancy").disabled


def test_the_costs_are_measured_when_they_are_opened(monkeypatch, runs):
    monkeypatch.setattr("lib.pitfall.costs.ROUNDS", 2)
    monkeypatch.setattr("lib.pitfall.costs.sizes", lambda experiment: [1, 2])
    monkeypatch.setattr("lib.page.costs.sizes", lambda experiment: [1, 2])
    at = visit_pitfall("samples=10")
    assert "time" not in {text.value.split()[0] for text in at.caption} and "costs" not in drawn(at)
    at = watch(visit(f"samples=10&costs=true&{urlencode({'tab': PITFALL})}"), "Costs")
    run = runs.get(Costs, subject(Experiment()))
    costs = summary(run.tally)
    assert len(costs) == 2 * len(EVERY_METHOD)
    for name, table in cost_tables.tables(costs, [1, 2]).items():
        pd.testing.assert_frame_equal(drawn(at)[name], table, obj=name)
    assert cost_claim(costs, Experiment()) in {text.value for text in at.subheader}
    (again,) = (button for button in at.button if button.label == "Measure again")
    again.click()
    tick(at)
    assert runs.get(Costs, subject(Experiment())) is not run


PASTED = {
    "the post": ("J1: tensor([[10., 18.],\n[10., 18.],\n[10., 18.],", "All 3 rows are equal"),
    "right": ("[[2, 0], [0, 2], [8, 0], [0, 16]]", "No known fault"),
    "zeros": ("[[0.0, 0.0], [0.0, 0.0]]", "detach()"),
}


@pytest.mark.parametrize("text, words", PASTED.values(), ids=PASTED)
def test_a_pasted_matrix_is_told_what_it_gives_away(text, words):
    at = visit_pitfall("samples=10")
    at.text_area(key="matrix").set_value(text)
    tick(at)
    assert not at.error
    assert any(words in finding.value for finding in [*at.warning, *at.success, *at.info])


def test_a_pasted_matrix_that_lacks_a_bracket_is_not_read_in_silence():
    at = visit_pitfall("samples=10")
    for text, asked in (("[[1, 2], [1, 2]", True), ("[[1, 2], [1, 2]]", False)):
        at.text_area(key="matrix").set_value(text)
        tick(at)
        (read,) = [one.value for one in at.markdown if one.value.startswith("Read: ")]
        assert ("A bracket is not closed" in read) is asked and "2 × 2 numbers." in read


def test_the_shape_of_a_pasted_matrix_is_judged_only_where_the_visitor_said_it():
    at = visit_pitfall("samples=10&inputs=3")
    at.text_area(key="matrix").set_value("[[2, 0], [0, 2], [8, 0], [0, 16]]")
    tick(at)
    assert not any("transposed" in finding.value or "shape" in finding.value for finding in [*at.warning, *at.info])
    at.number_input(key="matrix_Outputs").set_value(2)
    tick(at)
    (said,) = [finding.value for finding in at.warning if "transposed" in finding.value]
    assert "of a function of 2 outputs has a row per output" in said
    at.number_input(key="matrix_Outputs").set_value(4)
    tick(at)
    assert not any("transposed" in finding.value for finding in at.warning)


BAD_PASTES = {
    "a megabyte": "[" + "1, " * 333_333 + "1]",
    "deep": "[" * 50_000,
    "a call": "__import__('os').system('x')",
    "a picture": "![a](//b.cc/d)",
    "blank": "   ",
}


@pytest.mark.parametrize("text", BAD_PASTES.values(), ids=BAD_PASTES)
def test_a_bad_paste_gets_one_sentence(text):
    at = visit_pitfall("samples=10")
    at.text_area(key="matrix").set_value(text)
    (error,) = tick(at).error
    assert len(error.value) < 300 and "\n" not in error.value
    assert "![" not in error.value or "` ![a]" in error.value


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


BY_HAND = "Is my derivative right?"


def visit_derivative(query: str) -> AppTest:
    """The tab of the derivatives, when its run is finished."""
    return watch(visit(f"{query}&{urlencode({'tab': BY_HAND})}"), "Derivative")


@pytest.mark.parametrize(
    "query", ["samples=60", "samples=40&dtype=float64&function=tanh&x_from=uniform", "samples=50&function=log"]
)
def test_the_derivative_shows_the_figures_that_the_library_gives(query):
    experiment = Experiment.parse(query)
    at = visit_derivative(query)
    assert not at.error
    tally = Stream(Derivative(experiment)).finish()
    assert progress_of(at, "x") == (tally.samples, experiment.samples)
    texts = {text.value for text in [*at.subheader, *at.caption, *at.markdown]}
    said = {derivative_claim(tally, experiment), derivative_reference(tally)}
    said |= {f"{twins(tally)} {round_trip(tally, experiment)}"}
    assert said | {saturation_claim(saturation(experiment), experiment)} <= texts
    shown = drawn(at)
    for name, table in derivative_tables.tables(tally, experiment).items():
        pd.testing.assert_frame_equal(shown[name], table, obj=name)
    tables_shown = [table.value for table in at.table]
    dtype = getattr(torch, experiment.dtype)
    worst = max(tally.series.tallies.values(), key=lambda series: series.worst.value).worst.place.x
    explanation = explain(experiment.function, worst, experiment.dtype)
    for table in derivative_tables.comparison(tally, dtype), derivative_tables.explained(explanation, dtype):
        assert any(table.equals(other) for other in tables_shown)
    assert all(chart.proto.alt for chart in at.get("vega_lite_chart"))


def progress_of(at: AppTest, unit: str) -> tuple[int, int]:
    (bar,) = at.get("progress")
    return numbers(rf"([\d,]+) of ([\d,]+) {unit}", bar.proto.text)


def test_the_posts_number_is_explained():
    at = visit_derivative("samples=10")
    (claim,) = (text.value for text in at.markdown if "One ulp is 2⁻²⁴ = 5.9605e-08" in text.value)
    assert "`1.0497569`" in claim
    table = at.table[0].value.set_index("derivative")
    assert table.loc["`-1/x**2`", "correctly rounded"] == "✓" and table.loc["`autograd`", "correctly rounded"] == "✗"


def test_the_tab_of_a_derivative_speaks_of_the_function_that_was_chosen():
    at = visit_derivative("samples=10&function=tanh")
    texts = [element.value for element in [*at.markdown, *at.header, *at.subheader]]
    assert derivative_intro(Experiment(function="tanh")) in texts
    assert not any("1/x" in text or "1/a" in text for text in texts)


def test_links_of_old_open_the_tab_of_the_derivative():
    at = visit(f"samples=10&{urlencode({'tab': 'Why is 1/x off?'})}")
    assert at.session_state["tab"] == BY_HAND and any(header.value == "A derivative by hand" for header in at.header)


def test_where_every_derivative_overflows_none_is_the_worst():
    query = next(
        query
        for seed in range(1000)
        if Stream(Derivative(Experiment.parse(query := f"samples=1&function=exp&x_from=log-uniform&seed={seed}")))
        .finish()
        .overflow
    )
    texts = [text.value for text in visit_derivative(query).markdown]
    assert any("No derivative has an error in ulps" in text for text in texts) and not any(
        "inf ulp" in t for t in texts
    )


def test_any_x_can_be_looked_at():
    at = visit_derivative("samples=10&function=tanh")
    at.text_input(key="explain").set_value("0x1.4p+3")
    tick(at)
    assert any("x = `10.0` = `0x1.4p+3`" in text.value for text in at.markdown)
    at.text_input(key="explain").set_value("![a](//b.cc)")
    (error,) = tick(at).error
    assert "`` " not in error.value and "` ![a](//b.cc) `" in error.value
    assert visit(f"samples=10&explain=1e5&{urlencode({'tab': BY_HAND})}").text_input(key="explain").value == "1e5"


def test_single_points_are_shown():
    at = visit_derivative("samples=10&function=abs&dtype=bfloat16")
    kinks = {table.value.columns[0]: table.value for table in at.table if "spelt" in str(table.value.columns[0])}
    relu, absolute = (kinks[f"{name}, spelt as"].set_index(f"{name}, spelt as") for name in ("relu", "abs"))
    assert (
        relu.loc["`x.clamp(min=0)`", "gradient at 0"] == "1.0" and relu.loc["`torch.relu(x)`", "gradient at 0"] == "0.0"
    )
    assert absolute.loc["`torch.sqrt(x**2)`", "gradient at 0"] == "nan"
    (edges,) = at.dataframe
    assert len(edges.value) == 9
    (hundredths,) = (text.value for text in at.markdown if "n / 100 * 100" in text.value)
    wrong = [n for n in range(101) if n / 100 * 100 != n]
    assert [int(n) for n in re.findall(r"(\d+) \(", hundredths)] == wrong and "28.999999999999996" in hundredths
    assert any("has no inverse" in text.value for text in at.markdown)


def test_the_largest_discrepancy_is_replayed():
    experiment = Experiment(samples=60)
    at = watch(visit("samples=60"))
    place = figures(experiment).max_abs.place
    found = replayed(replay(experiment, place.index, place.component))
    assert any(text.value == f"**{first_divergence_claim(found)}**" for text in at.markdown)
    shown = [frame.value for frame in at.dataframe]
    assert all(any(table.equals(other) for other in shown) for table in rows(found).values())
    at.number_input(key="trace_sample").set_value(3)
    at.number_input(key="trace_component").set_value(1)
    tick(at)
    assert any("omponent 1 of sample 3" in text.value for text in at.markdown)


def test_the_agreement_is_computed_when_it_is_opened(runs):
    experiment = Experiment(samples=30)
    assert "agreement" not in drawn(watch(visit("samples=30")))
    at = watch(visit("samples=30&agreement=true"), "Agreement")
    tally = Stream(Agreement(experiment)).finish()
    assert agreement_claim(tally, experiment) in {text.value for text in at.subheader}
    pd.testing.assert_frame_equal(drawn(at)["agreement"], agreement.tables(tally)["agreement"])


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
    pd.testing.assert_frame_equal(drawn(at)["ladder"], ladder.tables(tally)["ladder"])


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


def test_the_leans_are_measured_when_they_are_opened_whatever_the_method_and_the_dtype(monkeypatch):
    for name, few in {"NETWORKS": 2, "OUTPUTS": [2, 4], "SAMPLES": {"per-sample": 3, "batched": 3}}.items():
        monkeypatch.setattr(f"lib.variations.lean.{name}", few)
    at = watch(visit("samples=5&lean=true&dtype=bfloat16&method=finite-difference&step=-5&outputs=3"), "Lean")
    experiment = Experiment()
    tally = Stream(Lean(experiment)).finish()
    assert outputs_claim(tally, experiment) in {text.value for text in at.subheader}
    pd.testing.assert_frame_equal(drawn(at)["leans"], lean_tables.tables(tally, experiment)["leans"])
    (table,) = (table.value for table in at.table if "switched off" in table.value.columns)
    expected = lean_tables.readable(tally, experiment)
    assert all(table[column].equals(expected[column]) for column in ("switched off", "float32", "bfloat16"))


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

"""The component that the first tab shows: a first example, what is picked, and what the link says."""

import pytest

from lib.discrepancy.examples import another, first_example, sample_and_component
from lib.discrepancy.tables import first_of_cell, printout
from lib.experiment.query import Experiment
from tests.page.visiting import LONG, claim, figures, let_rest, picture, tick, visit, watch

EXPERIMENT = Experiment(samples=60)


def shown(at) -> tuple[int, int]:
    """The sample and the component in the picture."""
    key = dict(part.split("=") for part in picture(at)["example"]["key"].split("&") if "=" in part)
    return int(key["sample"]), int(key["component"])


def in_link(at) -> tuple[str | None, ...]:
    said = (at.query_params.get(key) for key in ("trace_sample", "trace_component", "worst_by"))
    return tuple(value[0] if isinstance(value, list) else value for value in said)


def test_without_a_pick_it_is_the_first_example():
    at = watch(visit("samples=60"))
    assert shown(at) == first_example(EXPERIMENT) and in_link(at) == (None, None, None)


def test_it_stays_while_samples_arrive(runs):
    at = visit(LONG.query)
    seen = {shown(at)}
    for _ in range(3):
        let_rest(runs)
        seen.add(shown(tick(at)))
    assert seen == {first_example(LONG)}


def test_a_bar_shows_the_first_component_that_it_counts():
    at = watch(visit("samples=60"))
    for key in (-8, -1, 0, 3):
        at.session_state["bar"] = key
        tick(at)
        expected = sample_and_component(EXPERIMENT, figures(EXPERIMENT).ulps_first[key])
        assert shown(at) == expected and in_link(at)[:2] == tuple(map(str, expected))
        histogram = picture(at)["histogram"]
        assert [bar["key"] for bar in histogram["bars"]][key + 8] == histogram["picked"] == key


def test_a_bar_without_components_picks_nothing():
    at = watch(visit("samples=1"))
    tally = figures(Experiment(samples=1))
    (empty, *_) = (key for key in range(-8, 9) if tally.ulps_first[key] is None)
    at.session_state["bar"] = empty
    assert shown(tick(at)) == first_example(Experiment(samples=1))


def test_a_cell_and_a_row_show_a_component_of_theirs():
    at = watch(visit("samples=60&apart=true"))
    box = next(box for box in at.selectbox if box.label == "Or pick a cell by name")
    cell = (2, 1)
    box.set_value(cell)
    expected = sample_and_component(EXPERIMENT, first_of_cell(figures(EXPERIMENT), EXPERIMENT, *cell))
    assert shown(tick(at)) == expected
    at.session_state["picked row"] = 7
    assert shown(tick(at)) == (1, 2)


def test_what_no_browser_sends_picks_nothing():
    at = watch(visit("samples=20&apart=true"))
    for sent in ("x", [1], {}, 10**30, -9, None, float("nan")):
        at.session_state["bar"], at.session_state["picked cell"], at.session_state["picked row"] = sent, (sent, 1), sent
        assert shown(tick(at)) == first_example(Experiment(samples=20)) and not at.error, sent


def test_the_first_samples_are_also_there_as_pytorch_prints_them():
    at = watch(visit("samples=60&apart=true"))
    assert not at.code
    at.toggle(key="as printed").set_value(True)
    (printed,) = (block.value for block in tick(at).code)
    assert printed == printout(figures(EXPERIMENT), EXPERIMENT)


def test_another_is_the_next_of_the_same_bar():
    at = watch(visit("samples=60"))
    at.button(key="another").click()
    assert shown(tick(at)) == another(EXPERIMENT, *first_example(EXPERIMENT))


def test_a_component_without_another_stays():
    at = watch(visit("samples=1&inputs=1&outputs=1"))
    at.button(key="another").click()
    assert shown(tick(at)) == (0, 0) and at.toast


def test_the_link_of_a_pick_shows_it_again():
    at = watch(visit("samples=60&trace_sample=41&trace_component=3"))
    assert shown(at) == (41, 3) and in_link(at) == ("41", "3", None)


def test_a_link_may_leave_the_component_or_the_sample_to_the_worst():
    place = figures(EXPERIMENT).max_abs.place
    assert shown(watch(visit("samples=60&trace_sample=41"))) == (41, place.component)
    assert shown(watch(visit("samples=60&trace_component=1"))) == (place.index, 1)


@pytest.mark.parametrize("measure", ["difference", "ulps", "rounding units"])
def test_a_link_to_the_worst_shows_it(measure):
    tally = figures(EXPERIMENT)
    worst = {"difference": tally.max_abs, "ulps": tally.max_ulps, "rounding units": tally.verdict.max_units}[measure]
    at = watch(visit(f"samples=60&worst_by={measure}"))
    assert shown(at) == (worst.place.index, worst.place.component) and in_link(at) == (None, None, measure)


@pytest.mark.parametrize("view", ["trace_sample=60", "trace_component=5", "worst_by=size"])
def test_what_is_not_there_is_not_picked(view):
    at = watch(visit(f"samples=60&{view}"))
    assert shown(at) == first_example(EXPERIMENT) and in_link(at) == (None, None, None) and not at.error


def test_of_a_sample_that_is_not_there_the_component_is_picked_all_the_same():
    at = watch(visit("samples=60&trace_sample=60&trace_component=0"))
    assert shown(at) == (figures(EXPERIMENT).max_abs.place.index, 0)
    assert in_link(at) == (None, "0", None) and not at.error


def test_a_changed_experiment_drops_the_pick():
    at = watch(visit("samples=60&trace_sample=41&trace_component=3"))
    at.number_input(key="samples").set_value(50)
    at = watch(tick(at))
    assert shown(at) == first_example(Experiment(samples=50)) and in_link(at) == (None, None, None)


@pytest.mark.parametrize(
    "query",
    [
        "evaluation=batched",
        "method=jacrev",
        "dtype=bfloat16",
        "dtype=float64",
        "outputs=1",
        "method=single-call",
        "method=finite-difference&step=-60&dtype=float16",
        "hidden=64,64&outputs=16",
        "inputs=1&hidden=",
    ],
)
def test_every_state_has_a_picture_a_claim_and_a_sentence(query):
    at = watch(visit(f"samples=10&{query}"))
    assert not at.exception and not at.error
    assert picture(at)["example"] and claim(at)
    assert any(text.value.startswith(("They end", "Both end", "At least one value")) for text in at.markdown)


def test_a_question_that_fails_gives_a_sentence(monkeypatch):
    monkeypatch.setattr("lib.page.component.example", lambda *_: 1 / 0)
    at = watch(visit("samples=20"))
    assert not at.exception and any("failed" in error.value for error in at.error)
    assert picture(at)["example"] is None and at.button(key="another").disabled

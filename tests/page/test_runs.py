"""The runs of a page: paused, resumed, shared between viewers, failed, and whole by the second run of the script."""

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.page.shared import SENDING
from lib.pitfall.study import Pitfall
from tests.page.visiting import (
    BY_HAND,
    GRADIENTS,
    LONG,
    arrive,
    assert_shows,
    figures,
    let_rest,
    progress,
    tick,
    visit,
    visit_pitfall,
    watch,
)


def test_pause_stops_the_progress_and_resume_goes_on(runs):
    def settled_tick() -> int:
        """Samples on the page when no slice is outstanding any more."""
        tick(at)
        let_rest(runs)
        return progress(tick(at))[0]

    at = visit(LONG.query)
    assert settled_tick() < settled_tick()
    at.toggle(key="pause Discrepancy").set_value(True)
    paused = settled_tick()
    assert settled_tick() == settled_tick() == paused
    at.toggle(key="pause Discrepancy").set_value(False)
    assert settled_tick() > paused
    assert not at.toggle(key="pause Discrepancy").disabled


def test_another_experiment_is_not_paused():
    at = visit(LONG.query)
    at.toggle(key="pause Discrepancy").set_value(True)
    tick(at).number_input(key="samples").set_value(30)
    assert progress(watch(tick(at))) == (30, 30)


def test_what_is_chosen_in_another_tab_alone_ends_no_pause():
    at = visit(LONG.query)
    at.toggle(key="pause Discrepancy").set_value(True)
    tick(at).session_state["tab"] = BY_HAND
    tick(tick(at)).selectbox(key="function").set_value("tanh")
    tick(at).session_state["tab"] = GRADIENTS
    assert tick(at).toggle(key="pause Discrepancy").value


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


def test_a_run_of_the_script_ends_with_a_rest_in_which_it_is_sent(monkeypatch):
    rests = []
    monkeypatch.setattr("lib.page.shared.SENDING", SENDING)
    monkeypatch.setattr("lib.page.shared.pace", lambda: 0.5)
    monkeypatch.setattr("lib.page.shared.sleep", rests.append)
    at = arrive("samples=10")
    assert rests == [0.15]
    tick(at)
    assert rests == [0.15, 0.15]


def test_only_the_open_tab_computes(runs):
    experiment = Experiment(samples=30)
    watch(visit("samples=30"))
    assert runs.get(Pitfall, experiment).tally.samples == 0
    visit_pitfall("samples=30")
    assert runs.get(Pitfall, experiment).tally.samples == 30


def test_a_run_that_is_finished_cannot_be_resumed(runs):
    """It ended before the click on Pause came."""
    at = watch(visit("samples=10"))
    at.session_state["pause Discrepancy"] = True
    assert tick(at).toggle(key="pause Discrepancy").disabled

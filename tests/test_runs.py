"""Runs that viewers share: computed once, by one worker, in a bounded store; errors become a sentence."""

import logging
from threading import Event, current_thread

import pytest

from lib import runs as runs_module
from lib.experiment import Experiment
from lib.runs import Runs
from lib.stream import Stream
from lib.studies.discrepancy import Discrepancy

EXPERIMENT = Experiment(samples=30)
PATIENCE = 30.0  # seconds


def finish(run):
    while not run.finished:
        run.kick(0.05)
        run.wait(PATIENCE)
    return run


class Held(Discrepancy):
    """The study, whose measuring waits until the test lets it."""

    started, go = Event(), Event()

    def measure(self, number, deadline):
        self.started.set()
        assert self.go.wait(PATIENCE)
        return super().measure(number, 0.0)


@pytest.fixture
def held():
    Held.started.clear()
    Held.go.clear()
    yield Held
    Held.go.set()


def test_two_viewers_of_one_experiment_share_one_run():
    runs = Runs()
    assert runs.get(Discrepancy, EXPERIMENT) is runs.get(Discrepancy, Experiment.parse("samples=30"))
    assert runs.get(Discrepancy, Experiment(samples=31)) is not runs.get(Discrepancy, EXPERIMENT)


def test_a_run_ends_with_the_tally_of_the_study():
    run = finish(Runs().get(Discrepancy, EXPERIMENT))
    assert run.tally == Stream(Discrepancy(EXPERIMENT)).finish()
    assert run.finished and run.error is None


def test_nothing_is_computed_until_it_is_kicked():
    run = Runs().get(Discrepancy, EXPERIMENT)
    run.wait(PATIENCE)
    assert run.tally.samples == 0 and not run.finished


def test_a_kick_never_waits_and_leaves_one_slice_outstanding_at_most(held):
    run = Runs().get(held, EXPERIMENT)
    for _ in range(5):
        run.kick(0.0)
    assert held.started.wait(PATIENCE)
    assert run.tally.samples == 0 and not run.finished
    held.go.set()
    run.wait(PATIENCE)
    assert run.tally.samples == 1  # five kicks, one slice, and a slice of no time measures one sample


def test_a_finished_run_takes_no_more_slices():
    run = finish(Runs().get(Discrepancy, EXPERIMENT))
    tally = run.tally
    run.kick(0.05)
    run.wait(PATIENCE)
    assert run.tally is tally


def test_the_store_is_bounded_by_number_and_drops_the_least_recently_asked_for():
    runs = Runs(most_runs=2)
    a, b, c = (Experiment(samples=30, seed=seed) for seed in (1, 2, 3))
    first, second = runs.get(Discrepancy, a), runs.get(Discrepancy, b)
    runs.get(Discrepancy, a)
    runs.get(Discrepancy, c)
    assert len(runs) == 2
    assert runs.get(Discrepancy, a) is first
    assert runs.get(Discrepancy, b) is not second


def test_the_store_is_bounded_by_memory():
    probe = finish(Runs().get(Discrepancy, EXPERIMENT))
    runs = Runs(most_bytes=3 * probe.nbytes)
    for seed in range(8):
        finish(runs.get(Discrepancy, Experiment(samples=30, seed=seed)))
    assert 1 < len(runs) <= 4


def test_a_run_at_work_counts_the_memory_of_its_network_and_samples():
    run = Runs().get(Discrepancy, Experiment(samples=10_000, hidden=(256,)))
    run.kick(0.0)
    run.wait(PATIENCE)
    assert run.nbytes > 5 * 256 * 4
    assert finish(Runs().get(Discrepancy, EXPERIMENT)).nbytes < 10_000


def test_an_experiment_pushed_out_of_the_store_gives_the_same_figures_again():
    runs = Runs(most_runs=1)
    before = finish(runs.get(Discrepancy, EXPERIMENT)).tally
    finish(runs.get(Discrepancy, Experiment(samples=30, seed=1)))
    assert finish(runs.get(Discrepancy, EXPERIMENT)).tally == before


def test_a_failure_becomes_a_sentence_and_can_be_tried_again(caplog):
    class Failing(Discrepancy):
        broken = True

        def measure(self, number, deadline):
            if self.broken:
                raise RuntimeError("out of memory\nand a traceback")
            return super().measure(number, deadline)

    runs = Runs()
    with caplog.at_level(logging.ERROR, logger=runs_module.__name__):
        run = finish(runs.get(Failing, EXPERIMENT))
    assert run.error == "The computation failed after 0 samples: out of memory"
    assert caplog.records[0].exc_info
    Failing.broken = False
    assert runs.get(Failing, EXPERIMENT).error
    runs.forget(Failing, EXPERIMENT)
    assert finish(runs.get(Failing, EXPERIMENT)).tally.samples == 30


def test_a_question_is_answered_once_and_by_the_worker():
    asked = []

    def square(number):
        asked.append(current_thread().name)
        return number**2

    runs = Runs()
    assert [runs.ask(square, 3, patience=PATIENCE) for _ in range(2)] == [9, 9]
    assert runs.ask(square, 4, patience=PATIENCE) == 16
    assert len(asked) == 2 and all(name.startswith("study") for name in asked)


def test_an_answer_that_is_not_there_yet_is_none():
    go = Event()
    runs = Runs()
    assert runs.ask(go.wait, PATIENCE, patience=0.0) is None
    go.set()
    assert runs.ask(go.wait, PATIENCE, patience=PATIENCE) is True


def test_answers_are_bounded():
    asked = []
    runs = Runs()
    for number in [*range(runs_module._MOST_ANSWERS + 1), 1, 0]:
        runs.ask(asked.append, number, patience=PATIENCE)
    assert asked == [*range(runs_module._MOST_ANSWERS + 1), 0]


def test_a_question_that_fails_gives_a_sentence(caplog):
    def divide(number):
        return 1 / number

    runs = Runs()
    with caplog.at_level(logging.ERROR, logger=runs_module.__name__):
        with pytest.raises(RuntimeError, match="^The computation failed: division by zero$"):
            runs.ask(divide, 0, patience=PATIENCE)
    assert caplog.records[0].exc_info


def test_the_rate_is_samples_per_second_of_the_clock(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(runs_module, "monotonic", lambda: clock[0])
    run = Runs().get(Discrepancy, Experiment(samples=1000))
    assert run.rate == 0
    for _ in range(3):
        run.kick(0.0)
        run.wait(PATIENCE)
        clock[0] += 0.5
    assert run.rate == 2.0
    clock[0] += 60  # a pause does not count
    run.kick(0.0)
    run.wait(PATIENCE)
    assert run.rate == 0


@pytest.mark.parametrize(
    ("viewers", "period", "seconds"),
    [
        (1, 0.3, 0.15),
        (2, 0.3, 0.12),
        (15, 0.3, 0.016),
        (16, 0.6, 0.03),
        (50, 1.0, 0.016),
        (100, 2.0, 0.016),
        (900, 2.0, 0.01),
    ],
)
def test_more_viewers_draw_less_often_and_get_shorter_slices(monkeypatch, viewers, period, seconds):
    clock = [0.0]
    monkeypatch.setattr(runs_module, "monotonic", lambda: clock[0])
    runs = Runs()
    for viewer in range(viewers):
        pace = runs.pace(str(viewer))
    assert pace == (period, pytest.approx(seconds))
    clock[0] += 7  # all of them left
    assert runs.pace("alone") == (0.3, 0.15)

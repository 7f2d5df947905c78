"""Runs that viewers share: computed once, by one worker, in a bounded store; errors become a sentence."""

import logging
from threading import Event, current_thread

import pytest
import torch

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


@pytest.fixture
def clock(monkeypatch):
    """The time, in a list, which stands still until the test puts it forward; a slice measures once."""
    now = [100.0]
    monkeypatch.setattr(Runs, "_turn", lambda runs: 0.0)
    monkeypatch.setattr(runs_module, "monotonic", lambda: now[0])
    return now


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
        run.kick()
    assert held.started.wait(PATIENCE)
    assert run.tally.samples == 0 and not run.finished
    held.go.set()
    run.wait(PATIENCE)
    assert run.tally.samples == 1  # five kicks, one slice, and a slice of no time measures one sample


def test_a_kick_keeps_a_run_at_work_until_it_is_not_wanted_any_more(clock):
    class Ticking(Discrepancy):
        def measure(self, number, deadline):
            clock[0] += 1.0
            return super().measure(number, 0.0)

    run = Runs().get(Ticking, EXPERIMENT)
    run.kick(10.0)  # 15 seconds
    while run.at_work:
        run.wait(PATIENCE)
    assert run.tally.samples == 15
    assert not run.finished
    run.kick()
    run.wait(PATIENCE)
    assert run.tally.samples == 16


def test_a_run_that_is_paused_stops_after_its_slice(held):
    run = Runs().get(held, Experiment(samples=10**6))
    run.kick(1000.0)
    assert held.started.wait(PATIENCE)
    run.rest()
    held.go.set()
    run.wait(PATIENCE)
    assert not run.at_work and 0 < run.tally.samples < 10**6


def test_runs_take_turns_however_many_look_at_them(clock, held):
    order = []

    class Noted(Discrepancy):
        def measure(self, number, deadline):
            order.append(self.experiment.seed)
            clock[0] += 0.5
            return super().measure(number, 0.0)

    runs = Runs()
    runs.ask(held.go.wait, PATIENCE, patience=0.0)  # the worker waits until all are queued
    for seed in (1, 2, 3):
        for _ in range(10**seed):
            runs.get(Noted, Experiment(seed=seed)).kick(6.0)
    held.go.set()
    while runs.at_work:
        runs.get(Noted, Experiment(seed=1)).wait(PATIENCE)
    assert order[:18] == [1, 2, 3] * 6


def test_a_run_shows_a_tally_twice_a_period_and_when_it_stops(clock):
    seen = []

    class Ticking(Discrepancy):
        def measure(self, number, deadline):
            seen.append(run.tally.samples)
            clock[0] += 1.0
            return super().measure(number, 0.0)

    run = Runs().get(Ticking, EXPERIMENT)
    run.kick(8.0)
    while run.at_work:
        run.wait(PATIENCE)
    assert sorted(set(seen)) == [0, 1, 5, 9]
    assert run.tally.samples == 12


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
    run.kick()
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


def test_the_rate_is_samples_per_second_of_the_clock(clock):
    run = Runs().get(Discrepancy, Experiment(samples=1000))
    assert run.rate == 0
    for _ in range(3):
        run.kick()
        run.wait(PATIENCE)
        clock[0] += 0.5
    assert run.rate == 2.0
    clock[0] += 60  # a pause does not count
    run.kick()
    run.wait(PATIENCE)
    assert run.rate == 0


def test_slices_are_shorter_where_more_runs_are_at_work(monkeypatch):
    runs = Runs()
    turns = []
    for at_work in (0, 1, 3, 6, 100):
        monkeypatch.setattr(Runs, "at_work", at_work)
        turns.append(runs._turn())
    assert turns == pytest.approx([0.1, 0.1, 0.1, 0.05, 0.01])


@pytest.mark.parametrize(
    ("viewers", "drawing", "period"),
    [(1, 0.07, 0.3), (2, 0.07, 0.3), (4, 0.07, 0.6), (9, 0.07, 1.0), (100, 0.004, 1.5), (900, 0.07, 9.0)],
)
def test_the_more_drawings_cost_the_less_often_pages_draw(clock, viewers, drawing, period):
    runs = Runs()
    for viewer in range(viewers):
        pace = runs.pace(str(viewer), drawing)
    assert pace == period
    clock[0] += 60  # all of them left
    assert runs.pace("alone", 0.02) == 0.3


def test_the_period_hesitates_to_get_shorter(clock):
    runs = Runs()
    assert [runs.pace("one", drawing) for drawing in (0.23, 0.2, 0.191, 0.1)] == [0.6, 0.6, 0.6, 0.3]


def test_pages_are_declared_anew_one_after_another(clock):
    runs = Runs()
    assert [runs.turn_to_declare() for _ in range(3)] == [0, None, None]
    clock[0] += 0.04
    assert runs.turn_to_declare() is None
    clock[0] += 0.02
    assert [runs.turn_to_declare() for _ in range(2)] == [0, None]
    patient = [runs.turn_to_declare(patience=0.17) for _ in range(5)]
    assert patient == [pytest.approx(0.05), pytest.approx(0.1), pytest.approx(0.15), None, None]
    assert runs.turn_to_declare() is None
    clock[0] += 0.21
    assert runs.turn_to_declare() == 0


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), MemoryError()]
)
def test_out_of_memory_is_explained(error):
    class Greedy(Discrepancy):
        def measure(self, number, deadline):
            raise error

    run = finish(Runs().get(Greedy, EXPERIMENT))
    assert run.error == (
        "The computation failed after 0 samples: the device ran out of memory. Narrower layers or fewer outputs need "
        "less."
    )

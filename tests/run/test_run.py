"""A run on its way: slice by slice by one worker, as long as somebody requests it; errors become a sentence."""

import logging
from threading import Event

import pytest
import torch

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run import run as run_module
from lib.run.store import Runs
from lib.run.stream import Stream

EXPERIMENT = Experiment(samples=30)
PATIENCE = 30.0  # seconds


def finish(run):
    while not run.finished:
        run.request(0.05)
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


def test_a_run_ends_with_the_tally_of_the_study():
    run = finish(Runs().get(Discrepancy, EXPERIMENT))
    assert run.tally == Stream(Discrepancy(EXPERIMENT)).finish()
    assert run.finished and run.error is None


def test_nothing_is_computed_until_it_is_requested():
    run = Runs().get(Discrepancy, EXPERIMENT)
    run.wait(PATIENCE)
    assert run.tally.samples == 0 and not run.finished


def test_a_request_never_waits_and_leaves_one_slice_outstanding_at_most(held):
    run = Runs().get(held, EXPERIMENT)
    for _ in range(5):
        run.request()
    assert held.started.wait(PATIENCE)
    assert run.tally.samples == 0 and not run.finished
    held.go.set()
    run.wait(PATIENCE)
    assert run.tally.samples == 1  # five requests, one slice, and a slice of no time measures one sample


def test_a_request_keeps_a_run_at_work_until_it_is_not_wanted_any_more(clock):
    class Ticking(Discrepancy):
        def measure(self, number, deadline):
            clock.now += 1.0
            return super().measure(number, 0.0)

    run = Runs().get(Ticking, EXPERIMENT)
    run.request(10.0)  # 15 seconds
    while run.at_work:
        run.wait(PATIENCE)
    assert run.tally.samples == 15
    assert not run.finished
    run.request()
    run.wait(PATIENCE)
    assert run.tally.samples == 16


def test_a_run_that_is_paused_stops_after_its_slice(held):
    run = Runs().get(held, Experiment(samples=10**6))
    run.request(1000.0)
    assert held.started.wait(PATIENCE)
    run.release()
    held.go.set()
    run.wait(PATIENCE)
    assert not run.at_work and 0 < run.tally.samples < 10**6


def test_runs_take_turns_however_many_look_at_them(clock, held):
    order = []

    class Noted(Discrepancy):
        def measure(self, number, deadline):
            order.append(self.experiment.seed)
            clock.now += 0.5
            return super().measure(number, 0.0)

    runs = Runs()
    runs.answers.ask(held.go.wait, PATIENCE, patience=0.0, again=PATIENCE)  # the worker waits until all are queued
    for seed in (1, 2, 3):
        for _ in range(10**seed):
            runs.get(Noted, Experiment(seed=seed)).request(6.0)
    held.go.set()
    while runs.at_work:
        runs.get(Noted, Experiment(seed=1)).wait(PATIENCE)
    assert order[:18] == [1, 2, 3] * 6


def test_a_run_shows_a_tally_twice_a_period_and_when_it_stops(clock):
    seen = []

    class Ticking(Discrepancy):
        def measure(self, number, deadline):
            seen.append(run.tally.samples)
            clock.now += 1.0
            return super().measure(number, 0.0)

    run = Runs().get(Ticking, EXPERIMENT)
    run.request(8.0)
    while run.at_work:
        run.wait(PATIENCE)
    assert sorted(set(seen)) == [0, 1, 5, 9]
    assert run.tally.samples == 12


def test_a_finished_run_takes_no_more_slices():
    run = finish(Runs().get(Discrepancy, EXPERIMENT))
    tally = run.tally
    run.request(0.05)
    run.wait(PATIENCE)
    assert run.tally is tally


def test_a_run_at_work_counts_the_memory_of_its_network_and_samples():
    run = Runs().get(Discrepancy, Experiment(samples=10_000, hidden=(256,)))
    run.request()
    run.wait(PATIENCE)
    assert run.nbytes > 5 * 256 * 4
    assert finish(Runs().get(Discrepancy, EXPERIMENT)).nbytes < 10_000


def test_a_failure_becomes_a_sentence_and_can_be_tried_again(caplog):
    class Failing(Discrepancy):
        broken = True

        def measure(self, number, deadline):
            if self.broken:
                raise RuntimeError("out of memory\nand a traceback")
            return super().measure(number, deadline)

    runs = Runs()
    with caplog.at_level(logging.ERROR, logger=run_module.__name__):
        run = finish(runs.get(Failing, EXPERIMENT))
    assert run.error == "The computation failed after 0 samples: out of memory"
    assert caplog.records[0].exc_info
    Failing.broken = False
    assert runs.get(Failing, EXPERIMENT).error
    runs.forget(Failing, EXPERIMENT)
    assert finish(runs.get(Failing, EXPERIMENT)).tally.samples == 30


def test_the_rate_is_samples_per_second_of_the_clock(clock):
    run = Runs().get(Discrepancy, Experiment(samples=1000))
    assert run.rate == 0
    for _ in range(3):
        run.request()
        run.wait(PATIENCE)
        clock.now += 0.5
    assert run.rate == 2.0
    clock.now += 60  # a pause does not count
    run.request()
    run.wait(PATIENCE)
    assert run.rate == 0


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


def test_the_rate_is_that_of_the_last_twenty_tallies(clock):
    run = Runs().get(Discrepancy, Experiment(samples=1000))
    rates = []
    for seconds in [1.0] * 30 + [0.4] * 24:
        run.request()
        run.wait(PATIENCE)
        clock.now += seconds
        rates.append(run.rate)
    assert rates[0] == 0 and rates[1:31] == pytest.approx([1.0] * 30)
    assert rates[-3:] == pytest.approx([2.5] * 3)

"""Runs that viewers share: one worker, in turn, the last used ones kept, full beyond that."""

import logging
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.run import bytes_held
from lib.run.shared_runs import Runs, progress
from lib.run.stream import Stream
from lib.run.tally import ByName, Histogram, Sums, Tally
from tests.stepwise import PERIOD, Counting, Pages

EXPERIMENT = Experiment(samples=30)
# seconds
PATIENCE = 30.0


@pytest.fixture
def pages(stepwise):
    """Pages on links, a store with as much room as is asked for."""

    def open_pages(count, fields, **room):
        experiments = [Experiment(seed=seed, **fields) for seed in range(count)]
        return Pages(Runs(**room), stepwise, experiments)

    return open_pages


def finish(runs, study):
    while not (run := runs.request(study, EXPERIMENT)).finished:
        run.wait(PATIENCE)
    return run


def test_viewers_of_one_experiment_share_one_run():
    runs = Runs()
    run = finish(runs, Discrepancy)
    assert run.tally == Stream(Discrepancy(EXPERIMENT)).finish() and run.error is None
    assert runs.get(Discrepancy, Experiment.parse("samples=30")) is run
    assert runs.get(Discrepancy, Experiment(samples=31)) is not run
    assert runs.get(Counting, EXPERIMENT) is not run
    assert run.nbytes < 10_000 and run.stream is None, "a finished run has no study"


def test_a_request_keeps_a_run_at_work(stepwise):
    runs = Runs()
    run = runs.request(Counting, EXPERIMENT)
    runs.request(Counting, EXPERIMENT, 2.0)
    assert Runs(runs.worker).worker is runs.worker
    while run.at_work:
        stepwise.now += 1.0
        runs.worker.work()
    assert run.tally.samples == 2 and not run.finished


@pytest.mark.parametrize("at_work, seconds", [(0, 0.1), (3, 0.1), (6, 0.05), (99, 0.01)])
def test_more_runs_have_shorter_slices(monkeypatch, at_work, seconds):
    monkeypatch.setattr(Runs, "count_at_work", at_work)
    assert Runs().slice_seconds() == pytest.approx(seconds)


@pytest.mark.parametrize(
    "fields, room",
    [({"samples": 6}, {"most_runs": 4}), ({"samples": 9, "inputs": 10}, {"most_bytes": 350})],
)
def test_beyond_its_bounds_the_store_is_full(fields, room, pages):
    """A run takes 100 bytes, and the last one to begin may exceed the limit of 350."""
    at = pages(12, fields, **room)
    at.tick()
    assert [at.run(n).at_work for n in range(12)] == [True] * 4 + [False] * 8
    assert [at.last[n].refused for n in range(12)] == [False] * 4 + [True] * 8
    while at.open:
        # another page on the same link
        at.runs.request(Counting, at.experiments[at.open[0]])
        at.tick()
        assert sum(run.nbytes for run in at.runs._runs.values()) <= 350 + 100
    numbers = [*range(fields["samples"] + 1)]
    # a turn in each round, and none starts anew
    for shown in at.shown:
        assert shown == [0] * (len(shown) - len(numbers)) + numbers


def test_a_run_may_alone_exceed_the_memory(pages):
    at = pages(1, {"samples": 9}, most_bytes=-1)
    for _ in range(11):
        at.tick(at.open)
    assert not at.open


def test_a_hundred_runs_are_at_work(pages):
    at = pages(101, {"samples": 9})
    at.tick()
    assert [at.last[n].refused for n in (99, 100)] == [False, True]


def test_a_run_that_is_left_or_paused_makes_room(pages):
    at = pages(3, {"samples": 100}, most_runs=1)
    for _ in range(3):
        at.tick()
    at.run(0).release()
    at.runs.worker.work()
    at.tick([1])
    at.tick([0, 1, 2])
    assert [at.run(n).at_work for n in range(3)] == [False, True, False]
    assert at.last[0].refused and at.last[0].tally.samples == 3, "what is measured is kept"
    for _ in range(3):
        # the page of 1 is closed
        at.tick([2])
    assert [at.run(n).at_work for n in range(3)] == [False, False, True]


def test_the_least_recently_used_is_dropped(pages):
    """Of those that nobody wants."""
    at = pages(6, {"samples": 1}, most_runs=2)
    for number in (0, 1, 2, 3, 0, 4):
        # a look is no request
        at.tick([number]) if number in at.open else at.run(number)
        at.clock.now += 2 * PERIOD
    assert [experiment.seed for _, experiment in at.runs._runs] == [2, 3, 0, 4]
    at.runs.request(Counting, EXPERIMENT)
    assert len(at.runs._runs) == 4
    at.clock.now -= 20 * PERIOD
    at = pages(8, {"samples": 1}, most_runs=2)
    for number in range(8):
        at.tick([number])
        at.clock.now -= PERIOD
    assert all(at.run(number) is at.last[number] for number in range(8)), "a page draws each"


def test_a_failure_becomes_a_sentence(caplog):
    """Until the run is forgotten."""

    class Failing(Counting):
        def measure(self, number, deadline):
            raise self.error

    runs = Runs()
    no_memory = "the device ran out of memory. Narrower layers or fewer outputs need less."
    for error, sentence in (
        (RuntimeError("no room\nand a traceback"), "no room"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (MemoryError(), no_memory),
        (torch.OutOfMemoryError("2 GiB"), no_memory),
    ):
        Failing.error = error
        with caplog.at_level(logging.ERROR):
            run = finish(runs, Failing)
        assert run.error == f"The computation failed: {sentence}" and caplog.records[-1].exc_info
        assert runs.get(Failing, EXPERIMENT) is run
        runs.forget(Failing, EXPERIMENT)
    assert runs.get(Failing, EXPERIMENT).error is None


@dataclass(frozen=True)
class Named(Tally):
    counts: Histogram = field(default_factory=Histogram)
    named: ByName = ByName()
    sums: Sums = Sums()


def test_memory_is_that_of_arrays_and_dictionaries():
    """An entry of a dictionary takes 200 bytes."""
    counted = Named(Histogram.of(np.arange(10)))
    assert bytes_held(counted) == 2 * 8 * 10
    named = Named(Histogram(), ByName({"a": counted, "b": counted}), Sums({0: 1}))
    assert bytes_held(named) == 3 * 200 + 2 * 8 * 10, "what is held twice counts once"
    run = Runs().request(Discrepancy, Experiment(samples=10_000, hidden=(256,)))
    run.wait(PATIENCE)
    assert run.nbytes > 5 * 256 * 4, "a run at work has its network and its samples"


def test_the_rate_is_that_of_the_last_twenty_slices(stepwise):
    runs, rates = Runs(), []
    # a pause does not count
    for seconds in [2.5] * 30 + [0.4] * 21 + [3.5, 1.0]:
        run = runs.request(Counting, Experiment(samples=1000), PERIOD)
        runs.worker.work()
        stepwise.now += seconds
        rates.append(run.rate)
    assert rates[0] == 0 and rates[1:31] == pytest.approx([0.4] * 30)
    assert rates[49] < 2.45 and rates[50] == pytest.approx(2.5) and rates[-1] == 0


def test_progress_says_how_far_a_run_is():
    shown = progress(500, 2000, "samples", 250, False, False)
    assert shown == "500 of 2,000 samples · 250/s\xa0·\xa06\xa0s\xa0left"
    assert progress(1, 1, "samples", 0, False, False) == "1 of 1 sample"

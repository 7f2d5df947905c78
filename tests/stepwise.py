"""A store of runs whose worker and clock take a step when a test says so, and a study that only
counts."""

from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
import pytest

from lib.run.shared_runs import Runs
from lib.run.tally import Tally

PERIOD = 0.3
"""Seconds between two ticks of a page."""


@dataclass(frozen=True)
class Numbers(Tally):
    """How many samples were tallied."""

    samples: int = 0


class Counting:
    """A study whose samples are their numbers, measured one at a time; it takes ten bytes for each
    input."""

    empty = Numbers()

    def __init__(self, experiment):
        self.experiment = experiment
        self.held = np.zeros(10 * experiment.inputs, np.int8)

    @staticmethod
    def total(experiment):
        return experiment.samples

    def measure(self, number, deadline):
        return range(number, number + 1)

    def tally(self, measured):
        return Numbers(len(measured))


class Worker:
    """In place of the thread that works: what it is given waits until `work` is called."""

    def __init__(self, *_, **__):
        self.jobs = deque()

    def submit(self, job, *arguments):
        future = Future()
        self.jobs.append((job, arguments, future))
        return future

    def work(self):
        """What is given by now, in order; not what that brings."""
        for _ in range(len(self.jobs)):
            job, arguments, future = self.jobs.popleft()
            future.set_result(job(*arguments))


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def stepwise(monkeypatch):
    """The time, which stands still until the test puts it forward. A slice measures once, and the
    workers of new stores wait."""
    clock = Clock()
    monkeypatch.setattr(Runs, "slice_seconds", lambda runs: 0.0)
    for module in ("run", "shared_runs"):
        monkeypatch.setattr(f"lib.run.{module}.monotonic", clock)
    monkeypatch.setattr("lib.run.shared_runs.ThreadPoolExecutor", Worker)
    return clock


class Pages:
    """A page for each experiment, on a store with such a worker."""

    def __init__(self, runs, clock, experiments):
        self.experiments = experiments
        self.shown = [[] for _ in experiments]
        """How many samples each page showed, tick by tick."""
        self.last = {}
        """The run that each page drew last."""
        self.open = list(range(len(experiments)))
        """The pages that tick: those that have not shown a finished run yet."""
        self.runs, self.clock = runs, clock

    def run(self, number):
        return self.runs.get(Counting, self.experiments[number])

    def tick(self, numbers=None):
        """These pages draw and request their runs, all open ones by default; then each run at work
        has its slice."""
        for number in list(self.open) if numbers is None else numbers:
            run = self.last[number] = self.runs.request(Counting, self.experiments[number], PERIOD)
            self.shown[number].append(run.tally.samples)
            if run.finished:
                self.open.remove(number)
        self.runs.worker.work()
        self.clock.now += PERIOD

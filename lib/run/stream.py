"""Runs a study slice of time by slice of time: it can pause, resume and stop in the middle of a block.

The result never depends on the slicing: samples are measured in order, each exactly once, and tallies are mergeable.
So several streams can measure parts of one experiment: the sum of their tallies is the tally of a single one.
"""

from collections.abc import Callable, Iterable, Sized
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from lib.experiment.query import Experiment
from lib.run.tally import Tally

Measured = TypeVar("Measured", bound=Sized)


class Study(Protocol[Measured]):
    """A study of one experiment. `measure` gives what it measured on consecutive samples, `tally` a tally of that;
    `total` says how many samples there are in all.

    Another instance can go on with the samples that one leaves, unless the study has `in_one_go = True`.
    """

    experiment: Experiment
    empty: Any

    def __init__(self, experiment: Experiment) -> None: ...

    @property
    def nbytes(self) -> int: ...

    @staticmethod
    def total(experiment: Experiment) -> int: ...

    def measure(self, number: int, deadline: float) -> Measured: ...

    def tally(self, measured: Measured) -> Any: ...


class Stream(Generic[Measured]):
    """A study on its way through its samples. `sink`, if given, is handed everything that is measured, in order.

    `parts` are the numbers of the samples to measure, all of them if it is None: ranges in order, each of which ends
    where a block ends or the experiment does. `left` are those that are not measured yet.
    """

    def __init__(
        self,
        study: Study[Measured],
        sink: Callable[[Measured], None] | None = None,
        parts: Iterable[range] | None = None,
    ) -> None:
        self.tally = study.empty
        self.samples = 0
        self.left = tuple([range(study.total(study.experiment))] if parts is None else parts)
        self._study = study
        self._sink = sink

    @property
    def complete(self) -> bool:
        return not self.left

    @property
    def nbytes(self) -> int:
        """Memory of the study and of its tally, in bytes."""
        return self._study.nbytes + self.tally.nbytes

    def advance(self, seconds: float) -> None:
        """Measures for about so many seconds: at least one sample, and no longer than to the end of the experiment."""
        deadline = perf_counter() + seconds
        while not self.complete:
            part, *others = self.left
            measured = self._study.measure(part.start, deadline)
            if self._sink:
                self._sink(measured)
            self.tally += self._study.tally(measured)
            self.samples += len(measured)
            part = part[len(measured) :]
            self.left = (part, *others) if part else tuple(others)
            if perf_counter() >= deadline:
                break

    def finish(self) -> Tally:
        """Measures all samples that are left, and gives the tally."""
        self.advance(float("inf"))
        return self.tally

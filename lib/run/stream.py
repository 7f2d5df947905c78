"""Run a study in slices of time: it can pause, resume and stop in the middle of a block.

The result never depends on the slicing: samples are measured in order, each exactly once, and tallies are mergeable.
So several streams can each measure a part of an experiment, and their tallies add up to the tally of a single stream.
"""

from collections.abc import Callable, Iterable, Sized
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from lib.run.tally import Tally

Measured = TypeVar("Measured", bound=Sized)


class Study(Protocol[Measured]):
    """A study of one experiment.

    `measure` returns measurements of consecutive samples, `tally` turns them into a tally, and `total` returns the
    number of samples in the experiment, which names itself by its `query`.
    """

    experiment: Any
    empty: Any

    def __init__(self, experiment: Any) -> None: ...

    @staticmethod
    def total(experiment: Any) -> int: ...

    def measure(self, number: int, deadline: float) -> Measured: ...

    def tally(self, measured: Measured) -> Any: ...


class Stream(Generic[Measured]):
    """The progress of a study through its samples. If `sink` is given, it receives every measurement in order.

    `parts` are the numbers of the samples to measure, as ranges in order, or None for all samples. Each range ends at
    the end of a block or of the experiment. With `begun`, the tally of the first samples, these are left out. `left`
    are the ranges that are not measured yet.
    """

    def __init__(
        self,
        study: Study[Measured],
        sink: Callable[[Measured], None] | None = None,
        parts: Iterable[range] | None = None,
        begun: Tally | None = None,
    ) -> None:
        self.tally = study.empty if begun is None else begun
        self.left = tuple(
            [range(self.tally.samples, study.total(study.experiment))] if parts is None else parts
        )
        self._study = study
        self._sink = sink

    @property
    def complete(self) -> bool:
        return not self.left

    def advance(self, seconds: float) -> None:
        """Measure for about this many seconds: at least one sample, and at most to the end of the experiment."""
        deadline = perf_counter() + seconds
        while not self.complete:
            part, *others = self.left
            measured = self._study.measure(part.start, deadline)
            if self._sink:
                self._sink(measured)
            self.tally += self._study.tally(measured)
            part = part[len(measured) :]
            self.left = (part, *others) if part else tuple(others)
            if perf_counter() >= deadline:
                break

    def finish(self) -> Tally:
        """Measure all samples that are left, and return the tally."""
        self.advance(float("inf"))
        return self.tally

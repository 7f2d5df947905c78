"""Run a study in slices of time: it can pause, resume and stop in the middle of a block.

The result never depends on the slicing: samples are measured in order, each exactly once, and
tallies are mergeable. So several streams can each measure a part of an experiment, and their
tallies add up to the tally of a single stream.
"""

from collections.abc import Callable, Sequence, Sized
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from lib.run.tally import Tally

Measured = TypeVar("Measured", bound=Sized)
"""Measurements of consecutive samples; their length is the number of samples."""


class Study(Protocol[Measured]):
    """A study of one experiment. In the log, `experiment.query` names the experiment.

    `empty` is the tally of no samples. `total` returns the number of samples of an experiment.
    `measure` measures samples from a number on, until the deadline or the end of a block, but at
    least one; the deadline is a time of `perf_counter`. `tally` turns measurements into a tally.
    """

    experiment: Any
    empty: Any

    def __init__(self, experiment: Any) -> None: ...

    @staticmethod
    def total(experiment: Any) -> int: ...

    def measure(self, number: int, deadline: float) -> Measured: ...

    def tally(self, measured: Measured) -> Any: ...


class Stream(Generic[Measured]):
    """The progress of a study through its samples.

    `tally` is the tally of the samples measured so far, and `left` are the numbers of the others,
    as ranges in order.

    Args:
        study: the study.
        sink: receives every measurement, in order.
        parts: the numbers of the samples to measure, as ranges in order, each of which ends at the
            end of a block or of the experiment; by default all samples.
    """

    def __init__(
        self,
        study: Study[Measured],
        sink: Callable[[Measured], None] | None = None,
        parts: Sequence[range] | None = None,
    ) -> None:
        self.tally: Tally = study.empty
        self.left = tuple([range(study.total(study.experiment))] if parts is None else parts)
        self._study = study
        self._sink = sink

    def advance(self, seconds: float) -> None:
        """Measure for about this many seconds: at least one sample, at most all that are left."""
        deadline = perf_counter() + seconds
        while self.left:
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

"""The runs that the viewers of a page share: one worker, one slice for each run in turn, the last used ones kept.

A page that draws a run *requests* it, does not wait for it, and draws the tally as it stands. A request keeps the run
at work for a few seconds. Without requests the run stops, so a closed page soon costs nothing.

NOTE [turns]: the runs at work take turns, one slice each, however many viewers each has, so no run starves. There is a
single worker, not one per core: Python's threads share one interpreter, and two threads that measure sample by sample
get less done than one (0.5 to 0.9 times as much). To use more cores, run more processes.

NOTE [full]: when as many runs are at work as the store allows, or those that are kept use up its memory, it is full,
and a run that is requested is refused. Its page keeps asking, and the run begins as soon as another one is finished or
left. How much memory a study takes is known after its first slice, so the last run to begin may exceed the bound.
"""

import logging
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from threading import RLock
from time import monotonic
from typing import Any

import numpy as np
import torch

from lib.floats.quantities import duration
from lib.run.stream import Stream, Study

WANTED = 3.0
"""Seconds for which a request keeps a run at work: the next drawing of a busy page may be late by so much."""

_AFTER_FAILURE = (
    10.0  # seconds until a failed run may begin anew, so that no page fails at every tick
)
_RATE_SLICES = 20  # the number of recent slices over which the rate is taken
_RATE_FORGETS = 3.0  # a gap of more seconds, as after a pause, does not count as slow progress
_ROUND = 0.3  # seconds in which each run at work gets its turn, unless slices would be too short
_SHORTEST_SLICE, _LONGEST_SLICE = 0.01, 0.1  # seconds
_ENTRY = 200  # bytes of an entry of a dictionary
_NO_BREAK = "\N{NO-BREAK SPACE}"

log = logging.getLogger(__name__)


class Run:
    """A study of one experiment in progress. Everything that a viewer reads is replaced as a whole, never mutated.

    `slice` is the last slice submitted, and the run is `at_work` while it is outstanding. It is `refused` if the server
    was full when it was requested. `begun` is the tally of its first samples, if these are measured.
    `nbytes` is the memory of the tally, and of the study until the run is finished.
    """

    def __init__(self, study: type[Study], experiment: Any, begun: Any = None) -> None:
        self.study, self.experiment = study, experiment
        self.tally: Any = study.empty if begun is None else begun
        self.error: str | None = None
        self.slice: Future | None = None
        self.at_work = self.refused = False
        self.wanted_until = self.again_from = -float("inf")
        self.nbytes = bytes_held(self.tally)
        self.stream: Stream | None = None  # from the first slice to the last
        self._recent: tuple[
            tuple[float, int], ...
        ] = ()  # when each slice ended, and the samples measured until then

    @property
    def over(self) -> bool:
        """Whether all samples are measured or an error occurred."""
        return self.error is not None or self.tally.samples >= self.study.total(self.experiment)

    @property
    def finished(self) -> bool:
        """Whether the run is over and no slice is outstanding."""
        return self.over and not self.at_work

    @property
    def wanted(self) -> bool:
        return self.wanted_until > monotonic()

    @property
    def rate(self) -> float:
        """Samples per second of wall-clock time over the last slices; 0 while unknown."""
        recent = self._recent or ((0.0, 0),)
        (start, first), (end, last) = recent[0], recent[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def release(self) -> None:
        """Let the run stop after its slice, unless it is requested again: a viewer has paused it."""
        self.wanted_until = -float("inf")

    def wait(self, seconds: float) -> None:
        """Wait for the outstanding slice, but no longer than the given number of seconds."""
        if self.slice:
            wait_for([self.slice], seconds)

    def advance(self, seconds: float) -> None:
        """Measure for a slice of this many seconds. Only the worker calls this."""
        try:
            if self.stream is None:
                self.stream = Stream(self.study(self.experiment), begun=self.tally)
            self.stream.advance(seconds)
            self.tally, self.nbytes = self.stream.tally, bytes_held(self.stream)
        except Exception as error:  # whatever the error is, the viewers get a sentence and the host gets the traceback
            log.exception("the run of %r failed", self.experiment.query)
            self.error, self.again_from = (
                f"The computation failed: {_reason(error)}",
                monotonic() + _AFTER_FAILURE,
            )
        now = monotonic()
        recent = self._recent[-_RATE_SLICES:]
        goes_on = recent and now - recent[-1][0] <= _RATE_FORGETS
        self._recent = (*(recent if goes_on else ()), (now, self.tally.samples))
        if self.over:
            self.stream, self.nbytes = (
                None,
                bytes_held(self.tally),
            )  # only the tally is needed from here on


class Runs:
    """The store of runs: at most `most_runs` at work, and as many others that were used last, in `most_bytes`.

    A run that was dropped can be started again, and produces the same figures. Several stores may share a `worker`.
    """

    def __init__(
        self,
        worker: ThreadPoolExecutor | None = None,
        most_runs: int = 100,
        most_bytes: int = 100_000_000,
    ) -> None:
        self._most_runs, self._most_bytes = most_runs, most_bytes
        # One worker: forward mode is not thread-safe, and more workers would only compete for the processor.
        self.worker = worker or ThreadPoolExecutor(1, thread_name_prefix="study")
        self._lock = RLock()
        self._runs: OrderedDict[tuple[type[Study], Any], Run] = (
            OrderedDict()
        )  # the least recently used first

    def get(self, study: type[Study], experiment: Any) -> Run:
        """Return the run of this study of this experiment, or a new one, which is kept once it is requested."""
        with self._lock:
            run = self._runs.get((study, experiment))
            if run is None or run.error and monotonic() >= run.again_from:
                return Run(study, experiment)
            self._runs.move_to_end((study, experiment))
            return run

    def request(self, study: type[Study], experiment: Any, seconds: float = WANTED) -> Run:
        """Return the run, and keep it at work for so many seconds, unless it is finished or the store is full."""
        with self._lock:
            run = self.get(study, experiment)
            run.wanted_until = max(run.wanted_until, monotonic() + seconds)
            if not (run.over or run.at_work):
                run.refused = self.at_work >= self._most_runs or self._lacks_memory(run)
                if not run.refused:
                    self._runs[study, experiment] = run
                    self._submit(run)
                    self._drop_idle()
            return run

    def go_on(self, study: type[Study], experiment: Any, further: Any) -> None:
        """Let the run of the same experiment with more samples begin with the tally of this one."""
        with self._lock:
            self._runs.setdefault(
                (study, further), Run(study, further, self.get(study, experiment).tally)
            )

    def forget(self, study: type[Study], experiment: Any) -> None:
        """Forget a run, so that it begins anew when it is next requested."""
        with self._lock:
            self._runs.pop((study, experiment), None)

    @property
    def at_work(self) -> int:
        """The number of runs at work."""
        with self._lock:
            return sum(run.at_work for run in self._runs.values())

    def turn(self) -> float:
        """Return the seconds of a slice: the more runs are at work, the shorter it is."""
        return min(max(_ROUND / max(1, self.at_work), _SHORTEST_SLICE), _LONGEST_SLICE)

    def _submit(self, run: Run) -> None:
        run.at_work = True
        run.slice = self.worker.submit(self._advance, run)

    def _advance(self, run: Run) -> None:
        """Measure a slice of a run that is wanted, and submit the next one behind all other runs: NOTE [turns]."""
        with (
            self._lock
        ):  # those that began before it may have taken the memory since it was submitted
            run.refused = self._lacks_memory(run)
        if run.wanted and not run.refused:
            run.advance(self.turn())
        with self._lock:
            kept = self._runs.get((run.study, run.experiment)) is run
            if kept and run.wanted and not (run.refused or run.over):
                self._submit(run)
            else:
                run.at_work = False

    def _lacks_memory(self, run: Run) -> bool:
        """Whether the run cannot begin because the memory is used up; alone, a run always begins."""
        return (
            run.stream is None
            and self._drop_idle() > self._most_bytes
            and self.at_work > run.at_work
        )

    def _drop_idle(self) -> int:
        """Drop idle runs, the least recently used first, as long as there are too many; return the bytes of the rest.

        A run whose viewers may be about to draw it is not idle.
        """
        nbytes = sum(run.nbytes for run in self._runs.values())
        for run in [run for run in self._runs.values() if not (run.at_work or run.wanted)]:
            if len(self._runs) <= 2 * self._most_runs and nbytes <= self._most_bytes:
                break
            del self._runs[run.study, run.experiment]
            nbytes -= run.nbytes
        return nbytes


def bytes_held(value: object) -> int:
    """Return about how many bytes an object holds in arrays, tensors and dictionaries, each counted once."""
    held, waiting, seen = 0, [value], {id(value)}
    while waiting:
        one = waiting.pop()
        if isinstance(one, np.ndarray | torch.Tensor):
            held += one.nbytes
            continue
        entries = one.values() if isinstance(one, dict) else ()
        held += _ENTRY * len(entries)
        parts = (
            one
            if isinstance(one, tuple | list)
            else (*entries, *getattr(one, "__dict__", {}).values())
        )
        new = {
            id(part): part for part in parts if id(part) not in seen and not isinstance(part, type)
        }
        seen |= new.keys()
        waiting += new.values()
    return held


def progress(
    samples: int, total: int, unit: str, rate: float, paused: bool, full: bool, failed: bool = False
) -> str:
    """Describe the progress of a run: samples measured, samples per second, and the time left at that rate.

    `unit` is the page's word for samples, the server may be `full`, and the run may have `failed`.
    """
    done = f"{samples:,} of {total:,} {unit.removesuffix('s') if total == 1 else unit}"
    if failed or samples >= total:
        return done
    speed = (
        f"{rate:,.0f}/s · {duration((total - samples) / rate)} left"
        if rate
        else "at work"
        if samples
        else "starting"
    )
    speed = speed.replace(" ", _NO_BREAK)  # on one line
    return f"{done} · {'paused' if paused else 'server full: this page keeps asking' if full else speed}"


def _reason(error: BaseException) -> str:
    """Return the first line of the error's message, or what to do if memory ran out."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return "the device ran out of memory. Narrower layers or fewer outputs need less."
    return str(error).partition("\n")[0] or type(error).__name__

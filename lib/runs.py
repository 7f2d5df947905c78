"""The runs that the viewers of a page share: one worker, one run per study and experiment, bounded stores.

A page *kicks* a run, which asks the worker for one slice of time, never waits for it, and draws the tally as it stands.
When nobody kicks, nothing is computed: a closed page stops its work after one slice.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from threading import Lock
from time import monotonic
from typing import TypeVar

from lib.experiment import Experiment
from lib.stream import Stream, Study
from lib.tally import Tally

_PERIODS = (0.3, 0.6, 1.0, 2.0)  # seconds between two drawings of one page
_MOST_DRAWINGS = 50  # a second, of all pages together: what one process draws and still answers clicks
_VIEWER_STAYS = 6.0  # seconds for which a page counts as being viewed since it last asked
_RATE_SLICES = 20  # slices back that the rate is taken over
_RATE_FORGETS = 3.0  # seconds without a slice, as after a pause, that do not count as slow progress
_SHORTEST_SLICE, _LONGEST_SLICE = 0.01, 0.15  # seconds

_MOST_ANSWERS = 50

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class Run:
    """A study of one experiment on its way. What a viewer reads here is replaced as a whole, never changed in place."""

    def __init__(self, study: type[Study], experiment: Experiment, worker: ThreadPoolExecutor) -> None:
        self.experiment = experiment
        self.tally: Tally = study.empty
        self.error: str | None = None
        self._study = study
        self._worker = worker
        self._stream: Stream | None = None
        self._slice: Future | None = None
        self._arrivals: tuple[tuple[float, int], ...] = ()  # when a slice ended, and at how many samples
        self._lock = Lock()

    @property
    def finished(self) -> bool:
        """Whether all samples are measured, or never will be because of an error, and no slice is outstanding."""
        over = self.error is not None or self.tally.samples >= self._study.total(self.experiment)
        return over and not self._outstanding

    @property
    def rate(self) -> float:
        """Samples per second of the clock over the last slices; 0 while that is not known."""
        arrivals = self._arrivals or ((0.0, 0),)
        (start, first), (end, last) = arrivals[0], arrivals[-1]
        return (last - first) / (end - start) if end > start else 0.0

    @property
    def nbytes(self) -> int:
        """Memory of the tally, and of the study while it is at work, in bytes."""
        stream = self._stream
        return stream.nbytes if stream else self.tally.nbytes

    def kick(self, seconds: float) -> None:
        """Asks for a slice of so many seconds, unless one is outstanding or the run is finished. Returns at once."""
        with self._lock:
            if not self._outstanding and not self.finished:
                self._slice = self._worker.submit(self._advance, seconds)

    def wait(self, seconds: float) -> None:
        """Waits for the outstanding slice, but no longer than so many seconds."""
        if self._slice:
            wait_for([self._slice], seconds)

    @property
    def _outstanding(self) -> bool:
        return self._slice is not None and not self._slice.done()

    def _advance(self, seconds: float) -> None:
        try:
            if self._stream is None:
                self._stream = Stream(self._study(self.experiment))
            self._stream.advance(seconds)
            self._note_arrival(self._stream.samples)
            self.tally = self._stream.tally
            if self._stream.complete:
                self._stream = None  # the tally is all that is needed from here on
        except Exception as error:  # whatever it is, the viewers get a sentence and the host gets the traceback
            log.exception("the run of %r failed", self.experiment.query)
            self.error = f"The computation failed after {self.tally.samples:,} samples: {_reason(error)}"

    def _note_arrival(self, samples: int) -> None:
        now = monotonic()
        recent = self._arrivals[-_RATE_SLICES:]
        if recent and now - recent[-1][0] > _RATE_FORGETS:
            recent = ()
        self._arrivals = (*recent, (now, samples))


class Runs:
    """The store of runs, bounded by number and by memory: the least recently asked for leave first.

    An experiment that was pushed out can be run again, with the same figures.
    """

    def __init__(self, most_runs: int = 100, most_bytes: int = 100_000_000) -> None:
        self._most_runs, self._most_bytes = most_runs, most_bytes
        # One worker: forward mode is not safe on two threads, and more workers would only compete for the processor.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="study")
        self._runs: OrderedDict[tuple[type[Study], Experiment], Run] = OrderedDict()
        self._answers: OrderedDict[tuple[Callable, tuple[Hashable, ...]], Future] = OrderedDict()
        self._viewers: dict[str, float] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._runs)

    def get(self, study: type[Study], experiment: Experiment) -> Run:
        """The run of this study of this experiment, begun if there is none."""
        key = study, experiment
        with self._lock:
            run = self._runs.get(key)
            if run is None:
                run = self._runs[key] = Run(study, experiment, self._worker)
            self._runs.move_to_end(key)
            while len(self._runs) > 1 and self._overfull:
                self._runs.popitem(last=False)
            return run

    def forget(self, study: type[Study], experiment: Experiment) -> None:
        """Leaves a run, so that it is begun anew when it is next asked for."""
        with self._lock:
            self._runs.pop((study, experiment), None)

    def ask(self, question: Callable[..., Answer], *arguments: Hashable, patience: float = 1.0) -> Answer | None:
        """What the question gives for the arguments, found out by the worker and kept; None if it is not there yet.

        Waits for it no longer than `patience` seconds. Raises RuntimeError with one sentence where it failed.
        """
        key = question, arguments
        with self._lock:
            if key not in self._answers:
                self._answers[key] = self._worker.submit(question, *arguments)
            self._answers.move_to_end(key)
            if len(self._answers) > _MOST_ANSWERS:
                self._answers.popitem(last=False)
            answer = self._answers[key]
        if not wait_for([answer], patience).done:
            return None
        if error := answer.exception():
            log.error("%s failed", question.__name__, exc_info=error)
            raise RuntimeError(f"The computation failed: {_reason(error)}") from error
        return answer.result()

    @property
    def _overfull(self) -> bool:
        return len(self._runs) > self._most_runs or sum(run.nbytes for run in self._runs.values()) > self._most_bytes

    def pace(self, viewer: str) -> tuple[float, float]:
        """Notes that this viewer is there, and gives the seconds between two drawings and the seconds of a slice.

        The more viewers, the longer the period and the shorter the slices, so that each gets its share of the worker.
        """
        now = monotonic()
        with self._lock:
            self._viewers[viewer] = now
            self._viewers = {v: seen for v, seen in self._viewers.items() if now - seen < _VIEWER_STAYS}
            viewers = len(self._viewers)
        period = next((p for p in _PERIODS if viewers / p <= _MOST_DRAWINGS), _PERIODS[-1])
        return period, min(max(0.8 * period / viewers, _SHORTEST_SLICE), _LONGEST_SLICE)


def _reason(error: BaseException) -> str:
    """The first line of what the error says."""
    return str(error).partition("\n")[0] or type(error).__name__

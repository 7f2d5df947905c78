"""The runs that the viewers of a page share: one worker, one run per study and experiment, bounded stores.

A page that draws a run *kicks* it, never waits for it, and draws the tally as it stands. A kick keeps a run at work a
little longer than until the next drawing: when nobody kicks, it stops, so a closed page costs nothing for long.

NOTE [turns]: the runs at work take turns, a slice each, however many look at them, so none starves. There is one worker
and not one for each core: the threads of Python share one interpreter, and two of them that measure sample by sample
get less done than one (0.5 to 0.9 times as much). More cores are used by more processes.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from threading import Lock
from time import monotonic
from typing import TypeVar

import torch

from lib.experiment import Experiment
from lib.stream import Stream, Study
from lib.tally import Tally

_PERIODS = (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 9.0)  # seconds between two drawings of one page
_SENDING = 0.005  # seconds of the processor that it takes to send a drawing
# Parts of one processor: above the one the period gets longer, below the other shorter.
_MOST_DRAWING, _LITTLE_DRAWING = 0.75, 0.65
_VIEWER_STAYS = 3.0, 2.5  # seconds, and periods, for which a page counts as being viewed since it last drew
_DECLARING = 0.05  # seconds between two pages that are declared anew, which takes one some 0.025 of the processor
_AT_WORK = 1.5  # periods for which a kick keeps a run at work
_SHOWN = 0.5  # periods between two tallies that a run shows, so that pages that draw the same one share its tables
_ROUND = 0.3  # seconds in which each of the runs at work gets its turn, as far as slices can be that short
_SHORTEST_SLICE, _LONGEST_SLICE = 0.01, 0.1  # seconds
_RATE_SLICES = 20  # tallies back that the rate is taken over
_RATE_FORGETS = 3.0  # seconds without a slice, as after a pause, that do not count as slow progress

_MOST_ANSWERS = 50

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class Run:
    """A study of one experiment on its way. What a viewer reads here is replaced as a whole, never changed in place."""

    def __init__(
        self, study: type[Study], experiment: Experiment, worker: ThreadPoolExecutor, turn: Callable[[], float]
    ) -> None:
        self.experiment = experiment
        self.tally: Tally = study.empty
        self.error: str | None = None
        self._study = study
        self._worker = worker
        self._turn = turn  # seconds of a slice
        self._stream: Stream | None = None
        self._slice: Future | None = None
        self._wanted_until = self._show_from = -float("inf")
        self._show_every = 0.0
        self._arrivals: tuple[tuple[float, int], ...] = ()  # when a tally was shown, and of how many samples
        self._lock = Lock()

    @property
    def finished(self) -> bool:
        """Whether all samples are measured, or never will be because of an error, and no slice is outstanding."""
        over = self.error is not None or self.tally.samples >= self._study.total(self.experiment)
        return over and not self._outstanding

    @property
    def at_work(self) -> bool:
        return self._outstanding

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

    def kick(self, period: float = 0.0) -> None:
        """Keeps the run at work until after the next drawing, so many seconds from now. Returns at once.

        A run that is not finished gets one slice in any case.
        """
        with self._lock:
            self._wanted_until = max(self._wanted_until, monotonic() + _AT_WORK * period)
            self._show_every = _SHOWN * period
            if not self._outstanding and not self.finished:
                self._slice = self._worker.submit(self._advance)

    def rest(self) -> None:
        """Lets the run stop after its slice, unless somebody kicks it again: a viewer has paused it."""
        self._wanted_until = -float("inf")

    def wait(self, seconds: float) -> None:
        """Waits for the outstanding slice, but no longer than so many seconds."""
        if self._slice:
            wait_for([self._slice], seconds)

    @property
    def _outstanding(self) -> bool:
        return self._slice is not None and not self._slice.done()

    def _advance(self) -> None:
        """One slice, and if the run is still wanted the next one, behind those of all other runs: NOTE [turns]."""
        try:
            if self._stream is None:
                self._stream = Stream(self._study(self.experiment))
            self._stream.advance(self._turn() if self._wanted_until > monotonic() else 0.0)
        except Exception as error:  # whatever it is, the viewers get a sentence and the host gets the traceback
            log.exception("the run of %r failed", self.experiment.query)
            self.error = f"The computation failed after {self.tally.samples:,} samples: {_reason(error)}"
            return
        with self._lock:
            again = not self._stream.complete and self._wanted_until > monotonic()
            self._show(at_once=not again)
            if again:
                self._slice = self._worker.submit(self._advance)

    def _show(self, at_once: bool) -> None:
        now = monotonic()
        if not at_once and now < self._show_from:
            return
        self._show_from = now + self._show_every
        recent = self._arrivals[-_RATE_SLICES:]
        if recent and now - recent[-1][0] > _RATE_FORGETS + self._show_every:
            recent = ()
        self._arrivals = (*recent, (now, self._stream.samples))
        self.tally = self._stream.tally
        if self._stream.complete:
            self._stream = None  # the tally is all that is needed from here on


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
        self._viewers: dict[str, tuple[float, float]] = {}  # when each of them last drew, and what that took
        self._period = _PERIODS[0]
        self._declare_from = -float("inf")
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._runs)

    def get(self, study: type[Study], experiment: Experiment) -> Run:
        """The run of this study of this experiment, begun if there is none."""
        key = study, experiment
        with self._lock:
            run = self._runs.get(key)
            if run is None:
                run = self._runs[key] = Run(study, experiment, self._worker, self._turn)
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

    @property
    def at_work(self) -> int:
        """How many runs are at work."""
        with self._lock:
            return sum(run.at_work for run in self._runs.values())

    def _turn(self) -> float:
        """Seconds of a slice: the more runs are at work, the shorter."""
        return min(max(_ROUND / max(1, self.at_work), _SHORTEST_SLICE), _LONGEST_SLICE)

    def pace(self, viewer: str, drawing: float) -> float:
        """Notes that this viewer is there, and what their last drawing took, in seconds of the processor; gives the
        seconds between two drawings.

        All drawings together may take `_MOST_DRAWING` of one processor; where that leaves room again, it is after some
        hesitation, so that the period, which costs a run of the page to change, does not swing.
        """
        now = monotonic()
        with self._lock:
            self._viewers[viewer] = now, drawing + _SENDING
            stays = _VIEWER_STAYS[0] + _VIEWER_STAYS[1] * self._period
            self._viewers = {v: (seen, took) for v, (seen, took) in self._viewers.items() if now - seen < stays}
            all_drawings = sum(took for _, took in self._viewers.values())
            if all_drawings > _MOST_DRAWING * self._period:
                self._period = next((p for p in _PERIODS if all_drawings <= _MOST_DRAWING * p), _PERIODS[-1])
            else:
                roomy = (p for p in _PERIODS if p < self._period and all_drawings <= _LITTLE_DRAWING * p)
                self._period = next(roomy, self._period)
            return self._period

    def turn_to_declare(self, patience: float = 0.0) -> float | None:
        """Seconds until a page may be declared anew: the pages do so one after another, so that the drawings of all
        others go on. None where that takes longer than `patience` seconds: ask again.
        """
        now = monotonic()
        with self._lock:
            turn = max(now, self._declare_from)
            if turn > now + patience:
                return None
            self._declare_from = turn + _DECLARING
            return turn - now


def _reason(error: BaseException) -> str:
    """Why it failed: the first line of what the error says."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return "the device ran out of memory. Narrower layers or fewer outputs need less."
    return str(error).partition("\n")[0] or type(error).__name__

"""A run: a study of one experiment in progress, shared by the viewers of a page.

A page that draws a run *requests* it, does not wait for it, and draws the tally as it stands. A request keeps the run
at work until a little after the next drawing. Without requests the run stops, so a closed page soon costs nothing.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from threading import RLock
from time import monotonic

from lib.experiment.query import Experiment
from lib.run.answers import reason
from lib.run.pace import stay
from lib.run.stream import Stream, Study
from lib.run.tally import Tally

_AT_WORK = 1.5  # periods for which a request keeps a run at work
_SHOWN = 0.5  # periods between two tallies that a run shows; pages that draw the same tally share its tables
_RATE_SLICES = 20  # the number of recent tallies over which the rate is taken
_RATE_FORGETS = 3.0  # a gap of more seconds, as after a pause, does not count as slow progress

log = logging.getLogger(__name__)


class Run:
    """A study of one experiment in progress. Everything that a viewer reads is replaced as a whole, never mutated.

    The store decides on its slices: `seat` starts the run or puts it in the queue for a place, and `lock` guards the
    places.
    """

    def __init__(self, study: type[Study], experiment: Experiment, seat: Callable[["Run"], None], lock: RLock) -> None:
        self.experiment = experiment
        self.tally: Tally = study.empty
        self.error: str | None = None
        self.slice: Future | None = None
        """The slice that was last submitted."""
        self.at_work = False
        """Whether a slice is outstanding."""
        self.nbytes = study.empty.nbytes
        """Memory of the tally, and of the study while the run has a place, in bytes."""
        self.needs = 0
        """Memory, in bytes, that the run held when it last lost its place."""
        self.ticket = 0
        """The run's number in the queue: lower numbers come first."""
        self.refused = False
        """Whether the queue was full when the run was last requested."""
        self._study = study
        self._seat, self._lock = seat, lock
        self._stream: Stream | None = None
        self._begun: Tally = study.empty  # the tally before this stream, and the samples left for the stream
        self._left: tuple[range, ...] | None = None
        self._wanted_until = self._watched_until = self._show_from = -float("inf")
        self._show_every = 0.0
        self._arrivals: tuple[tuple[float, int], ...] = ()  # when each tally was shown, and its number of samples

    @property
    def key(self) -> tuple[type[Study], Experiment]:
        return self._study, self.experiment

    @property
    def finished(self) -> bool:
        """Whether all samples are measured or an error occurred, and no slice is outstanding."""
        over = self.error is not None or self.tally.samples >= self._study.total(self.experiment)
        return over and not self.at_work

    @property
    def watched(self) -> bool:
        """Whether a viewer who requested the run may still be looking."""
        return self._watched_until > monotonic()

    @property
    def holds_study(self) -> bool:
        return self._stream is not None

    @property
    def resumes(self) -> bool:
        """Whether the run can resume from its tally and the samples left alone; only short studies cannot."""
        return not getattr(self._study, "in_one_go", False)

    @property
    def rate(self) -> float:
        """Samples per second of wall-clock time over the last slices; 0 while unknown."""
        arrivals = self._arrivals or ((0.0, 0),)
        (start, first), (end, last) = arrivals[0], arrivals[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def request(self, period: float = 0.0) -> None:
        """Keep the run at work, or in the queue, until after the next drawing, `period` seconds from now.

        Returns at once. A run that has a place and is not finished gets at least one slice.
        """
        with self._lock:
            now = monotonic()
            self._wanted_until = max(self._wanted_until, now + _AT_WORK * period)
            self._show_every = _SHOWN * period
            if not self.finished:
                self._watched_until = max(self._watched_until, now + stay(period))
                self._seat(self)

    def release(self) -> None:
        """Let the run stop after its slice, unless it is requested again: a viewer has paused it."""
        self._wanted_until = -float("inf")

    def wait(self, seconds: float) -> None:
        """Wait for the outstanding slice, but no longer than the given number of seconds."""
        if self.slice:
            wait_for([self.slice], seconds)

    def measure(self, seconds: float) -> None:
        """Measure for a slice of this many seconds, or measure one sample if the run is no longer wanted.

        Only the worker calls this.
        """
        try:
            if self._stream is None:
                self._stream = Stream(self._study(self.experiment), parts=self._left)
            self._stream.advance(seconds if self._wanted_until > monotonic() else 0.0)
        except Exception as error:  # whatever the error is, the viewers get a sentence and the host gets the traceback
            log.exception("the run of %r failed", self.experiment.query)
            self.error = f"The computation failed after {self.tally.samples:,} samples: {reason(error)}"

    def end_slice(self) -> bool:
        """Show the tally, and return whether another slice is wanted. Only the store calls this."""
        self.at_work = False
        complete = self.error is not None or self._stream is not None and self._stream.complete
        again = not complete and self._wanted_until > monotonic()
        if self._stream and self.error is None:
            self._show(at_once=not again)
            self.nbytes = self._stream.nbytes + self._begun.nbytes
        if complete:
            self._stream = None  # only the tally is needed from here on
            self.nbytes = self.tally.nbytes
        return again

    def put_away(self) -> None:
        """Free the memory of the study. Only the store calls this, after the run has left its place."""
        if self._stream is None:
            return
        if self.resumes:
            self._begun, self._left = self._begun + self._stream.tally, self._stream.left
        self.needs, self._stream, self._arrivals = self.nbytes, None, ()
        self.tally = self._begun
        self.nbytes = self.tally.nbytes

    def _show(self, at_once: bool) -> None:
        now = monotonic()
        if not at_once and now < self._show_from:
            return
        self._show_from = now + self._show_every
        recent = self._arrivals[-_RATE_SLICES:]
        if recent and now - recent[-1][0] > _RATE_FORGETS + self._show_every:
            recent = ()
        self.tally = self._begun + self._stream.tally
        self._arrivals = (*recent, (now, self.tally.samples))

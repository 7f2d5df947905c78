"""A run: a study of one experiment in progress, shared by the viewers of a page.

A page that draws a run *requests* it, does not wait for it, and draws the tally as it stands. A request keeps the run
at work until a little after the next drawing. Without requests the run stops, so a closed page soon costs nothing.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from time import monotonic

from lib.experiment.query import Experiment
from lib.run.answers import reason
from lib.run.stream import Stream, Study
from lib.run.tally import Tally

_AT_WORK = 1.5  # periods for which a request keeps a run at work
_SHOWN = 0.5  # periods between two tallies that a run shows; pages that draw the same tally share its tables
_RATE_SLICES = 20  # the number of recent tallies over which the rate is taken
_RATE_FORGETS = 3.0  # a gap of more seconds, as after a pause, does not count as slow progress

log = logging.getLogger(__name__)


class Run:
    """A study of one experiment in progress. Everything that a viewer reads is replaced as a whole, never mutated.

    `begin` is the store's part of a request: it submits a slice, or sets `refused` if the server is full. `slice` is
    the last slice submitted, and the run is `at_work` while it is outstanding. `nbytes` is the memory of the tally, and
    of the study until the run is finished; `needs` is what the run held when it stepped back for lack of memory.
    """

    def __init__(self, study: type[Study], experiment: Experiment, begin: Callable[["Run"], None]) -> None:
        self.experiment = experiment
        self.tally: Tally = study.empty
        self.error: str | None = None
        self.slice: Future | None = None
        self.at_work = self.refused = False
        self.nbytes, self.needs = study.empty.nbytes, 0
        self._study, self._begin = study, begin
        self._stream: Stream | None = None
        self._wanted_until = self._show_from = -float("inf")
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
    def wanted(self) -> bool:
        return self._wanted_until > monotonic()

    @property
    def begun(self) -> bool:
        """Whether the run has had a slice."""
        return self._stream is not None

    @property
    def rate(self) -> float:
        """Samples per second of wall-clock time over the last slices; 0 while unknown."""
        arrivals = self._arrivals or ((0.0, 0),)
        (start, first), (end, last) = arrivals[0], arrivals[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def request(self, period: float = 0.0) -> None:
        """Keep the run at work until after the next drawing, `period` seconds from now, unless the server is full.

        Returns at once. A run that is not refused and not finished gets at least one slice.
        """
        self._wanted_until = max(self._wanted_until, monotonic() + _AT_WORK * period)
        self._show_every = _SHOWN * period
        if not self.finished:
            self._begin(self)

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
                self._stream = Stream(self._study(self.experiment))
            self._stream.advance(seconds if self.wanted else 0.0)
        except Exception as error:  # whatever the error is, the viewers get a sentence and the host gets the traceback
            log.exception("the run of %r failed", self.experiment.query)
            self.error = f"The computation failed after {self.tally.samples:,} samples: {reason(error)}"

    def end_slice(self) -> bool:
        """Show the tally, and return whether another slice is wanted. Only the store calls this."""
        self.at_work = False
        complete = self.error is not None or self._stream is not None and self._stream.complete
        again = self.wanted and not complete
        if self._stream and self.error is None:
            self._show(self._stream.tally, at_once=not again)
            self.nbytes = self._stream.nbytes
        if complete:
            self._stream = None  # only the tally is needed from here on
            self.nbytes = self.tally.nbytes
        return again

    def step_back(self) -> None:
        """Free the memory of the study: the run starts again from the beginning. Only the store calls this."""
        self.refused, self.needs = True, self.nbytes
        self.tally, self._stream, self._arrivals = self._study.empty, None, ()
        self.nbytes = self.tally.nbytes

    def _show(self, tally: Tally, at_once: bool) -> None:
        now = monotonic()
        if not at_once and now < self._show_from:
            return
        self._show_from = now + self._show_every
        recent = self._arrivals[-_RATE_SLICES:]
        if recent and now - recent[-1][0] > _RATE_FORGETS + self._show_every:
            recent = ()
        self.tally = tally
        self._arrivals = (*recent, (now, tally.samples))

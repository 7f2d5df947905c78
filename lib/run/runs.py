"""The runs that the viewers of a page share: one worker, one slice for each run in turn, the last used ones kept.

A page that draws a run *requests* it, does not wait for it, and draws the tally as it stands. A request keeps the run
at work until a little after the next drawing. Without requests the run stops, so a closed page soon costs nothing.

NOTE [turns]: the runs at work take turns, one slice each, however many viewers each has, so no run starves. There is a
single worker, not one per core: Python's threads share one interpreter, and two threads that measure sample by sample
get less done than one (0.5 to 0.9 times as much). To use more cores, run more processes.

NOTE [full]: when as many runs are at work as the store allows, or those that are kept use up its memory, it is full,
and a run that is requested is refused. Its page keeps asking, and the run begins as soon as another one is finished or
left. How much memory a study takes is known after its first slice, so the last run to begin may exceed the bound.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from threading import Lock, RLock
from time import monotonic

from lib.experiment.query import Experiment
from lib.floats.quantities import duration
from lib.run.answers import Answers, reason
from lib.run.stream import Stream, Study
from lib.run.tally import Tally

_AT_WORK = 1.5  # periods for which a request keeps a run at work
_RATE_SLICES = 20  # the number of recent slices over which the rate is taken
_RATE_FORGETS = 3.0  # a gap of more seconds, as after a pause, does not count as slow progress
_ROUND = 0.3  # seconds in which each run at work gets its turn, unless slices would be too short
_SHORTEST_SLICE, _LONGEST_SLICE = 0.01, 0.1  # seconds
_SHORTEST_PERIOD, _LONGEST_PERIOD = 0.3, 9.0  # seconds between two drawings of one page
_SENDING = 0.005  # seconds of processor time that it takes to send a drawing
_MOST_DRAWING = 0.75  # of one processor, for all drawings together
_STAY = 3.0  # seconds, and two and a half periods, after a drawing until a viewer counts as gone, since it may be late
_NO_BREAK = "\N{NO-BREAK SPACE}"

log = logging.getLogger(__name__)


class Run:
    """A study of one experiment in progress. Everything that a viewer reads is replaced as a whole, never mutated.

    `begin` is the store's part of a request: it submits a slice, or sets `refused` if the server is full. `slice` is
    the last slice submitted, and the run is `at_work` while it is outstanding. `nbytes` is the memory of the tally, and
    of the study until the run is finished.
    """

    def __init__(self, study: type[Study], experiment: Experiment, begin: Callable[["Run"], None]) -> None:
        self.experiment = experiment
        self.tally: Tally = study.empty
        self.error: str | None = None
        self.slice: Future | None = None
        self.at_work = self.refused = False
        self.nbytes = study.empty.nbytes
        self._study, self._begin = study, begin
        self._stream: Stream | None = None
        self._wanted_until = -float("inf")
        self._recent: tuple[tuple[float, int], ...] = ()  # when each slice ended, and the samples measured until then

    @property
    def key(self) -> tuple[type[Study], Experiment]:
        return self._study, self.experiment

    @property
    def over(self) -> bool:
        """Whether all samples are measured or an error occurred."""
        return self.error is not None or self.tally.samples >= self._study.total(self.experiment)

    @property
    def finished(self) -> bool:
        """Whether the run is over and no slice is outstanding."""
        return self.over and not self.at_work

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
        recent = self._recent or ((0.0, 0),)
        (start, first), (end, last) = recent[0], recent[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def request(self, period: float = 0.0) -> None:
        """Keep the run at work until after the next drawing, `period` seconds from now, unless the server is full.

        Returns at once. A run that is not refused and not finished gets at least one slice.
        """
        self._wanted_until = max(self._wanted_until, monotonic() + _AT_WORK * period)
        if not self.finished:
            self._begin(self)

    def release(self) -> None:
        """Let the run stop after its slice, unless it is requested again: a viewer has paused it."""
        self._wanted_until = -float("inf")

    def wait(self, seconds: float) -> None:
        """Wait for the outstanding slice, but no longer than the given number of seconds."""
        if self.slice:
            wait_for([self.slice], seconds)

    def advance(self, seconds: float) -> None:
        """Measure for a slice of this many seconds, or measure one sample if the run is no longer wanted.

        Only the worker calls this.
        """
        try:
            if self._stream is None:
                self._stream = Stream(self._study(self.experiment))
            self._stream.advance(seconds if self.wanted else 0.0)
            self.tally, self.nbytes = self._stream.tally, self._stream.nbytes
        except Exception as error:  # whatever the error is, the viewers get a sentence and the host gets the traceback
            log.exception("the run of %r failed", self.experiment.query)
            self.error = f"The computation failed after {self.tally.samples:,} samples: {reason(error)}"
        now = monotonic()
        recent = self._recent[-_RATE_SLICES:]
        goes_on = recent and now - recent[-1][0] <= _RATE_FORGETS
        self._recent = (*(recent if goes_on else ()), (now, self.tally.samples))
        if self.over:
            self._stream, self.nbytes = None, self.tally.nbytes  # only the tally is needed from here on


class Runs:
    """The store of runs: at most `most_runs` at work, and as many others that were used last, in `most_bytes`.

    A run that was dropped can be started again, and produces the same figures.
    """

    def __init__(self, most_runs: int = 100, most_bytes: int = 100_000_000) -> None:
        self._most_runs, self._most_bytes = most_runs, most_bytes
        # One worker: forward mode is not thread-safe, and more workers would only compete for the processor.
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="study")
        self.answers = Answers(self.worker)
        self.pace = Pace()
        self._lock = RLock()
        self._runs: OrderedDict[tuple[type[Study], Experiment], Run] = OrderedDict()  # the least recently used first

    def __len__(self) -> int:
        return len(self._runs)

    def get(self, study: type[Study], experiment: Experiment) -> Run:
        """Return the run of this study of this experiment, or a new one, which is kept from its first slice on."""
        key = study, experiment
        with self._lock:
            if key in self._runs:
                self._runs.move_to_end(key)
            return self._runs.get(key) or Run(study, experiment, self._begin)

    def forget(self, study: type[Study], experiment: Experiment) -> None:
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

    def _begin(self, run: Run) -> None:
        """Submit the first slice of a run that is requested, unless it is at work or the store is full."""
        with self._lock:
            kept = self._runs.get(run.key, run)
            if kept is not run or run.at_work:
                return  # its viewers get the kept run when they next call `get`
            run.refused = self.at_work >= self._most_runs or self._lacks_memory(run)
            if not run.refused:
                self._runs[run.key] = run
                self._submit(run)
                self._drop_idle()

    def _submit(self, run: Run) -> None:
        run.at_work = True
        run.slice = self.worker.submit(self._advance, run)

    def _advance(self, run: Run) -> None:
        """Measure a slice and, if the run is still wanted, submit the next one behind all other runs: NOTE [turns]."""
        with self._lock:  # those that began before it may have taken the memory since it was submitted
            run.refused = self._lacks_memory(run)
        if not run.refused:
            run.advance(self.turn())
        with self._lock:
            run.at_work = False
            if run.wanted and not (run.refused or run.over) and self._runs.get(run.key) is run:
                self._submit(run)

    def _lacks_memory(self, run: Run) -> bool:
        """Whether the run cannot begin because the memory is used up; alone, a run always begins."""
        return not run.begun and self._drop_idle() > self._most_bytes and self.at_work > run.at_work

    def _drop_idle(self) -> int:
        """Drop idle runs, the least recently used first, as long as there are too many; return the bytes of the rest.

        A run whose viewers may be about to draw it is not idle.
        """
        nbytes = sum(run.nbytes for run in self._runs.values())
        for run in [run for run in self._runs.values() if not (run.at_work or run.wanted)]:
            if len(self._runs) <= 2 * self._most_runs and nbytes <= self._most_bytes:
                break
            del self._runs[run.key]
            nbytes -= run.nbytes
        return nbytes


class Pace:
    """How often the pages of this process draw: the more their drawings cost together, the less often they draw."""

    def __init__(self) -> None:
        self._viewers: dict[str, tuple[float, float]] = {}  # when each of them last drew, and its processor time
        self._period = _SHORTEST_PERIOD
        self._lock = Lock()

    def period(self, viewer: str, drawing: float) -> float:
        """Note that this viewer is present, and return the seconds between two drawings.

        `drawing` is the processor time, in seconds, of the viewer's last drawing.
        """
        with self._lock:
            now = monotonic()
            self._viewers[viewer] = now, drawing + _SENDING
            stay = _STAY + 2.5 * self._period
            self._viewers = {v: (seen, took) for v, (seen, took) in self._viewers.items() if now - seen < stay}
            cost = sum(took for _, took in self._viewers.values()) / _MOST_DRAWING
            self._period = min(max(cost, _SHORTEST_PERIOD), _LONGEST_PERIOD)
            return self._period


def progress(samples: int, total: int, unit: str, rate: float, paused: bool, full: bool) -> str:
    """Describe the progress of a run: samples measured, samples per second, and the time left at that rate.

    `unit` is the page's word for samples, and the server may be `full`.
    """
    done = f"{samples:,} of {total:,} {unit.removesuffix('s') if total == 1 else unit}"
    if samples >= total:
        return done
    if paused:
        return f"{done} · paused"
    if full:
        return f"{done} · server full: this page keeps asking"
    if rate == 0:
        return f"{done} · starting"
    speed = f"{rate:,.0f}/s · {duration((total - samples) / rate)} left".replace(" ", _NO_BREAK)  # on one line
    return f"{done} · {speed}"

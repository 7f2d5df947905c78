"""The runs that the viewers of a page share: one worker, one slice for each run in turn.

A page that draws a run *requests* it, does not wait for it, and draws the tally as it stands. A
request keeps the run at work for a few seconds. Without requests the run stops, so a closed page
soon costs nothing. The runs used most recently are kept.

NOTE [turns]: the runs at work take turns, one slice each, however many viewers each has, so that
every run goes on. There is a single worker, not one per core: Python's threads share one
interpreter, and two threads that measure sample by sample get less done than one (0.5 to 0.9 times
as much). To use more cores, run more processes.

NOTE [full]: the store is full if as many runs are at work as it allows, or if those that are kept
use up its memory. A run that is then requested is refused. Its page keeps asking, and the run
begins as soon as another one is finished or abandoned. How much memory a study takes is known after
its first slice, so the last run to begin may exceed the limit.
"""

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from threading import RLock
from time import monotonic
from typing import Any

from lib.floats.quantities import duration
from lib.run.run import Run
from lib.run.stream import Study

WANTED_FOR = 3.0
"""Seconds for which a request keeps a run at work: a busy page may be late to draw it again."""

_ROUND = 0.3
"""Seconds in which each run at work gets its turn, unless slices would be too short."""

# In seconds.
_SHORTEST_SLICE = 0.01
_LONGEST_SLICE = 0.1

_NO_BREAK = "\N{NO-BREAK SPACE}"


class Runs:
    """The store of runs. A run that was dropped can be started again, and has the same figures.

    Args:
        worker: the thread that measures; several stores may share it.
        most_runs: the most runs at work; twice as many are kept in all.
        most_bytes: the memory of all runs: NOTE [full].
    """

    def __init__(
        self,
        worker: ThreadPoolExecutor | None = None,
        most_runs: int = 100,
        most_bytes: int = 100_000_000,
    ) -> None:
        self._most_runs = most_runs
        self._most_bytes = most_bytes
        # More workers than one would only compete for the processor: NOTE [turns].
        self.worker = worker or ThreadPoolExecutor(1, thread_name_prefix="study")
        self._lock = RLock()
        # The least recently used first.
        self._runs: OrderedDict[tuple[type[Study], Any], Run] = OrderedDict()

    def get(self, study: type[Study], experiment: Any) -> Run:
        """Return the run of this study of this experiment, or a new one, which is not kept yet."""
        with self._lock:
            run = self._runs.get((study, experiment))
            if run is None:
                return Run(study, experiment)
            self._runs.move_to_end((study, experiment))
            return run

    def request(self, study: type[Study], experiment: Any, seconds: float = WANTED_FOR) -> Run:
        """Return the run, and keep it at work for this many seconds.

        If the store is full, the run does not begin: it is `refused`.
        """
        with self._lock:
            run = self.get(study, experiment)
            run.wanted_until = max(run.wanted_until, monotonic() + seconds)
            if run.over or run.at_work:
                return run
            run.refused = self.count_at_work >= self._most_runs or not self._make_room(run)
            if not run.refused:
                self._runs[study, experiment] = run
                self._submit(run)
                self._drop_idle()
            return run

    def forget(self, study: type[Study], experiment: Any) -> None:
        """Forget a finished run, so that it begins anew when it is next requested."""
        with self._lock:
            self._runs.pop((study, experiment), None)

    @property
    def count_at_work(self) -> int:
        """The number of runs at work."""
        with self._lock:
            return sum(run.at_work for run in self._runs.values())

    def slice_seconds(self) -> float:
        """Return the seconds of a slice: the more runs are at work, the shorter it is."""
        return min(max(_ROUND / max(1, self.count_at_work), _SHORTEST_SLICE), _LONGEST_SLICE)

    def _submit(self, run: Run) -> None:
        run.at_work = True
        run.slice = self.worker.submit(self._advance, run)

    def _advance(self, run: Run) -> None:
        """Measure a slice of a run that is wanted, and submit the next one: NOTE [turns]."""
        with self._lock:
            # Other runs may have taken the memory since this one was submitted.
            run.refused = not self._make_room(run)
        if run.is_wanted and not run.refused:
            run.advance(self.slice_seconds())
        with self._lock:
            is_blocked = run.refused or run.over
            if run.is_wanted and not is_blocked:
                self._submit(run)
            else:
                run.at_work = False

    def _make_room(self, run: Run) -> bool:
        """Drop idle runs, and return whether there is room for this one.

        A run that has begun keeps its room, and a run always has room if no other is at work.
        """
        if run.stream is not None:
            return True
        # `at_work` counts as 1 if True.
        is_alone = self.count_at_work == run.at_work
        return self._drop_idle() <= self._most_bytes or is_alone

    def _drop_idle(self) -> int:
        """Drop idle runs, the least recently used first, and return the bytes of the rest.

        A run whose viewers may be about to draw it is not idle.
        """
        nbytes = sum(run.nbytes for run in self._runs.values())
        idle = [run for run in self._runs.values() if not (run.at_work or run.is_wanted)]
        for run in idle:
            if len(self._runs) <= 2 * self._most_runs and nbytes <= self._most_bytes:
                break
            del self._runs[run.study, run.experiment]
            nbytes -= run.nbytes
        return nbytes


def progress(samples: int, total: int, unit: str, rate: float, paused: bool, refused: bool) -> str:
    """Describe the progress of a run: samples measured, samples per second, and the time left.

    `unit` is the page's word for samples, in the plural. `rate` is in samples per second, 0 while
    unknown. The run may be `paused`, or `refused` by a full store.
    """
    done = f"{samples:,} of {total:,} {unit.removesuffix('s') if total == 1 else unit}"
    if samples >= total:
        return done
    if paused:
        return f"{done} · paused"
    if refused:
        return f"{done} · server full: this page keeps asking"
    state = "at work" if samples else "starting"
    if rate:
        state = f"{rate:,.0f}/s · {duration((total - samples) / rate)} left"
    return f"{done} · {state.replace(' ', _NO_BREAK)}"

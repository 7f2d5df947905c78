"""The store of the runs and answers that the viewers of a page share: one worker, bounded memory.

NOTE [turns]: the runs at work take turns, one slice each, however many viewers each has, so no run starves. There is a
single worker, not one per core: Python's threads share one interpreter, and two threads that measure sample by sample
get less done than one (0.5 to 0.9 times as much). To use more cores, run more processes.

NOTE [full]: when as many runs are at work as the store allows, or their memory is used up, it is full, and a run that
is requested is refused. Its page keeps asking, and the run begins as soon as another one is finished or left. How much
memory a study takes is known after its first slice; if that was too much, the run is dropped again.
"""

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from threading import RLock

from lib.experiment.query import Experiment
from lib.run.answers import Answers
from lib.run.pace import Pace
from lib.run.run import Run
from lib.run.stream import Study

_ROUND = 0.3  # seconds in which each run at work gets its turn, unless slices would be too short
_SHORTEST_SLICE, _LONGEST_SLICE = 0.01, 0.1  # seconds


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
            run.refused = self.at_work >= self._most_runs or not (run.begun or self._has_room(run.needs))
            if not run.refused:
                self._runs[run.key] = run
                self._submit(run)
                self._drop_idle()

    def _submit(self, run: Run) -> None:
        run.at_work = True
        run.slice = self.worker.submit(self._advance, run)

    def _advance(self, run: Run) -> None:
        """Measure a slice and, if the run is still wanted, submit the next one behind all other runs: NOTE [turns]."""
        first = not run.begun
        run.measure(self.turn())
        with self._lock:
            again = run.end_slice() and self._runs.get(run.key) is run
            if again and first and not self._has_room():
                run.step_back()
            elif again:
                self._submit(run)

    def _has_room(self, nbytes: int = 0) -> bool:
        """Whether there is memory for so many bytes more; there always is if no run is at work."""
        return self._drop_idle() + nbytes <= self._most_bytes or not self.at_work

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

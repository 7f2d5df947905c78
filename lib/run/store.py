"""The store of the runs and answers that the viewers of a page share: one worker, bounded memory.

NOTE [places]: only a run that has a place is measured. A run that somebody watches keeps its place, except after a term
(below) and for lack of memory (NOTE [memory]). Runs without a place wait in a queue, first come, first served, as long
as they are watched. A finished run needs no place: the store keeps its tally at least until its viewers have had time
to draw it. Among the runs that nobody watches, finished runs are dropped first, then the others, in each group the
least recently asked for first.
Nobody can hold all places for ever: a run that has had its place for a term goes to the end of the queue, if there is
one, and continues from where it was when its turn comes again. Unless memory is short, a waiting run gets a place
within one term for every `most_runs` runs ahead of it.

NOTE [turns]: the runs at work take turns, one slice each, however many viewers each has, so no run starves. There is a
single worker, not one per core: Python's threads share one interpreter, and two threads that measure sample by sample
get less done than one (0.5 to 0.9 times as much). To use more cores, run more processes.

NOTE [memory]: the memory that a study needs is known once it is at work. If the runs at work together need more than
`most_bytes`, the newest ones step back: they give up their places and wait in the queue until there is room. The oldest
one stays, even if it alone needs more. A run that steps back keeps only its tally and the samples left, and resumes
from these. Only the short studies that are `in_one_go` keep their memory after a term, and they start again from the
beginning if they stepped back for lack of memory.
"""

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import RLock
from time import monotonic

from lib.experiment.query import Experiment
from lib.run.answers import Answers
from lib.run.pace import Pace
from lib.run.run import Run
from lib.run.stream import Study

_ROUND = 0.3  # seconds in which each run at work gets its turn, unless slices would be too short
_SHORTEST_SLICE, _LONGEST_SLICE = 0.01, 0.1  # seconds
_TERM = 60.0  # seconds for which a run may keep its place while others wait


class Runs:
    """The store of runs: at most `most_runs` at work, as many more that are finished or stopped, and those that wait.

    A run that was dropped can be started again, and produces the same figures.
    """

    def __init__(self, most_runs: int = 100, most_bytes: int = 100_000_000, most_waiting: int = 1000) -> None:
        self._most_runs, self._most_bytes, self._most_waiting = most_runs, most_bytes, most_waiting
        # One worker: forward mode is not thread-safe, and more workers would only compete for the processor.
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="study")
        self.answers = Answers(self.worker)
        self.pace = Pace()
        self.lock = RLock()
        self._runs: OrderedDict[tuple[type[Study], Experiment], Run] = OrderedDict()
        self._places: dict[Run, float] = {}  # since when each run has had its place, the oldest first
        self._queue: dict[Run, None] = {}
        self._tickets = count()

    def __len__(self) -> int:
        return len(self._runs)

    def get(self, study: type[Study], experiment: Experiment) -> Run:
        """Return the run of this study of this experiment, a new one if there is none."""
        key = study, experiment
        with self.lock:
            if key not in self._runs:
                self._runs[key] = Run(study, experiment, self._seat, self.lock)
            self._runs.move_to_end(key)
            while self._overfull() and self._drop(spare=self._runs[key]):
                pass
            return self._runs[key]

    def forget(self, study: type[Study], experiment: Experiment) -> None:
        """Forget a run, so that it begins anew when it is next requested."""
        with self.lock:
            run = self._runs.pop((study, experiment), None)
            self._places.pop(run, None)
            self._queue.pop(run, None)

    @property
    def at_work(self) -> int:
        """The number of runs at work."""
        with self.lock:
            return sum(run.at_work for run in self._places)

    def turn(self) -> float:
        """Return the seconds of a slice: the more runs are at work, the shorter it is."""
        return min(max(_ROUND / max(1, self.at_work), _SHORTEST_SLICE), _LONGEST_SLICE)

    def before(self, run: Run) -> int | None:
        """Return how many runs wait ahead of this one: the whole queue if it is refused, None if it does not wait."""
        with self.lock:
            if run.refused:
                return len(self._queue)
            return list(self._queue).index(run) if run in self._queue else None

    def _seat(self, run: Run) -> None:
        """Start a requested run, or put it in the queue for a place."""
        if self._runs.setdefault(run.key, run) is not run:
            return  # it was begun anew in the meantime; its viewers get the new run when they next call `get`
        if run not in self._places and run not in self._queue:
            self._dismiss()
            run.refused = len(self._queue) >= self._most_waiting
            if run.refused:
                return
            run.ticket = next(self._tickets)
            self._queue[run] = None
        self._let_in()
        if run in self._places:
            self._start(run)

    def _start(self, run: Run) -> None:
        """Submit a slice to the worker, unless one is outstanding."""
        if not run.at_work:
            run.at_work = True
            run.slice = self.worker.submit(self._advance, run)

    def _advance(self, run: Run) -> None:
        """Measure a slice and, if the run is still wanted, submit the next one behind all other runs: NOTE [turns]."""
        room = self._has_room_for(run)
        if room:
            run.measure(self.turn())
        with self.lock:
            again = run.end_slice()
            if self._keeps_place(run, room) and again:
                self._start(run)

    def _has_room_for(self, run: Run) -> bool:
        """Whether a run whose slice begins has a place, and there is memory for what its study is known to need."""
        with self.lock:
            others = [other for other in self._places if other is not run and other.holds_study]
            return run in self._places and (run.holds_study or not others or self._make_room(run.needs))

    def _keeps_place(self, run: Run, room: bool) -> bool:
        """Whether a run keeps its place after a slice; `room` says whether there was room for the slice.

        Free places are given to waiting runs.
        """
        if run not in self._places:
            run.put_away()
        elif run.finished:
            del self._places[run]
        elif not room or self._is_too_much(run):
            self._step_back(run, run.ticket)
            run.put_away()
        self._let_in()
        if self._queue and monotonic() - self._places.get(run, float("inf")) >= _TERM:
            self._step_back(run, next(self._tickets))
            if run.resumes:
                run.put_away()
            self._let_in()
        return run in self._places

    def _step_back(self, run: Run, ticket: int) -> None:
        """Move a run from its place to the queue, ordered by ticket, or drop it from both if nobody watches it."""
        del self._places[run]
        if run.watched:
            run.ticket = ticket
            self._queue = dict.fromkeys(sorted([*self._queue, run], key=lambda waiting: waiting.ticket))

    def _is_too_much(self, run: Run) -> bool:
        """Whether this run is the one that must step back for lack of memory: NOTE [memory]."""
        oldest, *others = (other for other in self._places if other.holds_study)
        return run in others[-1:] and not self._make_room()

    def _let_in(self) -> None:
        """Give the free places to the waiting runs, in order."""
        self._dismiss()
        while self._queue:
            first = next(iter(self._queue))
            while len(self._places) >= self._most_runs:
                if not self._vacate():
                    return
            if self._places and not self._make_room(first.needs, runs=1):
                return
            del self._queue[first]
            self._places[first] = monotonic()
            self._start(first)

    def _dismiss(self) -> None:
        """Remove the runs that nobody watches from the queue."""
        self._queue = {run: None for run in self._queue if run.watched}

    def _make_room(self, nbytes: int = 0, runs: int = 0) -> bool:
        """Make room for more bytes and runs, at the expense of runs that nobody watches; return whether that worked."""
        while self._overfull(nbytes, runs):
            if not (self._drop() or self._vacate()):
                return False
        return True

    def _overfull(self, nbytes: int = 0, runs: int = 0) -> bool:
        kept = len(self._runs) - len(self._queue)
        in_all = sum(run.nbytes for run in self._runs.values())
        return kept + runs > 2 * self._most_runs or in_all + nbytes > self._most_bytes

    def _drop(self, spare: Run | None = None) -> bool:
        """Drop the run that is needed least; return False if every run is needed."""
        kept = (run for run in self._runs.values() if run not in self._places and run not in self._queue)
        free = [run for run in kept if run is not spare and not (run.finished and run.watched)]
        if free:
            del self._runs[min(free, key=lambda run: not run.finished).key]
        return bool(free)

    def _vacate(self) -> bool:
        """Free the place of a run that nobody watches; return False if there is no such run."""
        idle = (run for run in self._runs.values() if run in self._places and not run.watched and not run.at_work)
        run = next(idle, None)
        if run:
            del self._places[run]
            run.put_away()
        return run is not None

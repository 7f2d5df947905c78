"""The store of the runs and answers that the viewers of a page share: one worker, bounded memory.

NOTE [places]: only a run that has a place is measured, and a place is never taken from a run that somebody watches.
Runs without one wait in a queue, first come, first served, until nobody watches them. A finished run needs no place:
its tally is kept, at least until its viewers have had time to draw it. Of the runs that nobody watches, the finished
are dropped first, then the others, each time the least recently asked for.
Nobody can hold all places for ever: a run that has had its place for a term steps back behind those that wait, and goes
on from where it was when its turn comes again. Unless memory is short, whoever waits gets a place within one term for
every `most_runs` runs before it.

NOTE [turns]: the runs at work take turns, a slice each, however many look at them, so none starves. There is one worker
and not one for each core: Python's threads share one interpreter, and two of them that measure sample by sample get
less done than one (0.5 to 0.9 times as much). More cores are used by more processes.

NOTE [memory]: what a study needs is known once it is at work. If the runs at work together need more than
`most_bytes`, the newest step back and wait until there is room; the oldest stays, even if it alone needs more. A run
that steps back keeps only its tally and the samples left, and goes on with these. Only the short studies that are
`in_one_go` keep their memory after a term, and begin anew if they stepped back for lack of memory.
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

_ROUND = 0.3  # seconds in which each of the runs at work gets its turn, as far as slices can be that short
_SHORTEST_SLICE, _LONGEST_SLICE = 0.01, 0.1  # seconds
_TERM = 60.0  # seconds for which a run may have its place while others wait


class Runs:
    """The store of runs: of at most `most_runs` at work, as many that are finished or stopped, and those that wait.

    An experiment that was dropped can be run again, with the same figures.
    """

    def __init__(self, most_runs: int = 100, most_bytes: int = 100_000_000, most_waiting: int = 1000) -> None:
        self._most_runs, self._most_bytes, self._most_waiting = most_runs, most_bytes, most_waiting
        # One worker: forward mode is not safe on two threads, and more workers would only compete for the processor.
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="study")
        self.answers = Answers(self.worker)
        self.pace = Pace()
        self.lock = RLock()
        self._runs: OrderedDict[tuple[type[Study], Experiment], Run] = OrderedDict()
        self._places: dict[Run, float] = {}  # since when each run has its place, the oldest first
        self._queue: dict[Run, None] = {}
        self._tickets = count()

    def __len__(self) -> int:
        return len(self._runs)

    def get(self, study: type[Study], experiment: Experiment) -> Run:
        """The run of this study of this experiment; a new one if there is none."""
        key = study, experiment
        with self.lock:
            if key not in self._runs:
                self._runs[key] = Run(study, experiment, self._seat, self.lock)
            self._runs.move_to_end(key)
            while self._overfull() and self._drop(spare=self._runs[key]):
                pass
            return self._runs[key]

    def forget(self, study: type[Study], experiment: Experiment) -> None:
        """Forgets a run, so that it begins anew when it is next asked for."""
        with self.lock:
            run = self._runs.pop((study, experiment), None)
            self._places.pop(run, None)
            self._queue.pop(run, None)

    @property
    def at_work(self) -> int:
        """How many runs are at work."""
        with self.lock:
            return sum(run.at_work for run in self._places)

    def turn(self) -> float:
        """Seconds of a slice: the more runs are at work, the shorter."""
        return min(max(_ROUND / max(1, self.at_work), _SHORTEST_SLICE), _LONGEST_SLICE)

    def before(self, run: Run) -> int | None:
        """How many runs are ahead of this one in the queue, all of them if it is refused; None if it does not wait."""
        with self.lock:
            if run.refused:
                return len(self._queue)
            return list(self._queue).index(run) if run in self._queue else None

    def _seat(self, run: Run) -> None:
        """Starts a run that is requested, or puts it in the queue for a place."""
        if self._runs.setdefault(run.key, run) is not run:
            return  # it was begun anew meanwhile, as whoever requests it sees when they next ask for it
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
        """Asks the worker for a slice, if none is outstanding."""
        if not run.at_work:
            run.at_work = True
            run.slice = self.worker.submit(self._advance, run)

    def _advance(self, run: Run) -> None:
        """One slice, and if the run is still wanted the next one, behind those of all other runs: NOTE [turns]."""
        room = self._has_room_for(run)
        if room:
            run.measure(self.turn())
        with self.lock:
            again = run.end_slice()
            if self._keeps_place(run, room) and again:
                self._start(run)

    def _has_room_for(self, run: Run) -> bool:
        """Whether a run whose slice begins has its place, and its study the memory that it needs as far as is known."""
        with self.lock:
            others = [other for other in self._places if other is not run and other.holds_study]
            return run in self._places and (run.holds_study or not others or self._make_room(run.needs))

    def _keeps_place(self, run: Run, room: bool) -> bool:
        """Whether a run keeps its place after a slice, for which there was room or not. Gives away the places that are
        free."""
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
        """Into the queue, in the order of the tickets; not if nobody watches the run."""
        del self._places[run]
        if run.watched:
            run.ticket = ticket
            self._queue = dict.fromkeys(sorted([*self._queue, run], key=lambda waiting: waiting.ticket))

    def _is_too_much(self, run: Run) -> bool:
        """Whether it is for this run to step back for lack of memory: NOTE [memory]."""
        oldest, *others = (other for other in self._places if other.holds_study)
        return run in others[-1:] and not self._make_room()

    def _let_in(self) -> None:
        """Gives the places that are free to those who wait, in their order."""
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
        """Those that nobody watches leave the queue."""
        self._queue = {run: None for run in self._queue if run.watched}

    def _make_room(self, nbytes: int = 0, runs: int = 0) -> bool:
        """Whether there is room for so much more, without what nobody watches."""
        while self._overfull(nbytes, runs):
            if not (self._drop() or self._vacate()):
                return False
        return True

    def _overfull(self, nbytes: int = 0, runs: int = 0) -> bool:
        kept = len(self._runs) - len(self._queue)
        in_all = sum(run.nbytes for run in self._runs.values())
        return kept + runs > 2 * self._most_runs or in_all + nbytes > self._most_bytes

    def _drop(self, spare: Run | None = None) -> bool:
        """Drops the run that is needed least, if there is one that is not needed."""
        kept = (run for run in self._runs.values() if run not in self._places and run not in self._queue)
        free = [run for run in kept if run is not spare and not (run.finished and run.watched)]
        if free:
            del self._runs[min(free, key=lambda run: not run.finished).key]
        return bool(free)

    def _vacate(self) -> bool:
        """Frees the place of a run that nobody watches, if there is one."""
        idle = (run for run in self._runs.values() if run in self._places and not run.watched and not run.at_work)
        run = next(idle, None)
        if run:
            del self._places[run]
            run.put_away()
        return run is not None

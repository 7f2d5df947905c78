"""Single questions of the pages, such as the replay of one component: answered once for all viewers, by the one worker.

A question is wanted while a page waits for its answer, and after that for as long as the page may take to ask again.
A question that nobody wants is dropped. One that somebody wants is kept, and so is its answer, unless very many other
answers are still to be fetched.

NOTE [questions]: they take turns with the runs. All questions together get one turn a round, so the runs go on however
many are asked. That turn is longer than a run's, since many pages ask at the same moment.
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

_TURN = 0.3  # seconds of a turn, or what the first question takes if that is longer
_AFTER_FAILURE = 10.0  # seconds until a question that failed is answered anew, so that no page fails at every tick

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class _Asked:
    """A question that was asked: its answer, and how many wait for it."""

    def __init__(self) -> None:
        self.answer: Future = Future()
        self.waiting = 0  # pages, at this moment
        self.expected_until = -float("inf")
        self.stale_from = float("inf")  # when it may be asked anew

    @property
    def wanted(self) -> bool:
        return self.waiting > 0 or monotonic() < self.expected_until


class Answers:
    """The questions that are asked, first come, first served, and the answers that were given last."""

    def __init__(self, worker: ThreadPoolExecutor, most_kept: int = 50, most_waiting: int = 250) -> None:
        self._most_kept, self._most_waiting = most_kept, most_waiting
        self._worker = worker
        self._asked: OrderedDict[tuple[Callable, tuple[Hashable, ...]], _Asked] = OrderedDict()
        self._pending: OrderedDict[tuple[Callable, tuple[Hashable, ...]], _Asked] = OrderedDict()
        self._at_work = False
        self._lock = Lock()

    def ask(
        self, question: Callable[..., Answer], *arguments: Hashable, patience: float = 1.0, again: float = 0.0
    ) -> Answer | None:
        """The answer to the question for these arguments, or None if it is not known within `patience` seconds.

        Whoever gets None is expected to ask again within `again` seconds. Raises RuntimeError with one sentence if the
        question failed, or if too many others wait.
        """
        key = question, arguments
        with self._lock:
            asked = self._asked.get(key)
            if asked is None or monotonic() >= asked.stale_from:
                asked = self._take(key)
            self._asked.move_to_end(key)
            asked.waiting += 1
        known = wait_for([asked.answer], patience).done
        with self._lock:
            asked.waiting -= 1
            if not known:
                asked.expected_until = max(asked.expected_until, monotonic() + again)
            self._forget()
        if not known:
            return None
        if error := asked.answer.exception():
            raise RuntimeError(f"The computation failed: {reason(error)}") from error
        return asked.answer.result()

    def forget(self, question: Callable, *arguments: Hashable) -> None:
        """Drops the answer if the question failed, so that it is answered anew when it is next asked."""
        key = question, arguments
        with self._lock:
            asked = self._asked.get(key)
            if asked and asked.answer.done() and asked.answer.exception():
                del self._asked[key]

    def _take(self, key: tuple[Callable, tuple[Hashable, ...]]) -> _Asked:
        self._drop_unwanted()
        if len(self._pending) >= self._most_waiting:
            raise RuntimeError(
                f"This server is busy: {self._most_waiting:,} questions wait for an answer. Try again in a minute."
            )
        asked = self._asked[key] = self._pending[key] = _Asked()
        if not self._at_work:
            self._at_work = True
            self._worker.submit(self._answer)
        return asked

    def _answer(self) -> None:
        """One turn, and if questions are left the next one, behind those of all runs: NOTE [questions]."""
        turn_ends = monotonic() + _TURN
        while True:
            with self._lock:
                self._drop_unwanted()
                if not self._pending:
                    self._at_work = False
                    return
                (question, arguments), asked = self._pending.popitem(last=False)
            try:
                answer = question(*arguments)
            except Exception as error:  # whatever it is, the page gets a sentence and the host gets the traceback
                log.error("%s failed", question.__name__, exc_info=error)
                asked.stale_from = monotonic() + _AFTER_FAILURE
                asked.answer.set_exception(error)
            else:
                asked.answer.set_result(answer)
            if monotonic() >= turn_ends:
                self._worker.submit(self._answer)
                return

    def _drop_unwanted(self) -> None:
        """Forgets the questions that nobody wants any more."""
        for key in [key for key, asked in self._pending.items() if not asked.wanted]:
            del self._pending[key], self._asked[key]

    def _forget(self) -> None:
        """Drops answers: beyond `most_kept` those that nobody wants, and beyond `most_waiting` more also those that
        somebody may still fetch; the ones asked for least recently go first.
        """
        known = [(key, asked.wanted) for key, asked in self._asked.items() if asked.answer.done() and not asked.waiting]
        known.sort(key=lambda one: one[1])
        unwanted = sum(not wanted for _, wanted in known)
        too_many = max(0, unwanted - self._most_kept, len(known) - self._most_kept - self._most_waiting)
        for key, _ in known[:too_many]:
            del self._asked[key]


def reason(error: BaseException) -> str:
    """The first line of what the error says, or what to do where memory ran out."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return "the device ran out of memory. Narrower layers or fewer outputs need less."
    return str(error).partition("\n")[0] or type(error).__name__

"""Single questions from the pages, like the replay of one component, answered once for all viewers by the one worker.

A question is wanted while a page waits for its answer, and then for as long as the page may take to ask again. An
unwanted question is dropped. A wanted question is kept, and so is its answer, unless too many other answers are still
to be fetched.

NOTE [questions]: questions take turns with the runs. All questions together get one turn per round, so the runs go on
however many questions there are. This turn is longer than a run's, since many pages ask at the same moment.
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

_TURN = 0.3  # seconds after which a turn ends, once the question at hand is answered
_AFTER_FAILURE = 10.0  # seconds until a failed question may be answered anew, so that no page fails at every tick

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class Busy(RuntimeError):
    """Too many other questions are waiting: ask again later."""


class _Asked:
    """A question that was asked: its answer, and how many pages wait for it."""

    def __init__(self) -> None:
        self.answer: Future = Future()
        self.waiting = 0  # the number of pages waiting at this moment
        self.expected_until = -float("inf")
        self.stale_from = float("inf")  # when it may be answered anew

    @property
    def wanted(self) -> bool:
        return self.waiting > 0 or monotonic() < self.expected_until


class Answers:
    """The pending questions, answered first come, first served, and the most recent answers."""

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
        """Return the answer to the question for these arguments, or None if it is not known within `patience` seconds.

        A caller that gets None is expected to ask again within `again` seconds. Raises RuntimeError with one sentence
        if the question failed, and Busy if too many other questions are waiting.
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
        """Drop a question that failed, so that it is answered anew when it is next asked."""
        key = question, arguments
        with self._lock:
            asked = self._asked.get(key)
            if asked and asked.answer.done() and asked.answer.exception():
                del self._asked[key]

    def _take(self, key: tuple[Callable, tuple[Hashable, ...]]) -> _Asked:
        self._drop_unwanted()
        if len(self._pending) >= self._most_waiting:
            raise Busy(
                f"This server is busy: {self._most_waiting:,} questions are waiting for an answer. This one is asked "
                "again by itself."
            )
        asked = self._asked[key] = self._pending[key] = _Asked()
        if not self._at_work:
            self._at_work = True
            self._worker.submit(self._answer)
        return asked

    def _answer(self) -> None:
        """Answer questions for one turn, then submit another one behind all runs if any are left: NOTE [questions]."""
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
        """Drop the pending questions that nobody wants any more."""
        for key in [key for key, asked in self._pending.items() if not asked.wanted]:
            del self._pending[key], self._asked[key]

    def _forget(self) -> None:
        """Drop unwanted answers beyond `most_kept`, and any answers beyond `most_kept` + `most_waiting`.

        Unwanted answers go first, and within each group the answer that was least recently asked for.
        """
        known = [(key, asked.wanted) for key, asked in self._asked.items() if asked.answer.done() and not asked.waiting]
        known.sort(key=lambda one: one[1])
        unwanted = sum(not wanted for _, wanted in known)
        too_many = max(0, unwanted - self._most_kept, len(known) - self._most_kept - self._most_waiting)
        for key, _ in known[:too_many]:
            del self._asked[key]


def reason(error: BaseException) -> str:
    """Return the first line of the error's message, or what to do if memory ran out."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return "the device ran out of memory. Narrower layers or fewer outputs need less."
    return str(error).partition("\n")[0] or type(error).__name__

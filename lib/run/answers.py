"""Single questions from the pages, like the replay of one component, answered once for all viewers by the one worker.

A question takes its turn like the slice of a run. It is wanted while a page waits for its answer, and then for as long
as the page may take to ask again. If nobody wants it any more when its turn comes, it is dropped.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TypeVar

import torch

_AFTER_FAILURE = 10.0  # seconds until a failed question may be answered anew, so that no page fails at every tick

Answer = TypeVar("Answer")
_Key = tuple[Callable, tuple[Hashable, ...]]

log = logging.getLogger(__name__)


@dataclass
class _Asked:
    """A question that was asked: its answer, until when it is wanted, and from when on it may be answered anew."""

    answer: Future = field(default_factory=Future)
    wanted_until: float = -float("inf")
    stale_from: float = float("inf")


class Answers:
    """At most `most` questions that wait for their answer, or whose answer is kept: the last ones that were used."""

    def __init__(self, worker: ThreadPoolExecutor, most: int = 100) -> None:
        self._worker, self._most = worker, most
        self._asked: OrderedDict[_Key, _Asked] = OrderedDict()  # the least recently used first
        self._lock = Lock()

    def ask(
        self, question: Callable[..., Answer], *arguments: Hashable, patience: float = 1.0, again: float = 0.0
    ) -> Answer | None:
        """Return the answer to the question for these arguments, or None if it is not known within `patience` seconds.

        None comes at once if too many other questions wait. A caller that gets it is expected to ask again within
        `again` seconds. Raises RuntimeError with one sentence if the question failed.
        """
        key, now = (question, arguments), monotonic()
        with self._lock:
            asked = self._asked.get(key)
            if asked is None or now >= asked.stale_from:
                if not self._has_room():
                    return None
                asked = self._asked[key] = _Asked()
                self._worker.submit(self._answer, key, asked)
            self._asked.move_to_end(key)
            asked.wanted_until = max(asked.wanted_until, now + patience + again)
        if not wait_for([asked.answer], patience).done:
            return None
        asked.wanted_until = -float("inf")  # whoever else waits has it now, or finds it among the last ones
        if error := asked.answer.exception():
            raise RuntimeError(f"The computation failed: {reason(error)}") from error
        return asked.answer.result()

    def _has_room(self) -> bool:
        """Drop answers that nobody waits for, the least recently used first, if there are too many; say if that did."""
        for key, asked in list(self._asked.items()):
            if len(self._asked) < self._most:
                break
            if asked.answer.done() and monotonic() >= asked.wanted_until:
                del self._asked[key]
        return len(self._asked) < self._most

    def _answer(self, key: _Key, asked: _Asked) -> None:
        question, arguments = key
        with self._lock:
            if monotonic() >= asked.wanted_until:
                del self._asked[key]
                return
        try:
            asked.answer.set_result(question(*arguments))
        except Exception as error:  # whatever it is, the page gets a sentence and the host gets the traceback
            log.error("%s failed", question.__name__, exc_info=error)
            asked.stale_from = monotonic() + _AFTER_FAILURE
            asked.answer.set_exception(error)


def reason(error: BaseException) -> str:
    """Return the first line of the error's message, or what to do if memory ran out."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return "the device ran out of memory. Narrower layers or fewer outputs need less."
    return str(error).partition("\n")[0] or type(error).__name__

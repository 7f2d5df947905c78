"""Sessions draw one after another, each a thread of its own.

Drawing is work of the interpreter, which runs one thread at a time and hands over some thousand times a second. With a
few dozen threads that want it, the thread that sends what was drawn gets every dozenth turn or less, and falls behind
until nothing arrives at all. So whoever draws takes a turn, and whoever waits lends it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, local


class Turns:
    """`with turns:` waits for a turn and keeps it, also within another such block of the same thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._own = local()

    @property
    def _depth(self) -> int:
        return getattr(self._own, "depth", 0)

    def __enter__(self) -> None:
        if self._depth == 0:
            self._lock.acquire()
        self._own.depth = self._depth + 1

    def __exit__(self, *_: object) -> None:
        self._own.depth -= 1
        if self._depth == 0:
            self._lock.release()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let other threads have the turn meanwhile, if this thread has it."""
        depth = self._depth
        if depth:
            self._own.depth = 0
            self._lock.release()
        try:
            yield
        finally:
            if depth:
                self._lock.acquire()
                self._own.depth = depth

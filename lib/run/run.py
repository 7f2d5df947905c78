"""A run: a study of one experiment in progress, its rate and its memory."""

import logging
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from math import inf
from time import monotonic
from typing import Any

import numpy as np
import torch

from lib.run.stream import Stream, Study

_RATE_SLICES = 20
"""The number of recent slices over which the rate is taken."""

_RATE_FORGETS = 3.0
"""In seconds. After a longer gap, such as a pause, the rate begins anew."""

_ENTRY = 200
"""About how many bytes an entry of a dictionary takes."""

log = logging.getLogger(__name__)


class Run:
    """A study of one experiment in progress.

    Everything that a viewer reads is replaced as a whole, never changed in place, since viewers
    read without a lock. `slice` is the last slice submitted, and the run is `at_work` while it is
    outstanding. It is `refused` if the store has no room for it to begin: see `shared_runs`.
    `nbytes` is the memory of the tally, and of the study until the run is over.
    """

    def __init__(self, study: type[Study], experiment: Any) -> None:
        self.study = study
        self.experiment = experiment
        self.tally: Any = study.empty
        self.error: str | None = None
        self.slice: Future | None = None
        self.at_work = False
        self.refused = False
        self.wanted_until = -inf
        self.nbytes = bytes_held(self.tally)
        # From the first slice to the last.
        self.stream: Stream | None = None
        # When the last slices ended, and the number of samples until then.
        self._recent: list[tuple[float, int]] = []

    @property
    def over(self) -> bool:
        """Whether all samples are measured or an error occurred."""
        return self.error is not None or self.tally.samples >= self.study.total(self.experiment)

    @property
    def finished(self) -> bool:
        """Whether the run is over and no slice is outstanding."""
        return self.over and not self.at_work

    @property
    def is_wanted(self) -> bool:
        return self.wanted_until > monotonic()

    @property
    def rate(self) -> float:
        """Samples per second of wall-clock time over the last slices; 0 while unknown."""
        recent = self._recent
        if len(recent) < 2:
            return 0.0
        (start, first), (end, last) = recent[0], recent[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def release(self) -> None:
        """Let the run stop after its slice, unless it is requested again."""
        self.wanted_until = -inf

    def wait(self, seconds: float) -> None:
        """Wait for the outstanding slice, but no longer than the given number of seconds."""
        if self.slice:
            wait_for([self.slice], seconds)

    def advance(self, seconds: float) -> None:
        """Measure for a slice of this many seconds. Only the worker calls this."""
        try:
            if self.stream is None:
                self.stream = Stream(self.study(self.experiment))
            self.stream.advance(seconds)
            self.tally = self.stream.tally
            self.nbytes = bytes_held(self.stream)
        except Exception as error:
            # Whatever fails, viewers get a sentence, and the log gets the traceback.
            log.exception("the run of %r failed", self.experiment.query)
            self.error = f"The computation failed: {_reason(error)}"
        self._note_progress()
        # From here on only the tally is needed.
        if self.over:
            self.stream = None
            self.nbytes = bytes_held(self.tally)

    def _note_progress(self) -> None:
        now = monotonic()
        recent = self._recent[-_RATE_SLICES:]
        if recent and now - recent[-1][0] > _RATE_FORGETS:
            recent = []
        self._recent = [*recent, (now, self.tally.samples)]


def _reason(error: BaseException) -> str:
    """Return the first line of the error's message, or what to do if memory ran out."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return "the device ran out of memory. Narrower layers or fewer outputs need less."
    return str(error).partition("\n")[0] or type(error).__name__


def bytes_held(value: object) -> int:
    """Return about how many bytes an object holds in arrays, tensors and dictionaries.

    An object that it holds more than once counts once.
    """
    held = 0
    waiting = [value]
    seen = {id(value)}
    while waiting:
        item = waiting.pop()
        if isinstance(item, np.ndarray | torch.Tensor):
            held += item.nbytes
            continue
        if isinstance(item, dict):
            held += _ENTRY * len(item)
        for part in _parts(item):
            if id(part) not in seen and not isinstance(part, type):
                seen.add(id(part))
                waiting.append(part)
    return held


def _parts(item: object) -> list[object]:
    if isinstance(item, tuple | list):
        return list(item)
    entries = list(item.values()) if isinstance(item, dict) else []
    return [*entries, *getattr(item, "__dict__", {}).values()]

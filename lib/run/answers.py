"""Single questions from the pages, like the replay of one component, answered once for all viewers.

A question is a study of one sample, its answer, so a store of runs does the rest: each takes its turn, is dropped if
nobody waits for it when that comes, and answers are kept as long as there is room for them.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from lib.run.runs import Runs

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Asked:
    """A question and its arguments: the experiment of the study."""

    question: Callable[..., Any]
    arguments: tuple[Hashable, ...]

    @property
    def query(self) -> str:
        return f"{self.question.__name__}{self.arguments}"


@dataclass(frozen=True)
class Answered:
    """The tally of the study; it has no sample as long as there is no answer."""

    samples: int = 0
    answer: Any = None

    def __add__(self, other: "Answered") -> "Answered":
        return other


class Question:
    """The study of one question, whose only sample is the answer."""

    empty = Answered()

    def __init__(self, experiment: Asked) -> None:
        self.experiment = experiment

    @staticmethod
    def total(experiment: Asked) -> int:
        return 1

    def measure(self, number: int, deadline: float) -> list[Any]:
        return [self.experiment.question(*self.experiment.arguments)]

    def tally(self, measured: list[Any]) -> Answered:
        return Answered(1, measured[0])


def ask(
    store: Runs,
    question: Callable[..., Answer],
    *arguments: Hashable,
    patience: float = 1.0,
    again: float = 0.0,
) -> Answer | None:
    """Return the answer to the question for these arguments, or None if it is not known within `patience` seconds.

    None comes at once if the store is full. A caller that gets it is expected to ask again within `again` seconds.
    Raises RuntimeError with one sentence if the question failed.
    """
    run = store.request(Question, Asked(question, arguments), patience + again)
    run.wait(patience)
    if not run.finished:
        return None
    run.release()  # whoever else waits has the answer now, or finds it among those that are kept
    if run.error:
        raise RuntimeError(run.error)
    return run.tally.answer

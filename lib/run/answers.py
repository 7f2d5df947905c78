"""Single questions from the pages, like the replay of one component, answered once for all viewers.

A question is a study with one sample, the answer, and so it is kept in a store of runs: questions
are answered in turn, a question is dropped if nobody waits for it when its turn comes, and answers
are kept as long as there is room for them.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from lib.run.shared_runs import Runs

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Call:
    """A function and its arguments, in place of an experiment."""

    function: Callable[..., Any]
    arguments: tuple[Hashable, ...]

    @property
    def query(self) -> str:
        """The name of the question in the log."""
        return f"{self.function.__name__}{self.arguments}"


@dataclass(frozen=True)
class Result:
    """The tally of the study; it has no sample as long as there is no answer."""

    samples: int = 0
    answer: Any = None

    def __add__(self, other: "Result") -> "Result":
        return other


class Question:
    """The study of one question, whose only sample is the answer."""

    empty = Result()

    def __init__(self, experiment: Call) -> None:
        self.experiment = experiment

    @staticmethod
    def total(experiment: Call) -> int:
        return 1

    def measure(self, number: int, deadline: float) -> list[Any]:
        return [self.experiment.function(*self.experiment.arguments)]

    def tally(self, measured: list[Any]) -> Result:
        return Result(1, measured[0])


def ask(
    store: Runs, question: Callable[..., Answer], *arguments: Hashable, patience: float
) -> Answer:
    """Return the answer to a question.

    Args:
        store: where questions wait for their turn. If it is full, the wait ends at once.
        question: a function, which the worker of the store calls.
        arguments: its arguments.
        patience: seconds to wait. After them the question is dropped, unless others wait for it.

    Raises:
        TimeoutError: with one sentence, if the answer is not known within `patience` seconds.
        RuntimeError: with one sentence, if the question failed.
    """
    call = Call(question, arguments)
    run = store.request(Question, call, patience)
    run.wait(patience)
    if not run.finished:
        raise TimeoutError("The server is busy. Load the page again in a moment.")
    if run.error:
        # When the question is asked again, it is computed anew.
        store.forget(Question, call)
        raise RuntimeError(run.error)
    # All others who wait have the answer, too.
    run.release()
    return run.tally.answer

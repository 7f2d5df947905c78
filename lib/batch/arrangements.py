"""What may matter about a batch besides its size: a row's place, its neighbours, and where in memory it lies."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from lib.experiment.rows import Choice
from lib.network.comparison import Subject, Way, in_batches
from lib.network.seeds import stream_seed

SIZES = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256)
"""The batch sizes."""

_SHUFFLE = 10  # its number; most others leave both rows of two, or more than two rows of more, as they are


@dataclass(frozen=True)
class Condition(Choice):
    """A condition under which the rows of batches are computed once more, and compared with themselves.

    `rearranged` puts the rows into other places: it takes their numbers, shape (batches, size), and returns the numbers
    that take their places. It is None if the rows stay where they are. `copied` says whether a batch is a new tensor,
    or a slice of a larger one, which may begin anywhere in memory.
    """

    rearranged: Callable[[Tensor], Tensor] | None = None
    copied: bool = True


def _other_neighbours(rows: Tensor) -> Tensor:
    return torch.where(torch.arange(rows.shape[1]) % 2 == 1, rows.roll(1, 0), rows)


def _shuffled(rows: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(stream_seed("shuffles", 0, _SHUFFLE))
    return rows[:, torch.randperm(rows.shape[1], generator=generator)]


CONDITIONS = {
    "place": Condition(
        "the row's place",
        "all rows of a batch move on by one place, the last to the first",
        lambda rows: rows.roll(1, 1),
    ),
    "neighbours": Condition(
        "its neighbours", "every other row changes places with that of the next batch", _other_neighbours
    ),
    "order": Condition("the order of the batch", "the rows of a batch are shuffled", _shuffled),
    "slice": Condition("a slice instead of a copy", "a batch is X[i:i+n] instead of X[i:i+n].clone()", copied=False),
}
"""Everything that the study varies, by name."""


def of_size(size: int) -> list[str]:
    """Return the conditions that may matter for batches of this size: a single row has no other place."""
    return [name for name, condition in CONDITIONS.items() if size > 1 or not condition.rearranged]


@cache
def under(name: str, way: Way, size: int) -> Way:
    """Return the way computed in batches of this size under a condition. Its rows are those of x, in their order.

    The number of samples must be a multiple of the size.
    """
    condition = CONDITIONS[name]

    def computed(subject: Subject, x: Tensor) -> Tensor:
        if not condition.copied:
            return torch.cat([way(subject, batch) for batch in x.split(size)])
        rows = torch.arange(len(x)).view(-1, size)
        places = condition.rearranged(rows).flatten() if condition.rearranged else rows.flatten()
        return in_batches(way, size)(subject, x[places])[places.argsort()]

    return Way(f"{way.code} of {size} x at a time: {condition.about}", computed)

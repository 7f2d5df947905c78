"""What is compared, in batches of which sizes, and what else may matter about a batch.

Besides its size these are a row's place, its neighbours, and where the batch lies in memory.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lib.experiment.choices import GRADIENTS, complete
from lib.experiment.query import Experiment
from lib.network import sampling
from lib.network.comparison import JACOBIAN, Subject, Way, in_batches

SIZES = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256)
"""The batch sizes."""

DEFAULT_SIZE = 4
"""The batch size that the page opens with."""


def in_blocks(experiment: Experiment) -> Experiment:
    """Return the same experiment, evaluated in blocks: the study has both evaluations anyway."""
    return replace(experiment, evaluation="batched")


def block_size(experiment: Experiment) -> int:
    """Return the number of samples in a block: as in the other studies, but at least a batch."""
    return max(sampling.block_size(in_blocks(experiment)), max(SIZES))


def block(experiment: Experiment, number: int) -> Tensor:
    """Return the samples of block `number`, shape (block_size, inputs)."""
    batched = in_blocks(experiment)
    parts = block_size(experiment) // sampling.block_size(batched)
    return torch.cat([sampling.block(batched, number * parts + part) for part in range(parts)])


QUANTITIES = {"output": "outputs", "gradient": "gradient"}
"""What is compared, as the page names it: the two parts of the vector of a pass, in their order."""


@dataclass(frozen=True)
class Pick:
    """A component of a sample in batches of a size: an output or a component of the gradient.

    Samples and components are counted from 0.
    """

    size: int
    sample: int
    quantity: str
    component: int

    @property
    def of_gradient(self) -> bool:
        return self.quantity == "gradient"

    @property
    def name(self) -> str:
        kind = "Component {} of the gradient" if self.of_gradient else "Output {}"
        return kind.format(self.component)


def widths(experiment: Experiment) -> dict[str, int]:
    """Return how many components each quantity has."""
    return dict(zip(QUANTITIES, (experiment.outputs, experiment.inputs), strict=True))


def is_compared(experiment: Experiment, pick: Pick) -> bool:
    """Return whether the experiment has such a component in a sample that is in a whole batch."""
    size = block_size(experiment)
    in_whole_batch = pick.sample % size < size // pick.size * pick.size
    width = widths(experiment).get(pick.quantity, 0)
    exists = 0 <= pick.sample < experiment.samples and 0 <= pick.component < width
    return exists and in_whole_batch


def _backward(subject: Subject, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    y = subject.net(x)
    y.backward(torch.ones_like(y))
    return torch.cat([y.detach(), x.grad], -1)


def _by_method(subject: Subject, x: Tensor) -> Tensor:
    return torch.cat([subject.net(x), JACOBIAN(subject, x)], -1)


PASSES = complete(
    "gradient",
    GRADIENTS,
    {
        "backward": Way("y = net(x); y.backward(ones)", _backward),
        "method": Way("y = net(x); J.sum(0)", _by_method),
    },
)
"""The ways to compute outputs and gradient in one vector, by what the visitor chose as gradient.

x has shape (..., inputs), the vector (..., outputs + inputs). The gradient is the backward gradient
or the summed Jacobian by the experiment's method.
"""

CONDITIONS = {
    "place": "the row's place",
    "neighbours": "its neighbours",
    "slice": "a slice instead of a copy",
}
"""What is varied, by name.

place: all rows of a batch move on by one place, the last to the first.
neighbours: every second row comes from the batch before, in the first batch from the last.
slice: a batch is X[i:i+n] instead of X[i:i+n].clone().
"""


def _exchanged(rows: Tensor) -> Tensor:
    odd = torch.arange(rows.shape[1]) % 2 == 1
    return torch.where(odd, rows.roll(1, 0), rows)


REARRANGED: dict[str, Callable[[Tensor], Tensor]] = {
    "place": lambda rows: rows.roll(1, 1),
    "neighbours": _exchanged,
}
"""From the numbers of the rows, shape (batches, size), to the numbers that take their places."""


def of_size(size: int) -> list[str]:
    """Return the conditions that may matter for batches of this size: one row has one place."""
    return [name for name in CONDITIONS if size > 1 or name not in REARRANGED]


def under(condition: str, way: Way, size: int, subject: Subject, x: Tensor) -> Tensor:
    """Return what a way gives in batches of this size under a condition, in the order of x.

    The number of samples must be a multiple of the size.
    """
    if condition == "slice":  # of a larger tensor, which may begin anywhere in memory
        return torch.cat([way(subject, batch) for batch in x.split(size)])
    rows = torch.arange(len(x)).view(-1, size)
    places = REARRANGED[condition](rows).flatten()
    return in_batches(way, size)(subject, x[places])[places.argsort()]

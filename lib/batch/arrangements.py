"""What is compared, in batches of which sizes, and what may matter besides the size of a batch.

A row's place may matter, its neighbours, and where the batch lies in memory.
"""

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
    """Return the experiment with batched evaluation, in which a `Way` gets a block of samples.

    The study itself cuts the block into single samples and into batches.
    """
    return replace(experiment, evaluation="batched")


def block_size(experiment: Experiment) -> int:
    """Return the number of samples in a block: as in other studies, but at least the largest of
    `SIZES`."""
    return max(sampling.block_size(in_blocks(experiment)), max(SIZES))


def block(experiment: Experiment, number: int) -> Tensor:
    """Return the samples of block `number`, shape (block_size, inputs)."""
    batched = in_blocks(experiment)
    parts = block_size(experiment) // sampling.block_size(batched)
    return torch.cat([sampling.block(batched, number * parts + part) for part in range(parts)])


QUANTITIES = {"output": "outputs", "gradient": "gradient"}
"""What is compared, with its name on the page. A vector of `PASSES` has them in this order."""


@dataclass(frozen=True)
class Pick:
    """An output of a sample, or a component of its gradient, to compare alone and in a batch.

    Attributes:
        size: the batch size.
        sample: the number of the sample, from 0.
        quantity: a key of `QUANTITIES`.
        component: the number of the output, or of the component of the gradient, from 0.
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
    """Return whether the experiment has such a component, and its sample is in a full batch."""
    length = block_size(experiment)
    # The samples of a block that fill no batch are left over.
    in_batch = pick.sample % length < length // pick.size * pick.size
    width = widths(experiment).get(pick.quantity, 0)
    exists = 0 <= pick.sample < experiment.samples and 0 <= pick.component < width
    return exists and in_batch


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
"""What else may matter about a batch, and how the study varies it:

place: every row of a batch moves down by one place, the last row to the first place.
neighbours: every second row is taken from the batch before, and for the first batch from the last.
slice: a batch is X[i:i+n] instead of X[i:i+n].clone().
"""


def conditions_of(size: int) -> list[str]:
    """Return the conditions that exist for batches of this size. A single row cannot move."""
    return [*CONDITIONS] if size > 1 else ["slice"]


def under(condition: str, way: Way, size: int, subject: Subject, x: Tensor) -> Tensor:
    """Compute the samples in batches of this size under a condition.

    Args:
        condition: a key of `CONDITIONS`.
        way: one of `PASSES`.
        size: the batch size.
        subject: the network and the experiment.
        x: the samples, shape (samples, inputs). Their number is a multiple of the batch size.

    Returns:
        The vectors, shape (samples, outputs + inputs), in the order of x.
    """
    if condition == "slice":
        # A slice of a larger tensor may begin anywhere in memory.
        return torch.cat([way(subject, batch) for batch in x.split(size)])
    rows = torch.arange(len(x)).view(-1, size)
    if condition == "place":
        places = rows.roll(1, 1).flatten()
    else:
        is_second = torch.arange(size) % 2 == 1
        places = torch.where(is_second, rows.roll(1, 0), rows).flatten()
    return in_batches(way, size)(subject, x[places])[places.argsort()]

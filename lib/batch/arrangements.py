"""What is compared, in batches of which sizes, and what may matter about a batch besides its size: a row's place, its
neighbours, where in memory it lies, and whether it is a batch at all or single samples under `vmap`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import torch
from torch import Tensor

from lib.experiment.choices import GRADIENTS, complete
from lib.experiment.query import Experiment
from lib.network import sampling
from lib.network.comparison import JACOBIAN, Subject, Way, in_batches
from lib.network.seeds import stream_seed

SIZES = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256)
"""The batch sizes."""


def block_size(experiment: Experiment) -> int:
    """Return the number of samples in a block: as in the other studies, but at least one batch of the largest size."""
    return max(sampling.block_size(in_blocks(experiment)), max(SIZES))


def block(experiment: Experiment, number: int) -> Tensor:
    """Return the samples of block `number`, shape (block_size, inputs)."""
    blocks = block_size(experiment) // sampling.block_size(in_blocks(experiment))
    return torch.cat(
        [sampling.block(in_blocks(experiment), number * blocks + place) for place in range(blocks)]
    )


def in_blocks(experiment: Experiment) -> Experiment:
    """The same experiment, which evaluates blocks of samples: the study has both evaluations, whichever was chosen."""
    return replace(experiment, evaluation="batched")


QUANTITIES = {"output": "outputs", "gradient": "gradient"}
"""What is compared, as the page names it: the two parts of the vector that a pass computes, in their order."""


@dataclass(frozen=True)
class Pick:
    """A component of a sample in batches of a size: an output or a component of the gradient, counted from 0."""

    size: int
    sample: int
    quantity: str
    component: int

    @property
    def of_gradient(self) -> bool:
        return self.quantity == "gradient"


def widths(experiment: Experiment) -> dict[str, int]:
    """Return how many components each quantity has."""
    return dict(zip(QUANTITIES, (experiment.outputs, experiment.inputs), strict=True))


def is_compared(experiment: Experiment, place: Pick) -> bool:
    """Whether the experiment has such a component, in a sample that is not left over at the end of its block."""
    index = place.sample % block_size(experiment)
    return (
        0 <= place.sample < experiment.samples
        and 0 <= place.component < widths(experiment).get(place.quantity, 0)
        and index < block_size(experiment) // place.size * place.size
    )


_SHUFFLE = (
    10  # its number; most others leave both rows of two, or more than two rows of more, as they are
)


def _backward(subject: Subject, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    y = subject.net(x)
    y.backward(torch.ones_like(y))
    return torch.cat([y.detach(), x.grad], -1)


def _by_method(subject: Subject, x: Tensor) -> Tensor:
    return torch.cat([subject.net(x), JACOBIAN(subject, x)], -1)


def _by_vmap(subject: Subject, x: Tensor) -> Tensor:
    def of_one(x: Tensor) -> Tensor:
        y, *rest = torch.func.vjp(subject.net, x)
        return torch.cat([y, *rest[0](torch.ones_like(y))], -1)

    return torch.func.vmap(of_one)(x)


PASSES = complete(
    "gradient",
    GRADIENTS,
    {
        "backward": Way("y = net(x); y.backward(ones)", _backward),
        "method": Way("y = net(x); J.sum(0)", _by_method),
    },
)
"""The ways to compute outputs and gradient for x of shape (..., inputs), in one vector of shape (..., outputs +
inputs). The gradient is the backward gradient or, if the visitor asks for it, the summed Jacobian by the experiment's
method."""

CONDITIONS = {
    "place": "the row's place",
    "neighbours": "its neighbours",
    "order": "the order of the batch",
    "slice": "a slice instead of a copy",
    "vmap": "vmap of single samples",
}
"""What is varied, by name: all rows of a batch move on by one place, the last to the first; every other row changes
places with that of the next batch; the rows of a batch are shuffled; a batch is X[i:i+n] instead of X[i:i+n].clone();
and `torch.func.vmap` of the network of one sample, and of its `vjp`, is called instead of the network of a batch.
"""


def _shuffled(rows: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(stream_seed("shuffles", 0, _SHUFFLE))
    return rows[:, torch.randperm(rows.shape[1], generator=generator)]


REARRANGED: dict[str, Callable[[Tensor], Tensor]] = {
    "place": lambda rows: rows.roll(1, 1),
    "neighbours": lambda rows: torch.where(
        torch.arange(rows.shape[1]) % 2 == 1, rows.roll(1, 0), rows
    ),
    "order": _shuffled,
}
"""What puts rows into other places: from their numbers, shape (batches, size), to the numbers that take their places.
"""


def of_size(size: int) -> list[str]:
    """Return the conditions that may matter for batches of this size: a single row has no other place."""
    return [name for name in CONDITIONS if size > 1 or name not in REARRANGED]


@cache
def under(name: str, way: Way, size: int) -> Way:
    """Return the way computed in batches of this size under a condition. Its rows are those of x, in their order.

    The number of samples must be a multiple of the size. By `vmap` there is only the backward gradient.
    """

    def computed(subject: Subject, x: Tensor) -> Tensor:
        if name == "slice":  # of a larger tensor, which may begin anywhere in memory
            return torch.cat([way(subject, batch) for batch in x.split(size)])
        if name == "vmap":
            return torch.cat([_by_vmap(subject, batch.clone()) for batch in x.split(size)])
        places = REARRANGED[name](torch.arange(len(x)).view(-1, size)).flatten()
        return in_batches(way, size)(subject, x[places])[places.argsort()]

    return Way(f"{way.code} of {size} x at a time, {name}", computed)

"""The order in which each linear layer of an experiment adds, forward and backward, alone or in a batch.

The activations between the layers have kernels of their own, which add nothing up; they are elementwise, apart from
softmax. In a batch they too may round differently than for a sample alone, since the numbers that fill no vector
register go through other instructions.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import torch

from lib.experiment.query import Experiment
from lib.replay.groups import Group, groups_of
from lib.replay.kernels import backward, forward
from lib.replay.reveal import Unrevealed


@dataclass(frozen=True)
class LayerOrder:
    """The order in which a linear layer adds: `direction` is "forward", or "backward" for the gradient of its input.

    `layer` counts from 1. `terms` are those of each sum, forward with the bias as the last, and `columns` the sums of
    each row. The `groups` cover every row and column once; if nothing is revealed there are none, and `reason` is a
    sentence that says why.
    """

    layer: int
    direction: str
    terms: int
    columns: int
    groups: tuple[Group, ...]
    reason: str = ""


def layer_orders(experiment: Experiment, batch: int | None, offset: int = 0) -> tuple[LayerOrder, ...]:
    """Return the orders of all layers, forward and then backward, for a batch of so many samples in new memory.

    A batch of None is one sample alone, shape (inputs,). With an `offset`, the batch begins so many numbers behind an
    address that is a multiple of 64 bytes, as a slice of a larger tensor may.
    """
    layers = list(enumerate(pairwise(experiment.widths), start=1))
    return tuple(
        _order(place, direction, inputs, outputs, experiment, batch, offset if place == 1 else 0)
        for direction in ("forward", "backward")
        for place, (inputs, outputs) in layers
    )


def _order(
    layer: int, direction: str, inputs: int, outputs: int, experiment: Experiment, batch: int | None, offset: int
) -> LayerOrder:
    ahead = direction == "forward"
    terms, columns = (inputs + 1, outputs) if ahead else (outputs, inputs)
    if experiment.device != "cpu":
        return LayerOrder(layer, direction, terms, columns, (), "Only orders of the CPU are revealed.")
    dtype = getattr(torch, experiment.dtype)
    groups = _groups(ahead, terms, columns, dtype, batch, offset if ahead else 0)
    if isinstance(groups, str):
        return LayerOrder(layer, direction, terms, columns, (), groups)
    return LayerOrder(layer, direction, terms, columns, groups)


@lru_cache(maxsize=512)
def _groups(
    ahead: bool, terms: int, columns: int, dtype: torch.dtype, batch: int | None, offset: int
) -> tuple[Group, ...] | str:
    """Return the groups, or a sentence why there are none."""
    product = forward(batch, offset) if ahead else backward(batch)
    try:
        return groups_of(product, batch or 1, terms, columns, dtype, values=int(ahead))
    except Unrevealed as reason:
        return str(reason)

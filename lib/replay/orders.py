"""The orders in which kernels add, revealed once for each shape and kept; and those of an experiment's linear layers.

The activations between the layers have kernels of their own, which add nothing up; they are elementwise, apart from
softmax. In a batch they too may round differently than for a sample alone, since the numbers that fill no vector
register go through other instructions.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import torch

from lib.experiment.query import Experiment
from lib.replay.groups import Group, groups_of
from lib.replay.kernels import Product, backward, forward
from lib.replay.reveal import Unrevealed
from lib.replay.trees import Tree


@dataclass(frozen=True)
class Orders:
    """The orders of all entries of a product: the `groups` cover every row and column once.

    If nothing is revealed there are none, and `reason` is a sentence that says why.
    """

    groups: tuple[Group, ...] = ()
    reason: str = ""

    def tree(self, row: int, column: int) -> Tree:
        """Return the tree in which an entry is added."""
        return next(group.tree for group in self.groups if row in group.rows and column in group.columns)


@lru_cache(maxsize=64)  # groups of many rows take a megabyte or two
def orders_of(
    kernel: Callable[..., Product],
    arguments: tuple[Hashable, ...],
    rows: int,
    terms: int,
    columns: int,
    dtype: torch.dtype,
    values: int = 0,
    times: int = 1,
) -> Orders:
    """Return the orders of `kernel(*arguments)`; the shape is that of `groups_of`."""
    try:
        return Orders(groups_of(kernel(*arguments), rows, terms, columns, dtype, values, times))
    except Unrevealed as reason:
        return Orders(reason=str(reason))


def layer_orders(experiment: Experiment, batch: int | None) -> dict[tuple[str, int], Orders]:
    """Return the orders of all linear layers for a batch of so many samples, None for one alone, shape (inputs,).

    The keys are "forward", with the bias as the last term of each sum, or "backward", for the gradient of the layer's
    input; and the number of the layer, counted from 1.
    """
    layers = list(enumerate(pairwise(experiment.widths), start=1))
    if experiment.device != "cpu":
        none = Orders(reason="Only orders of the CPU are revealed.")
        return {(direction, place): none for direction in ("forward", "backward") for place, _ in layers}
    rows, dtype = batch or 1, getattr(torch, experiment.dtype)
    ahead = {
        ("forward", place): orders_of(forward, (batch,), rows, inputs + 1, outputs, dtype, 1)
        for place, (inputs, outputs) in layers
    }
    return ahead | {
        ("backward", place): orders_of(backward, (batch,), rows, outputs, inputs, dtype)
        for place, (inputs, outputs) in layers
    }

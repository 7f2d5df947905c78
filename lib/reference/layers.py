"""The layers of a network as matrices, and samples as columns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network.network import linear_layers
from lib.reference.activation_base import Activation
from lib.reference.activations import activations_of


class Dense(NamedTuple):
    """A layer: its weight, the sizes of its weight, its bias as a column, and its activation."""

    weight: Tensor
    sizes: Tensor
    bias: Tensor
    activation: Activation


class Layers:
    """An experiment's layers on the CPU in `dtype`: float64 holds their rounded weights exactly.

    Here the samples are the last dimension, which makes products with such narrow layers several
    times as fast.
    """

    def __init__(
        self, net: nn.Sequential, experiment: Experiment, dtype: torch.dtype = torch.float64
    ) -> None:
        self._dtype = dtype
        self.layers = []
        for linear, activation in zip(linear_layers(net), activations_of(experiment), strict=True):
            weight = linear.weight.detach().cpu().to(dtype)
            bias = linear.bias.detach().cpu().to(dtype)[:, None]
            self.layers.append(Dense(weight, weight.abs(), bias, activation))
        self.sizes = [layer.sizes for layer in self.layers]

    def terms(self, saved: Tensor) -> list[Tensor]:
        """Return T of each layer, shape (neurons, samples), from saved activations.

        `saved` has the shape (samples, neurons): the neurons of all layers, one layer after the
        other.
        """
        parts = columns(saved, self._dtype).split([len(size) for size in self.sizes])
        return [
            layer.activation.terms(part) for layer, part in zip(self.layers, parts, strict=True)
        ]


def over_all_paths(weights: Sequence[Tensor], slopes: Sequence[Tensor]) -> Tensor:
    """Return the sums over all paths from each input of the products of weights and slopes.

    Args:
        weights: of each layer, shape (neurons, neurons before).
        slopes: of each layer, shape (neurons, samples).

    Returns:
        The sums, shape (inputs, samples).
    """
    paths = slopes[-1]
    for i in reversed(range(len(slopes))):
        paths = weights[i].T @ paths
        if i:
            paths *= slopes[i - 1]
    return paths


def columns(samples: Tensor, dtype: torch.dtype) -> Tensor:
    """Return samples as the columns of a contiguous matrix on the CPU, in the given dtype."""
    matrix = samples.detach().T.to("cpu", dtype, memory_format=torch.contiguous_format)
    # `to` does not copy a matrix that has the dtype. NumPy copies in half the time of PyTorch.
    return torch.from_numpy(np.ascontiguousarray(matrix.numpy()))

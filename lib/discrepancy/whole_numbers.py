"""A network whose weights and samples are small whole numbers, so that every operation of a gradient is exact.

Whole numbers up to 1/u, with u the unit roundoff, are floats of the dtype, and their products and sums are exact as
long as they stay below that. With TF32, u is the unit roundoff of TF32, since factors are rounded to it. Every
intermediate number of a gradient stays below 1/u if two bounds do: the largest value of the forward pass with absolute
weights, and the path sum of all outputs, which no order of multiplying and adding the weights exceeds. The activation
is ReLU, or the identity if the experiment has that; the output activation is the identity.
"""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.machine import factor_eps
from lib.network.seeds import stream_seed

MOST_INPUT = 3
"""Inputs are whole numbers from −3 to 3."""

_MOST_EXACT = 2.0**50  # the limit even in float64, so that float64 computes the bounds exactly


def build(experiment: Experiment, number: int = 0) -> nn.Sequential:
    """Build the network of a block, in the experiment's shape and dtype and on its device.

    Its weights are the largest whole numbers for which everything is exact, at most ±3. If even ±1 is too much, each
    neuron keeps fewer and fewer weights, in the end only one.
    """
    activation = experiment.activation if experiment.activation == "identity" else "relu"
    net = network.build(replace(experiment, activation=activation, output_activation="identity"))
    layers = network.linear_layers(net)
    limit = min(2 / factor_eps(experiment), _MOST_EXACT)
    drawn = (_draw(layers, most, kept, experiment.seed, number) for most, kept in _choices(max(experiment.widths)))
    numbers = next(parameters for parameters in drawn if largest(parameters) <= limit)
    for layer, (weight, bias) in zip(layers, numbers, strict=True):
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return net


def block(experiment: Experiment, number: int) -> Tensor:
    """Block `number` of the samples, shape (block_size, inputs), of whole numbers from −3 to 3."""
    uniform = sampling.block(replace(experiment, distribution="uniform"), number)
    sevenths = (uniform.float() * (2 * MOST_INPUT + 1)).floor().clamp(max=2 * MOST_INPUT)  # 16-bit x round to 1, too
    return (sevenths - MOST_INPUT).to(uniform.dtype)


def largest(parameters: list[tuple[Tensor, Tensor]]) -> float:
    """A bound on every number that occurs in computing a gradient, given weights and biases in float64."""
    first, last = parameters[0][0], parameters[-1][0]
    value, bound = torch.full(first.shape[1:], float(MOST_INPUT), dtype=torch.float64), 0.0
    for weight, bias in parameters:
        value = weight.abs() @ value + bias.abs()
        bound = max(bound, value.max().item())
    paths = torch.ones(len(last), dtype=torch.float64)
    for weight, _ in reversed(parameters):
        paths = weight.abs().T @ paths
        bound = max(bound, paths.max().item())
    return bound


def _choices(widest: int) -> Iterator[tuple[int, int]]:
    """Yield choices to try in order: the largest weight, and how many weights of a neuron may be other than 0."""
    yield from ((most, widest) for most in range(3, 0, -1))
    while widest := widest // 2:
        yield 1, widest


def _draw(layers: list[nn.Linear], most: int, kept: int, seed: int, number: int) -> list[tuple[Tensor, Tensor]]:
    generator = torch.Generator().manual_seed(stream_seed("whole numbers", seed, number))

    def draw(*shape: int) -> Tensor:
        sign = 2 * torch.randint(2, shape, generator=generator) - 1
        return (sign * torch.randint(1, most + 1, shape, generator=generator)).double()

    parameters = []
    for layer in layers:
        weight, bias = draw(*layer.weight.shape), draw(len(layer.bias))
        order = torch.rand(weight.shape, generator=generator).argsort(1).argsort(1)
        parameters.append((weight.where(order < kept, 0), bias))
    return parameters

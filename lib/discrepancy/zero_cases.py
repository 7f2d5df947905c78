"""Where the difference must be zero: three variants of the experiment with equal gradients, whatever the machine.

If they were unequal in one of them, the discrepancy elsewhere might be a fault and not rounding.

NOTE [whole numbers]: with small whole numbers as weights and inputs every operation of a gradient is exact. Whole
numbers up to 1/u, with u the unit roundoff, are floats of the dtype, and their products and sums are exact as long as
they stay below that. With TF32, u is the unit roundoff of TF32, since factors are rounded to it. Every intermediate
number of a gradient stays below 1/u if two bounds do: the largest value of the forward pass with absolute weights, and
the path sum of all outputs, which no order of multiplying and adding the weights exceeds. The activation is ReLU, or
the identity if the experiment has that; the output activation is the identity.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from lib.discrepancy.variants import Stage, Variants
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, Comparison, by
from lib.network.machine import factor_eps
from lib.network.sampled_study import RANDOM, Source
from lib.network.seeds import stream_seed
from lib.reference.compared import Variant

MOST_INPUT = 3
"""Inputs are whole numbers from −3 to 3."""

_MOST_EXACT = 2.0**50  # the limit even in float64, so that float64 computes the bounds exactly


def whole_network(experiment: Experiment, number: int = 0) -> nn.Sequential:
    """Build the network of a block, in the experiment's shape and dtype and on its device.

    Its weights are ±1 and 0. Each neuron keeps as many other than 0 as leave everything exact: NOTE [whole numbers].
    """
    activation = experiment.activation if experiment.activation == "identity" else "relu"
    net = network.build(replace(experiment, activation=activation, output_activation="identity"))
    layers, kept = network.linear_layers(net), max(experiment.widths)
    limit = min(2 / factor_eps(experiment), _MOST_EXACT)
    generator = torch.Generator().manual_seed(stream_seed("whole numbers", experiment.seed, number))
    while largest(numbers := [_draw(layer, kept, generator) for layer in layers]) > limit:
        kept //= 2
    for layer, (weight, bias) in zip(layers, numbers, strict=True):
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return net


def whole_samples(experiment: Experiment, number: int) -> Tensor:
    """Block `number` of the samples, shape (block_size, inputs), of whole numbers from −3 to 3."""
    uniform = sampling.block(replace(experiment, distribution="uniform"), number)
    sevenths = (
        (uniform.float() * (2 * MOST_INPUT + 1)).floor().clamp(max=2 * MOST_INPUT)
    )  # 16-bit x round to 1, too
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


def _draw(layer: nn.Linear, kept: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    sizes = layer.weight.shape, layer.bias.shape
    weight, bias = (
        2.0 * torch.randint(2, size, generator=generator).double() - 1 for size in sizes
    )
    order = torch.rand(weight.shape, generator=generator).argsort(1).argsort(1)
    return weight.where(order < kept, 0), bias


MOST_SAMPLES = 256
"""The number of samples of each case, or fewer if the experiment has fewer."""

SAME_KERNELS = tuple(
    name for name, method in METHODS.items() if method.mode == "reverse" and not method.batched
)
"""Methods that, with one output, run the same kernels as `backward()` on the same shapes. The others are nearly always
equal, too, but not for certain: their products have other shapes, or are transformed into other operations."""

EXACT = tuple(name for name, method in METHODS.items() if method.exact)
"""Methods whose summed Jacobian is, on paper, the backward gradient."""


@dataclass(frozen=True)
class ZeroCase:
    """A case: the `label` that the page shows, `why` the two gradients are equal, and by which `methods`.

    `outputs` replaces the experiment's number of outputs if it is not None; `source` supplies networks and samples.
    """

    label: str
    why: str
    methods: tuple[str, ...]
    outputs: int | None = None
    source: Source = RANDOM

    def comparisons(self, name: str) -> dict[str, Comparison]:
        return {
            f"{name}, {method}": Comparison(name, BACKWARD, by(method)) for method in self.methods
        }


ZERO_CASES = {
    "one-output": ZeroCase("one output", "one row: nothing is added up", SAME_KERNELS, outputs=1),
    "whole-numbers": ZeroCase(
        "small whole numbers as weights and inputs",
        "every product and every sum is exact",
        EXACT,
        source=Source(whole_network, whole_samples),
    ),
    "summed-output": ZeroCase(
        "the outputs summed first", "the same backward pass", ("summed-output",)
    ),
}

ROWS = {
    f"{name}, {method}": {"case": case.label, "why": case.why, "method": METHODS[method].label}
    for name, case in ZERO_CASES.items()
    for method in case.methods
}
"""What each comparison is, by its name."""


class ZeroCases(Variants):
    """Runs every case of the experiment, one after the other."""

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        few = replace(experiment, samples=min(experiment.samples, MOST_SAMPLES))
        return [
            [Variant(at, case.comparisons(name), source=case.source)]
            for name, case in ZERO_CASES.items()
            for at in [replace(few, outputs=case.outputs or few.outputs)]
        ]

"""The networks of an experiment: stacks of linear layers with activations, freshly built and never shared.

A module that two threads use at once returns wrong gradients, so every computation builds its own network. The same
experiment and block always produce the same bits.
"""

from itertools import pairwise

import torch
from torch import nn

from lib.experiment.choices import OUTPUT_ACTIVATIONS
from lib.experiment.query import Experiment
from lib.floats.line import round_once
from lib.network.machine import use_one_thread
from lib.network.seeds import stream_seed


def build(experiment: Experiment, block: int = 0) -> nn.Sequential:
    """Build the network of a block, from (..., inputs) to (..., outputs), in the experiment's dtype and on its device.

    The seed determines one network for all blocks, or a new one for each block if the experiment says so. The weights
    have PyTorch's default initialisation: bit for bit what `torch.manual_seed(seed)` and `nn.Sequential` produce under
    a float64 default dtype, then rounded once to the dtype. Only the input requires a gradient, not the weights.
    """
    use_one_thread()  # here, because every computation builds a network first
    generator = torch.Generator().manual_seed(_seed(experiment, block))
    layers: list[nn.Module] = []
    for (before, after), name in zip(
        pairwise(experiment.widths), experiment.activations, strict=True
    ):
        layers += [_linear(before, after, generator), activation(name)]
    network = nn.Sequential(*layers)
    for parameter in network.parameters():
        parameter.requires_grad_(False)
        parameter.data = round_once(parameter.data, getattr(torch, experiment.dtype))
    return network.to(experiment.device)


def linear_layers(net: nn.Module) -> list[nn.Linear]:
    """Return the linear layers of a network, in order."""
    return [layer for layer in net.modules() if isinstance(layer, nn.Linear)]


def _seed(experiment: Experiment, block: int) -> int:
    return (
        experiment.seed
        if experiment.networks == "one"
        else stream_seed("networks", experiment.seed, block)
    )


def _linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    """`nn.Linear`, initialised as by its `reset_parameters`, but from the given generator instead of the global one."""
    linear = nn.utils.skip_init(nn.Linear, inputs, outputs, dtype=torch.float64, device="cpu")
    nn.init.kaiming_uniform_(linear.weight, a=5**0.5, generator=generator)
    bound = 1 / inputs**0.5
    nn.init.uniform_(linear.bias, -bound, bound, generator=generator)
    return linear


def activation(name: str) -> nn.Module:
    """Return a new module of the activation with this name."""
    row = OUTPUT_ACTIVATIONS[name]
    return getattr(nn, row.module)(**dict(row.arguments))

"""The networks of an experiment: stacks of linear layers with activations, never shared.

Threads must not share a module whose parameters require a gradient: every `backward()` would add
to the same gradients, so a thread would find those of the others in its own, and the process can
crash if one resets them meanwhile. The parameters here require none, but every computation builds
its own network all the same. The same experiment and block always produce the same bits.
"""

from itertools import pairwise

import torch
from torch import nn

from lib.experiment.choices import OUTPUT_ACTIVATIONS
from lib.experiment.query import Experiment
from lib.floats.ulps import round_once
from lib.network.machine import use_one_thread
from lib.network.seeds import stream_seed


def build(experiment: Experiment, block: int = 0) -> nn.Sequential:
    """Build the network of a block, in the experiment's dtype and on its device.

    It maps shape (..., inputs) to (..., outputs). The weights are initialised as PyTorch does by
    default: bit for bit what `torch.manual_seed(seed)` and `nn.Sequential` produce under a float64
    default dtype, then rounded once to the dtype. They do not require a gradient.

    Args:
        experiment: the experiment. It has one network, or one for each block.
        block: the number of the block of samples.
    """
    # Here, because every computation builds a network first.
    use_one_thread()
    seed = experiment.seed
    if experiment.networks == "each-block":
        seed = stream_seed("networks", seed, block)
    generator = torch.Generator().manual_seed(seed)
    layers: list[nn.Module] = []
    widths = pairwise(experiment.widths)
    for (inputs, outputs), name in zip(widths, experiment.activations, strict=True):
        row = OUTPUT_ACTIVATIONS[name]
        activation = getattr(nn, row.module)(**dict(row.arguments))
        layers += [_linear(inputs, outputs, generator), activation]
    network = nn.Sequential(*layers)
    for parameter in network.parameters():
        parameter.requires_grad_(False)
        parameter.data = round_once(parameter.data, getattr(torch, experiment.dtype))
    return network.to(experiment.device)


def linear_layers(net: nn.Module) -> list[nn.Linear]:
    """Return the linear layers of a network, in order."""
    return [layer for layer in net.modules() if isinstance(layer, nn.Linear)]


def _linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    """`nn.Linear`, initialised as by its `reset_parameters`, but from the given generator."""
    linear = nn.utils.skip_init(nn.Linear, inputs, outputs, dtype=torch.float64, device="cpu")
    nn.init.kaiming_uniform_(linear.weight, a=5**0.5, generator=generator)
    bound = 1 / inputs**0.5
    nn.init.uniform_(linear.bias, -bound, bound, generator=generator)
    return linear

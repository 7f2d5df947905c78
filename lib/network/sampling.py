"""The random samples of an experiment, block by block: a block is a pure function of (experiment, block number).

NOTE [chunks]: a block is what is computed in one call, so how many samples it has depends on the device. They are drawn
in chunks, whose size depends on the network alone: sample by sample, all devices and evaluations have the same points.

For the studies of a network a sample is its input, for the derivative study a single x. Samples are drawn in float64
and rounded once, so that every dtype, device, method and evaluation sees the same points, as near as its dtype can hold
them.
"""

from collections.abc import Callable
from math import log2

import torch

from lib.experiment.choices import DISTRIBUTIONS
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.experiment.rows import complete
from lib.floats.line import round_once
from lib.network.seeds import stream_seed

_DRAW = complete("distribution", DISTRIBUTIONS, {"uniform": torch.rand, "normal": torch.randn})

_MOST_SAMPLES = 8192  # a chunk of the post's network then fits the processor's cache, which is when it is fastest
_MOST_SAMPLES_EACH = 128  # with a new network for each block: so few that the post's 2,000 samples meet 16 of them
_MOST_COST = 2**25  # multiplications of a chunk: the CPU computes it whole, so it has to fit into a slice of time
_MOST_ENTRIES = 2**20  # entries of its Jacobians, which are held all at once

POINTS = 2**15
"""x in a block of the derivative study: NOTE [whole blocks] in `derivative.formulas`. Larger ones are hardly faster,
even on a card: most of the time is the CPU's, for the reference and the tally."""

WIDEST = 64.0
"""Of uniform x: sigmoid saturates in float64 from 37 on."""


def block_size(experiment: Experiment) -> int:
    """Samples in a block, a power of two: NOTE [chunks].

    It is more than a chunk where that alone would leave the device idle: not per-sample, and not with a network for
    each block, which would then be fewer networks. The Jacobians of a block take at most 8 MiB in float64 for each
    chunk, so 128 MiB on cuda, and what a vmapped method holds besides up to some gigabytes.
    """
    alone = experiment.evaluation == "per-sample" or experiment.networks == "each-block"
    return chunk_size(experiment) * (1 if alone else DEVICES[experiment.device].chunks)


def block(experiment: Experiment, number: int) -> torch.Tensor:
    """The samples of block `number`, shape (block_size, inputs), in the experiment's dtype and on its device."""
    return draw(experiment, number).to(experiment.device)


def draw(experiment: Experiment, number: int) -> torch.Tensor:
    """The same on the CPU."""
    chunks = block_size(experiment) // chunk_size(experiment)
    return torch.cat([_chunk(experiment, number * chunks + place) for place in range(chunks)])


def chunk_size(experiment: Experiment) -> int:
    """Samples in a chunk: a power of two that depends on the network's shape, and on whether each block has its own."""
    affordable = min(_MOST_COST // experiment.cost, _MOST_ENTRIES // (experiment.inputs * experiment.outputs))
    most = _MOST_SAMPLES if experiment.networks == "one" else _MOST_SAMPLES_EACH
    return min(most, 2 ** (affordable.bit_length() - 1))


def _chunk(experiment: Experiment, number: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(stream_seed("samples", experiment.seed, number))
    shape = (chunk_size(experiment), experiment.inputs)
    samples = _DRAW[experiment.distribution](shape, dtype=torch.float64, device="cpu", generator=generator)
    return round_once(samples, getattr(torch, experiment.dtype))


def points(experiment: Experiment, number: int) -> torch.Tensor:
    """The x of block `number` of the derivative study, shape (POINTS,), in the experiment's dtype and on its device.

    Log-uniform x are ± two to a uniform power, from the smallest subnormal of the dtype to its largest float, and so
    other points for each dtype.
    """
    generator = torch.Generator().manual_seed(stream_seed("points", experiment.seed, number))
    dtype = getattr(torch, experiment.dtype)

    def draw(of: Callable[..., torch.Tensor]) -> torch.Tensor:
        return of(POINTS, dtype=torch.float64, device="cpu", generator=generator)

    if experiment.x_from == "normal":
        x = draw(torch.randn)
    elif experiment.x_from == "uniform":
        x = WIDEST * (2 * draw(torch.rand) - 1)
    else:
        lowest, highest = log_range(dtype)
        magnitude = torch.exp2(lowest + (highest - lowest) * draw(torch.rand))
        x = magnitude.clamp(max=torch.finfo(dtype).max) * torch.where(draw(torch.rand) < 0.5, -1, 1)
    return round_once(x, dtype).to(experiment.device)


def log_range(dtype: torch.dtype) -> tuple[float, float]:
    """The binary logarithms of the smallest subnormal of the dtype and of its largest float."""
    finfo = torch.finfo(dtype)
    return log2(finfo.smallest_normal) + log2(finfo.eps), log2(finfo.max)

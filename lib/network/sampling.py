"""The random samples of an experiment, block by block: a block is a pure function of (experiment, block number).

NOTE [chunks]: a block is computed in one call, so its size depends on the device. Its samples are drawn in chunks whose
size does not: a sample of a given number is the same point on every device and in every evaluation.

In the studies of a network a sample is an input of the network; in the derivative study it is a single x. Samples are
drawn in float64 and rounded once, so that every dtype, device, method and evaluation sees the same points, up to the
rounding to its dtype.
"""

from collections.abc import Callable
from math import log2

import torch

from lib.experiment.choices import DEVICES, DISTRIBUTIONS, complete
from lib.experiment.query import Experiment
from lib.floats.line import round_once
from lib.network.seeds import stream_seed

_DRAW = complete("distribution", DISTRIBUTIONS, {"uniform": torch.rand, "normal": torch.randn})

_MOST_SAMPLES = (
    8192  # a chunk of the post's network then fits the processor's cache, and runs fastest
)
_MOST_SAMPLES_EACH = (
    128  # with a new network for each block: the post's 2,000 samples then meet 16 networks
)
_MOST_COST = (
    2**25
)  # multiplications per chunk: the CPU computes a chunk whole, so it must fit into a slice of time
_MOST_COST_AHEAD = 2**31  # the same in forward mode, whose products are large and so much faster
_MOST_ENTRIES = 2**20  # entries of its Jacobians, all held in memory at once
_MOST_TANGENTS = (
    2**25
)  # entries of its tangents in one layer, one tangent for each input of each sample

POINTS = 2**15
"""The number of x in a block of the derivative study: NOTE [whole blocks] in `derivative.formulas`. Larger blocks are
hardly faster, even on a card: the CPU takes most of the time, for the reference and the tally."""

WIDEST = 64.0
"""The largest size of a uniform x; sigmoid saturates in float64 from 37 on."""


def block_size(experiment: Experiment) -> int:
    """Return the number of samples in a block, a power of two: NOTE [chunks].

    A block has several chunks if a single one would leave the device idle. It has only one in per-sample evaluation,
    and if each block has its own network, since larger blocks would mean fewer networks. The Jacobians of a block take
    at most 8 MiB per chunk in float64, so 128 MiB on cuda, and a vmapped method holds up to some gigabytes more.
    """
    alone = experiment.evaluation == "per-sample" or experiment.networks == "each-block"
    return chunk_size(experiment) * (1 if alone else DEVICES[experiment.device].chunks)


def block(experiment: Experiment, number: int) -> torch.Tensor:
    """Return the samples of block `number`, shape (block_size, inputs), in the experiment's dtype and on its device."""
    return draw(experiment, number).to(experiment.device)


def draw(experiment: Experiment, number: int) -> torch.Tensor:
    """Return the same samples as `block`, on the CPU."""
    chunks = block_size(experiment) // chunk_size(experiment)
    return torch.cat([_chunk(experiment, number * chunks + place) for place in range(chunks)])


def chunk_size(experiment: Experiment) -> int:
    """Return the chunk size, a power of two set by the network's shape and whether each block has its own network."""
    inputs = experiment.inputs
    affordable = min(
        _MOST_COST // experiment.cost,
        _MOST_COST_AHEAD // (experiment.parameters * inputs),
        _MOST_ENTRIES // (inputs * experiment.outputs),
        _MOST_TANGENTS // (inputs * max(experiment.widths)),
    )
    most = _MOST_SAMPLES if experiment.networks == "one" else _MOST_SAMPLES_EACH
    return min(most, 2 ** (affordable.bit_length() - 1))


def _chunk(experiment: Experiment, number: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(stream_seed("samples", experiment.seed, number))
    shape = (chunk_size(experiment), experiment.inputs)
    samples = _DRAW[experiment.distribution](
        shape, dtype=torch.float64, device="cpu", generator=generator
    )
    return round_once(samples, getattr(torch, experiment.dtype))


def points(experiment: Experiment, number: int) -> torch.Tensor:
    """Return the x of block `number` of the derivative study, shape (POINTS,), in the experiment's dtype and device.

    A log-uniform x is ±2**e with a uniform e, from the smallest subnormal of the dtype to its largest float, so these
    points differ between dtypes.
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
    """Return the binary logarithms of the smallest subnormal and of the largest float of the dtype."""
    finfo = torch.finfo(dtype)
    return log2(finfo.smallest_normal) + log2(finfo.eps), log2(finfo.max)

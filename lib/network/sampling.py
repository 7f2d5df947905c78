"""The random samples of an experiment, block by block.

A block is a pure function of the experiment and its number. In the studies of a network a sample is
an input of the network; in the derivative study it is a single x. Samples are drawn in float64 and
rounded once, so that every dtype, device, method and evaluation sees the same points, up to the
rounding to its dtype. Only log-uniform x depend on the dtype: see `points`.

NOTE [chunks]: a block has as many samples as suit one batched call, so its size depends on the
device. Its samples are drawn in chunks whose size does not: a sample of a given number is the same
point on every device and in every evaluation.
"""

from collections.abc import Callable
from math import log2

import torch

from lib.experiment.choices import DEVICES, DISTRIBUTIONS, complete
from lib.experiment.query import Experiment
from lib.floats.ulps import round_once
from lib.network.seeds import stream_seed

_DRAW = complete("distribution", DISTRIBUTIONS, {"uniform": torch.rand, "normal": torch.randn})

_MOST_SAMPLES = {
    # A chunk of the default network fits the processor's cache.
    "one": 8192,
    # 2,000 samples meet 16 networks.
    "each-block": 128,
}

# In batched evaluation a CPU may compute a chunk whole, so it must fit into a slice of time and
# into memory.

_MOST_COST = 2**25
"""The most multiplications for the Jacobians of a chunk."""

_MOST_COST_FORWARD = 2**31
"""The same in forward mode, which has larger products and is faster."""

_MOST_ENTRIES = 2**20
"""The most entries of the Jacobians of a chunk."""

_MOST_TANGENTS = 2**25
"""The most entries of the tangents of one layer: one for each unit, input and sample."""

POINTS = 2**15
"""The number of x in a block of the derivative study: NOTE [whole blocks] in `derivative.formulas`.

Larger blocks are hardly faster, even on a graphics card: most of the time goes into the reference
and the tally, on the CPU.
"""

WIDEST = 64.0
"""The largest size of a uniform x; sigmoid saturates in float64 from 37 on."""


def block_size(experiment: Experiment) -> int:
    """Return the number of samples in a block, a power of two: NOTE [chunks].

    A block has several chunks if a single one would leave the device idle. In per-sample evaluation
    it has one. With a network for each block it also has one, since larger blocks would mean fewer
    networks. The Jacobians of a block take at most 8 MiB per chunk in float64, so 128 MiB on cuda,
    and a vmapped method holds up to some gigabytes more.
    """
    single = experiment.evaluation == "per-sample" or experiment.networks == "each-block"
    return chunk_size(experiment) * (1 if single else DEVICES[experiment.device].chunks)


def block(experiment: Experiment, number: int) -> torch.Tensor:
    """Return the samples of a block, shape (block_size, inputs), on the experiment's device."""
    chunks = block_size(experiment) // chunk_size(experiment)
    numbers = range(number * chunks, (number + 1) * chunks)
    return torch.cat([_chunk(experiment, n) for n in numbers]).to(experiment.device)


def chunk_size(experiment: Experiment) -> int:
    """Return the number of samples in a chunk, a power of two.

    It depends only on the sizes of the layers and on `networks`.
    """
    inputs = experiment.inputs
    affordable = min(
        _MOST_SAMPLES[experiment.networks],
        _MOST_COST // experiment.cost,
        _MOST_COST_FORWARD // (experiment.parameters * inputs),
        _MOST_ENTRIES // (inputs * experiment.outputs),
        _MOST_TANGENTS // (inputs * max(experiment.widths)),
    )
    return 1 << (affordable.bit_length() - 1)


def _chunk(experiment: Experiment, number: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(stream_seed("samples", experiment.seed, number))
    shape = (chunk_size(experiment), experiment.inputs)
    samples = _DRAW[experiment.distribution](
        shape, dtype=torch.float64, device="cpu", generator=generator
    )
    return round_once(samples, getattr(torch, experiment.dtype))


def points(experiment: Experiment, number: int) -> torch.Tensor:
    """Return the x of a block of the derivative study, shape (POINTS,), on the device.

    A log-uniform x is ±2**e with a uniform e, from the smallest subnormal of the dtype to its
    largest float, so these points differ between dtypes.
    """
    generator = torch.Generator().manual_seed(stream_seed("points", experiment.seed, number))
    dtype = getattr(torch, experiment.dtype)

    def drawn(draw: Callable[..., torch.Tensor]) -> torch.Tensor:
        return draw(POINTS, dtype=torch.float64, device="cpu", generator=generator)

    if experiment.x_from == "normal":
        x = drawn(torch.randn)
    elif experiment.x_from == "uniform":
        x = WIDEST * (2 * drawn(torch.rand) - 1)
    else:
        lowest, highest = log_range(dtype)
        x = torch.exp2(lowest + (highest - lowest) * drawn(torch.rand))
        x = x.clamp(max=torch.finfo(dtype).max) * torch.where(drawn(torch.rand) < 0.5, -1, 1)
    return round_once(x, dtype).to(experiment.device)


def log_range(dtype: torch.dtype) -> tuple[float, float]:
    """Return the binary logarithms of the smallest subnormal and of the largest float."""
    finfo = torch.finfo(dtype)
    return log2(finfo.smallest_normal) + log2(finfo.eps), log2(finfo.max)

"""Seeds of random streams: one for each purpose, seed of an experiment and number, and none of them a seed of weights.

PyTorch's generator on the CPU, a Mersenne Twister, takes the low 32 bits of what `manual_seed` is given. The weights of
an experiment keep their contract, `torch.manual_seed(seed)`, and so the lower half of these 2**32 seeds. Every other
purpose has a part of the upper half to itself: streams of different purposes share no seed.

Within a part, consecutive numbers have consecutive seeds; they start at seed · multiplier, with the multiplier nearest
to the length of the part over the golden ratio. Then no two starts among n consecutive seeds are closer than about
1/(√5·n) of the part (Knuth, "The Art of Computer Programming", volume 3, section 6.4, theorem S): the samples of any
two of a thousand neighbouring seeds are distinct for the first 400,000 blocks. The multiplier is odd and the length a
power of two, so no two seeds below the length have the same start. There are more pairs of a seed and a number than 32
bits can tell apart, so some must share a stream: seeds that differ by the length of a part share all of theirs.
"""

from itertools import accumulate, pairwise

_GOLDEN_RATIO = (1 + 5**0.5) / 2

_LENGTHS = {
    "samples": 2**30,  # of a network, by chunk
    "networks": 2**29,  # where each block has its own, by block
    "points": 2**28,  # x of a function, by block
    "whole numbers": 2**27,  # the network of the control that has such weights
    "probes": 2**27,  # what reveals a kernel's order, by probe
}
_ENDS = accumulate(_LENGTHS.values(), initial=2**31)
PARTS = {purpose: range(*ends) for purpose, ends in zip(_LENGTHS, pairwise(_ENDS), strict=True)}
"""The seeds that are kept for each purpose: together the upper half of all 32-bit numbers."""


def start_of(purpose: str, seed: int) -> int:
    """Where the streams of a seed start within the part, from 0."""
    length = len(PARTS[purpose])
    return seed * (round(length / _GOLDEN_RATIO) | 1) % length


def stream_seed(purpose: str, seed: int, number: int) -> int:
    """The 32-bit seed of stream `number` of that purpose; the first `len(PARTS[purpose])` of one seed are distinct."""
    part = PARTS[purpose]
    return part[(start_of(purpose, seed) + number) % len(part)]

"""The seeds of random streams, by purpose, seed of the experiment and stream number.

PyTorch's generator on the CPU, a Mersenne Twister, uses the low 32 bits of the argument of
`manual_seed`. The weights of an experiment are those of `torch.manual_seed(seed)`, so the lower
half of these 2**32 seeds is reserved for them. Every other purpose has its own part of the upper
half, so streams of different purposes share no seed.

Within a part, consecutive stream numbers have consecutive seeds. Those of an experiment start at
its own seed · multiplier, modulo the length of the part; the multiplier is the length over the
golden ratio, rounded to an odd number. Then for n experiments with consecutive seeds, no two starts
are closer than about 1/(√5·n) of the part (Knuth, "The Art of Computer Programming", volume 3,
section 6.4, theorem S), so the samples of any two of a thousand neighbouring seeds are distinct for
the first 400,000 chunks (see `sampling`). The multiplier is odd and the length is a power of two,
so no two seeds below the length have the same start. There are more pairs of a seed and a number
than 32 bits can distinguish, so some pairs must share a stream: two seeds that differ by the length
of a part share all streams of that purpose.
"""

from itertools import accumulate, pairwise

_GOLDEN_RATIO = (1 + 5**0.5) / 2

_LENGTHS = {
    "samples": 2**30,
    "networks": 2**29,
    "points": 2**28,
    "unused": 2**27,
    "probes": 2**26,
    "directions": 2**25,
}
"""How many streams each purpose has:

- samples: of a network, one for each chunk;
- networks: if each block has its own network, one for each block;
- points: x of a function, one for each block;
- unused: reserved, so that the other parts stay where they are;
- probes: inputs that reveal the order of a kernel, one for each probe;
- directions: in which the slope of a visitor's function is measured.
"""
_ENDS = accumulate(_LENGTHS.values(), initial=2**31)
PARTS = {purpose: range(*ends) for purpose, ends in zip(_LENGTHS, pairwise(_ENDS), strict=True)}
"""The seeds reserved for each purpose, all in the upper half of the 32-bit numbers."""


def start_of(purpose: str, seed: int) -> int:
    """Return the place within the part at which the streams of a seed start, counted from 0."""
    length = len(PARTS[purpose])
    return seed * (round(length / _GOLDEN_RATIO) | 1) % length


def stream_seed(purpose: str, seed: int, number: int) -> int:
    """Return the 32-bit seed of a stream.

    Args:
        purpose: what the stream is for, a key of `PARTS`.
        seed: the seed of the experiment.
        number: the number of the stream; the first `len(PARTS[purpose])` streams are distinct.
    """
    part = PARTS[purpose]
    return part[(start_of(purpose, seed) + number) % len(part)]

"""Random streams are independent: no two of them, whatever they are for, share a number."""

import ast
from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import torch

from lib.network import network
from lib.network.seeds import PARTS, stream_seed

LIB = Path(network.__file__).parents[1]
THOUSAND = range(1000)
SEEDS = [0, 1, 999, 2**31 - 1]

every_purpose = pytest.mark.parametrize("purpose", PARTS)


def test_every_purpose_has_a_part_of_its_own_beyond_the_seeds_of_weights():
    """The contract of weights is `torch.manual_seed(seed)`, with a seed below 2**31."""
    parts = sorted(PARTS.values(), key=lambda part: part.start)
    assert parts[0].start == 2**31 and parts[-1].stop == 2**32
    assert all(here.stop == there.start for here, there in zip(parts, parts[1:], strict=False))


def test_every_generator_is_seeded_from_a_part():
    """By `stream_seed`, with a purpose that has one; only a network may have the seed of its weights."""
    asked, others = set(), []
    for module in sorted(LIB.rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "manual_seed"
            ):
                (seed,) = node.args
                if isinstance(seed, ast.Call) and ast.unparse(seed.func) == "stream_seed":
                    asked.add(ast.literal_eval(seed.args[0]))
                else:
                    others.append((module.relative_to(LIB).as_posix(), ast.unparse(seed)))
    assert others == [("network/network.py", "_seed(experiment, block)")]
    assert asked | {"networks"} == {*PARTS}


@every_purpose
@pytest.mark.parametrize("seed", SEEDS)
def test_the_streams_of_a_seed_are_distinct_and_stay_in_their_part(purpose, seed):
    """By chance two of 200,000 would meet with a probability of 99 %. Around the part's end as at its beginning."""
    length = len(PARTS[purpose])
    numbers = [*range(100_000), *range(length - 100_000, length)]
    seeds = {stream_seed(purpose, seed, number) for number in numbers}
    assert len(seeds) == len(numbers)
    assert all(seed in PARTS[purpose] for seed in seeds)
    assert stream_seed(purpose, seed, length) == stream_seed(purpose, seed, 0)


@every_purpose
def test_a_thousand_seeds_share_none_of_their_first_blocks(purpose):
    """Starts are at least 1/(√5·1000) of the part apart, but for the rounding of the multiplier to an integer."""
    length = len(PARTS[purpose])
    starts = sorted(stream_seed(purpose, seed, 0) for seed in THOUSAND)
    gaps = np.diff([*starts, starts[0] + length])
    assert gaps.min() > length / (5**0.5 * len(THOUSAND)) - len(THOUSAND) > 10_000
    blocks = chain.from_iterable(
        (stream_seed(purpose, seed, number) for number in THOUSAND) for seed in THOUSAND
    )
    assert len(set(blocks)) == 1_000_000


def first_numbers(seeds, count=3):
    generator = torch.Generator()
    return [
        torch.rand(count, dtype=torch.float64, generator=generator.manual_seed(seed)).tolist()
        for seed in seeds
    ]


def test_no_two_streams_share_a_number():
    """Of 300,000 numbers of 53 bits, two are alike by chance with a probability of 5e-6."""
    seeds = [
        *THOUSAND,  # of weights
        *(stream_seed(purpose, seed, 0) for purpose in PARTS for seed in THOUSAND),
        *(
            stream_seed(purpose, seed, number)
            for purpose in PARTS
            for seed in (0, 1, 999)
            for number in THOUSAND[1:]
        ),
        *(
            stream_seed("samples", seed, number)
            for seed in THOUSAND[2:-1]
            for number in range(1, 60)
        ),
    ]
    assert len(seeds) > 75_000
    numbers = Counter(chain.from_iterable(first_numbers(seeds)))
    assert numbers.most_common(1)[0][1] == 1

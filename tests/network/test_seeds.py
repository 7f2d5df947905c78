"""Random streams are independent: no two of them, whatever they are for, share a number."""

import ast
from itertools import pairwise

import numpy as np
import pytest

from lib.network.seeds import PARTS, stream_seed
from tests.server import ROOT

THOUSAND = range(1000)


def test_every_purpose_has_a_part_of_its_own():
    """The contract of weights is `torch.manual_seed(seed)`, with a seed below 2**31."""
    parts = [*PARTS.values()]
    assert parts[0].start == 2**31
    assert [len(part) for part in parts] == [2**k for k in range(30, 24, -1)]
    assert all(first.stop == second.start for first, second in pairwise(parts))


def test_every_generator_is_seeded_from_a_part():
    """By `stream_seed`, with a purpose that has one; only a network may have the seed itself."""
    purposes, seeds = set(), []
    for module in sorted((ROOT / "lib").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text())):
            match node:
                case ast.Call(ast.Name("stream_seed"), [ast.Constant(purpose), *_]):
                    purposes.add(purpose)
                case ast.Call(ast.Attribute(_, "manual_seed"), [seed]):
                    seeds.append((module.name, ast.unparse(seed)))
    others = [seed for seed in seeds if not seed[1].startswith("stream_seed(")]
    assert others == [("network.py", "seed")]
    assert purposes | {"unused"} == {*PARTS}


@pytest.mark.parametrize("purpose", PARTS)
def test_streams_are_far_from_each_other(purpose):
    """By chance two of 20,000 would meet. Starts are 1/(√5·1000) of the part apart, but for the
    rounding of the multiplier."""
    part = PARTS[purpose]
    length = len(part)
    numbers = [*range(10_000), *range(length - 10_000, length)]
    seeds = {stream_seed(purpose, 2**31 - 1, number) for number in numbers}
    assert len(seeds) == len(numbers) and all(seed in part for seed in seeds)
    starts = sorted(stream_seed(purpose, seed, 0) for seed in THOUSAND)
    gaps = np.diff([*starts, starts[0] + length])
    assert gaps.min() > length / (5**0.5 * len(THOUSAND)) - len(THOUSAND) > 10_000

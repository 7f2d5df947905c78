"""Components with the same value on both sides, against counting one by one."""

from math import isfinite, isnan

import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.reference.compared import Gradients
from lib.variations.equality import EqualityTally

VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, float("inf"), float("-inf"), float("nan")]) | st.floats(width=32)
SAMPLES = st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), min_size=3, max_size=9)


def gradients_of(samples: list[tuple[float, float, float, float]]) -> Gradients:
    """Samples of two components, given as those of one side and then those of the other."""
    one, other = torch.tensor(samples, dtype=torch.float32).split(2, dim=1)
    return Gradients(0, 0, 0, torch.zeros_like(one), one, other)


@given(SAMPLES)
def test_counts_are_those_of_counting_one_by_one(samples):
    tally = EqualityTally.of(gradients_of(samples))
    pairs = [(sample[i], sample[2 + i]) for sample in samples for i in (0, 1)]
    finite = [(a, b) for a, b in pairs if isfinite(a) and isfinite(b)]
    assert tally.samples == len(samples) and tally.components == len(pairs)
    assert (tally.finite, tally.nonfinite) == (len(finite), len(pairs) - len(finite))
    assert tally.equal == sum(a == b for a, b in finite)
    assert tally.apart == sum(a != b and not (isnan(a) and isnan(b)) for a, b in pairs)


@given(SAMPLES, st.permutations(range(3)))
def test_tallies_merge_in_any_order(samples, order):
    parts = [EqualityTally.of(gradients_of(part)) for part in (samples[:1], samples[1:2], samples[2:])]
    assert sum((parts[i] for i in order), start=EqualityTally()) == EqualityTally.of(gradients_of(samples))

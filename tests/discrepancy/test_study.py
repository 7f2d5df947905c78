"""The tally of the discrepancy study against counting one by one in exact arithmetic.

What the study measures is compared with plain PyTorch by the scripts of `takeaway`.
"""

import math
from collections import Counter
from fractions import Fraction

import torch
from hypothesis import example, given
from hypothesis import strategies as st

from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.variants import ComparisonTally
from lib.reference.pair import Pair
from lib.run.tally import Extreme, Place
from tests.oracles import place_of

any32 = st.sampled_from([0.0, -0.0, 1.0, 2.0, math.inf, -math.inf, math.nan]) | st.floats(width=32)
PAIRS = st.lists(st.tuples(any32, any32), min_size=1, max_size=10).map(lambda pairs: pairs * 2)


def gradients_of(pairs, dtype=torch.float32):
    """Samples of block 2 with two components each."""
    sides = [torch.tensor(side, dtype=dtype).view(-1, 2) for side in zip(*pairs, strict=True)]
    return Pair(2, 0, 0, torch.zeros_like(sides[0]), *sides)


def steps(backward, jacobian):
    return place_of(backward, "float32") - place_of(jacobian, "float32")


def key_of(distance):
    """The key of the histogram: a long distance is under the power of two below it."""
    if abs(distance) <= 2**16:
        return distance
    return (1 << (abs(distance).bit_length() - 1)) * (1 if distance > 0 else -1)


@given(PAIRS)
@example([(1.0, 1 + 65_537 * 2.0**-23), (1.0, 1 + 3 * 2.0**-9)])
def test_counts_and_sizes_are_those_of_counting(pairs):
    """By the tally of the study, and by that of named comparisons."""
    tally = DiscrepancyTally.of(gradients_of(pairs))
    named = ComparisonTally.of(gradients_of(pairs))
    finite = {
        divmod(number, 2): pair
        for number, pair in enumerate(pairs)
        if all(map(math.isfinite, pair))
    }
    sizes = {place: float(abs(Fraction(b) - Fraction(j))) for place, (b, j) in finite.items()}
    ulps = {place: abs(steps(*pair)) for place, pair in finite.items()}
    for counted in (tally, named):
        assert (counted.samples, counted.components) == (len(pairs) // 2, len(pairs))
        assert counted.finite == len(finite)
        assert counted.equal == sum(b == j for b, j in finite.values())
        for extreme, found in ((counted.max_abs, sizes), (counted.max_ulps, ulps)):
            largest = max(found.values(), default=0)
            place = min((place for place in found if found[place] == largest), default=None)
            assert extreme == (Extreme(largest, Place(2, *place)) if largest else Extreme())
    equal = [math.isfinite(b) and b == j for b, j in pairs]
    assert tally.samples_equal == sum(map(min, equal[::2], equal[1::2]))
    keys = Counter(key_of(steps(*pair)) for pair in finite.values())
    assert {key: tally.ulps[key] for key in tally.ulps.keys.tolist()} == keys
    assert named.apart == sum(b != j and not (math.isnan(b) and math.isnan(j)) for b, j in pairs)


def test_the_longest_distance_of_float64_is_exact():
    """And it has a key."""
    largest = torch.finfo(torch.float64).max
    tally = DiscrepancyTally.of(gradients_of([(1.0, -1.0), (0.5, -largest)], torch.float64))
    assert tally.max_ulps.value == place_of(0.5, "float64") + place_of(largest, "float64")
    assert tally.ulps.keys.tolist() == [2**62]


def test_the_first_component_of_each_bar_is_known():
    """However late it comes."""
    lost = [(1.0, math.nan), (math.inf, 1.0)]
    pairs = lost + [(1.0, 1.0)] * 2044 + [(1.0, 1.0 + 2.0**-23), (2.0, 1.0)]
    places = DiscrepancyTally.of(gradients_of(pairs)).first_places.places
    assert places == {0: Place(2, 1, 0), -1: Place(2, 1023, 0), 12: Place(2, 1023, 1)}

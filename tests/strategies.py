"""Hypothesis' strategies for the parts of a tally, and a small tally that is made of some."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from lib.run.tally import (
    ByName,
    Constant,
    Extreme,
    FirstPlaces,
    Histogram,
    Place,
    Point,
    Sums,
    Tally,
)

LOWEST, HIGHEST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class SmallTally(Tally):
    samples: int = 0
    counts: Histogram = field(default_factory=Histogram)
    largest: Extreme = field(default_factory=Extreme)
    more_counts: Histogram = field(default_factory=Histogram)


def near(base):
    """Numbers around a base: few and dense, so that they are counted in places and not sorted."""
    return st.lists(st.integers(max(base - 20, LOWEST), min(base + 20, HIGHEST)), max_size=40)


values = st.one_of(
    st.lists(st.integers(LOWEST, HIGHEST)), st.integers(LOWEST, HIGHEST).flatmap(near)
)
"""Lists of int64 numbers, spread over all of them or dense."""

histograms = st.builds(
    lambda keys: Histogram.of(np.array(keys, np.int64)),
    st.one_of(near(0), st.lists(st.integers(-(2**62), 2**62))),
)
places = st.builds(Place, st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
extremes = st.one_of(
    st.builds(Extreme), st.builds(Extreme, st.sampled_from([1, 2.5, 2**64 - 1]), places)
)
first_places = st.builds(FirstPlaces, st.dictionaries(st.integers(-8, 9), places))
tallies = st.builds(SmallTally, st.integers(0, 10**9), histograms, extremes, histograms)
extremes_over_x = st.one_of(
    st.builds(Extreme),
    st.tuples(st.sampled_from([-1.0, 0.0, 2.5]), st.integers(0, 3)).map(
        lambda found: Extreme(found[0], Point(found[1], found[0] * found[1]))
    ),
)
"""An x has one value, so two extremes of one number and one value are of the same x."""


sums = st.builds(Sums, st.dictionaries(st.integers(-3, 3), st.integers(0, 2**200)))
constants = st.sampled_from([Constant(), Constant("a")])
by_name = st.builds(ByName, st.dictionaries(st.sampled_from("abc"), tallies))

MERGEABLE = {
    Histogram: histograms,
    Extreme: extremes,
    FirstPlaces: first_places,
    SmallTally: tallies,
    Sums: sums,
    Constant: constants,
    ByName: by_name,
}

"""The discrepancy study against the post's own loop, and its tally against counting one by one in exact arithmetic."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.study import EXACT_ULPS, Discrepancy, DiscrepancyTally, Gradients
from lib.discrepancy.variants import ComparisonTally
from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.stream import Stream
from lib.run.tally import Extreme, Place
from tests import oracles
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import PLAIN

NEVER = float("inf")


def post_loop(experiment: Experiment, points: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Per sample, as the post describes: backward with ones, and the Jacobian summed over the outputs; the parameters
    require gradients there."""
    net = network.build(experiment).requires_grad_()
    jacobian = [PLAIN[experiment.method](net, point.clone()).detach().sum(0) for point in points]
    return torch.stack([oracles.backward(net, point) for point in points]), torch.stack(jacobian)


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a, b) and torch.equal(torch.signbit(a), torch.signbit(b))


PER_SAMPLE = [
    *(
        replace(shape, dtype=dtype, method=method)
        for shape in SHAPES
        for dtype in EVERY_DTYPE[:2]
        for method in PLAIN
    ),
    *(
        Experiment(activation=name, dtype=dtype)
        for name in choices.ACTIVATIONS
        for dtype in EVERY_DTYPE[2:]
    ),
]


@pytest.mark.parametrize("experiment", PER_SAMPLE, ids=lambda e: e.query)
def test_per_sample_is_the_posts_loop_bit_for_bit(experiment):
    measured = Discrepancy(replace(experiment, samples=25)).measure(0, NEVER)
    backward, jacobian = post_loop(experiment, sampling.block(experiment, 0)[:25])
    assert same_bits(measured.backward, backward)
    assert same_bits(measured.jacobian, jacobian)


def test_a_cut_batched_block_is_the_start_of_the_whole_one():
    few, many = (
        Discrepancy(Experiment(evaluation="batched", samples=n)).measure(0, NEVER)
        for n in (7, 8192)
    )
    assert same_bits(few.backward, many.backward[:7]) and same_bits(few.jacobian, many.jacobian[:7])


def test_samples_beyond_the_first_block_come_from_the_next():
    experiment = Experiment(evaluation="batched", samples=10_000)
    study = Discrepancy(experiment)
    size = sampling.block_size(experiment)
    second = study.measure(size, NEVER)
    assert (second.block, second.index, second.number, len(second)) == (1, 0, size, 10_000 - size)
    assert torch.equal(second.x, sampling.block(experiment, 1)[: 10_000 - size])


# The tally, against counting one by one.

finite32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
any32 = st.sampled_from([0.0, -0.0, 1.0, 2.0, math.inf, -math.inf, math.nan]) | st.floats(width=32)


def gradients_of(
    rows: list[tuple[float, float]], dtype: torch.dtype = torch.float32, components: int = 2
) -> Gradients:
    """Samples of block 2 from pairs (backward, jacobian), as many pairs a sample as it has components."""
    backward, jacobian = (
        torch.tensor(values, dtype=dtype).view(-1, components) for values in zip(*rows, strict=True)
    )
    return Gradients(2, 0, 0, torch.zeros_like(backward), backward, jacobian)


def steps(backward: float, jacobian: float) -> int:
    return oracles.place_of(backward, "float32") - oracles.place_of(jacobian, "float32")


@given(
    st.lists(st.tuples(any32, any32), min_size=2, max_size=20).filter(
        lambda rows: len(rows) % 2 == 0
    )
)
def test_counts_and_sizes_are_those_of_counting_one_by_one(rows):
    """By the tally of the study, and by that of named comparisons."""
    tally, named = DiscrepancyTally.of(gradients_of(rows)), ComparisonTally.of(gradients_of(rows))
    finite = {
        divmod(i, 2): (b, j)
        for i, (b, j) in enumerate(rows)
        if math.isfinite(b) and math.isfinite(j)
    }
    distances = {place: float(abs(Fraction(b) - Fraction(j))) for place, (b, j) in finite.items()}
    ulps = {place: abs(steps(*pair)) for place, pair in finite.items()}
    for found in (tally, named):
        assert (found.samples, found.components, found.finite) == (
            len(rows) // 2,
            len(rows),
            len(finite),
        )
        assert found.equal == sum(b == j for b, j in finite.values())
        for extreme, sizes in ((found.max_abs, distances), (found.max_ulps, ulps)):
            largest = max(sizes.values(), default=0)
            first = min((place for place, size in sizes.items() if size == largest), default=None)
            assert extreme == (Extreme(largest, Place(2, *first)) if largest else Extreme())
    pairs = zip(rows[::2], rows[1::2], strict=True)
    assert tally.samples_equal == sum(
        all(math.isfinite(b) and b == j for b, j in pair) for pair in pairs
    )
    short = Counter(d for d in (steps(*pair) for pair in finite.values()) if abs(d) <= EXACT_ULPS)
    assert {k: tally.ulps[k] for k in short} == short and tally.ulps.total == len(finite)
    assert named.apart == sum(b != j and not (math.isnan(b) and math.isnan(j)) for b, j in rows)
    # Each distance is rounded to float64, their sum is not.
    assert named.total.mean == (
        float(sum(map(Fraction, distances.values())) / len(distances)) if distances else 0
    )


@given(st.lists(st.tuples(finite32, finite32), min_size=2, max_size=2))
def test_long_distances_go_under_the_power_of_two_below_them(rows):
    tally = DiscrepancyTally.of(gradients_of(rows))
    for key, distance in zip(
        sorted(np.repeat(tally.ulps.keys, tally.ulps.counts).tolist()),
        sorted(steps(*pair) for pair in rows),
        strict=True,
    ):
        if abs(distance) <= EXACT_ULPS:
            assert key == distance
        else:
            assert (
                abs(key) <= abs(distance) < 2 * abs(key)
                and key.bit_count() == 1
                and key * distance > 0
            )


def test_the_longest_distance_of_float64_is_exact_and_has_a_key():
    largest = torch.finfo(torch.float64).max
    tally = DiscrepancyTally.of(gradients_of([(1.0, -1.0), (0.5, -largest)], dtype=torch.float64))
    one, half, top = (int(np.float64(v).view(np.int64)) for v in (1.0, 0.5, largest))
    assert tally.max_ulps.value == half + top > 2 * one
    assert tally.ulps.keys.tolist() == [2**62] and tally.ulps.total == 2


def test_what_is_not_finite_stands_in_no_bar():
    pairs = [(1.0, math.nan), (math.inf, 1.0), (1.0 + 7 * 2.0**-23, 1.0), (math.nan, 1.0)]
    tally = DiscrepancyTally.of(gradients_of(pairs))
    places = tally.first_places.places
    assert {bar: (place.index, place.component) for bar, place in places.items()} == {4: (1, 0)}


@pytest.mark.parametrize("chunks", [1, 2])
def test_an_extreme_can_be_found_again_by_its_place(monkeypatch, chunks):
    monkeypatch.setitem(choices.DEVICES, "cpu", replace(choices.DEVICES["cpu"], chunks=chunks))
    experiment = Experiment(evaluation="batched", samples=20_000)
    study = Discrepancy(experiment)
    extreme = Stream(study).finish().max_abs
    again = study.measure(extreme.place.block * sampling.block_size(experiment), NEVER)
    assert abs(again.discrepancy[extreme.place.index, extreme.place.component]) == extreme.value


JUDGED = Discrepancy(Experiment(inputs=2, samples=4)).measure(0, NEVER).judged
conditions = st.one_of(st.just(0.0), st.just(math.inf), st.floats(0.5, 1e300), st.floats(0.9, 1100))


@given(st.lists(st.tuples(any32, any32, conditions), min_size=8, max_size=8))
def test_the_largest_condition_number_is_the_largest_that_is_finite(rows):
    """S/|g| is infinite where terms cancel to 0, and 0 where there is none."""
    judged = replace(gradients_of([row[:2] for row in rows]), judged=JUDGED)
    vars(judged)["condition"] = np.array([row[2] for row in rows]).reshape(-1, 2)
    known = [row[2] for row in rows if row[2] < math.inf]
    assert DiscrepancyTally.of(judged).max_condition.value == max(known, default=0)


# The post's findings.


def test_the_posts_finding_in_float32():
    figures = Stream(Discrepancy(Experiment())).finish().figures()
    assert 0.2 < figures["equal"] / figures["components"] < 0.5
    assert 0 < figures["max_abs"] < 1e-7

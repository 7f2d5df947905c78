"""The discrepancy study against the post's own loop, and its tally against counting one by one in exact arithmetic."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lib.discrepancy.study import EXACT_ULPS, Discrepancy, DiscrepancyTally, Gradients
from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.network import sampling
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import PLAIN

NEVER = float("inf")


def post_network(experiment: Experiment) -> nn.Sequential:
    """The network as the post builds it, seeded, in float64 and then rounded; its parameters require gradients."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.random.fork_rng():
            torch.manual_seed(experiment.seed)
            layers = []
            widths = [experiment.inputs, *experiment.hidden, experiment.outputs]
            for i, width in enumerate(widths[1:]):
                layers.append(nn.Linear(widths[i], width))
                last = i == len(widths) - 2
                row = choices.OUTPUT_ACTIVATIONS[experiment.output_activation if last else experiment.activation]
                layers.append(getattr(nn, row.module)(**dict(row.arguments)))
            return nn.Sequential(*layers).to(getattr(torch, experiment.dtype))
    finally:
        torch.set_default_dtype(default)


def post_loop(experiment: Experiment, points: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Per sample, as the post describes: backward with ones, and the Jacobian summed over the outputs."""
    net = post_network(experiment)
    backward, jacobian = [], []
    for point in points:
        x = point.clone().requires_grad_()
        y = net(x)
        y.backward(torch.ones_like(y))
        backward.append(x.grad)
        jacobian.append(PLAIN[experiment.method](net, point.clone()).detach().sum(0))
    return torch.stack(backward), torch.stack(jacobian)


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a, b) and torch.equal(torch.signbit(a), torch.signbit(b))


@pytest.mark.parametrize("method", PLAIN)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_per_sample_is_the_posts_loop_bit_for_bit(shape, dtype, method):
    # The 16-bit dtypes are rounded from float64 once here and twice by `.to`: see the next test.
    experiment = Experiment(**shape.to_dict() | {"dtype": dtype, "method": method, "samples": 25})
    measured = Discrepancy(experiment).measure(0, NEVER)
    backward, jacobian = post_loop(experiment, sampling.block(experiment, 0)[:25])
    assert same_bits(measured.backward, backward)
    assert same_bits(measured.jacobian, jacobian)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("activation", choices.ACTIVATIONS)
def test_per_sample_is_the_posts_loop_in_sixteen_bits(activation, dtype):
    experiment = Experiment(activation=activation, dtype=dtype, samples=25)
    measured = Discrepancy(experiment).measure(0, NEVER)
    backward, jacobian = post_loop(experiment, sampling.block(experiment, 0)[:25])
    assert same_bits(measured.backward, backward)
    assert same_bits(measured.jacobian, jacobian)


def test_the_batched_gradients_are_those_of_each_sample_but_for_rounding():
    alone, batched = (
        Discrepancy(Experiment(evaluation=evaluation, samples=200, dtype="float64")).measure(0, NEVER)
        for evaluation in ("per-sample", "batched")
    )
    torch.testing.assert_close(batched.backward, alone.backward, rtol=0, atol=1e-15)
    torch.testing.assert_close(batched.jacobian, alone.jacobian, rtol=0, atol=1e-15)


def test_a_cut_batched_block_is_the_start_of_the_whole_one():
    few, many = (Discrepancy(Experiment(evaluation="batched", samples=n)).measure(0, NEVER) for n in (7, 8192))
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
any32 = st.floats(width=32)


def gradients_of(rows: list[tuple[float, float]], number: int = 0, dtype: torch.dtype = torch.float32) -> Gradients:
    """Samples of two components each from pairs (backward, jacobian), two pairs a sample."""
    backward, jacobian = (torch.tensor(values, dtype=dtype).reshape(-1, 2) for values in zip(*rows, strict=True))
    return Gradients(0, number, number, torch.zeros_like(backward), backward, jacobian)


def steps(value: float) -> int:
    """The place of a float32 on the float line, from its bits."""
    bits = int(np.float32(value).view(np.uint32))
    return bits if bits < 2**31 else -(bits - 2**31)


@given(st.lists(st.tuples(any32, any32), min_size=2, max_size=20).filter(lambda rows: len(rows) % 2 == 0))
def test_counts_are_those_of_counting_one_by_one(rows):
    tally = DiscrepancyTally.of(gradients_of(rows))
    finite = [(b, j) for b, j in rows if np.isfinite(b) and np.isfinite(j)]
    assert tally.components == len(rows)
    assert tally.samples == len(rows) // 2
    assert tally.nonfinite == len(rows) - len(finite)
    distances = [steps(b) - steps(j) for b, j in finite]
    assert tally.equal == distances.count(0)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    assert tally.samples_equal == sum(all(np.isfinite(b) and b == j for b, j in pair) for pair in pairs)
    short = Counter(d for d in distances if abs(d) <= EXACT_ULPS)
    assert {k: tally.ulps[k] for k in short} == short
    assert tally.ulps.total == len(finite)
    assert tally.max_ulps.value == max(map(abs, distances), default=0)


@given(st.lists(st.tuples(finite32, finite32), min_size=2, max_size=2))
def test_long_distances_go_under_the_power_of_two_below_them(rows):
    tally = DiscrepancyTally.of(gradients_of(rows))
    for key, distance in zip(
        sorted(np.repeat(tally.ulps.keys, tally.ulps.counts).tolist()),
        sorted(steps(b) - steps(j) for b, j in rows),
        strict=True,
    ):
        if abs(distance) <= EXACT_ULPS:
            assert key == distance
        else:
            assert abs(key) <= abs(distance) < 2 * abs(key) and key.bit_count() == 1 and key * distance > 0


def test_the_longest_distance_of_float64_is_exact_and_has_a_key():
    largest = torch.finfo(torch.float64).max
    tally = DiscrepancyTally.of(gradients_of([(1.0, -1.0), (0.5, -largest)], dtype=torch.float64))
    one, half, top = (int(np.float64(v).view(np.int64)) for v in (1.0, 0.5, largest))
    assert tally.max_ulps.value == half + top > 2 * one
    assert tally.ulps.keys.tolist() == [2**62] and tally.ulps.total == 2


def test_the_extremes_remember_the_first_place_where_they_were():
    rows = [(1.0, 1.0), (1.0, 1.5), (2.0, 2.5), (1.0, 1.0)]
    tally = DiscrepancyTally.of(gradients_of(rows))
    assert (tally.max_abs.value, tally.max_abs.place.index, tally.max_abs.place.component) == (0.5, 0, 1)
    assert (tally.max_ulps.value, tally.max_ulps.place.index, tally.max_ulps.place.component) == (2**22, 0, 1)


@pytest.mark.parametrize("chunks", [1, 2])
def test_an_extreme_can_be_found_again_by_its_place(monkeypatch, chunks):
    monkeypatch.setitem(choices.DEVICES, "cpu", replace(choices.DEVICES["cpu"], chunks=chunks))
    experiment = Experiment(evaluation="batched", samples=20_000)
    study = Discrepancy(experiment)
    extreme = Stream(study).finish().max_abs
    again = study.measure(extreme.place.block * sampling.block_size(experiment), NEVER)
    assert abs(again.discrepancy[extreme.place.index, extreme.place.component]) == extreme.value


def test_components_that_are_not_finite_are_counted_apart():
    inf, nan = float("inf"), float("nan")
    rows = [(inf, inf), (1.0, 1.0), (nan, nan), (nan, 1.0), (-inf, inf), (2.0, 2.0), (3.0, 3.0), (4.0, 4.5)]
    tally = DiscrepancyTally.of(gradients_of(rows))
    figures = tally.figures()
    assert (figures["components"], figures["nonfinite"], figures["equal"]) == (8, 4, 3)
    assert figures["samples_equal"] == 0
    assert figures["max_abs"] == 0.5


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


def test_float64_shrinks_the_discrepancy_as_the_post_was_told():
    single, double = (Stream(Discrepancy(Experiment(dtype=d))).finish().max_abs.value for d in ("float32", "float64"))
    assert 1e-10 < double / single < 1e-8  # eps shrinks by 2**-29 = 2e-9


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_with_one_output_there_is_no_discrepancy(dtype):
    experiment = Experiment(outputs=1, dtype=dtype, samples=300)
    assert Stream(Discrepancy(experiment)).finish().equal == 300 * 5

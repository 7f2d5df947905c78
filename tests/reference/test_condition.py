"""The condition number: summed path by path in fractions, counted, and held against the distances that it explains."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import inf, isinf, prod

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lib.discrepancy.study import Discrepancy, DiscrepancyTally, Gradients
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.jacobians import backward_and_saved, summed_jacobian
from lib.reference.bounds import steps, unit_roundoff
from lib.reference.judge import Judge
from lib.run.stream import Stream
from lib.run.tally_json import from_json, to_json
from tests.cases import EVERY_DTYPE

NEVER = float("inf")
RATIONAL = [
    Experiment(output_activation="identity", samples=12),
    Experiment(inputs=3, hidden=(4, 3), outputs=3, output_activation="relu", samples=12, evaluation="batched"),
    Experiment(inputs=2, hidden=(), outputs=4, output_activation="identity", samples=12, distribution="normal"),
]
"""Networks whose gradients are rational numbers."""


def paths(net: nn.Sequential, x: list[float]) -> list[tuple[Fraction, Fraction]]:
    """The sum over all paths of a network of identities and ReLUs, and that of their sizes, for each input: g and S."""
    value, weights = [Fraction(number) for number in x], []
    for linear, activation in zip(list(net)[::2], list(net)[1::2], strict=True):
        rows = [[Fraction(w) for w in row] for row in linear.weight.double().tolist()]
        bias = [Fraction(b) for b in linear.bias.double().tolist()]
        value = [sum(w * v for w, v in zip(row, value, strict=True)) + b for row, b in zip(rows, bias, strict=True)]
        on = [isinstance(activation, nn.Identity) or number > 0 for number in value]
        value = [number * slope for number, slope in zip(value, on, strict=True)]
        weights.append([[w * slope for w in row] for row, slope in zip(rows, on, strict=True)])
    widths = [len(x), *(len(rows) for rows in weights)]
    sums = [[Fraction(0), Fraction(0)] for _ in x]
    for path in product(*map(range, widths)):
        term = prod(rows[end][start] for rows, (start, end) in zip(weights, pairwise(path), strict=True))
        sums[path[0]][0] += term
        sums[path[0]][1] += abs(term)
    return [(g, size) for g, size in sums]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("experiment", RATIONAL, ids=lambda e: e.query)
def test_it_is_the_sum_of_sizes_over_the_size_of_the_sum(experiment, dtype):
    experiment = replace(experiment, dtype=dtype)
    measured, net = Discrepancy(experiment).measure(0, NEVER), network.build(experiment)
    for x, of_sample in zip(measured.x.tolist(), measured.judged.condition.tolist(), strict=True):
        for found, (g, size) in zip(of_sample, paths(net, x), strict=True):
            assert found == (pytest.approx(float(size / abs(g)), rel=1e-5) if size else 0.0)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_where_all_cancels_it_is_infinite_and_where_nothing_is_added_there_is_none(dtype):
    experiment = Experiment(3, (2,), 2, "identity", "identity", dtype, samples=1)
    net = network.build(experiment)
    net[0].weight.copy_(torch.tensor([[1.0, 2.0, 0.0], [1.0, -1.0, 0.0]]))
    net[2].weight.copy_(torch.tensor([[1.0, -1.0], [0.5, -0.5]]))
    x = torch.zeros(1, 3, dtype=net[0].weight.dtype)
    backward, saved = backward_and_saved(net, x)
    gradients = backward.double().numpy(), summed_jacobian("functional", net, x).double().numpy()
    assert gradients[0].tolist() == [[0.0, 4.5, 0.0]]
    assert Judge(net, experiment).turned_to(x).judge(0, 0, saved, *gradients).condition.tolist() == [[inf, 1.0, 0.0]]


def test_where_the_exact_component_is_not_known_it_is_of_the_backward_gradient():
    """Its reciprocal is then within m·u of the right one, in a network whose slopes are exact."""
    experiment = Experiment(dtype="float64", evaluation="batched", output_activation="identity", samples=1100)
    measured, net = Discrepancy(experiment).measure(0, NEVER), network.build(experiment)
    unknown = np.flatnonzero(np.isnan(measured.judged.exact).all(1))
    assert len(unknown) > 50
    off = steps(experiment) * unit_roundoff(experiment)
    for i in unknown[::7]:
        of_paths = paths(net, measured.x[i].tolist())
        components = zip(measured.judged.condition[i], measured.values[0][i], of_paths, strict=True)
        for found, backward, (g, size) in components:
            assert found == pytest.approx(float(size / abs(Fraction(backward))), rel=1e-14)
            assert abs(1 / Fraction(found) - abs(g) / size) <= off


def test_with_softmax_it_is_infinite_where_ball_arithmetic_does_not_judge_too():
    """In float64 not every sample has a reference, but what the outputs of softmax add up to never depends on x."""
    experiment = Experiment(dtype="float64", evaluation="batched", output_activation="softmax", samples=1100)
    judged = Discrepancy(experiment).measure(0, NEVER).judged
    assert np.isnan(judged.exact).any() and (judged.condition == inf).all()


def test_a_component_that_is_not_finite_has_none():
    experiment = Experiment(
        inputs=1, hidden=(2, 2), outputs=2, dtype="float16", output_activation="identity", samples=1
    )
    net = network.build(experiment)
    for layer in net[::2]:
        layer.weight.fill_(3e4)
        layer.bias.fill_(1.0)
    x = torch.ones(1, 1, dtype=torch.float16)
    backward, saved = backward_and_saved(net, x)
    assert torch.isinf(backward).all()
    judged = Judge(net, experiment).turned_to(x).judge(0, 0, saved, *[backward.double().numpy()] * 2)
    assert judged.condition.tolist() == [[0.0]]


# The tally, against counting one by one.


measured = cache(lambda samples: Discrepancy(Experiment(inputs=1, samples=samples)).measure(0, NEVER))


def gradients_of(rows: list[tuple[float, float, float]], number: int = 0) -> Gradients:
    """Samples of one component each: both gradients in float32, and the condition number."""
    backward, jacobian, condition = zip(*rows, strict=True)
    sides = (torch.tensor(side, dtype=torch.float32)[:, None] for side in (backward, jacobian))
    judged = replace(measured(len(rows)).judged, condition=np.array(condition)[:, None])
    return Gradients(0, number, number, torch.zeros(len(rows), 1), *sides, judged=judged)


def place(value: float) -> int:
    bits = int(np.float32(value).view(np.uint32))
    return bits if bits < 2**31 else 2**31 - bits


def binade(value: float) -> int:
    """By definition, in whole numbers."""
    if isinf(value):
        return 1024
    value, exponent = Fraction(value), -1074
    while value >= Fraction(2) ** (exponent + 1):
        exponent += 1
    return exponent


floats = st.one_of(st.floats(width=32, allow_nan=False, allow_infinity=False), st.sampled_from([0.0, -0.0, 1.0]))
conditions = st.one_of(st.just(0.0), st.just(inf), st.floats(0.5, 1e300), st.floats(0.9, 1100))
tallied = st.lists(st.tuples(floats, floats, conditions), min_size=3, max_size=8)


@given(tallied)
def test_components_are_counted_by_the_binades_of_both(rows):
    tally = DiscrepancyTally.of(gradients_of(rows))
    found = zip(*(part.tolist() for part in tally.binades()), strict=True)
    assert Counter({(condition, ulps): count for condition, ulps, count in found}) == Counter(
        (binade(condition), abs(place(b) - place(j)).bit_length() - 1) for b, j, condition in rows if condition
    )
    known = [condition for *_, condition in rows if 0 < condition < inf]
    assert tally.max_condition.value == max(known, default=0)
    assert tally.max_condition.place is None or rows[tally.max_condition.place.index][2] == max(known)


@given(tallied, st.integers(1, 2))
def test_tallies_of_parts_add_up(rows, cut):
    whole, a, b = (
        DiscrepancyTally.of(gradients_of(part, number))
        for part, number in ((rows, 0), (rows[:cut], 0), (rows[cut:], cut))
    )
    for found in (a + b, b + a, a + Discrepancy.empty + b):
        assert (found.pairs, found.max_condition, found.first) == (whole.pairs, whole.max_condition, whole.first)


def test_an_infinite_condition_number_is_in_the_tally_and_not_in_the_figures():
    """Softmax has outputs whose sum is 1 for every x, so that the exact gradient is 0."""
    tally = Stream(Discrepancy(Experiment(output_activation="softmax", samples=50))).finish()
    assert set(tally.binades()[0]) == {1024}
    assert from_json(json.loads(json.dumps(to_json(tally))), DiscrepancyTally) == tally
    figures = json.loads(json.dumps(tally.figures(), allow_nan=False))
    assert (figures["max_condition"], figures["max_condition_at"]) == (0, None)


def test_the_histogram_stays_small():
    keys = DiscrepancyTally.of(gradients_of([(0.0, 1.0, 2.0**k) for k in range(-5, 1024)])).pairs
    assert keys.keys.size == 1029 and keys.nbytes < 20_000


# What it explains. NOTE [the line] of condition_sentences.


def joined(experiment: Experiment) -> list[np.ndarray]:
    """Condition number, ulps, rounding units and the exact size of all components that have a condition number, and
    whether both values and the exact one are in one binade, above the subnormals."""
    parts: list[Gradients] = []
    Stream(Discrepancy(experiment), parts.append).finish()
    columns = []
    for part in parts:
        exact = np.abs(part.judged.exact)
        exponents = [np.frexp(values)[1] for values in (*part.values, exact)]
        normal = exact >= torch.finfo(part.backward.dtype).smallest_normal
        alike = (exponents[0] == exponents[2]) & (exponents[1] == exponents[2]) & normal
        columns.append([part.judged.condition, part.ulps.astype(float), part.judged.units, exact, alike])
    condition, *others = (np.concatenate([c.ravel() for c in column]) for column in zip(*columns, strict=True))
    some = (condition > 0) & np.isfinite(condition)
    return [column[some] for column in (condition, *others)]


def ranks(values: np.ndarray) -> np.ndarray:
    """From 0 on; the mean of their ranks where some are equal."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts.cumsum() - (counts + 1) / 2)[places]


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Of the ranks: Spearman's."""
    return np.corrcoef(ranks(a), ranks(b))[0, 1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_the_ulps_are_the_condition_number_times_the_units_or_down_to_half_of_that(dtype):
    condition, ulps, units, exact, alike = joined(Experiment(dtype=dtype, evaluation="batched"))
    different = alike & (ulps > 0)
    assert different.mean() > 0.2
    factor = (ulps / condition)[different] / units[different]
    assert 0.5 <= factor.min() < 0.55 and 0.9 < factor.max() < 1
    np.testing.assert_allclose(factor, np.frexp(exact[different])[0], rtol=1e-6)  # t/2


@pytest.mark.parametrize("method", ["functional", "rows", "copies", "jacfwd"])
def test_over_many_networks_the_distance_grows_as_the_condition_number(method):
    """The slope is one: twice the condition number, twice the ulps in the mean. What is not cancellation is left over:
    the rounding units hardly know the condition number."""
    experiment = Experiment(networks="each-block", evaluation="batched", samples=128 * 100, method=method)
    condition, ulps, units, *_ = joined(experiment)
    assert correlation(condition, ulps) > 0.35
    assert abs(correlation(condition, units)) < 0.15
    exponent = np.floor(np.log2(condition))
    means = [np.log2(ulps[exponent == e].mean() / condition[exponent == e].mean()) for e in range(2, 9)]
    assert max(means) - min(means) < 0.7  # of seven octaves
    assert -4 < min(means) and max(means) < 0


def test_a_single_call_is_no_rounding_and_has_no_slope():
    condition, ulps, *_ = joined(Experiment(method="single-call", evaluation="batched"))
    assert (ulps > 1000 * condition).all()

"""The pitfall study against closed-form Jacobians and plain calls, and its tally against counting one by one."""

from collections import Counter
from dataclasses import replace
from math import frexp, isclose, log10

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.study import Discrepancy
from lib.experiment.methods import METHODS
from lib.experiment.query import PRESETS, Experiment
from lib.floats.line import ZERO_BINADE
from lib.network import network, sampling
from lib.pitfall.study import (
    Matrices,
    Pitfall,
    PitfallTally,
    attempts,
    median,
    octaves,
    rows_method,
)
from lib.run.run import bytes_held
from lib.run.stream import Stream
from lib.run.tally import Histogram
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import PLAIN, closed_form_jacobian

NEVER, AT_ONCE = float("inf"), 0.0


def finish(experiment: Experiment) -> PitfallTally:
    return Stream(Pitfall(experiment)).finish()


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_the_rows_are_the_closed_form_and_the_single_call_is_their_sum_in_every_row(
    shape, evaluation
):
    experiment = replace(shape, dtype="float64", samples=7, evaluation=evaluation)
    measured = Pitfall(experiment).measure(0, NEVER)
    net = network.build(experiment)
    for x, rows, single in zip(
        measured.x, measured.rows.numpy(), measured.single.numpy(), strict=True
    ):
        expected = closed_form_jacobian(net, experiment.activations, x)
        np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-14)
        np.testing.assert_allclose(
            single, np.tile(expected.sum(0), (len(expected), 1)), rtol=0, atol=1e-14
        )


@pytest.mark.parametrize("method", METHODS)
def test_the_right_rows_are_by_the_chosen_method_unless_it_gives_none(method):
    experiment = Experiment(method=method, samples=3)
    without = ("single-call", "summed-output", "finite-difference")
    expected = "functional" if method in without else method
    assert rows_method(experiment) == expected
    if expected in PLAIN:
        measured = Pitfall(experiment).measure(0, NEVER)
        net = network.build(experiment)
        for x, rows in zip(measured.x, measured.rows, strict=True):
            assert torch.equal(rows, PLAIN[expected](net, x))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_figures_are_those_of_plain_calls_counted_one_by_one(dtype):
    experiment = Experiment(dtype=dtype, outputs=3, samples=60)
    figures = finish(experiment).figures()
    net = network.build(experiment)
    against_rows, against_sum, backward_rows = [], [], 0
    for x in sampling.block(experiment, 0)[:60]:
        rows, single = PLAIN["functional"](net, x), PLAIN["single-call"](net, x)
        leaf = x.clone().requires_grad_()
        net(leaf).backward(torch.ones(3, dtype=leaf.dtype))
        backward_rows += sum(torch.equal(row, leaf.grad) for row in single)
        against_rows += (single.double() - rows.double()).abs().flatten().tolist()
        against_sum += (single.double() - rows.sum(0).double()).abs().flatten().tolist()
    assert figures["entries"] == 60 * 3 * 5 and figures["nonfinite"] == 0
    assert figures["rows_equal"] is True
    assert (figures["rows"], figures["rows_backward"]) == (180, backward_rows)
    assert figures["single_vs_rows_max"] == max(against_rows)
    assert figures["single_vs_sum_max"] == max(against_sum)
    assert figures["single_vs_rows_median"] in {
        float(f"{np.median(against_rows):.{digits}e}") for digits in (0, 1)
    }
    assert isclose(figures["decades"], log10(max(against_rows)) - log10(max(against_sum)))


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize(
    "shape", [*SHAPES, PRESETS["a wide network"]], ids=lambda e: e.query or "post"
)
def test_its_distance_from_the_sum_is_the_discrepancy_of_the_backward_gradient(shape, evaluation):
    experiment = replace(shape, samples=100, evaluation=evaluation)
    tally = finish(experiment)
    assert tally.backward == tally.rows  # every row of the single call is the backward gradient
    assert tally.worst_sum.value == Stream(Discrepancy(experiment)).finish().max_abs.value


def test_with_one_output_there_is_no_pitfall():
    tally = finish(Experiment(outputs=1, samples=50))
    assert tally.worst.value == tally.worst_sum.value == median(tally.against_rows)[0] == 0
    assert tally.alike == tally.samples and tally.decades is None
    assert octaves(tally.against_rows)[ZERO_BINADE] == tally.entries == 250


def matrices(number: int, rows: list, single: list, summed: list, backward: list) -> Matrices:
    parts = [torch.tensor(part, dtype=torch.float32) for part in (rows, single, summed, backward)]
    return Matrices(0, number, number, torch.zeros(len(rows), parts[0].shape[2]), *parts)


def test_entries_that_are_not_finite_are_counted_apart():
    inf, nan = float("inf"), float("nan")
    tally = PitfallTally.of(
        matrices(0, [[[1, 2], [3, 4]]], [[[inf, 6], [inf, nan]]], [[4, 6]], [[inf, 6]])
    )
    assert tally.nonfinite == 3 and tally.entries == 1
    assert tally.worst.value == 4 and tally.worst_sum.value == 0
    assert tally.alike == 0  # 6 and NaN
    assert (tally.rows, tally.backward) == (2, 1)
    alike = PitfallTally.of(
        matrices(0, [[[1, 2], [3, 4]]], [[[nan, 6], [nan, 6]]], [[4, 6]], [[nan, 6]])
    )
    assert alike.alike == 1 and alike.backward == 2


@given(st.lists(st.one_of(st.just(0.0), st.floats(2.0**-1000, 2.0**60)), min_size=1, max_size=50))
def test_octaves_count_every_error_in_its_octave(errors):
    single = torch.tensor(errors, dtype=torch.float64)[:, None, None]
    zeros = torch.zeros_like(single)
    tally = PitfallTally.of(Matrices(0, 0, 0, zeros[:, 0], zeros, single, zeros[:, 0], zeros[:, 0]))
    found = octaves(tally.against_rows)
    expected = Counter(frexp(e)[1] - 1 if e else ZERO_BINADE for e in errors)
    assert dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True)) == expected
    (found, digits), middle = median(tally.against_rows), np.median(errors)
    assert (
        isclose(found, middle, rel_tol=2**-9)
        and f"{found:.{digits - 1}e}" == f"{middle:.{digits - 1}e}"
    )


def test_the_histogram_of_errors_stays_small():
    few, many = (finish(Experiment(evaluation="batched", samples=n)) for n in (10_000, 200_000))
    assert bytes_held(many) < 1.5 * bytes_held(few) < 100_000


def test_no_errors_have_no_octaves_and_no_median():
    assert octaves(Histogram()) == Histogram() and median(Histogram()) == (0, 2)


def test_the_worst_sample_has_the_largest_error_whatever_is_attempted():
    experiment = Experiment(samples=300)
    tally = finish(experiment)
    jacobian, single, *_ = attempts(experiment, tally.worst_number(experiment))
    assert (single.matrix.double() - jacobian.matrix.double()).abs().max() == tally.worst.value


def test_attempts_are_made_on_the_sample_of_that_number(monkeypatch):
    experiment = Experiment(evaluation="batched", samples=8200)
    monkeypatch.setattr("lib.pitfall.study.try_all", lambda net, x: [x])
    (x,) = attempts(experiment, 8199)
    assert torch.equal(x, sampling.block(experiment, 1)[7])


def test_errors_that_are_not_finite_or_not_known_are_left_out():
    one = matrices(0, [[[1, 2], [3, 4]]], [[[np.inf, 6], [4, 6]]], [[4, 6]], [[4, 6]])
    exact = np.array([[[1.0, 2.5], [3.0, np.nan]], np.zeros((2, 2))])[:, None]
    tally = PitfallTally.of(replace(one, exact=exact))
    assert tally.right_errors.total == tally.single_errors.total == 2
    assert isclose(median(tally.right_errors)[0], 0.25, rel_tol=2**-8)  # of 0 and 1/2
    assert isclose(median(tally.single_errors)[0], 2.25, rel_tol=2**-8)  # of 1 and 7/2

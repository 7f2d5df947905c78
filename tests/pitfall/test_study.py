"""The pitfall study against closed-form Jacobians and plain calls, and its tally against counts."""

from math import isclose, log10

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.study import Matrices, Pitfall, PitfallTally, keys, median
from lib.run.run import bytes_held
from lib.run.stream import Stream
from lib.run.tally import Histogram
from tests.cases import EVERY_DTYPE
from tests.oracles import PLAIN, exact_jacobian

NEVER = float("inf")
INF = float("inf")
NAN = float("nan")


def finish(experiment: Experiment) -> PitfallTally:
    return Stream(Pitfall(experiment)).finish()


@pytest.mark.parametrize("method", METHODS)
def test_the_right_rows_are_by_the_chosen_method_unless_it_gives_none(method):
    experiment = Experiment(method=method, samples=1, outputs=9, dtype="bfloat16")
    without = ("single-call", "summed-output", "finite-difference")
    measured = Pitfall(experiment).measure(0, NEVER)
    plain = PLAIN["functional" if method in without else method]
    assert torch.equal(measured.rows[0], plain(network.build(experiment), measured.x[0]))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_figures_are_those_of_plain_calls_counted_one_by_one(dtype):
    experiment = Experiment(dtype=dtype, outputs=3, samples=60)
    figures = finish(experiment).figures()
    net = network.build(experiment)
    against_rows = []
    against_sum = []
    backward_rows = 0
    errors: dict[str, list[float]] = {"rows": [], "single": []}
    for x in sampling.block(experiment, 0)[:60]:
        rows = PLAIN["functional"](net, x)
        single = PLAIN["single-call"](net, x)
        exact = exact_jacobian(net, x)
        for name, matrix in (("rows", rows), ("single", single)):
            errors[name] += np.abs(matrix.double().numpy() - exact).ravel().tolist()
        leaf = x.clone().requires_grad_()
        net(leaf).backward(torch.ones(3, dtype=leaf.dtype))
        backward_rows += sum(torch.equal(row, leaf.grad) for row in single)
        against_rows.append((single.double() - rows.double()).abs().flatten().tolist())
        against_sum.append((single.double() - rows.sum(0).double()).abs().max().item())
    worst = max(range(60), key=lambda sample: max(against_rows[sample]))
    place = {"block": 0, "index": worst, "component": int(np.argmax(against_rows[worst]))}
    typical = np.median(against_rows)
    assert (figures["samples"], figures["entries"], figures["nonfinite"]) == (60, 900, 0)
    assert figures["rows_equal"] is True
    assert (figures["rows"], figures["rows_backward"]) == (180, backward_rows)
    assert figures["single_vs_rows_max"] == max(against_rows[worst])
    assert figures["single_vs_rows_max_at"] == place
    assert figures["single_vs_sum_max"] == max(against_sum)
    assert figures["single_vs_rows_median"] == pytest.approx(typical, rel=0.053)
    assert isclose(figures["decades"], log10(max(against_rows[worst])) - log10(max(against_sum)))
    assert figures["exact_entries"] == 900
    for name, of_name in errors.items():
        # In float64 the closed form is no exacter than the rows.
        if dtype != "float64" or name == "single":
            found = figures[f"{name}_vs_exact_median"]
            assert found == pytest.approx(np.median(of_name), rel=0.053)


def test_with_one_output_there_is_no_pitfall():
    tally = finish(Experiment(outputs=1, samples=50))
    assert tally.worst.value == tally.worst_sum.value == median(tally.against_rows) == 0
    assert tally.alike == tally.samples and tally.figures()["decades"] is None


def matrices(single: list[list[float]], backward: list[float], exact: object) -> Matrices:
    """One sample with the right rows [1, 2] and [3, 4]."""
    rows = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    sides = (rows, torch.tensor([single]), rows.sum(1), torch.tensor([backward]))
    return Matrices(0, 0, 0, torch.zeros(1, 2), *sides, np.array(exact)[:, None])


def test_entries_that_are_not_finite_or_not_known_are_counted_apart():
    exact = [[[1.0, 2.5], [3.0, NAN]], [[0.0, 0.0], [0.0, 0.0]]]
    tally = PitfallTally.of(matrices([[INF, 6], [INF, NAN]], [INF, 6], exact))
    assert (tally.nonfinite, tally.entries) == (3, 1)
    assert tally.worst.value == 4 and tally.worst_sum.value == 0
    assert tally.alike == 0  # 6 and NaN
    assert (tally.rows, tally.backward) == (2, 1)
    assert tally.right_errors.total == tally.single_errors.total == 1
    known = PitfallTally.of(matrices([[NAN, 6], [4, 6]], [NAN, 6], exact))
    assert (known.alike, known.backward) == (0, 1)
    assert isclose(median(known.right_errors), 0.25, rel_tol=2**-8)  # of 0 and 1/2
    assert isclose(median(known.single_errors), 2.25, rel_tol=2**-8)  # of 1 and 7/2
    alike = PitfallTally.of(matrices([[NAN, 6], [NAN, 6]], [NAN, 6], exact))
    assert (alike.alike, alike.backward) == (1, 2)


@given(st.lists(st.one_of(st.just(0.0), st.floats(2.0**-1000, 2.0**60)), min_size=1, max_size=50))
def test_the_median_of_errors_is_known_to_within_a_cell(errors):
    histogram = Histogram.of(keys(np.array(errors)))
    assert isclose(median(histogram), np.median(errors), rel_tol=2**-9)


def test_the_histogram_of_errors_stays_small():
    few, many = (finish(Experiment(evaluation="batched", samples=n)) for n in (10_000, 100_000))
    assert bytes_held(many) < 1.5 * bytes_held(few) < 100_000

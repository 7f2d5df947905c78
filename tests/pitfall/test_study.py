"""The pitfall study against closed-form Jacobians and plain calls, and its tally against counts."""

from math import inf, isclose, log10, nan

import numpy as np
import pytest
import torch

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.study import Matrices, Pitfall, PitfallTally, median
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE
from tests.oracles import PLAIN, backward, exact_jacobian


@pytest.mark.parametrize("method", METHODS)
def test_the_right_rows_are_by_the_chosen_method_unless_it_gives_none(method):
    experiment = Experiment(method=method, samples=1, outputs=9, dtype="bfloat16")
    without = ("single-call", "summed-output", "finite-difference")
    measured = Pitfall(experiment).measure(0, inf)
    plain = PLAIN["functional" if method in without else method]
    assert torch.equal(measured.rows[0], plain(network.build(experiment), measured.x[0]))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_figures_are_those_of_plain_calls_counted_one_by_one(dtype):
    experiment = Experiment(dtype=dtype, outputs=3, samples=60)
    tally = Stream(Pitfall(experiment)).finish()
    figures = tally.figures()
    net = network.build(experiment)
    samples = sampling.block(experiment, 0)[:60]
    right, single = (
        torch.stack([PLAIN[method](net, x) for x in samples])
        for method in ("functional", "single-call")
    )
    backwards = torch.stack([backward(net, x) for x in samples])
    exact = np.stack([exact_jacobian(net, x) for x in samples])
    of_rows = (single.double() - right.double()).abs().numpy()
    of_sum = (single.double() - right.sum(1, keepdim=True).double()).abs().numpy()
    sample, row, column = np.unravel_index(of_rows.argmax(), of_rows.shape)
    assert figures["single_vs_rows_max"] == of_rows.max()
    assert figures["single_vs_rows_max_at"] == {
        "block": 0,
        "index": sample,
        "component": 5 * row + column,
    }
    assert figures["single_vs_sum_max"] == of_sum.max()
    assert isclose(figures["decades"], log10(of_rows.max() / of_sum.max()))
    same = (single == backwards[:, None]).all(2)
    assert (figures["rows"], figures["rows_backward"]) == (180, same.sum().item())
    counts = [figures[name] for name in ("samples", "entries", "exact_entries", "nonfinite")]
    assert counts == [60, 900, 900, 0] and figures["rows_equal"] is True
    errors = [np.abs(matrix.double().numpy() - exact) for matrix in (right, single)]
    counts = [(error > np.abs(exact) / 2).sum() for error in errors]
    assert [tally.right_off, tally.single_off] == counts and counts[1] > 300
    off = iter(errors)
    expected = {
        "single_vs_rows_median": (tally.against_rows, of_rows),
        "rows_vs_exact_median": (tally.right_errors, next(off)),
        "single_vs_exact_median": (tally.single_errors, next(off)),
    }
    if dtype == "float64":  # the oracle is no exacter than the rows
        del expected["rows_vs_exact_median"]
    for name, (errors, sizes) in expected.items():
        assert median(errors) == pytest.approx(np.median(sizes), rel=2**-8)
        assert figures[name] == float(f"{median(errors):.2g}")


def matrices(single: list[list[float]], backward: list[float], exact: object) -> Matrices:
    """One sample with the right rows [1, 2] and [3, 4]."""
    rows = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    sides = (rows, torch.tensor([single]), rows.sum(1), torch.tensor([backward]))
    return Matrices(0, 0, 0, torch.zeros(1, 2), *sides, np.array(exact)[:, None])


def test_entries_that_are_not_finite_or_not_known_are_counted_apart():
    exact = [[[1.0, 2.5], [3.0, nan]], [[0.0, 0.0], [0.0, 0.0]]]
    tally = PitfallTally.of(matrices([[inf, 6], [inf, nan]], [inf, 6], exact))
    assert (tally.nonfinite, tally.entries) == (3, 1)
    assert tally.worst.value == 4 and tally.worst_sum.value == 0
    assert tally.alike == 0  # 6 and NaN
    assert (tally.rows, tally.backward) == (2, 1)
    assert tally.right_errors.total == tally.single_errors.total == 1
    known = PitfallTally.of(matrices([[nan, 6], [4, 6]], [nan, 6], exact))
    assert (known.alike, known.backward) == (0, 1)
    assert isclose(median(known.right_errors), 0.25, rel_tol=2**-8)  # of 0 and 1/2
    assert isclose(median(known.single_errors), 2.25, rel_tol=2**-8)  # of 1 and 7/2

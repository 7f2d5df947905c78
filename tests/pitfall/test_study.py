"""The pitfall study against plain calls, and its tally against counts."""

from math import inf, isclose, log10, nan

import numpy as np
import pytest
import torch

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network
from lib.pitfall.study import Matrices, Pitfall, PitfallTally, median
from tests.cases import every_dtype
from tests.oracles import PLAIN


@pytest.mark.parametrize("method", METHODS)
def test_the_right_rows_are_by_a_method_that_gives_rows(method):
    experiment = Experiment(method=method, samples=1, outputs=9, dtype="bfloat16")
    without = ("single-call", "summed-output", "finite-difference")
    measured = Pitfall(experiment).measure(0, inf)
    plain = PLAIN["functional" if method in without else method]
    assert torch.equal(measured.rows[0], plain(network.build(experiment), measured.x[0]))


@every_dtype
def test_the_figures_are_those_of_the_matrices(dtype):
    """That these are those of plain calls is shown by the exported script."""
    experiment = Experiment(dtype=dtype, outputs=3, samples=30)
    measured = Pitfall(experiment).measure(0, inf)
    tally = PitfallTally.of(measured)
    figures = tally.figures()
    right, single = (rows.double().numpy() for rows in (measured.rows, measured.single))
    high, *low = measured.exact
    errors = [np.abs(sum(low, high - matrix)) for matrix in (right, single)]
    off = [(matrix > np.abs(high) / 2).sum() for matrix in errors]
    assert [tally.right_off, tally.single_off] == off and off[1] > 0
    of_rows = np.abs(single - right)
    sample, row, column = np.unravel_index(of_rows.argmax(), of_rows.shape)
    place = {"block": 0, "index": sample, "component": 5 * row + column}
    assert figures["single_vs_rows_max_at"] == place
    assert isclose(figures["decades"], log10(of_rows.max() / figures["single_vs_sum_max"]))
    assert figures["exact_entries"] == right.size
    names = ("rows_vs_exact", "single_vs_exact", "single_vs_rows")
    for name, sizes in zip(names, (*errors, of_rows), strict=True):
        shown = figures[f"{name}_median"]
        assert shown == float(f"{shown:.1e}") == pytest.approx(np.median(sizes), rel=0.06)


def matrices(single, backward, exact):
    """One sample with the right rows [1, 2] and [3, 4]."""
    rows = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    sides = (rows, torch.tensor([single]), rows.sum(1), torch.tensor([backward]))
    return Matrices(0, 0, 0, torch.zeros(1, 2), *sides, np.array(exact)[:, None])


def test_entries_that_are_not_finite_are_counted_apart():
    """So are those whose exact value is not known."""
    exact = [[[1.0, 2.5], [3.0, nan]], [[0.0, 0.0], [0.0, 0.0]]]
    tally = PitfallTally.of(matrices([[inf, 6], [inf, nan]], [inf, 6], exact))
    assert (tally.nonfinite, tally.entries) == (3, 1)
    assert tally.worst.value == 4 and tally.worst_sum.value == 0
    # 6 and NaN
    assert tally.alike == 0
    assert (tally.single_rows, tally.backward_rows) == (2, 1)
    assert tally.right_errors.total == tally.single_errors.total == 1
    right = PitfallTally.of(matrices([[inf, 2], [3, 4]], [4, 6], exact))
    assert (right.nonfinite, right.worst.value) == (1, 0)
    alike = PitfallTally.of(matrices([[1, 2], [3, 4]], [4, 6], exact))
    assert median(alike.against_rows) == 0
    known = PitfallTally.of(matrices([[nan, 6], [4, 6]], [nan, 6], exact))
    assert (known.alike, known.backward_rows) == (0, 1)
    assert (known.right_off, known.single_off) == (0, 1)
    # Of 0 and 1/2, and of 1 and 7/2: a key holds a 256th of a binade.
    assert median(known.right_errors) == 0.25 + 2**-11
    assert median(known.single_errors) == 2.25 + 3 * 2**-10

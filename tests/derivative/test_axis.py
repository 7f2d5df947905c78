"""Every x is in the bin whose ends enclose it, and lies between the ends of its bin on the axis."""

from math import inf, log2

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from lib.derivative.axis import Axis, axis_of
from lib.experiment.choices import X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.sampling import points
from tests.cases import EVERY_DTYPE

AXES = {
    axis_of(Experiment(function=function, x_from=x_from, dtype=dtype))
    for function in ("reciprocal", "tanh")
    for x_from in X_FROM
    for dtype in EVERY_DTYPE
}
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.sampled_from(sorted(AXES, key=str)), st.lists(NUMBERS, min_size=1))
@example(Axis("even", -4, 4, 32), [1, -1, 0.25, 0.2499, -0.0, 3.75, -3.75, -4, 64, -1.7e308])
@example(Axis("log", -5, 2, 28), [1, -1, 2**-4.75, 2**-5, 2**-6, 0, 5e-324, 2**1.75, 4, 1e308])
def test_an_x_is_between_the_ends_of_its_bin(axis, values):
    """The first and the last bin also hold what is beyond the axis."""
    lowest = 0.0 if axis.scale == "log" else -inf
    inner = [axis.low + (axis.high - axis.low) * k / axis.bins for k in range(1, axis.bins)]
    ends = [lowest, *(2.0**end if axis.scale == "log" else end for end in inner), inf]
    for x, bin_ in zip(values, axis.bin_of(np.array(values)).tolist(), strict=True):
        size = abs(x) if axis.scale == "log" else x
        assert ends[bin_] <= size < ends[bin_ + 1]
        assert axis.at(bin_) - 1e-9 <= axis.place(x) <= axis.at(bin_ + 1) + 1e-9


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_the_edges_are_those_of_the_axis(axis):
    assert 20 <= axis.bins <= 48
    expected = [axis.at(k) for k in range(1, axis.bins)]
    assert [axis.place(edge) for edge in axis.edges[1:-1].tolist()] == pytest.approx(expected)
    assert (axis.at(0), axis.at(axis.bins)) == (axis.low, axis.high)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x_from", ["normal", "uniform"])
def test_nearly_all_x_lie_within_the_ends(function, x_from):
    experiment = Experiment(function=function, x_from=x_from)
    x = to_float64(points(experiment, 0))
    axis = axis_of(experiment)
    size = np.abs(x) if axis.scale == "log" else x
    assert np.mean((size >= axis.edges[0]) & (size <= axis.edges[-1])) > 0.96


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_axis_of_log_uniform_x_holds_the_whole_dtype(dtype):
    axis = axis_of(Experiment(x_from="log-uniform", dtype=dtype))
    finfo = torch.finfo(getattr(torch, dtype))
    smallest = finfo.smallest_normal * finfo.eps
    assert axis.low <= log2(smallest) and axis.high >= log2(finfo.max)


def test_the_x_of_bins_have_a_name():
    axis = axis_of(Experiment(function="tanh"))
    assert axis.text(0, axis.bins) == ""
    assert axis.text(0, 16) == "x up to 0"
    assert axis.text(16, 17) == "x from 0 to 0.25"
    assert axis.text(20, axis.bins) == "x from 1 on"
    assert axis_of(Experiment()).text(1, 2) == "|x| from 0.03716 to 0.04419"

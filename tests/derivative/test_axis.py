"""Every x is in the bin whose ends enclose it, and lies between the ends of its bin on the axis."""

from itertools import pairwise
from math import inf, log2

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from lib.derivative.axis import Axis, axis_of, bin_of_error, error_ends
from lib.experiment.choices import X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.sampling import points
from tests.cases import EVERY_DTYPE

AXES = [
    axis_of(Experiment(function=function, x_from=x_from, dtype=dtype))
    for function in ("reciprocal", "tanh")
    for x_from in X_FROM
    for dtype in EVERY_DTYPE
]
every_axis = pytest.mark.parametrize("axis", dict.fromkeys(AXES), ids=str)
numbers = st.floats(allow_nan=False, allow_infinity=False)


def ends_of(axis: Axis, bin_: int) -> tuple[float, float]:
    """The ends of a bin: the first and the last bin also have what is beyond the axis."""
    low = 0.0 if axis.scale == "log" else -inf
    ends = [low, *axis.edges[1:-1].tolist(), inf]
    return ends[bin_], ends[bin_ + 1]


@every_axis
@given(st.lists(numbers, min_size=1))
@example(
    [1.0, -1.0, 2.0**-32, -(2.0**-32), 0.0, -0.0, 5e-324, 3.875, -4.0, 64.0, 1024.0, -1.7e308, 1.25]
)
def test_an_x_is_between_the_ends_of_its_bin(axis: Axis, values):
    bins = axis.bin_of(np.array(values))
    assert bins.dtype == np.int64
    for x, bin_ in zip(values, bins.tolist(), strict=True):
        low, high = ends_of(axis, bin_)
        assert low <= (abs(x) if axis.scale == "log" else x) < high
        assert axis.at(bin_) - 1e-9 <= axis.place(x) <= axis.at(bin_ + 1) + 1e-9


@every_axis
def test_bins_are_consecutive_and_few(axis):
    assert 20 <= axis.bins <= 48 and len(axis.edges) == axis.bins + 1
    assert all(low < high for low, high in pairwise(axis.edges.tolist()))


@every_axis
def test_bins_are_equally_wide_on_the_axis(axis):
    inner = [float(edge) for edge in axis.edges[1:-1]]
    assert [axis.place(edge) for edge in inner] == pytest.approx(
        [axis.at(k) for k in range(1, axis.bins)]
    )
    assert (axis.at(0), axis.at(axis.bins)) == (axis.low, axis.high)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x_from", ["normal", "uniform"])
def test_nearly_all_x_lie_within_the_ends(function, x_from):
    experiment = Experiment(function=function, x_from=x_from)
    x, axis = to_float64(points(experiment, 0)), axis_of(experiment)
    size = np.abs(x) if axis.scale == "log" else x
    assert np.mean((size >= axis.edges[0]) & (size <= axis.edges[-1])) > 0.96


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_axis_of_log_uniform_x_holds_the_whole_dtype(dtype):
    axis, finfo = (
        axis_of(Experiment(x_from="log-uniform", dtype=dtype)),
        torch.finfo(getattr(torch, dtype)),
    )
    assert axis.low <= log2(finfo.smallest_normal * finfo.eps) and axis.high >= log2(finfo.max)


@given(st.floats(0, 1e307))
@example(4.5)
def test_a_bin_of_errors_is_a_sixteenth_of_an_ulp_up_to_4_and_a_factor_of_two_above(error):
    low, high = error_ends(bin_of_error(np.array([error])).item())
    assert low <= error < high
    assert high - low == 1 / 16 if error < 4 else high == 2 * low and np.frexp(low)[0] == 0.5


def test_the_x_of_bins_have_a_name():
    axis = axis_of(Experiment(function="tanh"))
    assert axis.text(0, axis.bins) == "" and axis.text(0, 16) == "x up to 0"
    assert axis.text(16, 17) == "x from 0 to 0.25" and axis.text(20, axis.bins) == "x from 1 on"

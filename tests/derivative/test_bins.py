"""Every error and every x is in the bin whose ends enclose it, and bins are few."""

import math
from sys import float_info

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.derivative.bins import bin_of_error, bin_of_x, error_ends, x_ends

errors = st.one_of(st.floats(0, 8), st.floats(0, allow_infinity=False))
numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(errors, min_size=1))
@example([0.0, 0.5, 3.9999999999999996, 4.0, 7.999999999999999, 8.0, 1.7976931348623157e308])
def test_an_error_is_between_the_ends_of_its_bin(values):
    for value, bin_ in zip(values, bin_of_error(np.array(values)).tolist(), strict=True):
        low, high = error_ends(bin_)
        assert low <= value < high or value == high == float_info.max
        assert high - low == 1 / 16 if value < 4 else high == min(2 * low, float_info.max)


def test_error_bins_are_consecutive():
    ends = [error_ends(bin_) for bin_ in range(64 + 1022)]
    assert ends[0][0] == 0 and all(a[1] == b[0] for a, b in zip(ends, ends[1:], strict=False))
    assert ends[-1] == (2.0**1023, float_info.max)


@given(st.lists(numbers, min_size=1))
@example([1.0, -1.0, 2.0**-32, -(2.0**-32), 0.0, -0.0, 5e-324, 1023.9999999999999, 1024.0, -1.7e308, 1.25])
def test_an_x_is_between_the_ends_of_its_bin_of_the_line(values):
    for value, bin_ in zip(values, bin_of_x(np.array(values), "binade").tolist(), strict=True):
        low, high = x_ends(bin_, "binade")
        assert (low <= value < high) if value >= 0 else (low < value <= high)
        assert 1 <= abs(bin_) <= 4 * 42 + 2


def test_bins_of_the_line_are_consecutive_and_mirrored():
    ends = [x_ends(bin_, "binade") for bin_ in range(1, 4 * 42 + 3)]
    assert ends[0] == (0, 2.0**-32) and ends[-1] == (1024, math.inf)
    assert all(a[1] == b[0] for a, b in zip(ends, ends[1:], strict=False))
    assert all(x_ends(-bin_, "binade") == (-high, -low) for bin_, (low, high) in enumerate(ends, 1))


@given(st.lists(numbers.filter(bool), min_size=1))
@example([1.0, -1.0, 1.9999999999999998, 5e-324, 3e-320])
def test_a_mantissa_is_between_the_ends_of_its_bin(values):
    for value, bin_ in zip(values, bin_of_x(np.array(values), "mantissa").tolist(), strict=True):
        mantissa = 2 * math.frexp(abs(value))[0]
        low, high = x_ends(bin_, "mantissa")
        assert low <= mantissa < high and high - low == 1 / 64


@pytest.mark.parametrize("binned", ["binade", "mantissa"])
def test_bins_are_whole_numbers_for_histograms(binned):
    assert bin_of_x(np.array([0.1, -7.0]), binned).dtype == bin_of_error(np.array([0.1])).dtype == np.int64
    assert bin_of_x(np.array([]), binned).size == bin_of_error(np.array([])).size == 0

"""Every error is in the bin whose ends enclose it, and bins are few."""

from sys import float_info

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lib.derivative.bins import bin_of_error, error_ends

errors = st.one_of(st.floats(0, 8), st.floats(0, allow_infinity=False))


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


def test_bins_are_whole_numbers_for_histograms():
    assert bin_of_error(np.array([0.1])).dtype == np.int64 and bin_of_error(np.array([])).size == 0

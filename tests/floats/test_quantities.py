"""Figures as short texts: bounds stay bounds, and none and all mean just that."""

from sys import float_info

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.floats import quantities as say
from tests.sentences import read


def number(text):
    """The number that a text says."""
    return read(text[:-1]) / 100 if text.endswith("%") else read(text)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
@example(0, 0)
@example(1, 199)
def test_only_none_and_all_are_0_and_100_percent(part, rest):
    exact = {(True, True): "–", (True, False): "0%", (False, True): "100%"}
    text = say.percent(part, part + rest)
    shown = exact.get((not part, not rest))
    assert text == shown if shown else text not in exact.values()


@given(st.floats(1e-300, 1e300) | st.floats(1e-4, 1e16), st.sampled_from([2, 3]))
@example(999_600.0, 3)
@example(9.99e11, 3)
def test_a_size_is_rounded_and_a_bound_is_rounded_up(value, digits):
    text = say.size(value, digits)
    assert number(text) == float(f"{value:.{digits - 1}e}") and len(text) < 14
    for bound, limit in ((say.share_of, 10), (say.at_most, 1e300)):
        largest = min(value, limit)
        assert largest <= number(bound(largest)) * (1 + 1e-15) <= 1.11 * largest


@pytest.mark.parametrize(
    "shown, text",
    [
        (say.share_of(0), "0"),
        (say.share_of(0.01), "1%"),
        (say.at_most(1230.1), "1.24e+03"),
        (say.size(0), "0"),
        (say.size(0.001), "0.0010"),
        (say.lowered("h1.2"), "h₁,₂"),
        (say.distance(1), "1 float"),
        (say.distance(10**6), "1.00 million floats"),
        (say.beside(-200, "it"), "200 ulps below it"),
        (say.beside(0, "it"), "on it"),
        (say.percent(1, 3), "33%"),
        (say.in_floats(float_info.max), "over 2¹⁰²³"),
        (say.duration(119), "119 s"),
        (say.duration(120), "2 min"),
        (say.duration(7200), "2 h"),
        (say.duration(172_800), "2 days"),
        (say.significant(1000), "1,000"),
        (say.significant(16754126.7), "1.68e+07"),
        (say.listed("abc", "or"), "a, b or c"),
        (say.hexadecimal(-0.0), "-0x0p+0"),
        (say.hexadecimal(16.0), "0x1p+4"),
    ],
)
def test_a_figure_as_text(shown, text):
    assert shown == text

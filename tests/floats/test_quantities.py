"""Figures as short texts: never rounded to none or all, with the unit that fits."""

from sys import float_info

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.floats import quantities as say

CASES = {
    say.percent: {
        (0, 0): "–",
        (0, 9): "0%",
        (9, 9): "100%",
        (1, 3): "33%",
        (1, 200): "less than 1%",
        (199, 200): "more than 99%",
    },
    say.share_of: {
        (0,): "0",
        (2.0**-7,): "7.82e-03",
        (0.01,): "1%",
        (0.0101,): "1.1%",
        (1.0,): "100%",
    },
    say.signed_percent: {(0.258,): "+25.8%", (-0.0004,): "0.0%", (-0.0006,): "−0.1%"},
    say.distance: {
        (0,): "0 floats",
        (1,): "1 float",
        (999_999,): "999,999 floats",
        (10**6,): "1.00 million floats",
    },
    say.tick_text: {(2,): "2 floats from tick to tick", (2**20,): "2²⁰ floats from tick to tick"},
    say.beside: {
        (0.0, "it"): "on it",
        (1.5, "it"): "1.50 ulps above it",
        (-200, "it"): "200 ulps below it",
    },
    say.duration: {
        (0.2,): "0 s",
        (119,): "119 s",
        (120,): "2 min",
        (7200,): "2 h",
        (10**6,): "12 days",
    },
    say.microseconds: {(1.04e-4,): "100 µs", (2.5,): "2.5 million µs"},
    say.significant: {
        (0.33694,): "0.337",
        (16754126.7,): "1.68e+07",
        (1793.4,): "1,793",
        (999.4,): "999",
    },
    say.counted: {(0, "sample"): "0 samples", (1, "sample"): "1 sample"},
    say.listed: {((),): "", (("a",),): "a", (("a", "b"),): "a and b", ("abc", "or"): "a, b or c"},
    say.hexadecimal: {(-0.0,): "-0x0p+0", (0.1,): "0x1.999999999999ap-4", (16.0,): "0x1p+4"},
    say.power_of_two: {(-24,): "2⁻²⁴"},
    say.power_of_ten: {(6,): "10⁶"},
    say.lowered: {("z1.10",): "z₁,₁₀"},
    say.in_floats: {(float_info.max,): "over 2¹⁰²³"},
    say.size: {
        (0,): "0",
        (0.0188,): "0.019",
        (9.96e-10,): "1.0 × 10⁻⁹",
        (9994, 3): "9,990",
        (0.001,): "0.0010",
        (999_600, 3): "1.00 million",
        (1e9,): "1.0 billion",
        (9.99e11, 3): "999 billion",
        (9.9e14,): "990 trillion",
        (1e15,): "1.0 × 10¹⁵",
    },
}


@pytest.mark.parametrize("text_of", CASES, ids=lambda text_of: text_of.__name__)
def test_a_figure_as_text(text_of):
    for given_, text in CASES[text_of].items():
        assert text_of(*given_) == text


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_only_none_and_all_are_0_and_100_percent(part, rest):
    assert say.percent(part, part + rest) not in ("0%", "100%", "–")

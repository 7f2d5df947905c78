"""Figures as short texts: never rounded to none or all, with the unit that fits."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.display.quantities import (
    at_most,
    counted,
    decades,
    distance,
    duration,
    factor,
    floats,
    hexadecimal,
    listed,
    percent,
    power_of_ten,
    power_of_two,
    quantity,
    signed_percent,
    significant,
    size,
    tick_text,
)
from tests.contract import read


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 0, "–"),
        (0, 9, "0%"),
        (9, 9, "100%"),
        (1, 3, "33%"),
        (1, 10**6, "less than 1%"),
        (999, 1000, "more than 99%"),
    ],
)
def test_percent(part, whole, text):
    assert percent(part, whole) == text


@pytest.mark.parametrize(
    ("every", "said"), [(2, "2 floats"), (524_288, "524,288 floats"), (2**20, "2²⁰ floats"), (2**51, "2⁵¹ floats")]
)
def test_floats_between_ticks_are_told_exactly(every, said):
    assert tick_text(every) == f"{said} from tick to tick"


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_a_bound_is_never_below_the_value_and_less_than_a_tenth_above(value):
    assert value <= float(at_most(value)) < value * 1.1000001


@pytest.mark.parametrize(
    ("ulps", "text"),
    [
        (0, "0 floats"),
        (1, "1 float"),
        (24_576, "24,576 floats"),
        (999_999, "999,999 floats"),
        (39_100_000_000_000, "39.1 trillion floats"),
        (2**64 - 1, "1.84 × 10¹⁹ floats"),
    ],
)
def test_distance(ulps, text):
    assert distance(ulps) == text


@given(st.floats(0, 1e18))
def test_an_error_in_floats_is_written_to_three_digits_or_hundredths(error):
    text = floats(error)
    assert text.endswith(" floats")
    assert read(text.removesuffix(" floats")) == pytest.approx(error, rel=0.0051, abs=0.0051)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (10**6, "12 days")]
)
def test_duration(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.04e-4, "s", "104 µs"),
        (9.996e-4, "s", "1 ms"),
        (2e-9, "s", "2 ns"),
        (12.345, "s", "12.3 s"),
        (1234.0, "s", "1234 s"),
        (0, "B", "0 B"),
        (999, "B", "999 B"),
        (1000, "B", "1 kB"),
        (2856, "B", "2.86 kB"),
        (35_624, "B", "35.6 kB"),
    ],
)
def test_quantity(value, unit, text):
    assert quantity(value, unit) == text


@given(st.floats(1e-9, 100))
def test_a_time_reads_back_to_three_digits(seconds):
    number, prefix = re.fullmatch(r"([0-9.]+) (ns|µs|ms|s)", quantity(seconds, "s")).groups()
    assert float(number) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[prefix] == pytest.approx(seconds, rel=0.0051)


@pytest.mark.parametrize(("number", "text"), [(6.6, "6.5 decades"), (6.8, "7 decades"), (-0.2, "0 decades")])
def test_decades(number, text):
    assert decades(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.5, "0x1.8p+0"), (-0.0, "-0x0p+0"), (2.0**-24, "0x1p-24"), (0.1, "0x1.999999999999ap-4"), (16.0, "0x1p+4")],
)
def test_hexadecimal(number, text):
    assert hexadecimal(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_hexadecimal_digits_read_back(number):
    assert float.fromhex(hexadecimal(number)) == number


def test_powers_and_digits():
    assert (power_of_two(-24), power_of_two(10), power_of_ten(6)) == ("2⁻²⁴", "2¹⁰", "10⁶")
    assert (significant(0.33694), significant(16754126.7), significant(0.0)) == ("0.337", "1.68e+07", "0")
    assert (significant(1793.4), significant(999.4)) == ("1,793", "999")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.258, "+25.8%"), (-0.226, "−22.6%"), (0.0, "0.0%"), (-0.0004, "0.0%"), (-0.0006, "−0.1%"), (1.0, "+100.0%")],
)
def test_a_difference_of_shares_has_a_sign_unless_it_is_none(share, text):
    assert signed_percent(share) == text


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (iter(["a", "b", "c", "d"]), "a, b, c and d")],
)
def test_a_list_within_a_sentence(texts, sentence):
    assert listed(texts) == sentence


@pytest.mark.parametrize(("number", "text"), [(0, "0 samples"), (1, "1 sample"), (2000, "2,000 samples")])
def test_a_count_of_one_is_no_plural(number, text):
    assert counted(number, "sample") == text


@pytest.mark.parametrize(
    ("quotient", "text"),
    [
        (1.0, "1.0"),
        (9.96, "10"),
        (597.2, "600"),
        (12_566, "13,000"),
        (18_386_398.0, "18 million"),
        (996_000, "1.0 million"),
        (4.2e9, "4.2 billion"),
        (9.8e15, "9.8 × 10¹⁵"),
    ],
)
def test_a_factor_in_two_digits_and_a_word(quotient, text):
    assert factor(quotient) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0188, "0.019"),
        (1.0, "1.0"),
        (1.02e-9, "1.0 × 10⁻⁹"),
        (9.96e-10, "1.0 × 10⁻⁹"),
        (5e-324, "4.9 × 10⁻³²⁴"),
        (123.0, "120"),
        (12345, "1.2 × 10⁴"),
    ],
)
def test_a_size_in_two_digits(value, text):
    assert size(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01884, "0.0188"),
        (1.0, "1.00"),
        (1.0249e-9, "1.02 × 10⁻⁹"),
        (1234, "1,230"),
        (9994, "9,990"),
        (9996, "1.00 × 10⁴"),
    ],
)
def test_a_size_in_three_digits(value, text):
    assert size(value, 3) == text

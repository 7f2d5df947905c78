"""The float line against floats counted one by one with `nextafter`."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.floats.exact_floats import FORMATS
from lib.floats.picture import MOST_TICKS, exact_text, float_line, tick_distance, value_text
from tests.cases import EVERY_DTYPE
from tests.floats.test_exact_floats import DIGITS


def moved(start: float, count: int) -> float:
    """The float64 that many floats up from the start."""
    for _ in range(abs(count)):
        start = nextafter(start, inf if count > 0 else -inf)
    return start


@pytest.mark.parametrize("start", [1 / 3, -1 / 3, 1.0, 0.0, 5e-324, -2.0, 1e300])
@pytest.mark.parametrize("apart", [0, 1, -1, 4])
def test_ticks_are_the_floats_around_and_marks_lie_on_theirs(start, apart):
    halfway = (Fraction(start) + Fraction(moved(start, 1))) / 2
    line = float_line(halfway, "float64", {"one": start, "other": moved(start, apart)})
    places = range(min(0, apart) - 2, max(1, apart) + 3)
    ticks = [(place, value_text(moved(start, place), "float64")) for place in places]
    assert [(tick["at"], tick["text"]) for tick in line["ticks"]] == ticks
    assert (line["every"], line["exact"]) == (1, 0.5)
    marks = {(mark["at"], mark["off"], *mark["names"]) for mark in line["marks"]}
    both = {(0, -0.5, "one", "other")}
    assert marks == ({(0, -0.5, "one"), (apart, apart - 0.5, "other")} if apart else both)
    above = float_line(halfway, "float64", {"one": moved(start, 1)})
    assert above["ticks"][0]["at"] == -2  # the float below the exact value is there


FORM = FORMATS["float32"]
ORDINALS = st.integers(1 - FORM.infinity, FORM.infinity - 1)


@given(ORDINALS, st.integers(-(10**6), 10**6) | ORDINALS)
def test_far_results_get_few_ticks_that_are_evenly_apart(start, apart):
    other = max(1 - FORM.infinity, min(start + apart, FORM.infinity - 1))
    values = {"one": float(FORM.value(start)), "other": float(FORM.value(other))}
    line = float_line(FORM.value(start), "float32", values)
    every = line["every"]
    assert len(line["ticks"]) <= MOST_TICKS + 4
    assert all(tick["at"] % every == 0 for tick in line["ticks"])
    marks = {name: mark["at"] for mark in line["marks"] for name in mark["names"]}
    assert marks == {"one": 0, "other": other - start}


@given(st.integers(0, 2**70), st.integers(1, 100))
def test_ticks_stand_for_the_smallest_power_of_two_that_leaves_so_few(span, most):
    every = tick_distance(span, most)
    assert every.bit_count() == 1 and span // every < most
    assert every == 1 or span // (every // 2) >= most


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_neighbouring_floats_read_differently_and_back(dtype):
    form = FORMATS[dtype]
    for place in range(1, form.infinity - 1, form.infinity // 1500):
        value = float(form.value(place))
        text = value_text(-value, dtype)
        assert form.rounded(Fraction(text.replace("−", "-"))) == -form.value(place), text
        assert ("e" in text) == (not 1e-5 <= value < 1e6)


@given(
    st.fractions(max_denominator=10**12).filter(bool),
    st.sampled_from([0, 5, -5, 30, -30]),
    st.sampled_from(EVERY_DTYPE),
)
def test_the_exact_value_is_cut_and_not_rounded(exact, shift, dtype):
    exact *= Fraction(10) ** shift
    text = exact_text(exact, dtype).replace("−", "-")
    shown = Decimal(text.replace("…", ""))
    digits = DIGITS[dtype] + 2
    unit = Fraction(10) ** (shown.adjusted() - digits + 1)
    missing = (abs(exact) - abs(Fraction(shown))) / unit
    assert (shown > 0) == (exact > 0) and 0 <= missing < 1
    assert ("…" in text) == (missing > 0)
    written = text.partition("e")[0].rstrip("…")
    if missing:
        assert len(shown.as_tuple().digits) == digits
    else:
        assert not ("." in written and written.endswith(("0", ".")))


@pytest.mark.parametrize(("sign", "outermost"), [(1, max), (-1, min)])
def test_a_value_beyond_the_largest_float_lies_at_the_end(sign, outermost):
    largest = torch.finfo(torch.float32).max
    line = float_line(sign * Fraction(10) ** 40, "float32", {"one": sign * largest})
    end = outermost(tick["at"] for tick in line["ticks"])
    assert end == line["exact"] == line["marks"][0]["at"] == 0

"""The float line and its texts against the values of the format, and against fractions."""

from decimal import Decimal
from fractions import Fraction

import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.floats.exact_floats import FORMATS
from lib.floats.picture import exact_text, float_line, value_text
from tests.cases import EVERY_DTYPE, every_dtype
from tests.floats.test_exact_floats import DIGITS


@given(st.sampled_from(EVERY_DTYPE), st.booleans(), st.data())
def test_ticks_and_marks_lie_on_floats(dtype, half, data):
    form = FORMATS[dtype]
    last = form.infinity - 1
    base = data.draw(st.integers(-last, last - 1))
    other = base + data.draw(st.integers(-37, 37) | st.integers(-last, last))
    apart = max(-last, min(other, last)) - base
    low, high, result = (form.value(base + place) for place in (0, 1, apart))
    exact = (low + high) / 2 if half else low
    line, places = float_line(exact, dtype, {"base": float(low), "result": float(result)})
    lowest, highest = min(0, apart), max(1, apart)
    every = line["ticks"][1]["at"] - line["ticks"][0]["at"]
    span = highest - lowest + 4
    assert every.bit_count() == 1 and span // every < 41
    assert every == 1 or span // (every // 2) >= 41
    multiples = [every * k for k in range(lowest // every - 3, highest // every + 4)]
    assert [(tick["at"], tick["text"]) for tick in line["ticks"]] == [
        (at, value_text(float(form.value(base + at)), dtype))
        for at in multiples
        if lowest - 2 * every <= at <= highest + 2 * every and abs(base + at) <= last
    ]
    assert line["exact"] == half / 2
    assert places == {"base": 0, "result": apart}


@every_dtype
def test_neighbours_read_differently_and_back(dtype):
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
    assert ("e" in text) == (not Fraction(1, 10**5) <= abs(exact) < 10**6)
    written = text.partition("e")[0].rstrip("…")
    if missing:
        assert len(shown.as_tuple().digits) == digits
    else:
        assert not ("." in written and written.endswith(("0", ".")))


def test_beyond_the_largest_float_lies_on_that():
    largest = torch.finfo(torch.float32).max
    line, places = float_line(Fraction(10) ** 40, "float32", {"result": largest})
    assert line["ticks"][-1]["at"] == line["exact"] == places["result"] == 0

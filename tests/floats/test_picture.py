"""The float line against floats counted one by one with `nextafter`."""

from fractions import Fraction
from math import ceil, inf, log10, nextafter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import MOST_TICKS, exact_text, float_line, tick_distance, value_text

SIGNIFICANT = {name: 1 + ceil(dtype.precision * log10(2)) for name, dtype in DTYPES.items()}
"""Decimal digits that tell all floats of a dtype apart."""


def steps(start: float, count: int) -> float:
    """The float64 that many floats up from the start."""
    for _ in range(abs(count)):
        start = nextafter(start, inf if count > 0 else -inf)
    return start


@pytest.mark.parametrize("start", [1 / 3, -1 / 3, 1.0, -1.0, 0.0, 5e-324, -2.0, 1e300])
@pytest.mark.parametrize("apart", [0, 1, -1, 4])
def test_ticks_are_the_floats_around_and_marks_lie_on_theirs(start, apart):
    halfway = (Fraction(start) + Fraction(steps(start, 1))) / 2
    line = float_line(halfway, "float64", {"one": start, "other": steps(start, apart)})
    assert line["every"] == 1
    assert [tick["at"] for tick in line["ticks"]] == list(
        range(min(0, apart) - 2, max(1, apart) + 3)
    )
    assert [tick["text"] for tick in line["ticks"]] == [
        value_text(steps(start, tick["at"]), "float64") for tick in line["ticks"]
    ]
    assert line["exact"] == 0.5
    above = float_line(halfway, "float64", {"one": steps(start, 1)})
    assert above["ticks"][0]["at"] == -2, (
        "whatever ends above it, the float below the exact value is there"
    )
    names = {mark["at"]: (mark["names"], mark["off"]) for mark in line["marks"]}
    expected = (
        {0: (["one", "other"], -0.5)}
        if apart == 0
        else {0: (["one"], -0.5), apart: (["other"], apart - 0.5)}
    )
    assert names == expected


FORM = FORMATS["float32"]
ORDINALS = some.integers(1 - FORM.infinity, FORM.infinity - 1)


@given(ORDINALS, some.integers(-(10**6), 10**6) | ORDINALS)
def test_far_results_get_few_ticks_that_are_evenly_apart(start, apart):
    other = max(1 - FORM.infinity, min(start + apart, FORM.infinity - 1))
    values = {"one": float(FORM.value(start)), "other": float(FORM.value(other))}
    line = float_line(FORM.value(start), "float32", values)
    assert len(line["ticks"]) <= MOST_TICKS + 4
    assert all(tick["at"] % line["every"] == 0 for tick in line["ticks"])
    assert {name: mark["at"] for mark in line["marks"] for name in mark["names"]} == {
        "one": 0,
        "other": other - start,
    }


@given(some.integers(0, 2**70), some.integers(1, 100))
def test_ticks_stand_for_the_smallest_power_of_two_that_leaves_so_few(span, most):
    every = tick_distance(span, most)
    assert (
        every.bit_count() == 1
        and span // every < most
        and (every == 1 or span // (every // 2) >= most)
    )


@pytest.mark.parametrize("dtype", SIGNIFICANT)
def test_neighbouring_floats_read_differently_and_back(dtype):
    kind = getattr(torch, dtype)
    bits = torch.randint(0, 2**15 - 2**11, (3000,), generator=torch.Generator().manual_seed(5))
    for x in bits.to(torch.int16).view(torch.float16).double().to(kind).unique().tolist():
        text = value_text(x, dtype)
        assert (
            torch.tensor(float(text.replace("−", "-")), dtype=torch.float64).to(kind).item() == x
        ), text


@given(
    some.fractions(max_denominator=10**12),
    some.sampled_from([0, 5, -5, 30, -30]),
    some.sampled_from([*SIGNIFICANT]),
)
def test_the_exact_value_is_cut_and_not_rounded(exact, shift, dtype):
    exact *= Fraction(10) ** shift
    text = exact_text(exact, dtype)
    written = Fraction(text.replace("−", "-").replace("…", ""))
    if exact == 0:
        assert text == "0"
        return
    magnitude = Fraction(1)
    while magnitude > abs(exact):
        magnitude /= 10
    while 10 * magnitude <= abs(exact):
        magnitude *= 10
    missing = (abs(exact) - abs(written)) * Fraction(10) ** (SIGNIFICANT[dtype] + 1) / magnitude
    assert written * exact >= 0 and 0 <= missing < 1
    assert ("…" in text) == (missing > 0)
    shown = text.replace("−", "").replace("…", "").partition("e")[0]
    assert missing == 0 or len(shown.replace(".", "").lstrip("0")) == SIGNIFICANT[dtype] + 2
    assert missing > 0 or not ("." in shown and shown.endswith(("0", ".")))


@pytest.mark.parametrize(("sign", "outermost"), [(1, max), (-1, min)])
def test_a_value_beyond_the_largest_float_lies_at_the_end(sign, outermost):
    largest = torch.finfo(torch.float32).max
    line = float_line(sign * Fraction(10) ** 40, "float32", {"one": sign * largest})
    assert (
        outermost(tick["at"] for tick in line["ticks"])
        == line["exact"]
        == line["marks"][0]["at"]
        == 0
    )

"""The picture of pasted numbers, against every float of a dtype one by one."""

import random
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lib.floats.exact_floats import FORMATS
from lib.paste.decode import decode
from lib.paste.intervals import MOST_TICKS, picture
from lib.paste.placed import placed

SMALL = {"bfloat16": torch.bfloat16, "float16": torch.float16}
FLOATS = {}
for _name, _dtype in SMALL.items():
    _values = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(_dtype).double()
    FLOATS[_name] = np.unique(_values[torch.isfinite(_values)].numpy())  # sorted, and with a single zero


def place(value: float, dtype: str) -> int:
    """The place among all floats of the dtype."""
    return int(np.searchsorted(FLOATS[dtype], value))


def printed_so(text: str, dtype: str) -> list[int]:
    """The places of all floats within half a unit of the text's last digit."""
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    value = Fraction(text)
    near = np.flatnonzero(np.abs(FLOATS[dtype] - float(value)) <= 2 * float(half))
    return [int(i) for i in near if abs(Fraction(FLOATS[dtype][i]) - value) <= half]


def counted(says: str) -> int:
    return 1 if says.startswith("only") else int(re.match(r"([\d,]+) floats print as", says)[1].replace(",", ""))


def printed_in(dtype: str, style: str) -> dict[str, int]:
    """How many floats of the dtype are printed as each text by Python, which rounds correctly; one zero only."""
    return Counter(format(value, style) for value in FLOATS[dtype].tolist())


@pytest.mark.parametrize("style", [".4f", ".6f", ".2e", ".3e", ".4e"])
@pytest.mark.parametrize("dtype", SMALL)
def test_as_many_floats_print_so_as_is_said(dtype, style):
    """Only a bar that ends halfway between two texts, one of 0 and one of a power of ten may hold some more."""
    every = printed_in(dtype, style)
    texts = [text for text in every if abs(float(text)) < 1e30]
    for text in random.Random(style).sample(texts, min(len(texts), 300)) + ["1" + format(0, style)[1:]]:
        rows = picture(decode(f"{text} {text}", dtype))["rows"]
        if not rows:  # a single float
            assert every[text] <= 1
            continue
        upto, amount = re.match(r"(up to )?([\d,]+) floats print as", said_once(rows)).groups()
        found = int(amount.replace(",", ""))
        assert every[text] <= found if upto else every[text] == found, text
        if upto:
            half = Fraction(10) ** Decimal(text).as_tuple().exponent / 2
            halfway = {Fraction(value) for value in FLOATS[dtype].tolist()} & {
                Fraction(text) - half,
                Fraction(text) + half,
            }
            assert halfway or set(text.partition("e")[0]) <= set("-01.")


@pytest.mark.parametrize("text", ["3", "1", "0.1", "100000", "1e5", "0.", "16777216"])
def test_of_a_short_or_whole_number_no_count_of_printed_floats_is_claimed(text):
    """How many floats print as 3 depends on the format: none is told by the digits."""
    data = picture(decode(text, "float32"))
    for row in data["rows"]:
        assert row["says"].startswith(f"{text} may stand for ")
    assert "print" not in data["label"].replace("as printed", "")


def test_zeros_of_both_signs_are_equal_and_yet_two_floats():
    for text, says in {"0.0 -0.0": "equal, and yet two floats: +0 and −0", "0.5 0.5 0.0": "the same float"}.items():
        data = picture(decode(text, "float32"))
        assert data["magnified"]["bracket"]["says"] == says and says in data["label"]


def said_once(rows: list[dict]) -> str:
    """What is said of two numbers that print alike: once, between their bars."""
    first, second = (row["says"] for row in rows)
    assert first == ""
    return second


near_floats = st.tuples(
    st.sampled_from([*SMALL]), st.floats(-9, 9, width=32, allow_subnormal=False), st.integers(-30, 30)
)


def two_floats(drawn: tuple[str, float, int]) -> tuple[str, float, float]:
    dtype, about, apart = drawn
    first = place(about, dtype)
    return dtype, float(FLOATS[dtype][first]), float(FLOATS[dtype][first + apart])


def test_each_bar_holds_just_the_floats_that_print_so():
    for dtype in SMALL:
        for text in ("0.0086", "-0.0260", "0.0514", "1.2345", "0.1234", "0.0001", "3.0000"):
            data = picture(decode(f"{text} {text}", dtype))
            floats = printed_so(text, dtype)
            if len(floats) <= 1:
                assert data["rows"] == [] and data["magnified"]
                continue
            assert counted(said_once(data["rows"])) == len(floats)
            assert not any(row["one"] for row in data["rows"])


@pytest.mark.parametrize("text", ["100.0000", "-99.9999", "250.5000", "64.0000", "0.5000", "63.9999"])
def test_in_float32_the_next_float_outside_a_bar_prints_otherwise(text):
    rows = picture(decode(f"{text} {text}", "float32"))["rows"]
    half, found = Fraction(1, 20000), 1
    nearest = np.float32(text)
    for direction in (-np.inf, np.inf):
        one = np.nextafter(nearest, np.float32(direction), dtype=np.float32)
        while abs(Fraction(float(one)) - Fraction(text)) <= half:
            found += 1
            one = np.nextafter(one, np.float32(direction), dtype=np.float32)
    assert counted(said_once(rows)) == found > 1


def test_both_lines_count_in_floats_so_the_bars_and_the_magnification_are_to_scale():
    for text in (
        "-0.0086 -0.0086 9.3132e-10",
        "0.5140 0.5140 7.1526e-07",
        "0.0086 0.0086 0.0",
        "2.5000 2.5000 2.3842e-07",
    ):
        data = picture(decode(text, "float32"))
        magnified = data["magnified"]
        (times,) = re.findall(r"magnified ([\d,]+) times", " ".join(magnified["notes"]))
        from_, to = magnified["from"]
        assert int(times.replace(",", "")) == pytest.approx(1 / (to - from_))
        ticks = magnified["ticks"]
        float_below, float_above = ticks[1] - ticks[0], (to - from_) / len(ticks)
        for row in data["rows"]:
            width = row["span"][1] - row["span"][0]
            assert width == pytest.approx(counted(said_once(data["rows"])) * float_above)
        assert float_below == pytest.approx(1 / len(ticks))


@settings(max_examples=30)  # each compares all pairs of floats that print so
@given(near_floats)
def test_two_floats_and_their_difference_are_drawn_as_they_may_be(drawn):
    dtype, first, second = two_floats(drawn)
    texts = f"{first:.4f}", f"{second:.4f}"
    difference = torch.tensor(first, dtype=SMALL[dtype]) - torch.tensor(second, dtype=SMALL[dtype])
    floats = [printed_so(text, dtype) for text in texts]
    assume(difference != 0 and max(map(len, floats)) < 100)
    third = f"{difference.item():.4e}"
    (pair,) = decode(f"{texts[0]} {texts[1]} {third}", dtype).pairs
    known = placed(pair)
    possible = [
        (a, b)
        for a in floats[0]
        for b in floats[1]
        if f"{abs(rounded(FLOATS[dtype][a] - FLOATS[dtype][b], dtype)):.4e}" == third.removeprefix("-")
    ]
    apart = abs(place(first, dtype) - place(second, dtype))
    if known is None:
        assert pair.ulps[0] <= apart <= pair.ulps[1]
        return
    assert {abs(a - b) for a, b in possible} == {known.apart} == {apart}
    middle = len(FLOATS[dtype]) // 2
    assert (known.first + middle, known.second + middle) in possible
    assert (known.second > known.first) is (second > first)
    if known.order == "digits":
        assert len({b > a for a, b in possible}) == 1
    else:
        assert {b > a for a, b in possible} == {True, False}


def rounded(value: float, dtype: str) -> float:
    return torch.tensor(value, dtype=torch.float64).to(torch.float32).to(SMALL[dtype]).item()


def test_the_order_of_two_is_read_from_a_signed_difference_only():
    for text, order, first_is_right in (
        ("0.0514 0.0514 3.7253e-09", "difference", True),
        ("0.0514 0.0514 -3.7253e-09", "difference", False),
        ("Expected 0.0514 but got 0.0514. Absolute difference: 3.7253e-09", "unknown", None),
        ("0.1 0.10000000894", "digits", False),
    ):
        (pair,) = decode(text, "float32").pairs
        known = placed(pair)
        assert known.order == order
        marks = picture(decode(text, "float32"))["magnified"]["marks"]
        if first_is_right is None:
            assert {mark["who"] for mark in marks} == {"either"}
            assert "not known" in known.order_in_words
        else:
            assert [mark["who"] for mark in marks] == ["first", "second"]
            assert (marks[0]["at"] > marks[1]["at"]) is first_is_right
            assert ("first − second" in known.order_in_words) is (order == "difference")


def test_what_is_drawn_of_each_kind_of_paste():
    drawn = {
        text: picture(decode(text, "float32"))
        for text in ("0.0086 0.0086", "0.1 0.10000000894", "0.1000000149011", "inf nan", "0.0086 inf", "9.3132e-10")
    }
    assert drawn["0.0086 0.0086"]["magnified"] is None and len(drawn["0.0086 0.0086"]["rows"]) == 2
    sure = drawn["0.1 0.10000000894"]
    assert sure["rows"] == [] and [mark["name"] for mark in sure["magnified"]["marks"]] == ["0.1", "0.10000000894"]
    no_float = drawn["0.1000000149011"]["magnified"]
    assert no_float["marks"][0]["at"] - no_float["ticks"][0] > no_float["exact"]["at"] - no_float["ticks"][0]
    assert drawn["inf nan"] is None and drawn["0.0086 inf"] is None
    (difference,) = drawn["9.3132e-10"]["rows"]
    assert difference["who"] == "differ"
    assert [label["text"] for label in drawn["9.3132e-10"]["axis"]] == ["0.0078125", "0.015625"]
    for data in filter(None, drawn.values()):
        assert data["label"].endswith(".") and "None" not in str(data["label"])


def test_the_tick_of_a_float_and_of_its_neighbour_are_one_gap_apart_at_a_power_of_two():
    data = picture(decode("1.0000000 0.99999994", "float32"))["magnified"]
    assert data["bracket"]["says"] == "difference 5.9605e−08: one float"
    assert data["below"] == "only these values exist in float32, here 2⁻²⁴ ≈ 5.9605e−08 apart"
    across = picture(decode("1.0000001192 0.99999994", "float32"))["magnified"]
    assert across["bracket"]["says"] == "difference 1.7881e−07: 2 floats"
    assert across["below"] == "only these values exist in float32; gaps double at powers of two"
    exact = picture(decode("64.50 65.00", "bfloat16"))["magnified"]
    assert exact["below"] == "only these values exist in bfloat16, here 2⁻¹ = 0.5 apart"


def test_a_picked_component_is_drawn_and_one_that_is_not_there_is_the_farthest():
    decoding = decode("[1.0, 2.0, 3.0] [1.0, 2.0000002384, 3.0000007153]", "float32")
    picked = [picture(decoding, index)["magnified"]["bracket"]["says"] for index in (0, 1, 2, None, 3)]
    assert picked[0] == "the same float"
    assert picked[1].endswith(": one float")
    assert picked[2] == picked[3] == picked[4] and picked[2].endswith(": 3 floats")


def test_no_float_is_drawn_beyond_the_largest_and_far_apart_numbers_are_not_drawn_float_by_float():
    largest = FORMATS["float32"].largest
    data = picture(decode(f"{float(largest):.9g}", "float32"))
    assert data["magnified"]["ticks"][-1] == pytest.approx(0.5)  # the float in the middle
    far = picture(decode(f"1.0 {1 + (MOST_TICKS + 1) * 2**-23!r}", "float32"))
    assert far["magnified"] is None
    near = picture(decode(f"1.0 {1 + MOST_TICKS * 2**-23!r}", "float32"))
    assert near["magnified"]["bracket"]["says"].endswith(f": {MOST_TICKS} floats")

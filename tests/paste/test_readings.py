"""What printed digits tell of a float, held against printing itself, and how far apart two are."""

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

from lib.paste.answer import answer
from lib.paste.figures import figures

FLOATS = st.floats(width=32, min_value=2.0**-60, max_value=2.0**60)
FORMATS = st.sampled_from(["{:.4f}", "{:.4e}", "{:.6f}", "{:.8e}", "{:.9g}", "{!r}"])


def compared(text):
    return figures(answer(text, "float32"))


def steps_from(x, steps):
    return float((np.float32(x).view(np.int32) + np.int32(steps)).view(np.float32))


@given(FLOATS, st.integers(0, 40), FORMATS)
@example(822.5975341796875, 38, "{:.4f}")
@example(100000.0, 1, "{:.6f}")
def test_the_distance_is_within_what_the_digits_allow(x, steps, form):
    """Also where half a digit is as much as half a float, and where a number is half a digit from
    the float and rounded once more."""
    y = steps_from(x, steps)
    # whole numbers are counts
    assume("." in form.format(x) + form.format(y))
    pair = compared(f"[[{form.format(x)}], [1.5]] [[{form.format(y)}], [1.5]]")
    assume(pair["worst"] == 0)
    assert pair["ulps"][0] <= steps <= pair["ulps"][1]
    assert pair["differences"][0] <= abs(y - x) <= pair["differences"][1]
    assert form != "{:.8e}" or pair["ulps"] == [steps, steps]


@given(FLOATS, st.integers(0, 40), st.integers(5, 8))
@example(3.0, 1, 7)
@example(3.5, 1, 7)
def test_a_difference_is_as_wide_as_its_digits(x, steps, decimals):
    """By half a digit, and how far the float is from the text, unless that gets to no other
    float."""
    text = f"{steps_from(x, steps):.{decimals}e}"
    nearest = float(np.float32(text))
    doubt = 5 * float("1" + text[text.index("e") :]) / 10 ** (decimals + 1) * (1 + 2e-7)
    doubt = 0 if doubt < nearest / 2**26 else doubt + abs(nearest - float(text))
    expected = [max(nearest - x - doubt, 0), abs(nearest - x) + doubt]
    pair = compared(f"{x.hex()} {text}")
    assert pair["differences"] == pytest.approx(expected, 0, 4e-15 * x)
    assert pair["difference"] == pytest.approx(abs(nearest - x), 0, 4e-15 * x)


@given(st.floats(width=32, min_value=2.0**-7, max_value=2.0**7), st.integers(1, 16))
def test_a_printed_difference_tells_more(x, steps):
    """Than four decimals do."""
    y = steps_from(x, steps)
    apart = f"{np.float32(y) - np.float32(x):.4e}"
    pair = compared(f"{x:.4f} {y:.4f} {apart}")
    assert pair["difference"] == pytest.approx(float(apart))
    assert pair["compared"] == 3 and pair["ulps"][0] <= steps <= pair["ulps"][1]
    assume(np.frexp(x)[1] == np.frexp(y)[1])
    assert pair["ulps"][1] - pair["ulps"][0] <= 16


def test_a_printed_difference_may_span_zero():
    steps = 2 * int(np.float32(1e-4).view(np.int32))
    low, high = compared("-0.0001 0.0001 diff 2.0000e-04")["ulps"]
    assert low <= steps <= high


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: x[None]], ids=["number", "list"])
def test_numpy_cuts_at_eight_decimals(wrap):
    x, y = np.float32(0.0010000032), np.float32(0.0010000099)
    steps = int(y.view(np.int32)) - int(x.view(np.int32))
    low, high = compared(f"{wrap(np.array(x))!r}\n{y!r}")["ulps"]
    assert low <= steps <= high < 3 * steps


def test_seventeen_decimals_are_not_seventeen_digits():
    x = torch.tensor([0.0105403912423988055, 0.134797955785249779], dtype=torch.float64)
    y = torch.stack([torch.nextafter(x[0], x[1]), x[1]])
    fixed, precise = (
        f"[{', '.join(map(form.format, x.tolist()))}]" for form in ("{:.17f}", "{!r}")
    )
    stepped = f"[{', '.join(map('{:.17f}'.format, y.tolist()))}]"
    for text, steps in ((f"{fixed}\n{precise}", 0), (f"{fixed}\n{stepped}", 1)):
        pair = compared(text)
        assert pair["ulps"][0] <= steps <= pair["ulps"][1]


def test_a_tensor_without_decimals_is_whole():
    pair = compared(f"{torch.tensor([1.0, 2.0])}\n{torch.tensor([1.0, 2.0001])}")
    assert pair["numbers"][0]["floats"] == 1 < pair["numbers"][1]["floats"]


@pytest.mark.parametrize(
    "text, dtype",
    [
        ("tensor([1.5, 2.5], dtype=torch.float64) tensor([1.5, 2.5])", "float32"),
        ("array([1.5, 2.5]) array([1.5, 2.25])", "float64"),
        ("tensor([1.5, 2.5], dtype=torch.bfloat16) tensor([1.5, 2.25])", "bfloat16"),
        ("0.30000000000000004 0.3", "float64"),
        ("0.10000000149011612 0.10000000894069672", "float32"),
        ("[1.5, 1e-50] [1.5, 0.]", "float64"),
    ],
)
def test_the_format_is_named_or_shown_by_the_digits(text, dtype):
    assert compared(text)["dtype"] == dtype

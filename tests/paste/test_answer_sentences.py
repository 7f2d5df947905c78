"""What the page answers to a paste, against floats counted one by one and what torch itself allows."""

import re
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch.testing._comparison import default_tolerances

from lib.paste.answer_sentences import answer, digits_card, meaning, tolerance_card
from lib.paste.decode import decode
from tests.cases import EVERY_DTYPE

POST = "-0.0086 -0.0086 9.3132e-10"
ROUNDING = "A bug usually changes the first few digits, not the last bits."
MORE = "Paste their printed difference below them, or print more digits, and you will know more."
CANCELLED = "Rounding does that where large terms cancel, or many are added. Elsewhere, look for a bug."
LEADING = "Their leading digits differ. Rounding seldom does that, unless large terms of a sum cancel."
NOT_FINITE = "Look for a division by zero, a logarithm of zero, or an overflow."

ANSWERS = {
    POST: ("They are neighbours, one float apart: **rounding alone can do that**.", ROUNDING),
    "0.1 0.1000000238": ("They are 3 floats apart: **rounding alone can do that**.", ROUNDING),
    "0.0086 0.0086": ("They are 0 to 107,373 floats apart: **the digits do not tell more**.", MORE),
    "0.0086 0.0086 0.0": ("They are **the same float32**.", ""),
    "0.0 -0.0": ("They are **equal, and yet two floats**: +0 and −0 differ in the sign bit.", ""),
    "1.0 1.0000119": ("They are 100 floats apart: **rounding, or a bug**.", CANCELLED),
    "0.500000000 0.600000024": ("They are 1,677,722 floats apart: **cancellation, or a bug**.", LEADING),
    "0.1000000149011 0.1": (
        "`0.1000000149011` is no float32. Rounded to float32, they are 2 floats apart: **rounding alone can do that**.",
        ROUNDING,
    ),
    "inf 3.0": ("They are **not equal**: the float line ends before infinity.", NOT_FINITE),
    "inf inf": ("They are **equal**: the same infinity, which lies beyond the float line.", ""),
    "nan 1": ("They are **not equal**: NaN equals nothing, not even itself.", NOT_FINITE),
    "9.3132e-10": (
        "`9.3132e-10` is 2⁻³⁰, as far as its digits tell. Between two numbers from 0.0078125 up to 0.015625, that is "
        "**one float**.",
        "",
    ),
    "0.0086 9.3132e-10": (
        "As a difference, `9.3132e-10` is **the step to the next float** at `0.0086`.",
        "Taken as two values, they are about 190 million floats apart.",
    ),
    "[1.0, 2.0, 3.0] [1.0, 2.0000002384, 3.0000007153]": (
        "**2 of 3 components differ**. In component 2 (counted from 0) they are 3 floats apart: "
        "**rounding alone can do that**.",
        ROUNDING,
    ),
    "[0.0086, 0.5] [0.0086, 0.5]": (
        "**2 of 2 components may differ**: the digits do not tell. "
        "In component 0 (counted from 0) they are 0 to 107,373 floats apart: **the digits do not tell more**.",
        MORE,
    ),
    "[0.5000000000, inf] [0.5000000000, inf]": (
        "All 2 components are **equal** as float32. In component 0 (counted from 0) they are the same float.",
        "",
    ),
    "[inf, 0.0086] [nan, 0.0086]": (
        "**1 of 2 components differs**, and 1 may: the digits do not tell. "
        "In component 1 (counted from 0) they are 0 to 107,373 floats apart: **the digits do not tell more**.",
        MORE,
    ),
    "0.0086 0.0261 0.0514 0.7071": (
        "**4 numbers**, each by itself. Paste a second vector, and the two are compared.",
        "",
    ),
    "tensor([0.0000e+00, 9.3132e-10, -3.7253e-09, 1.8626e-09])": (
        "Read as **4 differences**, 1 of them zero. The others are a few floats each, "
        "if the two numbers are as large as drawn.",
        "",
    ),
    "mean difference 1.2e-9, max difference 1.1921e-07": (
        "Read as **2 differences**. 1 of them is a few floats, if the two numbers are as large as drawn.",
        "",
    ),
}


@pytest.mark.parametrize("text", ANSWERS)
def test_the_answer_and_what_it_means(text):
    decoding = decode(text, "float32")
    assert (answer(decoding), meaning(decoding)) == ANSWERS[text]


def test_the_number_of_floats_is_the_number_of_steps_between_them():
    for text in ("0.1 0.1000000238", "0.500000000 0.600000024"):
        first, last = map(np.float32, text.split())
        steps = int(last.view(np.int32)) - int(first.view(np.int32))
        assert f"They are {steps:,} floats apart:" in answer(decode(text, "float32"))


def test_a_picked_component_is_the_one_told_of():
    decoding = decode("[1.0, 2.0, 3.0] [1.0, 2.0000002384, 3.0000007153]", "float32")
    assert "In component 1 (counted from 0) they are one float apart" in answer(decoding, 1)
    assert (meaning(decoding, 0), meaning(decoding, 1)) == ("", ROUNDING)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_tolerance_is_what_assert_close_allows_by_default(dtype):
    rtol, atol = default_tolerances(getattr(torch, dtype))
    said = tolerance_card(decode("0.5 0.5", dtype))
    (absolute, relative) = re.fullmatch(
        r"(?:The digits do not tell|It passes): it allows ([\d.e-]+) plus ([\d.e-]+) of the expected value\.", said
    ).groups()
    assert (float(relative), float(absolute)) == (rtol, atol)


@pytest.mark.parametrize(
    "text, dtype",
    [
        (POST, "float32"),
        ("0.1 0.2", "bfloat16"),
        ("0.5 0.5039", "bfloat16"),
        ("1e300 1.0", "float64"),
        ("0 1", "float16"),
    ],
)
def test_the_difference_is_held_against_both_tolerances_together(text, dtype):
    rtol, atol = default_tolerances(getattr(torch, dtype))
    (pair,) = decode(text, dtype).pairs
    allowed = atol + rtol * abs(float(pair.second.value))
    said = tolerance_card(decode(text, dtype))
    difference = float(pair.difference)
    times = r"(?:about |at least )?([\d.,]+) times"
    if difference <= allowed:
        ratio, figure = allowed / difference, rf"^It passes: .*, {times} their difference\.$"
    else:
        ratio, figure = difference / allowed, rf"^It fails: .*, and they differ by {times} that\.$"
    if ratio > 1e99:
        assert said.endswith("they differ by more than 10⁹⁹ times that.")
        return
    assert float(re.search(figure, said)[1].replace(",", "")) == pytest.approx(ratio, rel=0.05)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_how_many_times_is_true_of_the_floats_that_were_printed(dtype):
    """By a hundred pairs, to four to eight decimals; what two digits do not tell is at least so much."""
    rtol, atol = map(Fraction, default_tolerances(getattr(torch, dtype)))
    generator, seen = torch.Generator().manual_seed(1), set()
    first = torch.rand(100, generator=generator, dtype=torch.float64)
    apart = 10 ** torch.empty(100, dtype=torch.float64).uniform_(-7, -2, generator=generator)
    pairs = torch.stack([first, first + apart], 1).to(getattr(torch, dtype)).tolist()
    for number, (a, b) in enumerate((a, b) for a, b in pairs if a != b):
        said = tolerance_card(decode(f"{a:.{4 + number % 5}f} {b:.{4 + number % 5}f}", dtype))
        found = re.search(r"(about|at least|by|,) (?:([\d.,]+) times )?(?:that|their difference)( or more)?\.$", said)
        if found is None:
            assert said.startswith("The digits do not tell") or said.endswith("of the expected value.")
            continue
        difference, allowed = abs(Fraction(a) - Fraction(b)), atol + rtol * Fraction(b)
        ratio = allowed / difference if said.startswith("It passes") else difference / allowed
        times, or_more = float((found[2] or "1").replace(",", "")), bool(found[3]) or found[1] == "at least"
        assert ratio >= Fraction(times if found[1] == "at least" else 0.95 * times), said
        assert or_more or ratio <= Fraction(1.05 * times), said
        seen.add(or_more)
    assert seen == ({False} if dtype == "bfloat16" else {False, True})


def test_the_card_names_the_digits_that_tell_floats_apart_and_those_that_pytorch_prints():
    printed = len(str(torch.tensor([1 / 3])).partition(".")[2].rstrip("])"))
    for dtype, digits in {"float64": 17, "float32": 9, "bfloat16": 4, "float16": 5}.items():
        said = digits_card(decode("0.5", dtype))
        neighbours = f"It takes {digits} to tell every {dtype} from its neighbours."
        assert said == f"{neighbours} By default, PyTorch prints {printed} decimals."


def test_hostile_text_is_quoted_as_code():
    for text in ("0.5000 [a](b) 0.5001", "1e-400", "0." + "3" * 300):
        try:
            decoding = decode(text, "float64")
        except ValueError:
            continue
        said = answer(decoding) + meaning(decoding) + digits_card(decoding) + tolerance_card(decoding)
        assert "](" not in said and len(said) < 600

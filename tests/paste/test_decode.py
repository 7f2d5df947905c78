"""Pasted numbers, decoded: whatever was printed, the interval contains the true distance; and what is said of it.

The oracles are the bits of torch's floats, by `floats.line`, Python's formatting and fractions, and PyTorch's checks.
"""

import json
import re
import struct
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lib.floats.exact_floats import FORMATS
from lib.floats.line import ordinals, spacing, to_float64, ulp_distance
from lib.floats.tolerances import tolerances
from lib.paste.decode import MOST_NUMBERS, decode
from lib.paste.decode_sentences import expected, notes, why_print_more
from lib.paste.decode_tables import (
    as_differences,
    by_component,
    figures,
    of_difference,
    one_below_another,
    side_by_side,
)
from lib.paste.tokenizer import PasteError
from tests.cases import EVERY_DTYPE

TORCH = {name: getattr(torch, name) for name in EVERY_DTYPE}
WIDTH = {"float64": torch.int64, "float32": torch.int32, "bfloat16": torch.int16, "float16": torch.int16}
POST = """\
Random sample 1:
tensor([ 0.0176, -0.0156, -0.0035, -0.0499, -0.0183]) (using loss.backward)
tensor([ 0.0176, -0.0156, -0.0035, -0.0499, -0.0183]) (using torch.autograd.functional.jacobian)
tensor([ True, False,  True, False, False]) (equality check)
tensor([ 0.0000e+00,  1.8626e-09,  0.0000e+00,  7.4506e-09, -1.8626e-09]) (difference)
"""
"""What the first post printed of one sample, as it stands there."""

digits = st.integers(4, 17)
few_examples = settings(max_examples=30)


def floats_of(dtype):
    """Finite floats by their bits: anywhere on the line, and round numbers."""
    most = FORMATS[dtype].infinity - 1
    round_ones = st.sampled_from([0.0, 0.1, 0.0086, 0.001, 0.5, 1.0, 1.5, 2.0, 100.0, 1234.5, 60000.0])
    return st.integers(-most, most) | round_ones.map(lambda x: int(ordinals(torch.tensor(x, dtype=TORCH[dtype]))))


@st.composite
def pairs(draw, dtype):
    """Two finite floats of the dtype, often near each other."""
    first, most = draw(floats_of(dtype)), FORMATS[dtype].infinity - 1
    near = st.integers(-40, 40).map(lambda step: min(max(first + step, -most), most))
    return tuple(float_at(place, dtype) for place in (first, draw(near | floats_of(dtype))))


def float_at(place, dtype):
    """The float at a place of the line, from its bits."""
    bits = torch.tensor(abs(place), dtype=WIDTH[dtype]).view(TORCH[dtype])
    return bits.neg() if place < 0 else bits


def one(text, dtype="float32"):
    """The one pair in the text."""
    (pair,) = decode(text, dtype).pairs
    return pair


def contains(text, dtype, a, b):
    """Whether what is said of the pair in the text holds for the floats a and b, whose texts it has."""
    pair, distance = one(text, dtype), int(ulp_distance(a, b))
    assert pair.ulps[0] <= distance <= pair.ulps[1]
    for tolerance in tolerances(dtype).values():
        above = not torch.isclose(a, b, tolerance.rtol, tolerance.atol)
        assert pair.above(tolerance) in (above, None)
    a, b = Fraction(a.item()), Fraction(b.item())
    assert pair.differences[0] <= abs(a - b) <= pair.differences[1]
    relative = abs(a - b) / max(abs(a), abs(b)) if a or b else 0
    assert pair.relative[0] <= relative <= pair.relative[1]
    return True


def verdict(text, dtype="float32"):
    return figures(decode(text, dtype))["verdict"]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@few_examples
@given(data=st.data(), d=digits, kind=st.sampled_from("gef"))
def test_printed_alike_the_interval_contains_the_distance(dtype, data, d, kind):
    a, b = data.draw(pairs(dtype))
    texts = [f"{x.item():.{d}{kind}}" for x in (a, b)]
    assume(max(map(len, texts)) <= 400)
    assert contains(" ".join(texts), dtype, a, b)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@few_examples
@given(data=st.data(), ways=st.lists(st.tuples(digits, st.sampled_from("ef")), min_size=2, max_size=2))
def test_printed_in_different_ways_too_if_these_keep_zeros(dtype, data, ways):
    a, b = data.draw(pairs(dtype))
    texts = [f"{x.item():.{d}{kind}}" for x, (d, kind) in zip((a, b), ways, strict=True)]
    assume(max(map(len, texts)) <= 400)
    assert contains(", ".join(texts), dtype, a, b)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@few_examples
@given(data=st.data())
def test_printed_by_python_torch_and_numpy(dtype, data):
    a, b = data.draw(pairs(dtype))
    together = torch.stack([a, b])
    assert contains(f"{a.item()} {b.item()}", dtype, a, b)
    assert contains(f"{a}\n{b.clone().requires_grad_() * 1}", dtype, a, b)
    assert contains(repr(together), dtype, a, b)
    if dtype in ("float64", "float32"):
        assert contains(repr(together.numpy()), dtype, a, b)
        assert contains(str(list(together.numpy())), dtype, a, b)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@few_examples
@given(data=st.data())
def test_with_their_printed_difference_too(dtype, data):
    a, b = data.draw(pairs(dtype))
    assume((a - b).isfinite())
    assert contains(f"{a} {b}\n{a - b}", dtype, a, b)
    assert contains(f"{a.item():.4g} {b.item():.4g} {(a - b).item():.4g}", dtype, a, b)


@pytest.mark.parametrize(
    ("a", "b", "printed"),
    [
        (0.500000003, 123.45678901, "[  0.5        123.45678901]"),  # NumPy drops the zeros of the decimals
        (1.000000001, 2.0, "[1. 2.]"),
    ],
)
def test_the_zeros_that_numpy_drops(a, b, printed):
    pair = np.array([a, b])
    assert str(pair) == printed
    assert contains(str(pair), "float64", *torch.tensor(pair)) and contains(repr(pair), "float64", *torch.tensor(pair))


def test_the_difference_of_numbers_that_may_be_on_either_side_of_zero():
    a, b = torch.tensor(1e-9), torch.tensor(5e-6)
    assert contains(f"{a:.4f} {b:.4f} {a - b:.4g}", "float32", a, b)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@few_examples
@given(data=st.data())
def test_all_digits_leave_nothing_open(dtype, data):
    a, b = data.draw(pairs(dtype))
    for texts in ([f"{x.item():.16e}" for x in (a, b)], [x.item().hex() for x in (a, b)]):
        pair = one(" ".join(texts), dtype)
        assert pair.ulps == (int(ulp_distance(a, b)),) * 2
        assert pair.difference == abs(Fraction(a.item()) - Fraction(b.item()))
        assert [number.value for number in pair.numbers] == [Fraction(a.item()), Fraction(b.item())]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_above_a_tolerance_is_what_its_check_refuses(dtype):
    one_and_more = torch.tensor([1 + 2.0**-j for j in range(-3, 31)], dtype=TORCH[dtype])
    told = [figures(decode(f"{x.item().hex()} 0x1", dtype))["above"]["assert_close"] for x in one_and_more]
    refused = []
    for x in one_and_more:
        try:
            torch.testing.assert_close(x, torch.ones((), dtype=TORCH[dtype]))
            refused.append(False)
        except AssertionError:
            refused.append(True)
    assert told == refused and {*refused} == {True, False}


@pytest.mark.parametrize("layout", [".4e", ".4f"])
def test_no_float_is_counted_that_is_not_printed_so(layout):
    """Against 6,000 float16 numbers, from 0.14 on. A float in the middle between two texts is counted for both."""
    printed_so = {}
    for place in range(12_000, 18_000):
        printed_so.setdefault(f"{float_at(place, 'float16').item():{layout}}", []).append(place)
    texts = list(printed_so)[1:-1]
    assert len(texts) > 1000
    for text in texts[::30]:
        (number,) = decode(text, "float16").numbers
        places = printed_so[text]
        assert places[0] - 1 <= number.lowest <= places[0] and places[-1] <= number.highest <= places[-1] + 1
        assert number.floats < len(places) + 2


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_formats_are_those_of_torch(dtype):
    form, finfo = FORMATS[dtype], torch.finfo(TORCH[dtype])
    assert (float(form.eps), float(form.smallest)) == (finfo.eps, finfo.smallest_normal * finfo.eps)
    assert float(form.value(form.infinity - 1)) == finfo.max


@few_examples
@given(data=st.data(), dtype=st.sampled_from(EVERY_DTYPE))
def test_places_values_and_spacings_are_those_of_torch(data, dtype):
    form, place = FORMATS[dtype], data.draw(floats_of(dtype))
    x = float_at(place, dtype)
    value = Fraction(x.item())
    assert form.value(place) == value and form.floor(value) == form.ceil(value) == form.nearest(value) == place
    if abs(place) < form.infinity - 1:
        assert form.spacing(place) == Fraction(float(spacing(x)))
    low, high = form.value(place), form.value(place + 1)
    assert form.nearest((low + high) / 2) in (place, place + 1) and form.nearest((low + high) / 2) % 2 == 0
    third = low + (high - low) / 3
    assert (form.floor(third), form.nearest(third), form.ceil(third)) == (place, place, place + 1)


@few_examples
@given(data=st.data(), dtype=st.sampled_from(EVERY_DTYPE))
def test_a_number_alone(data, dtype):
    x = float_at(data.draw(floats_of(dtype)), dtype)
    told = figures(decode(x.item().hex(), dtype))
    m, e = re.fullmatch(r"(-?[0-9]+)·2\^(-?[0-9]+)", told["exact"]).groups()
    assert int(m) * Fraction(2) ** int(e) == Fraction(x.item()) and (int(m) % 2 or x == 0)
    assert float.fromhex(told["hexadecimal"]) == told["value"] == to_float64(x) and told["floats"] == 1
    assert (told["power_of_two"] is not None) == (abs(int(m)) == 1)
    assert "ulps" not in told


def test_the_example_of_the_command_line():
    told = figures(decode("0.1 0.10000000894", "float32"))
    assert told["ulps"] == [1, 1] and told["power_of_two"] == -27
    assert told["difference"] == told["spacing"] == 2**-27
    assert told["verdict"] == "7.4506e-09 is 2^-27, exactly one ulp of 0.1: no float lies between the two."


@pytest.mark.parametrize(
    ("value", "difference", "exponent"),
    [("-0.0086", "9.3132e-10", -30), ("0.0514", "3.7253e-09", -28), ("-0.0260", "1.8626e-09", -29)]
    + [("-0.9074", "5.9605e-08", -24)],
)
def test_the_posts_differences_are_one_ulp_each(value, difference, exponent):
    is_ulp = f"{difference} is 2^{exponent}, exactly one ulp of {value}: "
    said = f"{is_ulp}no float lies between the two."
    for text in (
        f"{value} {value} {difference}",
        f"tensor({value}) tensor({value}, grad_fn=<M>)\ntensor({difference})",
    ):
        told = figures(decode(text, "float32"))
        assert (told["ulps"], told["difference"], told["power_of_two"]) == ([1, 1], 2.0**exponent, exponent)
        assert told["verdict"] == said and told["above"] == dict.fromkeys(tolerances("float32"), False)
    beside = figures(decode(f"{value}, {difference}", "float32"))
    assert beside["as_difference"]["ulps"] == [1, 1] and beside["as_difference"]["power_of_two"] == exponent
    assert beside["ulps"][0] > 10**8 and beside["verdict"].startswith(f"{is_ulp}no two floats of its binade are ")
    ends = (2.0 ** (exponent + 23), 2.0 ** (exponent + 24))
    assert "one ulp of every float32 from {:.5g} up to {:.5g}.".format(*ends) in verdict(difference)


def test_a_whole_sample_of_the_post():
    """Near 2**-6 = 0.015625 the spacing changes, and so the digits of -0.0156 allow one ulp or two."""
    told = figures(decode(POST, "float32"))
    assert [part["ulps"] for part in told["components"]] == [[0, 0], [1, 2], [0, 0], [2, 2], [1, 1]]
    assert told["worst"] == 3
    assert told["verdict"] == (
        "Of 5 components, 2 are the same float32, 1 is exactly one ulp apart (no float lies between the two), "
        "1 is at least one ulp apart and 1 is further apart. The farthest is component 3, counted from 0: "
        "7.4506e-09 is 2^-27, exactly 2 ulps of -0.0499."
    )


@pytest.mark.parametrize(
    ("text", "dtype", "said"),
    [
        (
            "0.0086 0.0086",
            "float32",
            "0.0086 and 0.0086 are 0 to 107,373 ulps apart in float32: their printed digits leave open whether they "
            "differ.",
        ),
        ("0.0086 0.0086", "bfloat16", "0.0086 and 0.0086 are the same bfloat16."),
        (
            "0.3 0.30000000000000004",
            "float64",
            "5.5511e-17 is 2^-54, exactly one ulp of 0.3: no float lies between the two.",
        ),
        ("1.0000000 1.0000005", "float32", "4.7684e-07 is 2^-21, exactly 4 ulps of 1.0000000."),
        ("-0.0035 -0.0035 -4.6566e-10", "float32", "-4.6566e-10 is -2^-31, exactly 2 ulps of -0.0035."),
        ("tensor([1., 2.])", "float32", "1. and 2. are exactly 8,388,608 ulps apart in float32."),
        ("[1, 1, 1, 1]\n[1, 1, 1, 1]", "float16", "All 4 components are left open by the printed digits."),
        ("1 1 1 1\n1 1 1 1", "bfloat16", "All 4 components are the same bfloat16."),
        ("[1, 2, 5]", "float32", "3 numbers, each by itself. Paste a second vector, and the two are compared."),
        ("0.10000000149011612", "float32", "The float32 nearest to 0.10000000149011612 is 13421773·2^-27."),
        ("0x1.8p-3", "float16", "0x1.8p-3 is a float16, exactly 3·2^-4."),
        ("-3.5000000000", "float32", "-3.5000000000 is a float32, exactly -7·2^-1."),
        ("0.1", "float32", "The float32 nearest to 0.1 is 13421773·2^-27, one of 13,422 that its digits stand for."),
        (
            "0x1p-149",
            "float32",
            "0x1p-149 is 2^-149: as a difference, exactly one ulp of every float32 from 1.1755e-38 ",
        ),
        ("0x1p127", "float32", "0x1p127 is 2^127."),
        ("-1e308 1e308", "float64", "-1e308 and 1e308 are 18,"),
    ],
)
def test_verdicts(text, dtype, said):
    told = verdict(text, dtype)
    assert told.startswith(said) and told.endswith(".") and "`" not in told


@pytest.mark.parametrize(
    ("text", "ulps"),
    [
        ("[[0.5, 0.25], [0.5, 0.25]]", [(0, 0), (0, 0)]),
        ("tensor([0.5, 0.25], device='cuda:0') (by backward)\ntensor([0.5, 0.25], dtype=torch.bfloat16)", [(0, 0)] * 2),
        ("a: array([0.5, 0.25])\nb: array([0.5, 0.2520])", [(0, 0), (1, 1)]),
        ("1 \n 1.0078125", [(1, 1)]),
        ("1, 1.0078125", [(1, 1)]),
        ("0.5 0.5 0.0", [(0, 0)]),
        ("\N{MINUS SIGN}1 -1.0078125", [(1, 1)]),
        (">>> 1, 1.0078125", [(1, 1)]),
    ],
)
def test_what_people_paste_is_read(text, ulps):
    assert [pair.ulps for pair in decode(text, "bfloat16").pairs] == ulps


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There are no numbers in it: paste two numbers, or two vectors as they were printed."),
        (
            "tensor([True, False])",
            "There are no numbers in it: paste two numbers, or two vectors as they were printed.",
        ),
        ("[True, 1]", "Numbers are mixed with True or False in one list: compare numbers only."),
        ("1 70000", "'70000' is no float16: the largest is 65504, and what reaches 65520 in size is rounded to inf"),
        ("0x1p9999", "'0x1p9999' is no float16: the largest is 65504, "),
        ("0.5 1.5 0.9", "'0.9' is not the difference of 0.5 and 1.5: by their digits they are 1 apart."),
        ("0.5\n1.5\n0.9", "'0.9' is not the difference of 0.5 and 1.5: by their digits they are 1 apart."),
        ("1 2 5", "'5' is not the difference of 1 and 2: by their digits they are from 1 to 1.0005 apart."),
        ("2049 1 2000", "'2000' is not the difference of 2049 and 1 rounded to float16, which does not hold 2049."),
        ("inf 1 5", "'5' is not the difference of inf and 1: that is inf."),
        ("0.5 0.5 nan", "'nan' is not the difference of 0.5 and 0.5: by their digits they are "),
        ("tensor([1.], dtype=torch.float8_e5m2)", "The paste's dtype 'float8_e5m2' cannot be read: it must be one of "),
        ("1 2 dtype=complex64", "The paste's dtype 'complex64' cannot be read: it must be one of float64, float32, "),
        ("0.1 + 0.2", "Between two numbers stands '+', but nothing is computed here: paste the values."),
        ("at index (0, 1)", "There are no values in it: 'at index (0, 1)' is passed over as an index, a "),
        ("1e-99999999999999999999", "The number '1e-99999999999999999999' is beyond the range of float64."),
        ("1'000 2", 'The number "1\'000" has apostrophes: write it without a sign between thousands.'),
        ("0.5 -1’234.5", "The number '-1’234.5' has apostrophes: write it without a sign between thousands."),
        ("1e401", "The number '1e401' is beyond the range of float64."),
        ("0." + "1" * 400, f"The number '0.{'1' * 54}… is too long: at most 400 characters are allowed."),
        ("[1, 2, 3]\n[1, 2]", "The vectors have 3 and 2 numbers: allowed are vectors of one length."),
        ("1 2\n1 2\n1 2\n1 2", "The paste has 4 rows: allowed are two vectors, or two and their difference."),
        ("1 " * (MOST_NUMBERS + 1), "The paste has 301 numbers; at most 300 are allowed."),
        ("1," * 60_000, "The paste has 120,000 characters; at most 100,000 are allowed."),
        ("٣ 1", "'٣' is not a number: only lists of numbers and printed tensors or arrays can be read."),
        ("__import__('os')", "There are no numbers in it: paste two numbers, or two vectors as they were printed."),
        (
            "[__import__('os')]",
            "'__import__' is not a number: only lists of numbers and printed tensors or arrays can be read.",
        ),
        (
            "[0.1, ..., 0.2]",
            "Numbers are left out at '...': print it all, after torch.set_printoptions(threshold=10**6)",
        ),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_what_cannot_be_read_is_told_in_a_sentence(text, said):
    with pytest.raises(PasteError) as caught:
        decode(text, "float16")
    message = str(caught.value)
    assert (
        message.startswith(said) and message.isprintable() and message.endswith(".") and caught.value.shown in message
    )


def test_a_dtype_that_is_none_is_refused():
    with pytest.raises(PasteError, match="dtype = 'float8' is not allowed: it must be one of float64, float32, "):
        decode("1 2", "float8")


tokens = st.sampled_from(["0.1", "-1.", "1e-9", "0.0086", "5e400", "nan", "True", "0x1p-3", "12345678", "0"])
tokens |= st.sampled_from(["[", "]", "tensor(", ")", ",", " ", "\n", "...", "J: ", "(a)", "1j", "dtype=float32"])


@settings(max_examples=150)
@given(
    st.text(st.characters(exclude_categories=())) | st.lists(tokens, max_size=30).map("".join),
    st.sampled_from(EVERY_DTYPE),
)
def test_any_text_is_decoded_or_gets_a_sentence(text, dtype):
    try:
        decoding = decode(text, dtype)
    except PasteError as error:
        assert str(error).isprintable() and str(error).endswith(".")
    else:
        told = json.loads(json.dumps(figures(decoding), allow_nan=False))
        assert told["verdict"].endswith(".") and told["dtype"] in (decoding.named or (dtype,))
        rows = by_component(decoding) + one_below_another(decoding.numbers) + as_differences(decoding.numbers)
        rows += [row for one in (*decoding.pairs, *decoding.numbers) for row in of_difference(one, decoding.format)]
        assert all(expected(pair).endswith(".") for pair in decoding.pairs)
        assert rows and all(isinstance(cell, str) for row in rows for cell in row.values())


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@few_examples
@given(data=st.data(), d=digits)
def test_a_third_number_is_refused_only_if_it_is_not_the_difference(dtype, data, d):
    """The oracle is the interval of fractions that the texts allow, without any float in between."""
    a, b = data.draw(pairs(dtype))
    third = data.draw(st.integers(1, 10**d)) * Fraction(10) ** data.draw(st.integers(-d, 3))
    texts = [f"{x.item():.{d}e}" for x in (a, b)] + [f"{float(third):.{d}e}"]
    values = [Fraction(text) for text in texts]
    halves = [Fraction(10) ** int(text.partition("e")[2]) / 10**d / 2 for text in texts]
    coarsest = max(Fraction(spacing(x).item()) for x in (a, b))  # what the subtraction may round off
    apart = abs(abs(values[0] - values[1]) - values[2])
    try:
        decode(" ".join(texts), dtype)
    except PasteError as error:
        assert "is not the difference of" in str(error) or "is no float" in str(error)
        assert abs(abs(Fraction(a.item()) - Fraction(b.item())) - values[2]) > 0
    else:
        assert apart <= sum(halves) + 2 * coarsest


HELD = {"2049": "float16", "0.1000000000000000055511151231257827": "float32", "1.001": "bfloat16", "1e-9": "float16"}


@pytest.mark.parametrize(("text", "dtype"), HELD.items())
def test_a_number_that_the_dtype_does_not_hold_is_none(text, dtype):
    told = figures(decode(text, dtype))
    (number,) = decode(text, dtype).numbers
    below, above = number.neighbours
    assert below < Fraction(text) < above and number.value in (below, above)
    nearest = torch.tensor(float(text), dtype=torch.float64).to(TORCH[dtype])
    assert told["value"] == nearest.item() and told["held"] is False and told["power_of_two"] is None
    assert f" is no {dtype}: it lies between " in told["verdict"]
    assert one_below_another([number])[0]["floats it may stand for"] == "0"
    for pair in (f"{text} 1.5", f"1.5 {text}"):
        assert f" is no {dtype}. Rounded to the nearest {dtype}, " in verdict(pair, dtype)
    (note,) = notes(decode(f"[{text}, 1, 1, {text}]", dtype))
    assert f"and 1 more are no {dtype}, and read as the nearest one." in note


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_fewest_digits_of_a_power_of_two_are_one(dtype):
    """Some are more than half a unit off, since floats below a power of two are twice as dense as those above."""
    form = FORMATS[dtype]
    powers = [2.0**e for e in range(form.smallest_exponent, form.largest_exponent)]
    in_numpy = {"float64": np.float64, "float16": np.float16}.get(dtype, np.float32)
    texts = {text: x for x in powers for text in (repr(x), str(in_numpy(x)))}
    wide = [
        text for text, x in texts.items() if 2 * abs(Fraction(text) - Fraction(x)) > Fraction(10) ** last_place(text)
    ]
    assert wide or dtype == "float16"
    assert all(number.is_held for text in texts for number in decode(text, dtype).every_number)


@pytest.mark.parametrize(("text", "dtype"), [("0.00782", "bfloat16"), ("9.765e-04", "bfloat16"), ("0.2501", "float16")])
def test_digits_near_a_power_of_two_that_nothing_prints_of_it_are_none(text, dtype):
    assert not any(number.is_held for number in decode(text, dtype).every_number)


def last_place(text: str) -> int:
    digits, _, exponent = text.partition("e")
    return int(exponent or 0) - len(digits.partition(".")[2])


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@few_examples
@given(data=st.data(), d=st.integers(1, 17), kind=st.sampled_from("gef"))
def test_whatever_is_printed_of_a_float_is_one(dtype, data, d, kind):
    x = float_at(data.draw(floats_of(dtype)), dtype)
    texts = [str(x.item()), x.item().hex()]
    if abs(float(rounded := f"{x.item():.{d}{kind}}")) <= torch.finfo(x.dtype).max:  # 7e+04 is no float16, but 65504 is
        texts.append(rounded)
    assert all(number.is_held for text in texts if len(text) <= 400 for number in decode(text, dtype).every_number)


@few_examples
@given(st.integers(1, 15), st.integers(-149, -13), st.booleans())
def test_differences_alone_are_powers_of_two_and_ulps_of_what(m, exponent, negative):
    """Against torch's spacing at both ends of the binade, and just outside of it."""
    x = torch.tensor(m * 2.0**exponent * (-1) ** negative)
    told = figures(decode(f"difference {x.item():.6e}", "float32"))
    assert told["read_as"] == "differences"
    odd, power = told["multiple_of_power_of_two"]
    assert odd % 2 and odd * Fraction(2) ** power == abs(Fraction(x.item()))
    low, high = (torch.tensor(end) for end in told["one_ulp_of"])
    before = torch.nextafter(high, torch.tensor(0.0))
    assert odd * spacing(low) == odd * spacing(before) == abs(x) and spacing(high) == 2 * spacing(low)


def test_a_row_of_differences_alone():
    told = figures(decode("9.3132e-10, 3.7253e-09, 1.8626e-09", "float32"))
    assert told["verdict"] == (
        "Read as 3 differences: they are 2^-30, 2^-28 and 2^-29, as far as their digits tell, each one ulp of the "
        "floats of one binade."
    )
    assert [number["one_ulp_of"] for number in told["numbers"]] == [[2**-7, 2**-6], [2**-5, 2**-4], [2**-6, 2**-5]]
    (row,) = [line for line in POST.splitlines() if "(difference)" in line]
    assert verdict(row).startswith("Read as 5 differences, 2 of them zero: the others are 2^-29, 2^-27 and -2^-29, as ")
    row = row.removesuffix(" (difference)").replace("7.4506e-09", "5.5879e-09")
    assert "2^-29, 3·2^-29 and -2^-29, as far as their digits tell, each a few ulps " in verdict(row)
    assert figures(decode("9.3132e-10 3.7253e-09 2.7940e-09", "float32"))["ulps"]  # the third is the difference


@pytest.mark.parametrize(
    "text",
    ["0.5 0.25 0.125 0.5", "[0.5000, 0.2500, 0.1250]", "0.1 0.2 0.3 0.4", "[1.1921e-07, 3.1416e+00, 1.1921e-07, 1.0]"],
)
def test_values_are_no_differences(text):
    assert figures(decode(text, "float32"))["read_as"] == "numbers"


def test_a_zero_that_numpy_suppresses_tells_nothing():
    tiny = np.array([1e-9, 0.5])
    with np.printoptions(suppress=True):
        printed = str(tiny)
    assert printed.startswith("[0. ")
    (tiny_pair,) = decode(printed, "float64").pairs
    assert tiny_pair.first.ends[0] <= 1e-9 <= tiny_pair.first.ends[1]
    assert verdict("0.") == (
        "0. need not be zero: NumPy with suppress=True prints that for whatever its decimals do not show. Nothing "
        "follows from it."
    )
    rows = "[0.1 0.2 0.3 0.4]\n[0.1 0.2 0.3 0.4]\n[0. 0. 0. 0.]"
    assert verdict(rows).startswith("All 4 components are left open by the printed digits.")
    assert len(notes(decode(rows, "float32"))) == 1
    whole = "tensor([0., 0., 0., 0.])"  # as PyTorch prints whole numbers
    assert [number.floats for number in decode(whole, "float32").numbers] == [1] * 4
    assert not notes(decode(whole, "float32"))


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("tensor(5.5e-17, dtype=torch.float64)", "float64"),
        ("array([0.1], dtype=float32)", "float32"),
        ("np.float32(0.1)", "float32"),
        ("np.float64(0.1) 0.2", "float64"),
        ("[np.float16(0.1), np.float16(0.2)]", "float16"),
        ("tensor([0.1, 0.2], dtype=torch.bfloat16, grad_fn=<X>)", "bfloat16"),
        ("0    0.1\n1    0.2\ndtype: float64", "float64"),
        (" 0.1\n 0.2\n[torch.DoubleTensor of size 2]", "float64"),
        ("0.1 0.2\n[torch.cuda.HalfTensor of size 2 (GPU 0)]", "float16"),
        ("array([0.1], dtype='<f8')", "float64"),
        ("tensor(1., dtype=torch.float64) tensor(1., dtype=torch.float16)", "float16"),
        ("tensor(1., dtype=torch.float16) tensor(1., dtype=torch.bfloat16)", "bfloat16"),
        ("tensor([1, 2], dtype=torch.int32)", None),
        ("0.1 0.2", None),
    ],
)
def test_the_dtype_in_the_paste_counts_more_than_the_chosen_one(text, dtype):
    for chosen in EVERY_DTYPE:
        decoding = decode(text, chosen)
        assert figures(decoding)["dtype"] == (dtype or chosen)
        said = [note for note in notes(decoding) if note.startswith("The paste names ")]
        assert len(said) == (dtype is not None) and all(f"read as {dtype}" in note or dtype in note for note in said)


def test_the_digits_leave_open_only_what_was_asked():
    assert verdict("0.31 vs 0.32").endswith(" ulps apart in float32.")
    assert "leave open whether they differ" in verdict("0.31 vs 0.31")
    assert "open" not in verdict("0.100000 0.100001")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nan", "nan is not a number: it equals nothing, not even itself, and has no place on the float line."),
        ("-inf", "-inf is minus infinity: the largest float16 is 65504, and what reaches 65520 in size is rounded to "),
        ("nan nan", "nan and nan are not equal: NaN equals nothing, not even NaN, and is no number of ulps from "),
        ("1 nan", "1 and nan are not equal: NaN equals nothing"),
        ("inf inf", "inf and inf are equal, though their difference is NaN: "),
        ("inf -inf inf", "inf and -inf are not equal, and no number of ulps apart: the float line ends before "),
        (
            "tensor([1., nan, inf, 2.])\ntensor([1., nan, inf, 2.])",
            "Of 4 components, 2 are the same float16 and 2 are NaN or infinite.",
        ),
        ("[nan, nan, nan, nan]\n[1, 1, 1, 1]", "All 4 components are NaN or infinite."),
    ],
)
def test_nan_and_infinities_get_an_answer(text, said):
    assert verdict(text, "float16").startswith(said)


@pytest.mark.parametrize("a", [float("nan"), float("inf"), -float("inf"), 1.0])
@pytest.mark.parametrize("b", [float("nan"), float("inf"), -float("inf")])
def test_of_nan_and_infinities_torch_says_what_is_close(a, b):
    told = figures(decode(f"{a} {b}", "float32"))
    assert told["ulps"] is None and told["difference"] is None
    for name, tolerance in tolerances("float32").items():
        close = torch.isclose(torch.tensor(a), torch.tensor(b), tolerance.rtol, tolerance.atol)
        assert told["above"][name] is not bool(close)


def test_which_one_is_expected_is_told_by_words_and_may_matter():
    either_way = decode("0.5 0.25", "float32")
    assert "`0.25` is taken as the expected one." in expected(either_way.pairs[0])
    assert "`0.5` is taken as the expected one." in expected(decode("expected 0.5 got 0.25", "float32").pairs[0])
    alone = expected(decode("inf nan", "float32").pairs[0])
    assert alone.startswith(
        "`nan` is taken as the expected one. `torch.isclose` calls an infinity close to itself alone"
    )
    a, b = float.fromhex("0x1.004p0"), 1.0  # one ulp above 1 is more than 1e-3 of 1, and of the other one it is not
    texts = [f"{x.hex()}" for x in (a, b)]
    for first, second, x, y in ((*texts, a, b), (*texts[::-1], b, a)):
        told = figures(decode(f"{first} {second}", "float16"))
        for name, tolerance in tolerances("float16").items():
            close = torch.isclose(*torch.tensor([x, y], dtype=torch.float16), tolerance.rtol, tolerance.atol)
            assert told["above"][name] is not bool(close)


def test_the_most_numbers_are_decoded_within_a_slice():
    row = " ".join(f"{0.1 + i / 1000:.17g}" for i in range(MOST_NUMBERS // 3))
    text = "\n".join([row, row, " ".join(["0."] * (MOST_NUMBERS // 3))])
    assert len(decode(text, "float64").pairs) == 100 and verdict(text, "float64").startswith(
        "All 100 components are the"
    )


def test_the_tables_have_what_the_figures_say():
    pair = one("tensor(0.0514) tensor(0.0514)\ntensor(-3.7253e-09)")
    facts = {row["fact"]: row["figure"] for row in of_difference(pair, pair.format)}
    assert (facts["distance"], facts["difference"]) == ("1 ulp", "`2^-28` = 3.7253e-09")
    assert list(facts.values())[-3:] == ["no", "no", "no"]
    sides = {row["fact"]: row for row in side_by_side(pair.numbers[:2])}
    assert sides["pasted"] == {"fact": "pasted", "first": "`0.0514`", "second": "`0.0514`"}
    assert sides["one ulp there"]["second"] == "`2^-28` = 3.7253e-09"
    left_open = by_component(decode("[0.5, 0.0514]\n[0.5, 0.0514]", "float32"))[1]
    assert left_open["difference"] == "0 to 9.9998e-05"  # not 0, which the digits do not tell


@pytest.mark.parametrize("text", ["-0.0 0.0", "0x0p0 -0x0p0", "tensor(-0.) tensor(0.)", "[-0.0]\n[0]"])
def test_zeros_of_opposite_sign_are_equal_and_two_floats(text):
    told = figures(decode(text, "float32"))
    assert told["ulps"] == [0, 0] and "are equal, but two floats: +0 and −0 " in told["verdict"]
    bits = {struct.pack("d", number["value"]) for number in told["numbers"]}
    assert bits == {struct.pack("d", 0.0), struct.pack("d", -0.0)}
    assert {number["hexadecimal"] for number in told["numbers"]} == {"0x0p+0", "-0x0p+0"}
    assert "same" in verdict("-0.0 -0.0")
    vectors = "tensor([-0., 1.])\ntensor([0., 1.])"
    assert verdict(vectors).startswith("Of 2 components, 1 is the same float32 and 1 is equal, but as +0 and −0")
    assert verdict("tensor([0., 1.])\ntensor([0., 1.])") == "Both components are the same float32."


@pytest.mark.parametrize(
    ("text", "dtype", "a", "b"),
    [("0 1e-8", "float32", 0, 1e-8), ("0.0 1e-10", "float32", 0, 1e-10), ("5e-324 0", "float64", 5e-324, 0)],
)
def test_a_typed_zero_is_zero_and_no_zero_makes_a_number_in_e_notation_less_precise(text, dtype, a, b):
    assert contains(text, dtype, *torch.tensor([a, b], dtype=TORCH[dtype]))
    (pair,) = decode(text, dtype).pairs
    assert (pair.first.floats, pair.second.floats)[a != 0] == 1 and pair.ulps[0] > 0
    assert pair.differences[1] < Fraction(1.001) * Fraction(max(a, b)) or pair.ulps == (1, 1)


@pytest.mark.parametrize("precision", [1, 2, 3, 4, 8])
def test_a_zero_of_numpy_stands_for_whatever_its_decimals_do_not_show(precision):
    hidden = 0.4 * 10.0**-precision
    with np.printoptions(suppress=True, precision=precision):
        for values in ([hidden, 0.0], [hidden, 0.5], [hidden, -hidden]):
            pair = np.array(values)
            numbers = decode(str(pair), "float64").every_number
            for number, x in zip(numbers, pair, strict=True):
                assert number.ends[0] <= x <= number.ends[1]


def test_a_zero_with_decimals_was_rounded_to_them():
    for text, end in {"0.00": 0.005, "0.000": 0.0005, "0.0000": 0.00005, "0.0": 0, "0": 0, "0e+00": 0}.items():
        (number,) = decode(text, "float64").numbers
        assert number.ends == (-Fraction(end), Fraction(end)) or 0 < Fraction(end) - number.ends[1] < 1e-18


def test_the_least_difference_is_claimed_of_a_binade_only():
    """Below 1 floats are closer than above it."""
    assert verdict("1 1.0000001") == "1.1921e-07 is 2^-23, exactly one ulp of 1: no float lies between the two."
    beside = verdict("1.0000000 1.1920929e-07")
    said = "1.1920929e-07 is 2^-23, exactly one ulp of 1.0000000: no two floats of its binade are closer to each other."
    assert beside.startswith(said)


def test_four_decimals_are_printed():
    assert "PyTorch prints four decimals" in why_print_more().why

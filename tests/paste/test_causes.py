"""The likely cause, on numbers that were made by really doing it in torch."""

import re
from functools import reduce

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from lib.experiment.studies import STUDIES
from lib.experiment.views import VIEW_KEYS
from lib.paste.causes import CAUSES, likely_cause
from lib.paste.decode import decode
from lib.paste.decode_tables import figures

DRAW = torch.Generator().manual_seed(7)
W = torch.randn(6, generator=DRAW)
MANY = torch.randn(40, generator=torch.Generator().manual_seed(11))
X, V = torch.randn(6, 64, generator=DRAW), torch.randn(64, generator=DRAW)
AFTER_POINT = {"float64": 16, "float32": 8, "bfloat16": 5, "float16": 5}


def printed(*vectors):
    """Print vectors with all digits of their dtype, each on a line."""
    return "\n".join(f"[{', '.join(f'{x:.{AFTER_POINT[_name(v)]}e}' for x in v.tolist())}]" for v in vectors)


def _name(vector):
    return str(vector.dtype).removeprefix("torch.")


def in_tf32(x):
    """Round to 10 bits after the leading one, ties to even, on the bits: an oracle that knows no `Format`."""
    bits = x.view(torch.int32)
    return ((bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


def cause(text, dtype="float32", place=None):
    found = likely_cause(decode(text, dtype), place)
    return (found.name, found.proved) if found else None


TERMS = (X * V).abs().unbind(1)
REORDERED = reduce(torch.add, TERMS), reduce(torch.add, TERMS[::-1])  # a cumsum adds in float64

MADE = {
    "reordered": (printed(*REORDERED), ("few ulps", False)),
    "next float": (printed(W, torch.nextafter(W, W + 1)), ("few ulps", False)),
    "mean of 6": (printed(W, W / 6), ("factor", True)),
    "added twice": (printed(W, W + W), ("factor", True)),
    "mean of 64": (printed(64 * W, W), ("factor", True)),
    "as torch prints it": (f"{W}\n{4 * W}", ("factor", True)),
    "one number of four decimals": ("0.0086 0.5504", ("factor", False)),
    "one pair of four decimals": ("0.3333 1.3333", ("factor", False)),
    "one pair in all digits": (printed(W[:1], 64 * W[:1]), ("factor", False)),
    "the same pair twice": (printed(W[[0, 0]], 64 * W[[0, 0]]), ("factor", False)),
    "too few digits for 1,024": ("[0.001, 0.002] [1.024, 2.048]", ("about", False)),
    "0 to four decimals": ("0.0514 0.0000", ("zero", False)),
    "negated": (printed(W, -W), ("factor", True)),
    "negated mean": (printed(W, -W / 3), ("factor", True)),
    "stored in bfloat16": (printed(MANY, MANY.bfloat16().float()), ("rounded", True)),
    "stored in float16": (printed(MANY.half().float(), MANY), ("rounded", True)),
    "stored in TF32": (printed(MANY, in_tf32(MANY)), ("rounded", True)),
    "beyond float16 in TF32": (printed(MANY * 1e6, in_tf32(MANY * 1e6)), ("rounded", True)),
    "product in bfloat16": (printed(X @ V, (X.bfloat16() @ V.bfloat16()).float()), ("rounded", True)),
    "factors in TF32": (printed(X @ V, in_tf32(X) @ in_tf32(V)), ("eps", False)),
    "factors in bfloat16": (printed(X @ V, X.bfloat16().float() @ V.bfloat16().float()), ("eps", False)),
    "cancelled": (
        printed(torch.stack([W[0], W[0] + 1e-4 - W[0]]), torch.stack([W[0], torch.tensor(1e-4)])),
        ("cancellation", False),
    ),
    "ReLU": (printed(torch.tensor([0.25]), torch.relu(torch.tensor([-1.0]))), ("zero", False)),
    "saturated": ("0.0 4.2e-18", ("zero", False)),
    "underflow": ("0.0 1.4013e-45", ("zero", False)),
    "another function": (printed(W, W.roll(1)), ("far", False)),
    "0/0": (printed(torch.zeros(2) / 0, W[:2]), ("not finite", False)),
    "1/0": ("inf 3.0", ("not finite", False)),
    "a NaN in a gradient": ("tensor([nan, 1., 2.])", ("not finite", False)),
    "the post": ("-0.0086 -0.0086 9.3132e-10", ("few ulps", False)),
    "equal": (printed(W, W), None),
    "alike in print": ("0.0086 0.0086", None),
    "equal infinities": ("inf inf", None),
    "zeros that differ": ("0.0000 -0.0000 0.0001", ("far", False)),
    "zeros of opposite sign": ("0.0 -0.0", None),
    "a hundred floats": ("1.0 1.0000119", None),
    "one number": ("0.5", None),
    "a difference of a number": ("0.0086 9.3132e-10", None),
    "differences": ("tensor([0.0000e+00, 9.3132e-10, -3.7253e-09, 1.8626e-09])", None),
}


@pytest.mark.parametrize("text, expected", MADE.values(), ids=MADE)
def test_the_cause_is_what_was_done(text, expected):
    assert cause(text) == expected


@pytest.mark.parametrize(
    "text, dtype, expected",
    [
        (printed(MANY.double().sin(), MANY.sin().double()), "float64", ("rounded", True)),
        (printed(W.bfloat16(), torch.nextafter(W.bfloat16(), W.bfloat16() + 1)), "bfloat16", ("few ulps", False)),
        (printed(W.half(), 4 * W.half()), "float16", ("factor", True)),
    ],
    ids=["float32 in float64", "neighbours in bfloat16", "fourfold in float16"],
)
def test_the_cause_in_other_dtypes(text, dtype, expected):
    assert cause(text, dtype) == expected


def test_every_cause_was_made():
    assert {expected[0] for _, expected in MADE.values() if expected} == {one.name for one in CAUSES}


def said(text, dtype="float32"):
    return likely_cause(decode(text, dtype)).sentence


def test_the_format_is_named():
    assert "rounded to bfloat16: it was" in said(MADE["stored in bfloat16"][0])
    assert "rounded to float16 or TF32:" in said(MADE["stored in TF32"][0])
    assert "rounded to TF32:" in said(MADE["beyond float16 in TF32"][0])
    assert "was computed in float16 or TF32, whose eps is 0.00098." in said(MADE["factors in TF32"][0])
    sines = MANY.double().sin()
    assert "rounded to float32:" in said(printed(sines, sines.float().double()), "float64")


def test_a_size_that_the_digits_leave_open_is_an_upper_bound():
    """Worked out by hand from half units of the last digits."""
    printed_so = "tensor([0.2547, -0.2043, 1.0450]) tensor([0.2539, -0.2041, 1.0469])"
    assert "the largest difference is at most 0.002." in said(printed_so)  # (1.04695 − 1.04495) / 1.04685
    sizes = "tensor([0.254700, -0.204300, 1.045000]) tensor([0.253900, -0.204100, 1.046900])"
    assert "the largest difference is 0.0018." in said(sizes)
    cancelled = said("[9.0000000, 0.0006000] [9.0000000, 0.0006010]")
    assert "the difference, at most 1.1e-06, is at most 2 ulps of" in cancelled  # an ulp of 9 is 9.5e-7
    assert "the difference, 9.5e-07, is at most one ulp of" in said("[9, 6.000000000e-04] [9, 6.009536743e-04]")


def test_a_sum_is_told_from_a_mean_with_its_number():
    assert said(printed(W, W / 6)) == (
        "Each component of the first is 6 times the second, to all digits given: for example a sum against a mean "
        "over 6, one gradient added 6 times, or a factor left out. The vectors have 6 components."
    )
    assert "The second is 64 times the first, as far as the digits tell" in said("0.0086 0.5504")
    assert "added twice, as by a second `backward()`" in said(printed(W, 2 * W))
    assert "is −3 times the second" in said(printed(W, -W / 3))


def test_a_factor_is_seldom_shown_by_chance():
    """Of a thousand pairs of unrelated numbers in four digits, some have a factor of their own, and none is shown."""
    draws = torch.rand(1000, 2, generator=torch.Generator().manual_seed(3)) + 0.1
    found = [cause(f"{first:.4f} {50 * second:.4f}") for first, second in draws.tolist()]
    assert ("factor", False) in found and ("factor", True) not in found


def test_digits_that_are_too_few_are_said_to_be():
    assert "second is about 1,000 times the first, and the digits tell no more" in said("[0.001, 0.002] [1.024, 2.048]")
    assert said("0.0514 0.0000").startswith("`0.0000` need not be exactly 0: it may be anything up to 5e-05 in size.")
    assert "Exactly 0" in said("0.0514 0.0")


def test_a_batch_is_not_blamed_in_16_bits():
    """A sum is kept in float32 there and rounded at its end."""
    assert "a batch" in said("0.5 0.50000006") and "a batch" not in said("0.5 0.5039", "bfloat16")


def test_the_cause_is_of_the_component_that_is_picked():
    text = "[1.0, 2.0, 3.0] [1.0, 2.0000002384, 4.1000000000]"
    assert [cause(text, place=place) for place in (0, 1, 2)] == [None, ("few ulps", False), ("far", False)]


FEW_FLOATS = st.lists(st.floats(2**-6, 100, width=32), min_size=2, max_size=8, unique=True)


@given(FEW_FLOATS, st.integers(2, 64), st.booleans())
def test_a_sum_and_its_mean_are_found_whatever_the_numbers(values, n, swapped):
    total = torch.tensor(values)
    mean = total / n
    text = printed(mean, total) if swapped else printed(total, mean)
    assert f"is {n} times the" in said(text) and cause(text)[0] == "factor"


@given(st.lists(st.floats(0.5, 2, width=32), min_size=3, max_size=8), st.sampled_from([torch.bfloat16, torch.float16]))
def test_numbers_that_went_through_another_dtype_are_found(values, dtype):
    x = torch.tensor(values)
    there = x.to(dtype).float()
    apart = (x.view(torch.int32) - there.view(torch.int32)).abs().max()
    odd = [int(one) & -int(one) for one in there.view(torch.int32)]  # the last bit that is set
    last = 1 << (24 - {torch.bfloat16: 8, torch.float16: 11}[dtype])
    assume(apart > 16 and any(bit in (last, 2 * last) for bit in odd))
    assert cause(printed(x, there))[0] == "rounded"


@given(st.lists(st.tuples(*[st.floats(width=32)] * 2), min_size=1, max_size=6))
def test_any_two_vectors_get_at_most_one_cause_of_two_sentences(rows):
    first, second = (torch.tensor(column) for column in zip(*rows, strict=True))
    found = likely_cause(decode(printed(first, second), "float32"))
    if found is None:
        return
    assert found.sentence[0].isupper() and found.sentence.endswith(".") and len(found.sentence) < 300
    assert "  " not in found.sentence and found.links and found.strength.endswith(".")
    if first.equal(second):
        raise AssertionError(found.sentence)


@given(st.lists(st.floats(0.125, 1, width=32), min_size=4, max_size=8))
def test_nothing_is_proved_of_unrelated_numbers(values):
    x = torch.tensor(values)
    y = torch.rand(len(values), generator=torch.Generator().manual_seed(len(values))) + 1 / 3
    ratios = x / y
    assume(ratios.max() > 1.01 * ratios.min())
    found = cause(printed(x, y))
    assert found is None or not found[1]


def test_every_link_leads_to_a_tab_and_a_section_of_the_page():
    for link in (link for one in CAUSES for link in one.links):
        assert link.study in STUDIES and (not link.section or link.section in VIEW_KEYS)


def test_the_command_line_says_the_cause_too():
    text = printed(W, W / 6)
    assert figures(decode(text, "float32"))["cause"] == {"name": "factor", "sentence": said(text), "proved": True}
    assert figures(decode("0.5", "float32"))["cause"] is None


def test_a_negative_factor_is_told_as_a_sign_besides():
    assert said("1.5 -3.0").endswith("or a factor left out, besides a minus.")
    assert "minus" not in said("1.5 3.0")


WHOLE = torch.tensor([17.0, 19.0, 23.0])
FIFTHS = torch.tensor([0.375, 3.0, 0.5, 1.0, 2.0, 4.0]) ** 5
HONEST = {
    "whole numbers against a difference quotient": f"{WHOLE}\n{WHOLE + torch.tensor([1e-3, 2e-3, 5e-4])}",
    "one whole number": "tensor([17.]) tensor([17.0010])",
    "powers of short numbers": printed(FIFTHS, FIFTHS * (1 + 1e-6)),
    "powers of two": printed(2.0 ** torch.arange(-10, 10, 3), 2.0 ** torch.arange(-10, 10, 3) * (1 + 1e-5)),
    "residues": printed(torch.tensor([130.0, 240, 66]) * 2**-22, torch.tensor([130.0, 241, 257]) * 2**-22),
    "digits of a narrower format on both sides": "[-36.75, -101.5, -24.625] [-36.5, -102., -24.5]",
    "round numbers": "[1.0, 2.0, 3.0] [2.0, 4.0, 6.0]",
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_nothing_is_proved_of_numbers_that_are_short_by_themselves(text):
    found = likely_cause(decode(text, "float32"))
    assert found is None or not found.proved
    assert not found or found.name != "rounded" or "as these may be exact" in found.sentence


def test_whole_numbers_are_no_evidence_of_a_format():
    assert [cause(HONEST[name]) for name in list(HONEST)[:2]] == [None, None]


def test_the_digits_show_the_ratio_or_the_format_and_no_reason():
    assert likely_cause(decode(printed(W, W / 6), "float32")).strength == "The digits show the ratio, not its reason."
    assert likely_cause(decode(MADE["stored in TF32"][0], "float32")).strength == "The digits show the format."


def test_sums_that_cancel_are_not_accused():
    """Terms and their negatives, in two orders: the exact sum is 0, and what is left are a few ulps of the terms."""
    drawn = torch.Generator().manual_seed(2)
    names = set()
    for _ in range(60):
        half = torch.randn(100, generator=drawn)
        terms = torch.cat([half, -half])
        one, other = (terms[torch.randperm(200, generator=drawn)].sum() for _ in range(2))
        if one != other:
            found = likely_cause(decode(f"{one.item()!r} {other.item()!r}", "float32"))
            names.add(found.name)
            assert "If terms of about" in found.sentence and "more cancel there, rounding of float32" in found.sentence
            least = float(re.search(r"terms of about (\S+) or more", found.sentence)[1])
            assert least < 10 * float(half.abs().max())
    assert names == {"zero", "far"}


def test_no_terms_are_named_that_the_dtype_cannot_hold():
    assert said("61000.0 23000.0", "float16").startswith(
        "The leading digits differ. No rounding of float16 leaves that: look"
    )
    assert "If not, look for `detach()`" in said("3.00000 4.00000")


def test_a_picked_component_of_vectors_that_are_far_apart_is_not_all():
    sentence = likely_cause(decode("[1.0000001, 5.0, 3.0] [1.0, 9.0, 7.0]", "float32"), 0).sentence
    assert sentence.startswith("In this component, rounding: one float apart")
    assert sentence.endswith(" 2 of the others are farther apart: look there.")


def in_decimals(*vectors):
    """Print vectors in eight decimals, each on a line, so that 0 need not be exactly 0."""
    return "\n".join(f"[{', '.join(f'{x:.8f}' for x in v.tolist())}]" for v in vectors)


MASKED = MANY * (torch.arange(40) % 3 > 0)
ZEROS = {
    "added twice": (f"{MASKED}\n{2 * MASKED}", ("factor", True)),
    "added twice, zeros of NumPy": (f"{MASKED.numpy()}\n{2 * MASKED.numpy()}", ("factor", True)),
    "mean of 6": (f"{MASKED}\n{MASKED / 6}", ("factor", True)),
    "negated": (f"{MASKED}\n{0 - MASKED}", ("factor", True)),
    "stored in bfloat16": (in_decimals(MASKED, MASKED.bfloat16().float()), ("rounded", True)),
    "stored in TF32": (in_decimals(in_tf32(MASKED), MASKED), ("rounded", True)),
    "a mean below its decimals": ("[0.5312, 0.0021, 1.2345] [0.0083, 0.0000, 0.0193]", ("factor", False)),
    "a zero that twice 0.0001 is not": ("[0.5312, 0.0001, 1.2345] [1.0624, 0.0000, 2.4690]", None),
    "a zero of the other sign": ("[0.5312, 0.0001, 1.2345] [1.0624, -0.0000, 2.4690]", None),
    "exactly 0 on one side": ("[0.5312, 0.0001, 1.2345] [1.0624, 0.0, 2.4690]", ("zero", False)),
    "one pair of four decimals": ("[0.3333, 0.0000] [1.3333, 0.0000]", ("factor", False)),
    "zeros alone": (f"{torch.zeros(3)}\n{torch.zeros(3)}", None),
    "zeros of many decimals": ("[0.0000, 0.0000] [0.00000, 0.000000]", None),
}


@pytest.mark.parametrize("text, expected", ZEROS.values(), ids=ZEROS)
def test_zeros_on_both_sides_hide_no_cause_and_show_none(text, expected):
    assert cause(text) == expected


def test_the_pair_that_is_drawn_differs_for_sure_if_any_does():
    assert decode("[0.0000, 1.0000001, 0.0000] [0.0000, 1.0000002, 0.0000]", "float32").worst == 1
    assert decode("[0.5, 0.0000] [0.5, 0.0000]", "float32").worst == 1


def test_nothing_is_proved_of_honest_numbers_with_zeros():
    """The other side is the same rounded otherwise, unrelated, off a little, masked, or off by no whole factor."""
    drawn = torch.Generator().manual_seed(5)
    for place in range(40):
        draw, noise = torch.randn(2, 6, generator=drawn)
        kept = torch.rand(6, generator=drawn) > 0.4
        x = draw * kept
        for y in (x * (1 + 1e-7 * noise), noise * kept, x + 1e-4 * noise, x * (noise > 0), x * (1.37 + place / 1000)):
            text = [f"{x}\n{y}", f"{x.numpy()}\n{y.numpy()}", in_decimals(x, y)][place % 3]
            found = cause(text)
            assert not found or not found[1], text

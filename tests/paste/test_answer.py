"""What is said of pastes that were made, and of those that were once answered falsely."""

import json
import re
from functools import reduce
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.floats.exact_floats import FORMATS
from lib.paste.answer import answer, answer_of
from lib.paste.causes import LINKS, OF_ONE, OF_TWO, Verdict
from lib.paste.figures import figures
from lib.paste.picture import drawing
from lib.paste.printed import PasteError
from tests.hostile import PASTES, VIEW_KEYS

DRAW = torch.Generator().manual_seed(7)
W = torch.randn(6, generator=DRAW)
MANY = torch.randn(40, generator=DRAW)
X = torch.randn(6, 64, generator=DRAW)
V = torch.randn(64, generator=DRAW)
A = torch.randn(3, 3, generator=DRAW)
LONG = torch.linspace(1, 2, 1200)
TERMS = (X * V).unbind(1)
SUM = reduce(torch.add, TERMS)
LOG = "\n".join(f"step {step} | full batch: {{}} | in parts {{}}" for step in range(3))
OTHER_WAY = reduce(torch.add, TERMS[::-1])


def full(*tensors):
    return "\n".join(str(tensor.tolist()) for tensor in tensors)


def share_in(text):
    return float(text.rstrip("%")) / (100 if "%" in text else 1)


def in_tf32(x):
    """Round to 10 bits after the leading one: an oracle that knows no `Format`."""
    bits = x.view(torch.int32)
    return ((bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


MADE = {
    "rounding": [
        full(SUM, OTHER_WAY),
        f"F @ x\n{SUM.tolist()}\nf(A, b)\n{OTHER_WAY.tolist()} (by hand)",
        f"a: {SUM}\nb: {OTHER_WAY}\na - b: {SUM - OTHER_WAY}",
        f"{[*SUM.numpy()]}\n{[*OTHER_WAY.numpy()]}",
        full(torch.tensor([1.0, 2**-30]), torch.tensor([1.0, 2**-29])),
        LOG.format(*(1.5, 1.5, 0.2313514, 0.2313514, 0.2083840, 0.2083841)),
        "\n".join(f"[{n}] grad {1 / n:.8f} ref {1 / n + 1e-8:.8f}" for n in (7, 8, 9)),
        f"f(x, dim=0) ->{full(SUM)}\nW @ x  -> {full(OTHER_WAY)}",
    ],
    "same": [full(W, W), f"{SUM}\n{full(OTHER_WAY)}"],
    "narrower": [full(MANY, in_tf32(MANY)), full(W, W.bfloat16())],
    "left_out": [f"{LONG}\n{LONG}", f"{LONG}\n{LONG + 1}", f"{LONG}\n{LONG[:-1]}"],
    "open": [
        full(W, W.roll(1)),
        full(W.bfloat16(), 0.995 * W.bfloat16().float()),
        f"{A * 1e-3}\n{A.mean(0).expand(3, 3) * 1e-3}",
        # rounding alone: the mean of six numbers less their mean, and of their flip
        "1.2345678e-08 2.4691356e-08",
        full(*(p * k * 2.0**-24 for p in [W.softmax(0)] for k in (1, 3))),
        # Nearly floats of bfloat16.
        "[1.0250, 1.0841, 1.1502, 1.2096]\n[1.0235, 1.0860, 1.1485, 1.2110]",
        # multiples of 1/64
        "[0.890625, 0.671875]\n[0.8898055, 0.6714]",
    ],
    "factor": [f"w:\n{W}\nb:\n{A}\nw:\n{W}\nb:\n{2 * A}"],
    "shape": [f"{W}\n{W[:, None]}"],
    "shapes": [f"{A}\n{W}", f"vmap(f): (3, 3)\n{A}\nf: (2, 3)\n{A[:2]}"],
    "rows": [f"{A}\n{A.mean(0).expand(3, 3)}"],
    "sign": [f"{LONG}\n{-LONG}", "[0.5123, -1.2040, 0.3]\n[0.5123, 1.2040, 0.3]"],
    "transposed": [f"{A}\n3z^2 {A.T}", f"weight.grad:\n{A}\nx.T @ delta:\n{A.T}"],
    "sum over rows": [f"{A}\n{A.sum(0).expand(3, 3)}"],
    "not_finite": [f"{W}\n{W / 0}"],
    "equal_rows": [f"{A[:, None].expand(3, 2, 3)}"],
    "size": ["J.shape: torch.Size([8, 3, 4])", "torch.Size([5])"],
    "value": [f"{A}"],
    "zeros": ["x.grad: tensor([0., 0., 0.])", "auto-diff tensor([0., 0., 0.])"],
    "gap": [f"{torch.zeros(40, 40)}"],
    "difference": ["max diff: 2.9e-08", f"diff:\n{W}"],
    "ask": [
        LOG.format(*(1.5, 1.5, 0.2313514, 0.2413514, 0.2083840, 0.2083841)),
        LOG.format(*[W, A] * 3),
        LOG.partition("\nstep 2")[0].format(*(1.5, 1.5, 0.2313514, 0.2313514)),
        f"weight.grad: {A}\nbias.grad: {A[0]}",
        f"x: {W}\nx.grad: {2 * W}",
        f"f: {full(W)} -> {full(2 * W)}",
        f"a: {W}\nb: {-W}\na: {W}\nb: {-W}",
    ],
}

CASES = [
    *((text, "float32", cause) for cause, texts in MADE.items() for text in texts),
    *json.loads(Path(__file__).with_name("pastes.json").read_text()),
]
"""Pastes that were made, and those that others brought or that were once answered falsely."""


def answered(text, dtype="float32", places=None):
    """Return the answer; all that the page and the command line show must hold together."""
    read = answer(text, dtype, places)
    assert not re.search(r"{|\[\]|up to -", read.sentence) and read.sentence.endswith(".")
    shown = "".join(words for words, *_ in read.pieces)
    assert all(words == words.strip() for words, place, _ in read.pieces if place is not None)
    assert shown == text.replace("\r\n", "\n").replace("\r", "\n")
    assert read.cause.title and (read.compared or not read.notes)
    line = drawing(read)["line"]
    facts = figures(read)
    json.dumps([facts, line], allow_nan=False)
    for row in line["rows"] if line else []:
        places = [*row["span"], *line["ticks"], *(mark["at"] for mark in line["axis"])]
        assert min(places) >= 0 and max(places) <= 1 and row["span"][0] <= row["span"][1]
        assert not line["ticks"] or row["span"][1] <= max(line["ticks"])
    return read


@pytest.mark.parametrize("text, dtype, cause", CASES)
def test_the_cause_is_what_was_done(text, dtype, cause):
    """And what is not certain is asked."""
    read = answered(text, dtype)
    assert read.cause.name == cause, read.sentence


def test_two_rounded_numbers_are_as_far_apart_as_drawn():
    """As their difference tells."""
    rows = drawing(answered("-0.0086 -0.0086 9.3132e-10"))["line"]["rows"]
    assert [row["says"] for row in rows] == ["a float that prints like this", "1 float away"]
    assert [row["one"] for row in rows] == [True, True]
    about = drawing(answered("-0.0086 -0.0086 2e-8"))["line"]
    assert "stands for" in about["label"] and not about["rows"][0]["one"]


@pytest.mark.parametrize("steps, ticks", [(1, 8), (40, 47), (41, 0)])
def test_up_to_40_floats_are_drawn_one_by_one(steps, ticks):
    first = 1.5 + 2.0**-23
    line = drawing(answered(f"{first}\n{first + steps * 2.0**-23}"))["line"]
    assert len(line["ticks"]) == ticks and len(line["axis"]) == 2
    start, *_, end = line["ticks"][3:-3] or (0, 1)
    assert [row["span"] for row in line["rows"]] == [[start] * 2, [end] * 2]


PRINTERS = {
    "tensor": str,
    "array": lambda x: repr(x.double().numpy()),
    "list": lambda x: str(x.tolist()),
    "decimals": lambda x: str([float(f"{number:.3f}") for number in x.tolist()]),
}


@given(st.sampled_from([*PRINTERS]), st.sampled_from([*PRINTERS]), st.integers(0, 999))
def test_two_orders_are_no_mistake_a_factor_is_no_rounding(one, other, seed):
    """Of sums; nor is a sign."""
    generator = torch.Generator().manual_seed(seed)
    scale = 10.0 ** torch.randint(-6, 5, (), generator=generator)
    terms = scale * torch.randn(5, 200, generator=generator)
    sums = terms.sum(1)
    verdicts = [
        answer(f"a: {PRINTERS[one](sums)}\nb: {PRINTERS[other](values)}", "float32").verdict
        for values in (terms.flip(1).cumsum(1)[:, -1], 2 * sums, 1.5 * sums, -sums)
    ]
    assert verdicts[0] is not Verdict.NOT_ROUNDING
    assert not {Verdict.ROUNDING, Verdict.NARROWER}.intersection(verdicts[1:])


@pytest.mark.parametrize(
    "text",
    ["1.0 2.0 inf", "-1e30\ninf\n65504.", "0.1\n1e308\nmax abs err 1e308", "5e-324 0. diff: 0.000"],
)
def test_extreme_numbers_have_an_answer(text):
    for dtype in FORMATS:
        assert answered(text, dtype).sentence
    assert figures(answered("tensor(1e6, dtype=torch.float16)"))["value"] == 65504


def test_every_cause_was_made():
    assert {name for name, _ in OF_TWO + OF_ONE} - {cause for *_, cause in CASES} == {""}


def test_distances_are_of_the_component_shown():
    read = answered("tensor([1000.1001, 0.0010000000])\ntensor([1000.0000, 0.0010050000])")
    assert " at [0]" in read.sentence and "are 1,640 floats apart" in read.sentence
    read = answered(
        "tensor([1000.1001, ..., 0.0010000000])\ntensor([1000.0000, ..., 0.0010050000])"
    )
    assert " at [" not in read.sentence


def test_a_jacobian_of_a_batch_has_a_block_for_each_pair():
    texts = [answered(f"torch.Size([8, 3, {rest}])").sentence for rest in ("8, 4", "4, 8", "8")]
    assert {role for *_, role in answered("[1.5]").pieces} == {"read"}
    assert ["If 8 is the size of the batch" in text for text in texts] == [True, False, False]


@pytest.mark.parametrize(
    "number, dtype, floats, numbers",
    [
        ("9.3132e-10", "float32", "1 float", "0.0078125 to 0.015625"),
        ("0.033447265625", "float32", "1.07 floats", "262,144 to 524,288"),
        ("0.0078125", "bfloat16", "1 float", "1 to 2"),
        ("1.4013e-45", "float32", "1 float", "1.18 × 10⁻³⁸ to 2.35 × 10⁻³⁸"),
        ("1e38", "float32", None, None),
        ("0.0", "float32", None, None),
    ],
)
def test_a_difference_is_one_float_at_some_numbers(number, dtype, floats, numbers):
    """Which ones depends on the dtype."""
    for text in (number, f"diff: {number}", f"diff: [-{number}, 0.0]"):
        read = answered(text, dtype)
        known = f" is {floats} in {dtype} for numbers from {numbers}." in read.sentence
        assert known if numbers else "A difference of" not in read.sentence, read.sentence
        line = drawing(read)["line"]
        names = [row["name"] for row in line["rows"]] if line else []
        assert (dtype in names) == (numbers is not None)
        if names:
            start, end = line["rows"][0]["span"]
            places = [line["axis"][0]["at"], *(row["span"][0] for row in line["rows"])]
            around = min(places), 1 - max(places)
            assert around == pytest.approx((2 * (end - start), 3 * (end - start)))


@pytest.mark.parametrize(
    "text, places, first, second",
    [
        ("[1., 2.] [2., 4.] [0.5, 1.]", (0, 2), "[1., 2.]", "[0.5, 1.]"),
        ("it was [[1., 2.], [2., 4.]] or [3., 6.]", (0, 1), "[[1., 2.], [2., 4.]]", "[3., 6.]"),
        ("first token = 1, then first token = 27", (0, 1), "1", "27"),
        ("torch.Size([2]) torch.Size([4])", (0, 1), "torch.Size([2])", "torch.Size([4])"),
    ],
)
def test_two_that_are_pressed_are_compared(text, places, first, second):
    """And the others are counted."""
    read = answered(text, places=places)
    marked = {role: words for words, _, role in read.pieces if role}
    assert marked == {"first": first, "second": second} and read.verdict
    count = len(read.values)
    assert read.notes == ([f"2 of {count} values were compared."] if count > 2 else [])


def test_a_gap_is_noted():
    notes = [answered(f"{text} {text}").notes for text in ("[1.5, ..., 2.5]", "[1.5, 2.5]")]
    assert notes == [["The numbers that the text leaves out were not compared."], []]


def test_several_pairs_are_counted():
    """And the worst is shown."""
    read = answered(f"w: {full(W)}\nb: {full(A)}\nw: {full(W)}\nb: {full(2 * A)}")
    assert (read.verdict.name, figures(read)["pairs"], read.compared) == ("NOT_ROUNDING", 2, 4)
    doubtful = answered("\n".join(["w: [0.50123, 0.25]", "b: 0.501"] * 2))
    assert "up to 0.00101." in doubtful.sentence
    assert read.notes == [
        "2 pairs were compared; pair 2, b, is the worst.",
        "This holds if no terms much larger than these numbers cancelled.",
    ]


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16])
def test_at_most_holds_behind_the_digits(narrow):
    for _ in range(100):
        wide = torch.rand(3, generator=DRAW) * torch.tensor([0.02, 0.1, 1.0]) + 0.005
        apart = (wide - wide.to(narrow)).abs().max()
        read = answered(f"a {wide}\nb {wide.to(narrow)}")
        most, share = re.search(
            "(?:at most|up to) ([^ ]+?)(?:, (.+?) of|.$)", read.sentence
        ).groups()
        assert float(most) >= apart
        assert share_in(share or "1") >= apart / wide.max()
        assert not share or str(narrow)[6:] in read.sentence
        x = wide[0].item()
        apart = torch.nextafter(wide[0], wide[1]).item() - x
        read = answered(f"{x:.1g}\n{x:.1g}\ndifference {abs(apart):.4e}")
        (share,) = re.search("at most (.+?) of the largest", read.sentence).groups()
        assert share_in(share) >= abs(apart) / x


@pytest.mark.parametrize("places", [(0, 0), (0, 3), (-1, 0)])
def test_what_cannot_be_pressed_is_one_sentence(places):
    with pytest.raises(PasteError, match="Two different values"):
        answer("0.5 0.25 0.125", "float32", places)


@pytest.mark.parametrize(
    "texts, cause",
    [
        (["[1., 2.]", "2."], "two_shapes"),
        (["[1., 2., ..., 8.]", "[2., ..., 8.]"], "left_out"),
        (["0.1", "0.2", "0.5"], "ask"),
    ],
)
def test_values_are_given_one_by_one(texts, cause):
    assert answer_of(texts, "float32").cause.name == cause


def test_the_links_lead_somewhere():
    assert {link.section for link in LINKS.values() if link.section} <= VIEW_KEYS


def test_hostile_texts_are_answered_or_refused():
    """The texts that are allowed have up to 50,000 characters: a tenth of that shows the same."""
    for text in PASTES:
        try:
            answered(text[:5_000], "float16")
        except PasteError as error:
            assert str(error).endswith(".") and "\n" not in str(error)

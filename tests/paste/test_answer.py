"""What is said of pastes that were made by really doing it, and of those that were once answered falsely."""

import json
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
import torch

from lib.experiment.views import VIEW_KEYS
from lib.paste.answer import answer, answer_of
from lib.paste.causes import LINKS, OF_ONE, OF_SHAPES, OF_TWO, Verdict
from lib.paste.figures import figures
from lib.paste.picture import picture
from lib.paste.printed import PasteError
from tests.hostile import PASTES

SAME, ROUNDING, OPEN, NOT = (verdict for verdict in Verdict)
DRAW = torch.Generator().manual_seed(7)
W = torch.randn(6, generator=DRAW)
MANY = torch.randn(40, generator=DRAW)
X = torch.randn(6, 64, generator=DRAW)
V = torch.randn(64, generator=DRAW)
A = torch.randn(3, 3, generator=DRAW)
TERMS = (X * V).unbind(1)
SUM = reduce(torch.add, TERMS)
OTHER_WAY = reduce(torch.add, TERMS[::-1])
COMPLEX = torch.view_as_complex(torch.randn(4, 2, generator=DRAW))
BATCH = torch.zeros(3, 2, 3, 4)
for sample in range(3):
    BATCH[sample, :, sample] = torch.randn(2, 4, generator=DRAW)


def full(*tensors):
    return "\n".join(str(tensor.tolist()) for tensor in tensors)


def in_tf32(x):
    """Round to 10 bits after the leading one: an oracle that knows no `Format`."""
    bits = x.view(torch.int32)
    return ((bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


MADE = {
    "another order": (full(SUM, OTHER_WAY), "few", ROUNDING),
    "with their difference": (
        f"a: {SUM}\nb: {OTHER_WAY}\ndiff: {SUM - OTHER_WAY}",
        "few",
        ROUNDING,
    ),
    "in columns": (
        "\n".join(f"{a:.9g} {b:.9g}" for a, b in zip(SUM, OTHER_WAY, strict=True)),
        "few",
        ROUNDING,
    ),
    "next float": (full(W, torch.nextafter(W, W + 1)), "few", ROUNDING),
    "beside the largest": ("[1000.0, 0.0012345678] [1000.0, 0.0012045678]", "largest", ROUNDING),
    "residues": (
        full(torch.tensor([1.0, 2**-30]), torch.tensor([1.0, 2**-29])),
        "largest",
        ROUNDING,
    ),
    "equal": (full(W, W), "equal", SAME),
    "equal as float32": ("0.1 0.100000001", "equal", SAME),
    "equal in what is shown": (f"{torch.arange(3000.0)}\n{torch.arange(3000.0)}", "left_out", OPEN),
    "equal in four digits": ("0.1234 0.1234", "digits", OPEN),
    "four decimals": (f"{SUM}\n{OTHER_WAY}", "digits", OPEN),
    "two decimals": ("loss: 2.30\nloss: 2.31", "digits", OPEN),
    "another function": ("0.3123 0.4511", "open", OPEN),
    "no factor": ("0.5123 1.0385", "open", OPEN),
    "two residues alone": ("9.3132e-10 1.8626e-09", "open", OPEN),
    "tiny beside zero": ("4.4e-10 0", "digits", OPEN),
    "a factor at any scale": ("1.2345678e-08 2.4691356e-08", "factor", NOT),
    "a mean of 6": (full(W, W / 6), "factor", NOT),
    "a batch of 32": (f"{W}\n{32 * W}", "factor", NOT),
    "sign": (full(W, -W), "sign", NOT),
    "one sign": (
        "tensor([0.5123, -1.2040, 0.3000])\ntensor([0.5123, 1.2040, 0.3000])",
        "sign",
        NOT,
    ),
    "transposed": (f"{A}\n{A.T}", "transposed", NOT),
    "rolled": (full(W, W.roll(1)), "open", OPEN),
    "conjugate": (f"{COMPLEX}\n{COMPLEX.conj().resolve_conj()}", "conjugate", NOT),
    "sum over rows": (f"{A}\n{A.sum(0).expand(3, 3)}", "sum over rows", NOT),
    "the gradient of the sum": (f"{A}\n{A.sum(0)}", "sum over rows", NOT),
    "equal rows": (f"{A}\n{A[:1].expand(3, 3)}", "equal_rows", NOT),
    "all zero": (f"{A}\n{torch.zeros(3, 3)}", "zero", NOT),
    "in TF32": (full(MANY, in_tf32(MANY)), "narrow", NOT),
    "in bfloat16": (full(MANY, MANY.bfloat16().float()), "narrow", NOT),
    "in float32": (f"{full(MANY.double().sin(), MANY.sin().double())}", "in_float32", OPEN),
    "NaN": (f"{W}\n{W / 0 * 0}", "not_finite", NOT),
    "NaN on both sides alike": ("[nan, 0.5, 0.3333333]\n[nan, 0.5, 0.33333334]", "few", ROUNDING),
    "the same infinity": ("[-inf, 0.5, 1.25]\n[-inf, 0.5, 1.2500001]", "few", ROUNDING),
    "nothing but NaN": ("[nan, nan]\n[nan, nan]", "not_finite", NOT),
    "of two dtypes": ("np.float32(0.1)\nnp.float64(0.1)", "few", ROUNDING),
    "infinite": (f"{W}\n{W / 0}", "not_finite", NOT),
    "pairs by label": (f"w: {W}\nb: {SUM}\nc: {A}\nw: {W}\nb: {2 * SUM}\nc: {A}", "factor", NOT),
    "one matrix": (f"{A}", "matrix", None),
    "one matrix of equal rows": (f"{A[:1].expand(3, 3)}", "equal_lines", None),
    "a list of equal rows": (f"{(*(A[:1].expand(3, 3)),)}", "equal_lines", None),
    "a matrix with NaN": (f"{A / torch.eye(3) * 0}", "not_finite", NOT),
    "a vector with infinity": ("tensor([inf, 1.])", "not_finite", NOT),
    "a Hessian": (f"{A + A.T}", "matrix", None),
    "a batch": (f"{BATCH}", "blocks", None),
    "a batch that is flat": (f"{BATCH.reshape(6, 12)}", "blocks", None),
    "one row": ("tensor([[2., 2., 2.]])", "vector", None),
    "zeros": ("x.grad: tensor([0., 0., 0.])", "zeros", None),
    "a vector": (f"{W}", "vector", None),
    "a shape": ("J.shape: torch.Size([8, 3, 4])", "size", None),
    "a number": ("0.1", "number", None),
    "a difference": ("max abs diff: 2.9e-08", "difference", None),
    "differences": ("max diff: 2.9e-08\nmean diff: 1e-09", "difference", None),
    "a relative difference": ("relative error: 1.2e-7", "relative", None),
    "no difference": ("max diff: 0.0", "no_difference", None),
    "words": ("why is it not the same", "nothing", None),
}
ASKED = {
    "a word": "p.grad = None and then\na: 0.12345678\nb: 0.12345680",
    "a sentence": "The loss is a scalar output.\n0.12345678\n0.12345680",
    "code": "tmp = torch.randn(10, 5, requires_grad=True)\ny = f(tmp, 0.5)\n0.25",
    "values dropped": (
        "old: grad input tensor([0.2500, 0.5000]) grad output tensor([1.5000, 2.5000])\n"
        "new: grad input tensor([0.2500, 0.9000]) grad output tensor([1.5000, 2.5000])"
    ),
    "two differences in a sentence": "paths diverged by 5.44e-4. Now the gap is 2.38e-7",
    "two differences": "torch.allclose False, 2.98e-8 and 5.96e-8",
    "whole numbers": "prompt_a = [9707] alone → first token = 1\nprompt_a = [9707] batched → first token = 27",
    "counts": "1 2",
    "an input and its Jacobian": f"x: {W[:3]}\nJ: {A}",
    "a limit": "diff: 5.9e-8\natol: 1e-8",
    "three values": "0.5 0.25 0.125",
    "rows or columns": "0.1 0.2\n0.3 0.4",
    "four tensors": f"{W}\n{W + 1}\n{W + 2}\n{W + 3}",
    "a tensor that is cut off": "tensor([[10., 18.],\n        [10., 18.],\n        [10.,",
    "a list that is cut off": "[[10., 18.],\n [10., 18.],\n [10.,",
    "a tuple": "(0.5, 0.25)",
    "two tuples": "(0.5, 0.25)\n(0.5, 0.25)",
    "the losses of two steps": "step 0: 0.5000 0.6000\nstep 1: 0.5000 0.6000",
    "a date and a card": "RTX 3080, torch 1.10.0 OUTPUT:\ntensor(0.3640)",
}


def answered(text, dtype="float32", places=None):
    """Return the answer, of which all that the page and the command line show must hold together."""
    found = answer(text, dtype, places)
    assert "{" not in found.sentence and found.sentence.endswith(".")
    assert "".join(words for words, *_ in found.pieces) == text.replace("\r\n", "\n").replace(
        "\r", "\n"
    )
    assert found.cause.title
    json.dumps([figures(found), picture(found)], allow_nan=False)
    return found


@pytest.mark.parametrize("name", MADE)
def test_the_verdict_is_what_was_done(name):
    text, cause, verdict = MADE[name]
    found = answered(text)
    assert (found.cause.name, found.verdict) == (cause, verdict), found.sentence


def test_every_cause_was_made():
    made = {cause for _, cause, _ in MADE.values()}
    assert {*OF_SHAPES, *OF_TWO, *OF_ONE} - made == {"shapes", "related"}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_not_certain_is_asked(name):
    found = answered(ASKED[name])
    assert found.cause.name in ("ask", "number") and found.verdict is None and not found.comparisons


ANSWERED_FALSELY = [
    ("p.grad = None\na: 0.12345678\nb: 0.12345680", {"ask", "few"}),
    ("same weights, same device, two batch sizes:\n0.12345678\n0.12345680", {"ask", "few"}),
    ("no gradients are NaN. max abs diff: 2.9e-08", {"difference", "number", "ask"}),
    (
        "tmp = torch.randn(10, 5, requires_grad=True)\ntensor([[0., 0.], [0., 0.]])",
        {"zeros", "ask"},
    ),
    (
        "Max absolute difference: 0.1819\nMax relative difference: 844.\nMax absolute difference: 0.0004",
        {"message"},
    ),
    ("max abs diff: 0.033447265625", {"difference"}),
    ("9.3132e-10", {"number"}),
    ("0.0032820504\ntensor(0.)", {"open"}),
    ("eager [[0., 1., 1.], [1., 0., 1.]]\ncompiled [[0., 0., 0.], [0., 0., 0.]]", {"zero"}),
    ("hessian(relu)(1.0) = 1.0\nexpected 0.0", {"ask"}),
    ("forward 0.3000-1.7000j\nreverse 0.3000+1.7000j", {"conjugate"}),
    ("DeviceArray(6.-8.j, dtype=complex64)\ntensor([6.+8.j])", {"conjugate"}),
    ("numerical:tensor([[1.9531]])\nanalytical:tensor([[2.1967]])", {"open"}),
    ("0x1.0000aep-3 0x1.0000b0p-3", {"few"}),
    (
        "tensor(-0.718750, dtype=torch.bfloat16)\ntensor(-1.250555e-12, dtype=torch.bfloat16)",
        {"open"},
    ),
    ("tensor([   -inf, -0.6931]) tensor([-103.2789, -0.6931])", {"not_finite"}),
    ("[0. 0. 0.]\n[1.5229981e-08 5.6027964e-09 2.0611537e-09]", {"open"}),
    ("[-1.5+0.j   4. -0.5j]\n[-1.5+0.00000000e+00j  4. +5.00000000e-01j]", {"conjugate"}),
    ("sum(list) 10000.000000018848\nmath.fsum 10000.0", {"open"}),
    ("0.1234 vs. 0.1235", {"digits"}),
    ("   a b\n0 0.71819776 0.7181977\n.. ... ...\n9 0.71819776 0.7181977", {"ask", "few"}),
    ("tensor([0.8414710])\ntensor([0.84147098], dtype=torch.float64)", {"equal", "few"}),
    ("array([ 1.,  0.])\narray([ 0.,  0.])", {"zero"}),
    (
        "a tensor([[0., 0.], [0., 0.]])\nb tensor([[3.0000e-09, -1.0000e-08], [2.0000e-09, 0.0000e+00]])",
        {"digits"},
    ),
    (
        "|op|fp32|tf32|log10 err|\n|mm|12.3456789|12.3461|-4.46|\n|conv|-3.1234567|-3.1229|-3.75|",
        {"ask"},
    ),
    ("tensor([-4.7305, -0.0045, -0.0009])\ntensor([-0.0124,  0.0058, -0.0072])", {"open"}),
    ("[26.1250, -4.1875, 0.6719, 11.0000] [26.2500, -4.2188, 0.6719, 11.1250]", {"open"}),
    ("eager = tensor([0.0002, 0.0003])\ncompiled = tensor([-0.0001,  0.0002])", {"open"}),
    ("a0: 0.1234 0.2234\na1: 0.1235 0.2235\na2: 0.1236 0.2236\na3: 0.1237 0.2237", {"ask"}),
    ("max abs diff: 0.0\nmax rel diff: 0.5", {"relative"}),
    ("5.930640956810379e-06\n5.930662155151367e-06", {"open", "narrow"}),
    ("-0.01\n0.02", {"open"}),
    ("vmap: grads agree.\na: 0.5\nb: 0.25", {"ask"}),
    ("def f():\n    assert False", {"nothing"}),
    ("assert 0.5 == 0.25", {"ask"}),
    ("mean: 0.0\nstd: 1.0", {"ask"}),
    ("y = 2.0 * 0.5", {"ask"}),
    ("0.5 - 0.25 = 0.25", {"ask"}),
    ("lr: 0.1\nmomentum: 0.9\nweight_decay: 0.8", {"ask"}),
    ("a: 3 b: 4", {"ask"}),
    ("nan nan", {"not_finite"}),
    ("E   assert 3 == 4", {"message"}),
    ("[1e308, -1e308]\n[1e308, 1e308]", {"open", "sign"}),
    ("bias: [0.5, 0.25]\nw: [1.0, 3.0]\nw: [2.0, 6.0]\nbias: [0.5, 0.25]", {"ask"}),
    ("tensor([1.5, 2.5])\ntensor([1.5, 2.5], dtype=torch.bfloat16)", {"few"}),
    ("tensor([-1.7442, -0.4557])\ntensor([-1.7422, -0.4551], dtype=torch.bfloat16)", {"few"}),
    ("complex tensor([1.+0.j]) real tensor([1.])", {"equal"}),
    ("np.complex64(3-4j)\nnp.complex64(-3+4j)", {"sign"}),
    ("array([-0., 1.2346])\narray([1.e-07, 1.2346])", {"digits"}),
    (
        "E   assert 0.4873 == 0.9746 ± 9.7e-07\nE     Obtained: 0.4873\nE     Expected: 0.9746 ± 9.7e-07",
        {"factor"},
    ),
]


@pytest.mark.parametrize("text, causes", ANSWERED_FALSELY)
def test_what_was_once_answered_falsely_is_right_or_asked(text, causes):
    found = answered(text)
    assert found.cause.name in causes, found.sentence


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_tensor_that_names_no_dtype_is_of_another_than_one_that_does(dtype):
    found = answered(
        "tensor([-1.7442, -0.4557])\ntensor([-1.7422, -0.4551], dtype=torch.bfloat16)", dtype
    )
    assert found.verdict is ROUNDING


def test_how_far_apart_a_component_is_is_said_of_that_component():
    found = answered("tensor([1000.1001, 0.0010000000])\ntensor([1000.0000, 0.0010050000])")
    assert "in component 0" in found.sentence and "are 1,640 floats apart" in found.sentence


def test_an_array_of_float64_in_a_message_is_one():
    with pytest.raises(AssertionError) as caught:
        np.testing.assert_allclose(np.array([1.0, 2.0]), np.array([1.0, 2.0003]))
    assert answered(f"AssertionError: {caught.value}").verdict is OPEN


def test_a_difference_is_one_float_at_numbers_that_depend_on_the_dtype():
    for text, dtype, numbers in (
        ("diff: 9.3132e-10", "float32", "0.00781 to 0.0156"),
        ("diff: 0.033447265625", "float32", "262,000 to 524,000"),
        ("diff: 2.2204460492503131e-16", "float64", "1.00 to 2.00"),
        ("diff: 0.0078125", "bfloat16", "1.00 to 2.00"),
    ):
        found = answered(text, dtype)
        assert f"of {dtype} at numbers from {numbers}" in found.sentence, found.sentence
        assert "only" not in found.sentence and "bug" not in found.sentence
    rows = picture(answer("diff: 9.3132e-10", "float32"))["rows"]
    assert [row["name"] for row in rows] == ["bfloat16", "float32", "float64"]


LOG = """[gpu] loss 56.6340 gn 50.5704  [cpu] loss 1.1799 gn 1.0535
[gpu] loss 54.1602 gn 47.3201  [cpu] loss 1.1788 gn 1.0521"""
PICKED = [
    ("[1., 2.] [2., 4.] [0.5, 1.]", (0, 2), "1., 2.", "0.5, 1."),
    (LOG, (0, 2), "56.6340", "1.1799"),
    ("0.5 0.25 0.125", (2, 0), "0.125", "0.5"),
    ("[[1., 2.], [2., 4.]]", (0, 1), "1., 2.", "2., 4."),
    ("[[1., 2.], [2., 4.]] [4., 8.5]", (1, 2), "2., 4.", "4., 8.5"),
    (
        "it was [[1., 2.], [2., 4.]] or [[2., 4.], [4., 8.]]",
        (1, 2),
        "1., 2. 2., 4.",
        "2., 4. 4., 8.",
    ),
    ("it was [[1., 2.], [2., 4.]] or [3., 6.]", (1, 2), "1., 2. 2., 4.", "3., 6."),
    ("first token = 1, then first token = 27", (0, 1), "1", "27"),
]


@pytest.mark.parametrize("text, places, first, second", PICKED)
def test_two_that_are_pressed_are_compared_with_what_stands_in_their_places(
    text, places, first, second
):
    found = answered(text, places=places)
    marked = {
        role: " ".join(words for words, _, what in found.pieces if what == role)
        for role in ("first", "second")
    }
    assert marked == {"first": first, "second": second}
    assert found.verdict is not None


def test_what_was_not_compared_is_counted():
    found = answered("after 100 steps 0.5 and 0.50000006, or 0.75", places=(1, 2))
    assert found.verdict is ROUNDING and found.notes == ["2 of 4 values were compared."]


@pytest.mark.parametrize("places", [(0, 0), (0, 3), (-1, 0)])
def test_what_cannot_be_pressed_is_one_sentence(places):
    with pytest.raises(PasteError, match="0 to 2"):
        answer("0.5 0.25 0.125", "float32", places)


def test_values_are_given_one_by_one():
    assert answer_of(["0.1", "0.10000000894"], "float32").verdict is ROUNDING
    assert answer_of(["-0.0086", "-0.0086", "9.3132e-10"], "float32").verdict is ROUNDING
    assert answer_of(["[1., 2.]", "[2., 4.]"], "float32").cause.name == "factor"
    assert answer_of(["1", "3"], "float32").verdict is NOT
    for texts in (["0.1", "abc"], ["0.1 0.2", "0.1"], ["0.1", "0.2", "0.5"]):
        with pytest.raises(PasteError):
            answer_of(texts, "float32")


BROUGHT = json.loads(Path(__file__).with_name("pastes.json").read_text())


@pytest.mark.parametrize("paste", BROUGHT, ids=lambda paste: paste["text"][:40])
def test_a_paste_that_others_brought_has_a_verdict_that_they_accept_or_is_asked(paste):
    found = answered(paste["text"], paste["dtype"])
    assert found.verdict is None or found.verdict.name in paste["accept"], found.sentence


def test_the_links_lead_somewhere():
    assert {link.section for link in LINKS.values() if link.section} <= VIEW_KEYS


@pytest.mark.parametrize("text", PASTES)
def test_hostile_texts_are_answered_or_refused(text):
    try:
        answered(text, "float16")
    except PasteError as error:
        assert str(error).endswith(".") and "\n" not in str(error)

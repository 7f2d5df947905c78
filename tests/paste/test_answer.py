"""What is said of pastes that were made, and of those that were once answered falsely."""

import json
from functools import reduce
from pathlib import Path

import pytest
import torch

from lib.paste.answer import answer, answer_of
from lib.paste.causes import LINKS, OF_ONE, OF_TWO, Verdict
from lib.paste.figures import figures
from lib.paste.picture import picture
from lib.paste.printed import PasteError
from tests.hostile import PASTES, VIEW_KEYS

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


HESSIAN = torch.tensor([[-802.4951, -170.3245], [-170.3241, -88.9112]])


def full(*tensors):
    return "\n".join(str(tensor.tolist()) for tensor in tensors)


def in_tf32(x):
    """Round to 10 bits after the leading one: an oracle that knows no `Format`."""
    bits = x.view(torch.int32)
    return ((bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


MADE = {
    "another order": (full(SUM, OTHER_WAY), "few"),
    "with their difference": (f"a: {SUM}\nb: {OTHER_WAY}\ndiff: {SUM - OTHER_WAY}", "few"),
    "next float": (full(W, torch.nextafter(W, W + 1)), "few"),
    "NaN on both sides alike": ("[nan, 0.5, 0.3333333]\n[nan, 0.5, 0.33333334]", "few"),
    "the same infinity": ("[-inf, 0.5, 1.25]\n[-inf, 0.5, 1.2500001]", "few"),
    "of two dtypes": ("np.float32(0.1)\nnp.float64(0.1)", "few"),
    "beside the largest": ("[1000.0, 0.0012345678] [1000.0, 0.0012045678]", "largest"),
    "residues": (full(torch.tensor([1.0, 2**-30]), torch.tensor([1.0, 2**-29])), "largest"),
    "equal": (full(W, W), "equal"),
    "equal as float32": ("0.1 0.100000001", "equal"),
    "equal in what is shown": (f"{torch.arange(3000.0)}\n{torch.arange(3000.0)}", "digits"),
    "equal in four digits": ("0.1234 0.1234", "digits"),
    "four decimals": (f"{SUM}\n{OTHER_WAY}", "digits"),
    "two decimals": ("loss: 2.30\nloss: 2.31", "digits"),
    "tiny beside zero": ("4.4e-10 0", "digits"),
    "another function": ("0.3123 0.4511", "open"),
    "no factor": ("0.5123 1.0385", "open"),
    "two residues alone": ("9.3132e-10 1.8626e-09", "open"),
    "rolled": (full(W, W.roll(1)), "open"),
    "in TF32": (full(MANY, in_tf32(MANY)), "open"),
    "three floats apart in float16": ("[480.0, 721.5] [480.0, 720.0]", "open"),
    "a factor at any scale": ("1.2345678e-08 2.4691356e-08", "factor"),
    "a mean of 6": (full(W, W / 6), "factor"),
    "a batch of 32": (f"{W}\n{32 * W}", "factor"),
    "pairs by label": (f"w: {W}\nb: {SUM}\nc: {A}\nw: {W}\nb: {2 * SUM}\nc: {A}", "factor"),
    "sign": (full(W, -W), "sign"),
    "one sign": ("tensor([0.5123, -1.2040, 0.3])\ntensor([0.5123, 1.2040, 0.3])", "sign"),
    "transposed": (f"{A}\n{A.T}", "transposed"),
    "conjugate": (f"{COMPLEX}\n{COMPLEX.conj().resolve_conj()}", "conjugate"),
    "sum over rows": (f"{A}\n{A.sum(0).expand(3, 3)}", "sum over rows"),
    "the gradient of the sum": (f"{A}\n{A.sum(0)}", "sum over rows"),
    "all zero": (f"{A}\n{torch.zeros(3, 3)}", "zero"),
    "NaN": (f"{W}\n{W / 0 * 0}", "not_finite"),
    "nothing but NaN": ("[nan, nan]\n[nan, nan]", "not_finite"),
    "infinite": (f"{W}\n{W / 0}", "not_finite"),
    "a matrix with NaN": (f"{A / torch.eye(3) * 0}", "not_finite"),
    "one matrix": (f"{A}", "matrix"),
    "one matrix of equal rows": (f"{A[:1].expand(3, 3)}", "equal_rows"),
    "a batch of equal rows": (f"{A[:, None].expand(3, 2, 3)}", "equal_rows"),
    "one row": ("tensor([[2., 2., 2.]])", "vector"),
    "zeros": ("x.grad: tensor([0., 0., 0.])", "zeros"),
    "a shape": ("J.shape: torch.Size([8, 3, 4])", "size"),
    "a number": ("0.1", "number"),
    "differences": ("max diff: 2.9e-08\nmean diff: 1e-09", "difference"),
    "no difference": ("max diff: 0.0", "no_difference"),
    "words": ("why is it not the same", "nothing"),
    "a difference in a sentence": ("no gradient is NaN. max abs diff: 2.9e-08", "nothing"),
    "one value in a sentence": (
        "Why is `w.grad` None but `v.grad` tensor([0.2886])? Hm.",
        "nothing",
    ),
    "residues of terms near 1,000": ("0.00042724609375\n0.0008544921875", "open"),
    "a residue's sign": ("[-0.000244140625, 0.3973]\n[0.000244140625, 0.3973]", "open"),
    "residues in float16": ("[-1.5, 1.0]\n[-3.0, 2.0]", "open"),
    "zeros of residues in float16": ("[0., 0.]\n[0.25, 1.]", "open"),
    "nearly symmetric": (full(HESSIAN, HESSIAN.T), "largest"),
    "zeros left out": (f"{torch.zeros(40, 40)}", "gap"),
    "no difference left out": (f"diff: {torch.zeros(2000)}", "gap"),
    "decimal commas": ("Verlust 0,4121 statt 0,4037", "nothing"),
    "Fortran's exponents": ("F  0.128847D-02\nF  0.257694D-02", "nothing"),
    "a sum that has stopped": ("2048.0\n4096.0", "open"),
    "more digits than the dtype has": ("3.0320968627929688\n3.03125", "open"),
    "huge": ("[1e308, -1e308]\n[1e308, 1e308]", "open"),
    "a relative difference": ("relative error: 1.2e-7", "nothing"),
    "a subtraction": ("x.grad - manual\ntensor([1e-8, 2e-8])", "nothing"),
    "a subtraction in a sentence": ("print(a.grad[0] - b.grad) shows tensor([0.5])", "nothing"),
}
ASKED = {
    "three runs": "0.4321\n0.8642\n0.4321",
    "a sentence": "The loss is a scalar output.\n0.12345678\n0.12345680",
    "code": "tmp = torch.randn(10, 5, requires_grad=True)\ny = f(tmp, 0.5)\n0.25",
    "values dropped": (
        "old: grad input tensor([0.2500, 0.5000]) grad output tensor([1.5000, 2.5000])\n"
        "new: grad input tensor([0.2500, 0.9000]) grad output tensor([1.5000, 2.5000])"
    ),
    "two differences in a sentence": "paths diverged by 5.44e-4. Now the gap is 2.38e-7",
    "whole numbers": "prompt = [9707] → first token = 1\nprompt = [9707] → first token = 27",
    "counts": "a: 1 b: 2",
    "an input and its Jacobian": f"x: {W[:3]}\nJ: {A}",
    "a limit": "diff: 5.9e-8\natol: 1e-8",
    "no difference and a relative one": "max abs diff: 0.0\nmax rel diff: 0.5",
    "three values": "0.5 0.25 0.125",
    "rows or columns": "0.1 0.2\n0.3 0.4",
    "a table": "  eager compiled\na 0.71819776 0.7181977\nb 0.5 0.5",
    "two ways in two steps": "a: 0.5\nb: 0.25\na: 0.4\nb: 0.125",
    "four tensors": f"{W}\n{W + 1}\n{W + 2}\n{W + 3}",
    "labels that do not pair": "a: [0.5, 0.2]\nw: [1.0]\nw: [2.0]\na: [0.5, 0.2]\nc: [0.5]",
    "a tensor that is cut off": "tensor([[10., 18.],\n        [10., 18.],\n        [10.,",
    "a tuple": "(0.5, 0.25)",
    "unlike labels": "mean: 0.0\nstd: 1.0",
    "a product": "y = 2.0 * 0.5",
    "settings": "lr: 0.1\nmomentum: 0.9\nweight_decay: 0.8",
    "two messages": "Max absolute difference: 0.1819\nMax absolute difference: 0.0004",
    "no message": "assert 0.5 == 0.25",
}


def answered(text, dtype="float32", places=None):
    """Return the answer; all that the page and the command line show must hold together."""
    read = answer(text, dtype, places)
    assert "{" not in read.sentence and read.sentence.endswith(".")
    assert "".join(words for words, *_ in read.pieces) == text.replace("\r\n", "\n").replace(
        "\r", "\n"
    )
    assert read.cause.title
    json.dumps([figures(read), picture(read)], allow_nan=False)
    return read


@pytest.mark.parametrize("name", MADE)
def test_the_cause_is_what_was_done(name):
    text, cause = MADE[name]
    read = answered(
        text,
        "bfloat16" if "than the dtype" in name else "float16" if "float16" in name else "float32",
    )
    assert read.cause.name == cause, read.sentence


def test_every_cause_was_made():
    made = {cause for _, cause in MADE.values()}
    assert {name for name, _ in OF_TWO + OF_ONE} - made == {"", "shapes"}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_not_certain_is_asked(name):
    read = answered(ASKED[name])
    assert read.cause.name == "ask" and not read.comparisons


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_tensor_that_names_no_dtype_is_of_another_than_one_that_does(dtype):
    named = "tensor([-1.7442, -0.4557])\ntensor([-1.7422, -0.4551], dtype=torch.bfloat16)"
    assert answered(named, dtype).verdict is Verdict.ROUNDING


def test_how_far_apart_a_component_is_is_said_of_that_component():
    read = answered("tensor([1000.1001, 0.0010000000])\ntensor([1000.0000, 0.0010050000])")
    assert "in component 0" in read.sentence and "are 1,640 floats apart" in read.sentence


def test_a_difference_is_one_float_at_numbers_that_depend_on_the_dtype():
    for text, dtype, numbers in (
        ("diff: 9.3132e-10", "float32", "0.00781 to 0.0156"),
        ("diff: 0.033447265625", "float32", "262,000 to 524,000"),
        ("diff: 2.2204460492503131e-16", "float64", "1.00 to 2.00"),
        ("diff: 0.0078125", "bfloat16", "1.00 to 2.00"),
    ):
        read = answered(text, dtype)
        assert f"of {dtype} at numbers from {numbers}" in read.sentence, read.sentence
        assert "only" not in read.sentence and "bug" not in read.sentence
    rows = picture(answer("diff: 9.3132e-10", "float32"))["rows"]
    assert [row["name"] for row in rows] == ["bfloat16", "float32", "float64"]


PICKED = [
    ("[1., 2.] [2., 4.] [0.5, 1.]", (0, 2), "[1., 2.]", "[0.5, 1.]"),
    ("0.5 0.25 0.125", (2, 0), "0.125", "0.5"),
    ("it was [[1., 2.], [2., 4.]] or [3., 6.]", (0, 1), "[[1., 2.], [2., 4.]]", "[3., 6.]"),
    ("first token = 1, then first token = 27", (0, 1), "1", "27"),
]


@pytest.mark.parametrize("text, places, first, second", PICKED)
def test_two_that_are_pressed_are_compared_with_what_stands_in_their_places(
    text, places, first, second
):
    read = answered(text, places=places)
    marked = {role: words for words, _, role in read.pieces if role}
    assert marked == {"first": first, "second": second}
    assert read.verdict is not None


def test_what_was_not_compared_is_counted():
    read = answered("after 100 steps 0.5 and 0.50000006, or 0.75", places=(1, 2))
    assert read.verdict is Verdict.ROUNDING and read.notes == ["2 of 4 values were compared."]


@pytest.mark.parametrize("places", [(0, 0), (0, 3), (-1, 0)])
def test_what_cannot_be_pressed_is_one_sentence(places):
    with pytest.raises(PasteError, match="Two different values"):
        answer("0.5 0.25 0.125", "float32", places)


@pytest.mark.parametrize(
    "texts, cause",
    [
        (["0.1", "0.10000000894"], "few"),
        (["-0.0086", "-0.0086", "9.3132e-10"], "few"),
        (["[1., 2.]", "[2., 4.]"], "factor"),
        (["1.5", "4.5"], "factor"),
        (["[16777216, 3]", "[16777217, 3]"], "open"),
        (["[[1., 2.], [3., 4.]]", "[[1., 3.], [2., 4.]]"], "transposed"),
        (["[1., 2.]", "[2., 4., 8.]"], "shapes"),
        (["[1., 2.]", "0.5"], "shapes"),
        (["0.1", "0.2", "0.5"], "ask"),
    ],
)
def test_values_are_given_one_by_one(texts, cause):
    assert answer_of(texts, "float32").cause.name == cause


@pytest.mark.parametrize(
    "text, dtype, verdict", json.loads(Path(__file__).with_name("pastes.json").read_text())
)
def test_what_others_brought_or_was_once_answered_falsely_has_its_verdict(text, dtype, verdict):
    read = answered(text, dtype)
    assert (read.verdict and read.verdict.name) == verdict, read.sentence


def test_the_links_lead_somewhere():
    assert {link.section for link in LINKS.values() if link.section} <= VIEW_KEYS


@pytest.mark.parametrize("text", PASTES)
def test_hostile_texts_are_answered_or_refused(text):
    try:
        answered(text, "float16")
    except PasteError as error:
        assert str(error).endswith(".") and "\n" not in str(error)

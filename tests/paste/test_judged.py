"""What is said of pastes that were made by really doing it, in torch, NumPy and pytest's words."""

import json
import warnings
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
import torch

from lib.page.discrepancy import TAB
from lib.paste.answer import answer
from lib.paste.causes import CAUSES, Verdict
from lib.paste.picture import picture
from lib.paste.printed import PasteError
from tests.hostile import PASTES

R, N, M = (verdict for verdict in Verdict)
DRAW = torch.Generator().manual_seed(7)
W, MANY = torch.randn(6, generator=DRAW), torch.randn(40, generator=DRAW)
X, V = torch.randn(6, 64, generator=DRAW), torch.randn(64, generator=DRAW)
A = torch.randn(3, 3, generator=DRAW)
TERMS = (X * V).unbind(1)
SUM, OTHER_WAY = reduce(torch.add, TERMS), reduce(torch.add, TERMS[::-1])
BATCH = torch.zeros(3, 2, 3, 4)
for sample in range(3):
    BATCH[sample, :, sample] = torch.randn(2, 4, generator=DRAW)


def full(*vectors):
    return "\n".join(f"[{', '.join(repr(x) for x in vector.tolist())}]" for vector in vectors)


def in_tf32(x):
    """Round to 10 bits after the leading one: an oracle that knows no `Format`."""
    bits = x.view(torch.int32)
    return ((bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


def failure(check, *arguments, **keywords):
    with pytest.raises((AssertionError, RuntimeError)) as caught:
        check(*arguments, **keywords)
    return f"AssertionError: {caught.value}"


class Half(torch.autograd.Function):
    """x², with half of its gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * ctx.saved_tensors[0]


def gradcheck(function, dtype):
    x = torch.tensor([0.3, 1.7], dtype=dtype, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says that single precision will fail, as it is to
        return failure(torch.autograd.gradcheck, function, x)


CLOSE, ALLCLOSE = torch.testing.assert_close, np.testing.assert_allclose

ROUNDING = {
    "float32 in float64": (f"{full(MANY.double().sin(), MANY.sin().double())} float64", "narrower dtype"),
    "float32 by its digits": (failure(np.testing.assert_array_equal, SUM.numpy(), OTHER_WAY.numpy()), "few floats"),
    "another order": (full(SUM, OTHER_WAY), "few floats"),
    "with their difference": (f"a: {SUM}\nb: {OTHER_WAY}\ndiff: {SUM - OTHER_WAY}", "few floats"),
    "in columns": ("\n".join(f"{a:.9g} {b:.9g}" for a, b in zip(SUM, OTHER_WAY, strict=True)), "few floats"),
    "in a table": (
        "| i | one | other |\n|---|---|---|\n"
        + "\n".join(f"| {i} | {a:.9g} | {b:.9g} |" for i, (a, b) in enumerate(zip(SUM, OTHER_WAY, strict=True))),
        "few floats",
    ),
    "next float": (full(W, torch.nextafter(W, W + 1)), "few floats"),
    "cancelled": (full(torch.tensor([1e3, 1.23e-3]), torch.tensor([1e3, 1.2e-3])), "rounding of n floats"),
    "assert_close": (failure(CLOSE, SUM, OTHER_WAY, rtol=0, atol=0), "rounding of n floats"),
    "NumPy": (failure(ALLCLOSE, SUM.numpy(), OTHER_WAY.numpy(), rtol=0), "few floats"),
    "a scalar": (failure(CLOSE, 0.0514, 0.0513999984, rtol=0, atol=1e-9), "rounding of n floats"),
    "a difference that no float16 has": ("float16: 0.5 0.5 9.3132e-10", "rounding of n floats"),
}
NOT_ROUNDING = {
    "in MATLAB": ("A = [1 2; 3 4]\nB = [1 3; 2 4]", "transposed"),
    "complex": ("(0.5+0.25j) (1.0-2j)\n(0.5+0.25j) (1.0+2j)", "sign"),
    "a numerical gradient": ("float64: numerical: 0.25000012 analytical: 0.250000", "finite difference"),
    "in TF32": (full(MANY, in_tf32(MANY)), "narrower dtype"),
    "a tie in TF32": ("1024.5 → 1025", "narrower dtype"),
    "in bfloat16": (full(MANY, MANY.bfloat16().float()), "narrower dtype"),
    "products in TF32": (f"cuda {full(torch.tensor([12.3456]))} cpu {full(torch.tensor([12.3401]))}", "narrower dtype"),
    "gradcheck in float32": (gradcheck(lambda x: x.sin() * x, torch.float32), "finite difference"),
    "no factor": ("0.5123 1.0385", "another function"),
    "no power of two": ("float16: 1000 against 1500", "another function"),
    "a factor in one component": ("[0.3124, 1.2047] [0.6248, 1.2999]", "another function"),
    "a relative error": ("relative error: 0.45", "another function"),
    "None": ("print(x.grad)\nNone", "detached"),
    "in place": ("RuntimeError: one of the variables … has been modified by an inplace operation", "graph"),
    "another error": ("RuntimeError: Function AddBackward returned an invalid gradient", "graph"),
    "sizes": ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)", "shapes"),
    "a slope": ("relu'(0): 0 vs 1", "kink"),
    "no slope of a kink": ("[0.0, 0.7] [0.5123, 0.7]", "detached part"),
    "a mean of 6": (full(W, W / 6), "sum instead of mean"),
    "a batch of 32": (f"{W}\n{32 * W}", "sum instead of mean"),
    "in words": ("backward gives 0.0123 while jacobian gives 0.7872", "sum instead of mean"),
    "sign": (full(W, -W), "sign"),
    "one sign": ("tensor([0.5123, -1.2040, 0.3000])\ntensor([0.5123, 1.2040, 0.3000])", "sign"),
    "transposed": (f"{A}\n{A.T}", "transposed"),
    "rolled": (full(W, W.roll(1)), "permuted"),
    "sum over rows": (f"{A}\n{A.sum(0).expand(3, 3)}", "sum over rows"),
    "rows all the same": ("tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.]])", "sum over rows"),
    "rows one by one": ("\n".join(["tensor([10., 18.])"] * 4), "sum over rows"),
    "columns all the same": ("[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]", "sum over rows"),
    "cut off": ("tensor([[10., 18.],\n        [10., 18.],\n        [10.,", "sum over rows"),
    "detached": ("0.25 0.0", "detached part"),
    "one entry is 0": (f"{A}\n{A * (1 - torch.eye(3))}", "detached part"),
    "a kink": ("tensor([0., 1.]) tensor([0.5000, 1.0000])", "kink"),
    "another function": ("0.3123 0.4511", "another function"),
    "numbers in lines": ("-0.1\n0.2", "sum instead of mean"),
    "NaN": ("tensor([nan, 1., 2.])", "NaN"),
    "NaN in a matrix": (f"{A / torch.eye(3).fill_diagonal_(0).log().exp() * float('nan')}", "NaN"),
    "infinite": ("tensor([inf, 1.])", "infinity"),
    "infinite in a matrix": ("[[inf, 1.], [2., 3.]]", "infinity"),
    "zeros": ("x.grad: tensor([0., 0., 0.])", "zeros"),
    "a matrix of zeros": (f"{torch.zeros(2, 3)}", "zeros"),
    "a row of zeros": (f"{A * torch.tensor([[1.0], [0.0], [1.0]])}", "zero rows"),
    "a row and a matrix": ("[0.123456, 1.5, 2.25, 3.5] [[1.5, 2.5], [0.5, 7.5]]", "another function"),
    "unequal": ("[1.5, 2.5, 3.5] [1.5, 2.5]", "shapes"),
    "shapes": ("torch.Size([3, 4]) torch.Size([4, 3])", "shapes"),
    "assert_close": (failure(CLOSE, W, W + 0.5), "another function"),
    "assert_close of dtypes": (failure(CLOSE, W, W.double()), "shapes"),
    "assert_close of shapes": (failure(CLOSE, W, W[:5]), "shapes"),
    "assert_close of NaN": (failure(CLOSE, W, W / 0 * 0), "NaN"),
    "NumPy": (failure(ALLCLOSE, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.5])), "another function"),
    "NumPy, in pytest": (
        "\n".join(f"E   {line}" for line in failure(ALLCLOSE, 0.1, 0.3).split("\n")),
        "sum instead of mean",
    ),
    "opposite": ("cosine similarity of the gradients: -0.9999999", "another function"),
    "a factor in words": ("my gradients are exactly twice as large", "sum instead of mean"),
    "steps that change nothing": ("step 0 w = 1.0\nstep 1 w = 1.0\nstep 2 w = 1.0", "a sum that stands still"),
    "one of many": ("max errors: conv1 2e-7 | conv2 5e-7 | fc 0.41", "another function"),
    "half a gradient": (gradcheck(Half.apply, torch.float64), "sum instead of mean"),
    "about eps of TF32": ("0.73512345 0.73585858", "another function"),
    "no graph": (failure(torch.ones(1).sum().backward), "detached"),
    "twice": ("RuntimeError: Trying to backward through the graph a second time", "graph"),
    "anomaly": ("RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.", "NaN"),
}
MORE_DIGITS = {
    "what differs is cut": ("x: array([[0.5, 1.25],\n [0.75,...\ny: array([[0.5, 1.25],\n [0.75,...", "print more"),
    "beyond a tolerance": ("Backward is not reentrant … tolerance for nondeterminism was 0.001.", "nondeterministic"),
    "told in many floats": ("Arrays are not equal to 1 ULP (max is 4.13525e+07)", "difference alone"),
    "two decimals": ("loss: 2.30 vs 2.31", "print more"),
    "four decimals": (f"{SUM}\n{OTHER_WAY}", "print more"),
    "a large difference alone": ("max abs diff = 0.5", "difference alone"),
}
UNJUDGED = {
    "two figures of one thing": ("amax 3.3e-06\namean 1.06e-07", "numbers"),
    "sizes in a sentence": ("J is 10 x 3072, input 3072, output 10", "numbers"),
    "equal numbers in a row": ("tensor([2., 2., 2.])", "numbers"),
    "settings": ("ResNet-50, batch size 32, lr 0.001, PyTorch 2.1.0", "words"),
    "a coordinate and a value": ("x f(x)\n0.1 0.0998\n0.2 0.1987\n0.3 0.2955", "numbers"),
    "allclose alone": ("assert torch.allclose(a, b)\nAssertionError", "no numbers"),
    "isclose": (f"{torch.tensor([True, False])}", "no numbers"),
    "False": (">>> torch.equal(a, b)\nFalse", "no numbers"),
    "alike in all digits": ("[-13.106585, -9.679127] [-13.106585, -9.679127]", "equal"),
    "rows that are not all equal": ("[[1.5, 2.5], [1.5, 2.5], [1.5, 2.75]]", "no fault"),
    "one zero": ("[[1.5, 0.0], [1.5, 2.5]]", "no fault"),
    "a Jacobian": (f"{torch.randn(2, 3, generator=DRAW)}", "no fault"),
    "a Hessian": (f"{A + A.T}", "no fault"),
    "a diagonal": (f"{torch.diag(torch.tensor([1.0, 2.0, 3.0]))}", "batch Jacobian"),
    "a batch": (f"{BATCH}", "batch Jacobian"),
    "a batch that is flat": (f"{BATCH.reshape(6, 12)}", "batch Jacobian"),
    "a batch that mixes": (f"{BATCH + 1}", "no fault"),
    "one row of equal numbers": ("tensor([[2., 2., 2.]])", "one row"),
    "the gradient of the sum": (f"{A}\n{A.sum(0)}", "sum over rows"),
    "the gradient of the mean": (f"{A}\n{A.mean(0)}", "sum over rows"),
    "equal": (full(W, W), "equal"),
    "1 - y is no difference": (
        "print(w.grad)\nprint(s * (1 - s) * x)\nprint((w.grad - s * (1 - s) * x).abs().max())\n\n"
        "tensor([0.0109, 0.0217])\ntensor([0.0109, 0.0217])\ntensor(0.)",
        "equal",
    ),
    "equal differences": ("differences: [0.0, 0.0]", "equal"),
    "a number": ("0.1", "numbers"),
    "a shape": ("torch.Size([3, 4])", "shape"),
    "a shape as a list": ("[640, 196608]", "shape"),
    "a shape of a batch": ("(32, 10, 32, 784)", "shape"),
    "a shape of three": ("J.shape: torch.Size([8, 3, 4])", "shape"),
    "a shape of one": ("torch.Size([5])", "shape"),
    "words": ("why is it not the same", "words"),
}
ALL = [
    pytest.param(text, cause, verdict, id=f"{verdict and verdict.name}: {name}")
    for verdict, table in ((R, ROUNDING), (N, NOT_ROUNDING), (M, MORE_DIGITS), (None, UNJUDGED))
    for name, (text, cause) in table.items()
]


def answered(text, dtype):
    found = answer(text, dtype)
    assert "{" not in found.sentence and found.sentence.endswith(".")
    assert "".join(piece for piece, *_ in found.marks) == text.replace("\r\n", "\n").replace("\r", "\n")
    json.dumps([found.figures, picture(found), found.table, found.measured, found.read_as], allow_nan=False)
    return found


@pytest.mark.parametrize("text, cause, verdict", ALL)
def test_the_verdict_is_what_was_done(text, cause, verdict):
    found = answered(text, "float32")
    assert found.verdict is verdict, (found.cause.name, found.sentence)
    assert cause == found.cause.name


LOG = """[gpu] loss 56.6340 gn 50.5704  [cpu] loss 1.1799 gn 1.0535
[gpu] loss 54.1602 gn 47.3201  [cpu] loss 1.1788 gn 1.0521"""
PICKED = [
    ("[1., 2.] [2., 4.] [0.5, 1.]", (0, 2), "1., 2.", "0.5, 1."),
    (LOG, (0, 2), "56.6340 54.1602", "1.1799 1.1788"),
    (f"{LOG}\ndone in 3 or 4", (2, 0), "1.1799 1.1788", "56.6340 54.1602"),
    ("a   7.0  1.0\nb   8.0  2.0\nc   9.0", (0, 1), "7.0 8.0", "1.0 2.0"),
    ("a   7.0  1.0\nb   8.0  2.0\nc   9.0", (0, 2), "7.0 1.0", "8.0 2.0"),
    ("a   7.0  1.0\nb   8.0  2.0\nc   9.0", (1, 2), "1.0", "8.0"),
    ("loss 7.0 norm 1.0\nloss 8.0 norm 2.0", (0, 2), "7.0", "8.0"),
    ("0.5 0.25 0.125", (2, 0), "0.125", "0.5"),
    ("Backward is not reentrant\na 1.5\nb 2.5", (0, 1), "1.5", "2.5"),
    ("[[1., 2.], [2., 4.]]", (0, 1), "1., 2.", "2., 4."),
    ("[[1., 2.], [2., 4.]] [4., 8.]", (1, 2), "2., 4.", "4., 8."),
    ("[[1., 2.], [2., 4.]] [[2., 4.], [4., 8.]]", (1, 2), "1., 2. 2., 4.", "2., 4. 4., 8."),
]


@pytest.mark.parametrize("text, sides, first, second", PICKED)
def test_two_that_are_picked_are_compared_with_what_stands_in_their_places(text, sides, first, second):
    found = answer(text, "float32", sides=sides)
    marked = {role: " ".join(words for words, _, what in found.marks if what == role) for role in ("first", "second")}
    assert marked == {"first": first, "second": second} and found.verdict is N
    pairs = found.kind.pairs
    both = " ".join(one.text for side in (pairs.first, pairs.second) for one in side.printed)
    assert both == f"{first} {second}".replace(",", "")


@pytest.mark.parametrize("sides", [(0, 0), (0, 3), (-1, 0)])
def test_what_cannot_be_picked_is_one_sentence(sides):
    with pytest.raises(PasteError, match="of 3 values"):
        answer("0.5 0.25 0.125", "float32", sides=sides)


BROUGHT = json.loads(Path(__file__).with_name("pastes.json").read_text())


@pytest.mark.parametrize("paste", BROUGHT, ids=lambda paste: paste["what"])
def test_pastes_that_others_brought_have_a_verdict_that_they_accept(paste):
    """And where a cause is told, it is that one."""
    found = answered(paste["text"], paste["dtype"])
    verdict = found.verdict.value.partition(":")[0].lower().removeprefix("print ") if found.verdict else "none"
    assert verdict in paste["accept"] and found.cause.name == paste.get("cause", found.cause.name)


def test_every_cause_was_made():
    texts = [*(case.values[0] for case in ALL), *(paste["text"] for paste in BROUGHT if paste["dtype"] == "float32")]
    made = {answer(text, "float32").cause for text in texts}
    assert [key for key, one in CAUSES.items() if one not in made] == []


def test_the_links_lead_somewhere():
    sections = {section.key for section in (*TAB.cards, *TAB.sections)}
    links = [link for one in CAUSES.values() for link in one.links]
    assert {link.section for link in links if link.study == "discrepancy"} <= {*sections, ""}
    assert all(len(one.links) <= 2 for one in CAUSES.values())


@pytest.mark.parametrize("text", ["[[1, 2], [3]]", "1e999 1", "dtype=complex64 1", "", "[" * 30, "x" * 10**6])
def test_what_cannot_be_read_is_one_sentence(text):
    with pytest.raises(PasteError) as caught:
        answer(text, "float32")
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", PASTES)
def test_hostile_texts_are_answered_or_refused(text):
    try:
        found = answer(text, "float16")
    except PasteError:
        return
    json.dumps([found.figures, picture(found), found.table], allow_nan=False)
    assert "".join(piece for piece, *_ in found.marks) == text.replace("\r\n", "\n").replace("\r", "\n")


def test_a_lone_difference_is_held_against_no_tolerance():
    assert "above" not in answer("2.98e-8", "float32").figures
    assert answer("0.25 0.25000002980", "float32").figures["above"]["allclose"] is False


def test_one_figure_has_one_rounding():
    text = "0.0514 0.0514 1.4901e-08"
    assert answer(text, "float32").figures["difference"] == 2**-26
    assert answer("1.4901161193847656e-08", "float32").sentence.count("1.49e-08") == 1

"""What is read from a pasted matrix, and the one sentence that is the answer where nothing can be."""

import json
import sys

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lib.paste.matrix import PasteError, is_cut, number, parse
from lib.paste.tokenizer import MOST_CHARACTERS

POST = """\
q: tensor([1., 2.], requires_grad=True)
x: tensor([ 2.,  4.,  4., 16.], grad_fn=<CatBackward>)
J1: tensor([[10., 18.],
[10., 18.],
[10., 18.],
J2: tensor([[ 2.,  0.],
[ 0.,  2.],
[ 8.,  0.],
[ 0., 16.]], grad_fn=<CopySlices>)
"""
"""What the second post printed, as the forum shows it: the first matrix lost its last row and brackets."""

SUMMED = [[10, 18]] * 4
RIGHT = [[2, 0], [0, 2], [8, 0], [0, 16]]

any_text = st.text(st.characters(exclude_categories=()))
shapes = hnp.array_shapes(min_dims=1, max_dims=4, max_side=4)
floats = hnp.arrays(np.float64, shapes, elements=st.floats(width=64))
"""Infinities, NaN, negative zero and the smallest numbers included."""

eighths = hnp.arrays(np.int64, shapes, elements=st.integers(-999, 999)).map(lambda whole: whole / 8)
"""Numbers that torch prints exactly in its four digits, and never in powers of ten."""


def same(text, values):
    """Whether the text is read as these values, bit for bit but for the kind of NaN; a row is a matrix of one row."""
    values = np.asarray(values, np.float64)
    matrix = parse(text)
    assert matrix.dtype == np.float64
    np.testing.assert_array_equal(matrix, values.reshape(1, -1) if values.ndim < 2 else values, strict=True)
    np.testing.assert_array_equal(np.signbit(matrix[matrix == 0]), np.signbit(values[values == 0]))
    return True


def fault(text):
    """The message of the PasteError: one sentence on one short line, which quotes what was pasted."""
    with pytest.raises(PasteError) as caught:
        parse(text)
    message = str(caught.value)
    assert message.isprintable() and message.endswith(".") and ". " not in message.replace(caught.value.shown, "")
    assert len(message) < 250 and len(caught.value.shown) <= 60 and caught.value.shown in message
    return message


def test_the_posts_wrong_matrix_is_read_from_all_that_it_printed():
    assert same(POST, SUMMED[:3])


def test_each_of_the_posts_matrices_is_read_from_its_own_lines():
    first, second = POST.index("J1"), POST.index("J2")
    assert same(POST[first:second], SUMMED[:3])
    assert same(POST[second:], RIGHT)
    assert same(POST[:first], [1, 2])


def test_the_posts_matrices_are_read_as_torch_prints_them_today():
    q = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.cat([2 * q, 4 * q * q], -1)
    summed = torch.stack(torch.autograd.grad(list(x), [q] * 4, create_graph=True))
    assert "grad_fn=<StackBackward0>" in repr(summed)
    assert same(f"q: {q}\nx: {x}\nJ1: {summed}\n", SUMMED)
    right = torch.autograd.functional.jacobian(lambda q: torch.cat([2 * q, 4 * q * q], -1), q)
    assert same(f"J2: {right}", RIGHT)
    assert same(repr(tuple(right)), RIGHT)


@given(floats)
def test_lists_read_back_as_they_were(values):
    assert same(str(values.tolist()), values)
    assert same(json.dumps(values.tolist()), values)
    assert same(json.dumps(values.tolist(), indent=1), values)
    assert same(str(tuple(values.tolist())), values)


@given(floats)
def test_numpy_arrays_read_back_as_they_were(values):
    with np.printoptions(precision=17, floatmode="unique", threshold=sys.maxsize):
        assert same(str(values), values)
        assert same(repr(values), values)
        assert same(repr(list(values)), values)


@given(hnp.arrays(np.float32, shapes, elements=st.floats(width=32)))
def test_numpy_arrays_of_float32_read_back_to_float32(values):
    with np.printoptions(floatmode="unique", threshold=sys.maxsize):
        np.testing.assert_array_equal(parse(f"np.{values!r}").astype(np.float32).ravel(), values.ravel())


@given(eighths)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int32], ids=str)
def test_torch_tensors_read_back_as_they_were(dtype, values):
    tensor = torch.tensor(values).to(dtype)
    assert same(f"{tensor}", tensor.double())
    assert same(f"J = torch.{tensor!r}", tensor.double())
    if dtype.is_floating_point:
        assert same(f"J: {tensor.requires_grad_() * 1}", tensor.detach().double())


@given(hnp.arrays(np.float32, shapes, elements=st.floats(2**-14, 60000, width=32)))
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_torch_tensors_in_powers_of_ten_read_back_to_their_four_digits(dtype, values):
    tensor = torch.tensor(values).to(dtype)
    read = parse(repr(tensor))
    np.testing.assert_allclose(read.ravel(), tensor.double().ravel(), rtol=1e-4, atol=5.001e-5)
    assert read.shape == (tensor.shape if tensor.dim() > 1 else (1, *tensor.shape))


@given(eighths)
def test_a_printout_may_lack_its_last_brackets(values):
    whole = repr(torch.tensor(values))
    assert same(whole.partition(", dtype")[0].rstrip(")]"), values)
    if values.ndim > 1:
        assert same(whole.partition(", dtype")[0].rstrip(")]") + "],\nJ2: tensor([[1., 2., 3.]])", values)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10 18\n10 18", SUMMED[:2]),
        ("\n10, 18,\r\n10,\t18\r\n\r\n", SUMMED[:2]),
        ("  10.  18.\n  10.  18.\n", SUMMED[:2]),
        ("J:\n10 18\n10 18\nand so on: 7", SUMMED[:2]),
        ("q: tensor([1., 2.])\nJ:\n10 18\n10 18", SUMMED[:2]),
        ("[10, 18]\n[10, 18]", SUMMED[:2]),
        ("[10, 18], [10, 18]", SUMMED[:2]),
        ("tensor([10., 18.])\ntensor([10., 18.])\n", SUMMED[:2]),
        ("(tensor([10., 18.]), tensor([10., 18.]))", SUMMED[:2]),
        ("(tensor([10., 18.]),)", SUMMED[:1]),
        ("([[10, 18], [10, 18]])", SUMMED[:2]),
        ("[[10. 18.]\n [10. 18.]]", SUMMED[:2]),
        ("tensor([[10., 18.]], device='cuda:0', dtype=torch.float64, requires_grad=True)", SUMMED[:1]),
        ("tensor([[10., 18.]],\n       device='cuda:0',\n       grad_fn=<StackBackward0>)", SUMMED[:1]),
        ("Array([[10., 18.]], dtype=float32)", SUMMED[:1]),
        ("Parameter containing:\ntensor([[10., 18.]], requires_grad=True)", SUMMED[:1]),
        ("J1 = [[10, 18]]", SUMMED[:1]),
        ("Jacobian of sample 3 [[10, 18]]", SUMMED[:1]),
        ("net.weight tensor([[10., 18.]])", SUMMED[:1]),
        ("J = [[10, 18]];", SUMMED[:1]),
        (">>> J1\ntensor([[10., 18.]])", SUMMED[:1]),
        (">>> f = [[1, 2]]\n>>> for i in range(2):\n...     f(i)[...]\ntensor([[10., 18.]])\n>>> 5", SUMMED[:1]),
        (">>> J = [[10, 18]]\n\n", SUMMED[:1]),
        ("Out[12]: \narray([[10., 18.]])", SUMMED[:1]),
        ("[[10, 18], [10, 18], [", SUMMED[:2]),
        ("[[10, 18], [10, 18]\nJ2 = [[1]]", SUMMED[:2]),
        ("[[10, 18]]\n[[1, 2, 3]] or 'whatever'", SUMMED[:1]),
        ("[10, 18] (using loss.backward)\n[10, 18] (by hand)\n", SUMMED[:2]),
        ("tensor(5.)", [[5]]),
        ("5", [[5]]),
        ("[np.float64(1.0), np.float64(2.0)]", [1, 2]),
        ("\N{MINUS SIGN}1.5\N{NO-BREAK SPACE}-2.", [-1.5, -2]),
        ("[1., .5, +2, 1e3, -1.0000e-03, 1E+2]", [1, 0.5, 2, 1000, -0.001, 100]),
        ("[nan, NaN, inf, -inf, Infinity, -Infinity]", [np.nan, np.nan, np.inf, -np.inf, np.inf, -np.inf]),
        ("[[nan 1.]\n [inf 2.]]", [[np.nan, 1], [np.inf, 2]]),
        ("nan inf\ninf nan", [[np.nan, np.inf], [np.inf, np.nan]]),
        ("[1.7976931348623157e308, 5e-324, -0., 0e999]", [sys.float_info.max, 5e-324, -0.0, 0]),
        ("[" + "9" * 300 + "]", [1e300]),
    ],
)
def test_what_people_paste_is_read(text, values):
    assert same(text, values)


NOT_A_NUMBER = "is not a number: only lists of numbers and printed tensors or arrays can be read."
RANGE = "is beyond the range of float64, in which a matrix is read."
DEEP = "The brackets are nested deeper than 4: more dimensions cannot be read."
EMPTY = "Nothing was pasted: paste a matrix as nested lists, or as a tensor or an array is printed."
NO_NUMBERS = "There are no numbers in it: paste a matrix as nested lists, or as a tensor is printed."
NO_PLACE = "Before a comma a number is missing: every place needs its number."
MIXED = "Numbers and lists are mixed in one list: every row needs brackets of its own."
NINES = "'" + "9" * 56 + "…"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", EMPTY),
        (" \n\t\r\n", EMPTY),
        ("[]", NO_NUMBERS),
        ("[[], []]", NO_NUMBERS),
        ("tensor([], size=(0, 3))", NO_NUMBERS),
        ("J1:", NO_NUMBERS),
        (">>> J1\n", f"'J1' {NOT_A_NUMBER}"),
        ("hello", f"'hello' {NOT_A_NUMBER}"),
        ("__import__('os').system('x')", f"'__import__' {NOT_A_NUMBER}"),
        ("[__import__('os')]", f"'__import__' {NOT_A_NUMBER}"),
        ("J = f([1, 2])", f"'f' {NOT_A_NUMBER}"),
        ("mytensor([1, 2])", f"'mytensor' {NOT_A_NUMBER}"),
        ("[None, 1]", f"'None' {NOT_A_NUMBER}"),
        ('{"J": [[1]]}', f"""'{{"J":' {NOT_A_NUMBER}"""),
        ("[1 2; 3 4]", f"'2;' {NOT_A_NUMBER}"),
        ("10-18", f"'10-18' {NOT_A_NUMBER}"),
        ("[1_000]", f"'1_000' {NOT_A_NUMBER}"),
        ("[0x10]", f"'0x10' {NOT_A_NUMBER}"),
        ("٤ ٥", f"'٤' {NOT_A_NUMBER}"),
        ("[ınf]", f"'ınf' {NOT_A_NUMBER}"),
        ("[²]", f"'²' {NOT_A_NUMBER}"),
        ("[1\0]", rf"'1\x00' {NOT_A_NUMBER}"),
        ("[[1, 2], dtype=float]", f"'dtype=float' {NOT_A_NUMBER}"),
        ("1 2 metres", f"'metres' {NOT_A_NUMBER}"),
        ("9" * 50_000 + "x", f"{NINES} {NOT_A_NUMBER}"),
        ("9" * 50_000, f"The number {NINES} {RANGE}"),
        ("[[1e999999]]", f"The number '1e999999' {RANGE}"),
        ("[[1, -1e999]]", f"The number '-1e999' {RANGE}"),
        ("1e-999", f"The number '1e-999' {RANGE}"),
        ("[1+2j, 3j]", "The number '1+2j' is complex: only real numbers can be read."),
        ("tensor([1.+2.j, nan+0.j])", "The number '1.+2.j' is complex: only real numbers can be read."),
        ("[[1, 2], [3]]", "Row 1, counted from 0, has 1 number where the rows before it have 2 numbers each."),
        ("1 2\n1 2\n1 2 3", "Row 2, counted from 0, has 3 numbers where the rows before it have 2 numbers each."),
        (
            "[[[1, 2]], [[1, 2], [3, 4]]]",
            "Row 1, counted from 0, has 2 × 2 numbers where the rows before it have 1 × 2 numbers each.",
        ),
        ("[1, [2]]", MIXED),
        ("[[1], 2]", MIXED),
        ("1 [2]", MIXED),
        ("[1,,2]", NO_PLACE),
        ("[,1]", NO_PLACE),
        ("1,,2", NO_PLACE),
        ("[1 2)", "The closing bracket ')' matches no opening one."),
        ("10., 18.],\n[10., 18.]])", "The closing bracket ']' matches no opening one."),
        ("tensor([[1, 2]]).T", "After the matrix comes '.T', but nothing is computed here."),
        ("[[1, 2], [3, 4]][0]", "After the matrix comes '[0]', but nothing is computed here."),
        ("[[[[[1]]]]]", DEEP),
        ("((((((1,),),),),),)", DEEP),
        ("[" * 100_000, DEEP),
        ("(" * 100_000, DEEP),
        ("tensor(" * 14_000, DEEP),
        ("[" * 100_001, "The paste has 100,001 characters; at most 100,000 are allowed."),
        ("1" * 10**6, "The paste has 1,000,000 characters; at most 100,000 are allowed."),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_what_cannot_be_read_is_told_in_a_sentence(text, said):
    assert fault(text) == said


def test_a_printout_with_numbers_left_out_is_told_how_to_print_them():
    said = "Numbers are left out at '...': print it all, after torch.set_printoptions(threshold=10**6) or np."
    assert fault(repr(torch.zeros(40, 40))).startswith(said)
    assert fault(repr(np.zeros((40, 40)))).startswith(said)
    assert fault(str(np.zeros((4, 400)))).startswith(said)


def test_the_largest_jacobian_can_be_pasted_in_all_digits():
    values = -np.random.default_rng(0).random((64, 64))
    text = str(values.tolist())
    assert len(text) > 0.85 * MOST_CHARACTERS
    assert same(text, values)


LONG = [
    "a:",
    "a: ",
    ">>>",
    ">>>\n",
    "1 ",
    "1\n",
    "[1],",
    "[1]\n",
    "[1]: ",
    "[1] (a",
    "dtype=",
    "tensor ",
    "tensor([1],dtype=<",
]


@pytest.mark.parametrize("part", [*LONG, ",", "=", "\r", "\N{COMBINING ACUTE ACCENT}", "...\n", "'", "<", "1e", "--"])
def test_a_long_paste_of_one_part_is_read_or_refused(part):
    """Each of these would take minutes if the time grew with the square of the length."""
    text = part * (MOST_CHARACTERS // len(part))
    for pasted in (text, "[[" + text[:-2], "tensor([" + text[:-8]):
        try:
            assert parse(pasted).size > 1000
        except PasteError:
            fault(pasted)


parts = st.sampled_from(
    ["[", "[[", "]", "]]", "(", ")", ",", " ", "\n", "1", "2.5", "-", "nan", "...", "tensor(", "J: "]
)
parts |= st.sampled_from(["dtype=float32", ">>> ", "array([", "1j", "=", ":", "'", "\0", "…", "Out[1]:", "{}", "\r\n"])


@settings(max_examples=500)
@given(any_text | st.lists(parts, max_size=30).map("".join))
@example("\ud800")
@example("{0} {shown}")
def test_any_text_is_a_matrix_or_a_paste_error(text):
    try:
        matrix = parse(text)
    except PasteError:
        fault(text)
    else:
        assert matrix.dtype == np.float64 and 2 <= matrix.ndim <= 4 and matrix.size > 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        (" -9.074e-1\n", -0.9074),
        ("\N{MINUS SIGN}2", -2.0),
        ("0x1.8p-3", 0.1875),
        ("-0X1P+4", -16.0),
        ("0xff", 255.0),
        (".5", 0.5),
        ("1e-320", 1e-320),
    ],
)
def test_one_number(text, value):
    assert number(text) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_in_either_digits_reads_back(value):
    assert number(repr(value)) == number(value.hex()) == value


@pytest.mark.parametrize(
    "text", ["", "x", "1_0", "٣", "1,5", "nan", "inf", "1e999", "0x", "0x1p9999", "1 2", "9" * 500, "__import__('os')"]
)
def test_what_is_no_number_gets_one_sentence(text):
    with pytest.raises(PasteError) as caught:
        number(text)
    assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)


@given(any_text)
def test_any_text_is_a_number_or_gets_a_sentence(text):
    try:
        assert np.isfinite(number(text))
    except PasteError as error:
        assert error.shown in str(error)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("[[1, 2], [1, 2]", True),
        ("tensor([[1., 2.],\n        [3., 4.]]", True),
        ("J: [[1, 2], [3, 4]\nK: [[1, 2], [3, 4]]", True),
        ("[[1, 2], [1, 2]]", False),
        ("[1, 2]\n[3, 4]", False),
        ("1 2\n3 4", False),
        ("tensor([[1., 2.],\n        [3., 4.]])", False),
    ],
)
def test_a_bracket_that_is_not_closed_is_noticed(text, cut):
    assert is_cut(text) is cut and parse(text).shape[-1] == 2

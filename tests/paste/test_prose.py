"""Numbers among words: what is read of the printouts that people paste, and what is passed over and shown."""

from time import perf_counter
from unittest import TestCase

import numpy as np
import pytest
import torch

from lib.display.markdown import code
from lib.paste.decode import decode
from lib.paste.decode_sentences import notes, verdict
from lib.paste.decode_tables import figures
from lib.paste.tokenizer import PasteError
from tests.hostile import PASTES


def texts(text, dtype="float32"):
    """What is read: the texts of the numbers, or of each pair with its difference."""
    decoding = decode(text, dtype)
    if decoding.numbers:
        return [number.text for number in decoding.numbers]
    return [(pair.first.text, pair.second.text) + ((pair.third.text,) if pair.third else ()) for pair in decoding.pairs]


def message(check, *arguments, **options):
    """What a check says as it fails, as Python's last line prints it."""
    with pytest.raises(AssertionError) as caught:
        check(*arguments, **options)
    return f"AssertionError: {caught.value}"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("0.31 vs 0.32", [("0.31", "0.32")]),
        ("max difference 1.1921e-07", ["1.1921e-07"]),
        ("max_abs_diff=1.1921e-07;", ["1.1921e-07"]),
        ("expected 0.5 got 0.25", [("0.5", "0.25")]),
        ("Is 0.31 != 0.32? I got 0.31.", None),
        ("I get 0.31, but my friend gets 0.32.", [("0.31", "0.32")]),
        ("Epoch 3: loss=0.31, val_loss=0.32", [("0.31", "0.32")]),
        ("x[0] = 0.100000 vs x[1] = 0.100001", [("0.100000", "0.100001")]),
        ("grad: 0.1 ± 0.02", ["0.1"]),
        ("step 100 of 2000: 0.31 -> 0.32", None),
        ("torch 2.13.0: 0.1->0.10000001", [("0.1", "0.10000001")]),
        ("**0.31** vs *0.32*", [("0.31", "0.32")]),
        ("x[0]**2 = 0.31, (a - b)**2 = 0.32", [("0.31", "0.32")]),
        ("$0.31$ vs $$0.32$$", [("0.31", "0.32")]),
        (
            '{"backward": [0.5, 0.25, 0.1, 1], "jacobian": [0.5, 0.25, 0.1, 1]}',
            [("0.5", "0.5"), ("0.25", "0.25"), ("0.1", "0.1"), ("1", "1")],
        ),
        ('{"a": 0.31, "b": 0.32}', [("0.31", "0.32")]),
        ("a=0x1.8p-3 b=0x1.8000020000000p-3", [("0x1.8p-3", "0x1.8000020000000p-3")]),
        ("f1: 0.5, f2: 0.25", [("0.5", "0.25")]),
        (
            "AssertionError: 0.30000000000000004 != 0.31 within 7 places (0.00999999999999995 difference)",
            [("0.30000000000000004", "0.31", "0.00999999999999995")],
        ),
        ("(0.1, 0.2) and (0.1, 0.2)", [("0.1", "0.1"), ("0.2", "0.2")]),
        ("a 0.1 b 0.2 c 0.3\na 0.1 b 0.2 c 0.4", [("0.1", "0.1"), ("0.2", "0.2"), ("0.3", "0.4")]),
        ("J.sum(0): tensor([0.1, 0.2])\nx.grad:   tensor([0.1, 0.2])", [("0.1", "0.1"), ("0.2", "0.2")]),
        (
            "          a         b\n0  0.100000  0.100000\n1  0.200000  0.200001",
            [("0.100000", "0.100000"), ("0.200000", "0.200001")],
        ),
        ("0    0.1\n1    0.2\n2    0.3\n3    0.4\nName: x, dtype: float64", ["0.1", "0.2", "0.3", "0.4"]),
        ("<tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.1, 0.2], dtype=float32)>", [("0.1", "0.2")]),
        ("array([0.1, 0.2]) <object at 0x7f3fea4ebeb0>", [("0.1", "0.2")]),
        ("Difference:\ntensor([1.8626e-09, 9.3132e-10])", ["1.8626e-09", "9.3132e-10"]),
        ("2024-01-05 12:30:01 0.1 0.2 in 0.12s", [("0.1", "0.2")]),
        ("J.sum(0) = 0.1000\nx.grad = 0.1000", [("0.1000", "0.1000")]),
        ("J.sum(dim=0) 0.1000, x.grad 0.1000", [("0.1000", "0.1000")]),
        ("print(J.sum(0)[0].item()) 0.1000 0.1001", [("0.1000", "0.1001")]),
        ("torch.sum(jacobian(f, x), 0) 0.5 torch.autograd.grad(y[0], x)[0] 0.25", [("0.5", "0.25")]),
        ("f(0.5) = 0.31, g(0.5) = 0.32", [("0.31", "0.32")]),
        ("isclose(0.31, 0.32)", [("0.31", "0.32")]),
        ("0.5 == approx(0.25)", [("0.5", "0.25")]),
        ("diff.max(0) = 1.1921e-07", ["1.1921e-07"]),
        (
            "In [3]: x.grad[0]\nOut[3]: tensor([0.1, 0.2])\n\nIn [4]: J.sum(0)\nOut[4]: tensor([0.1, 0.2])",
            [("0.1", "0.1"), ("0.2", "0.2")],
        ),
    ],
)
def test_words_between_numbers_are_passed_over(text, read):
    if read is None:
        with pytest.raises(PasteError, match=" is not the difference of "):  # three numbers that stand there as values
            decode(text, "float64")
    else:
        assert texts(text, "float64") == read


def test_what_pytorchs_checks_say_is_read():
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0001])
    said = message(torch.testing.assert_close, a, b)
    assert texts(said) == ["9.989738464355469e-05"] and decode(said, "float32").are_differences
    assert {"1 / 2", "at index (1,)", "up to 1e-05"} <= set(decode(said, "float32").passed)
    said = message(torch.testing.assert_close, torch.tensor(0.5), torch.tensor(0.25))
    assert texts(said) == [("0.25", "0.5", "0.25")]
    assert decode(said, "float32").pairs[0].expected.text == "0.25"


def test_what_numpys_checks_say_is_read():
    a, b = np.array([0.5, 0.25, 0.1]), np.array([0.5, 0.25, 0.1001])
    said = message(np.testing.assert_allclose, a, b)
    assert texts(said) == [("0.5", "0.5"), ("0.25", "0.25"), ("0.1", "0.1001")]
    assert texts(message(np.testing.assert_almost_equal, 0.1, 0.2)) == [("0.1", "0.2")]


@pytest.mark.parametrize("count", [1, 3])
def test_where_all_elements_mismatch_numpys_check_tells_them_in_all_digits(count):
    """Beside its arrays, which it prints in few digits."""
    actual = np.linspace(0.1, 0.7, count, dtype=np.float32) / 3
    said = message(np.testing.assert_allclose, actual, actual * np.float32(1.001))
    assert len(texts(said)) == count and decode(said, "float64").format.name == "float32"
    if "Mismatch at ind" in said:  # NumPy 2.3
        assert texts(said) == [(str(float(a)), str(float(a * np.float32(1.001)))) for a in actual]


def test_what_pytest_says_is_read_once():
    with pytest.raises(AssertionError) as caught:
        assert 0.1 + 0.2 == pytest.approx(0.31)
    said = "\n".join(f"E       {line}" for line in str(caught.value).splitlines())
    said = f">       assert 0.1 + 0.2 == pytest.approx(0.31)\n{said}\n\ntest_it.py:2: AssertionError\n1 failed in 0.03s"
    assert texts(said) == [("0.30000000000000004", "0.31")]


def test_what_gradcheck_says_is_read():
    said = (
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[0.6250, 0.5]], dtype=torch.float64)\n"
        "analytical:tensor([[0.6251, 0.5]], dtype=torch.float64)"
    )
    assert texts(said) == [("0.6250", "0.6251"), ("0.5", "0.5")]
    decoding = decode(said, "float32")
    assert decoding.format.name == "float64" and decoding.pairs[0].expected.text == "0.6250"


def test_what_was_read_and_what_was_passed_over_is_shown():
    decoding = decode("0.5 and 0.25 at index (0, 1), rtol=1e-5", "float32")
    assert notes(decoding) == [
        f"Read: {code('0.5')} and {code('0.25')}. Passed over: {code('at index (0, 1)')} and {code('rtol=1e-5')}."
    ]
    assert figures(decoding)["passed_over"] == ["at index (0, 1)", "rtol=1e-5"]


@pytest.mark.parametrize(
    "text",
    [
        "0,31 0,32",
        "1,234.5 1,234.6",
        "1,234,567 2",
        "1.5x 2",
        "10-18",
        "1_000",
        "0.31/0.32",
        "٣ 1",
        "0.1 ... 0.2",
        "[0.1, x]",
        "1,,2",
        "1j 2",
        "tensor([0.1])**2 0.2",
        "[0.1, 0.2]*2 [0.2, 0.4]",
    ],
)
def test_nothing_that_may_be_meant_as_a_number_is_passed_over_in_silence(text):
    with pytest.raises(PasteError):
        decode(text, "float32")


@pytest.mark.parametrize("word", ["--5", "½", "#3", "+\N{EN DASH}1.5"])
def test_a_word_without_letters_that_has_a_digit_is_shown_if_it_is_passed_over(word):
    assert decode(f"0.1 {word} 0.2", "float32").passed == (word,)


@pytest.mark.parametrize("text", PASTES, ids=lambda text: ascii(text[:20]))
def test_a_hostile_paste_gets_an_answer_of_one_sentence_or_more_at_once(text):
    start = perf_counter()
    try:
        decoding = decode(text, "float32")
        said = [verdict(decoding), *notes(decoding)]
    except PasteError as error:
        said = [str(error)]
        assert error.shown in str(error)
    assert perf_counter() - start < 10  # seconds, on a busy machine; with the square of the length it would be minutes
    assert all(len(one) < 500 and one.isprintable() and one.endswith(".") for one in said)


@pytest.mark.parametrize(
    "text",
    [
        "tensor(0.1) torch.float16 tensor(0.2) torch.float16",
        "torch.float16 0.1 0.2",
        "in float16: 0.1 and 0.2",
        "0.1 (float16) 0.2 (np.float16)",
    ],
)
def test_a_dtype_printed_beside_its_tensor_is_its_dtype(text):
    assert decode(text, "float32").named == ("float16",)
    assert texts(text) == [("0.1", "0.2")]


def test_a_dtype_that_code_names_is_that_of_no_number():
    for text in ("x.to(float16) 0.1 0.2", "test_float16 0.1 0.2", "my.float16x 0.1 0.2"):
        assert decode(text, "float32").named == ()


def test_what_unittest_says_of_pythons_floats_is_read_as_them_or_told_so():
    with pytest.raises(AssertionError) as caught:
        TestCase().assertAlmostEqual(1.0, 1.0001)
    said = f"AssertionError: {caught.value}"
    assert len(texts(said, "float64")[0]) == 3
    found = decode(said, "float32")
    assert (found.format.name, found.instead_of) == ("float64", "float32") and not decode(said, "float64").instead_of
    with pytest.raises(PasteError, match=" as float32: .* of 5.9605e-08, .*; Python's own floats are float64"):
        decode("1.0 1.0001 9.999999999998899e-05", "float32")
    with pytest.raises(PasteError, match="by their digits they are from "):  # not in the range at all
        decode(said.replace("e-05", "e-03"), "float32")

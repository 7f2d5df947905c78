"""What failed checks say, made live by the torch, NumPy and pytest that are installed."""

import re
from contextlib import suppress
from math import inf, nan
from time import perf_counter

import numpy as np
import pytest
import torch

from lib.paste.decode import decode
from lib.paste.failures import decoded, of_failure
from lib.paste.tokenizer import PasteError
from tests.hostile import PASTES

X = torch.tensor([1.0, 2.0, 3.0])


def message(check, *arguments, **options):
    with pytest.raises(AssertionError) as caught:
        check(*arguments, **options)
    return f"AssertionError: {caught.value}"


def failed(actual, expected, **options):
    return of_failure(message(torch.testing.assert_close, actual, expected, **options), "float32")


def changed(place, factor):
    y = X.clone()
    y[place] *= factor
    return y


@pytest.mark.parametrize(
    ("actual", "expected", "cause"),
    [
        (changed(1, 1 + 2**-22), X, "few ulps"),
        (changed(1, 1.1), X, "far"),
        (changed(2, 0), X, "factor"),
        (2 * X, X, "factor"),
        (changed(0, 1.0005), X, "eps"),
        (changed(0, 1 + 2**-17), X, None),
        (changed(1, nan), X, "not finite"),
        (changed(1, inf), X, "not finite"),
        (X, changed(1, 0), "zero"),
    ],
)
def test_the_cause_is_what_was_done(actual, expected, cause):
    found = failed(actual, expected, rtol=0, atol=0).cause
    assert (found.name if found else None) == cause
    assert not found or not found.proved


@pytest.mark.parametrize("place", [0, 1, 2])
def test_how_large_the_expected_value_is_and_how_many_floats_away_is_what_torch_counts(place):
    """The oracle counts floats by their bits; the message holds neither value."""
    actual = changed(place, 1.0703125)
    apart = int((actual.view(torch.int32) - X.view(torch.int32)).abs().max())
    answer = failed(actual, X).answer
    assert f"The expected value at index ({place},) is {X[place]:g} in size" in answer
    spoken = re.search(r"\*\*about (?:([0-9,]+) to )?([0-9,]+) floats\*\*", answer)
    low, high = (int(one.replace(",", "")) for one in (spoken[1] or spoken[2], spoken[2]))
    assert low <= apart + 2 and apart - 2 <= high <= 2 * apart + 2 and "cancellation, or a bug" in answer
    assert f"At index ({place},), actual over expected is 0.9297 or 1.07." in failed(actual, X).more


def test_a_tiny_expected_value_is_as_many_floats_away_as_the_line_has():
    """By its spacing, 1e-30 would be about 10^37 floats from 1: there are not so many."""
    actual, expected = torch.tensor([1.0]), torch.tensor([1e-30])
    apart = int(actual.view(torch.int32) - expected.view(torch.int32))
    assert 8e8 < apart < 9e8 and "**about 840 million to" in failed(actual, expected).answer


def test_what_was_allowed_there_is_the_sum_of_both_tolerances():
    actual = changed(1, 1.25)
    assert "Allowed there are 0.01 + 0.02 · 2 = 0.05: the difference is 10 times that." in (
        failed(actual, X, atol=0.01, rtol=0.02).more
    )


def test_two_places_bound_the_expected_value_from_below():
    actual, expected = torch.tensor([1.0, 200.0]), torch.tensor([1.25, 200.5])
    answer = failed(actual, expected).answer
    assert "The expected value at index (1,) is at least 2.5 in size, and the actual one at most" in answer
    assert "Allowed" not in failed(actual, expected).more


@pytest.mark.parametrize(
    "check",
    [np.testing.assert_array_max_ulp, np.testing.assert_array_almost_equal_nulp],
    ids=lambda check: check.__name__,
)
def test_numpys_distances_in_ulps_are_read(check):
    x = X.numpy()
    few, many = (of_failure(message(check, x, changed(1, factor).numpy()), "float32") for factor in (1 + 2**-21, 1.1))
    assert "**4 floats**: **rounding alone" in few.answer and few.cause.name == "few ulps"
    apart = int((changed(1, 1.1).view(torch.int32) - X.view(torch.int32)).abs().max())
    assert f"**{apart:,} floats**: **cancellation, or a bug" in many.answer and many.cause.name == "far"


@pytest.mark.parametrize("n", [3, 10, 64, 100])
def test_a_mean_against_a_sum_is_told_by_the_relative_difference(n):
    x = torch.rand(50, generator=torch.Generator().manual_seed(n)) + 0.1
    assert f" {n} times the expected one" in failed(n * x, x).cause.sentence
    assert f" 1/{n} of the expected one" in failed(x / n, x).cause.sentence
    assert failed(1.37 * x, x).cause.name == "cancellation"


def test_a_batch_is_not_blamed_in_16_bits():
    x = X.bfloat16()
    said = message(torch.testing.assert_close, x, torch.nextafter(x, x + 1), rtol=0, atol=0)
    assert (
        "a batch" not in of_failure(said, "bfloat16").cause.sentence
        and "one float" in of_failure(said, "bfloat16").answer
    )


@pytest.mark.parametrize("of", [list, np.array], ids=["list", "array"])
def test_the_table_of_a_failed_approx_is_read_as_two_vectors(of):
    with pytest.raises(AssertionError) as caught:
        assert of([1.0, 2.0000002, 3.0, 5.5]) == pytest.approx(of([1.0, 2.0, 3.125, 5.75]), rel=1e-12)
    decoding = decode(f"E   {caught.value}", "float64")
    assert [(pair.first.text, pair.second.text) for pair in decoding.pairs] == [
        ("2.0000002", "2.0"),
        ("3.0", "3.125"),
        ("5.5", "5.75"),
    ]
    assert decoding.pairs[0].expected.text == "2.0" and decoding.passed[0].startswith("Index ")


def test_messages_with_their_values_are_left_to_the_decoder():
    for said in (
        message(torch.testing.assert_close, 1.1, 1.0),
        message(torch.testing.assert_close, torch.tensor(1.1), torch.tensor(1.0)),
        message(np.testing.assert_allclose, [1.0], [1.1]),
    ):
        assert of_failure(said, "float32") is None


SHORT, LONG = np.float32([1.5, -0.25, 3.0]), np.arange(2000.0)
MARKED = {
    "vectors": lambda: np.testing.assert_allclose(SHORT, 2 * SHORT),
    "matrices": lambda: np.testing.assert_allclose(np.stack([SHORT] * 2), np.stack([2 * SHORT] * 2)),
    "a zero": lambda: np.testing.assert_allclose([1e-9, 1.0], [0, 1.0]),
    "long vectors": lambda: np.testing.assert_allclose(LONG, LONG + 1e-3),
    "seven digits": lambda: np.testing.assert_approx_equal(1.5, 1.501),
    "NumPy's floats": lambda: np.testing.assert_allclose(1.5, 1.50001),
    "Python's floats": lambda: torch.testing.assert_close(1.1, 1.10001),
    "a dict of scalars": lambda: torch.testing.assert_close({"a": 1.0}, {"a": 1.001}),
}


@pytest.mark.parametrize("check", MARKED.values(), ids=MARKED)
def test_what_a_terminal_and_pytest_add_changes_nothing(check):
    lines = message(check).splitlines()
    marked = "\n".join(f"E   {'' if place == 0 else '    '}{line}".rstrip() for place, line in enumerate(lines))
    coloured = "\n".join(f"\x1b[1m\x1b[31m{line}\x1b[0m" for line in marked.splitlines())
    found = [decode(text, "float32").pairs for text in ("\n".join(lines), marked, coloured)]
    assert found[0] and found[0] == found[1] == found[2]


def test_the_marks_are_stripped_of_messages_without_values_too():
    said = message(torch.testing.assert_close, [X, X], [X, X + 1])
    marked = "\n".join(f"\x1b[31mE   {line}\x1b[0m" for line in said.splitlines())
    assert of_failure(marked, "float32") == of_failure(said, "float32") is not None
    assert not decode(said, "float32").pairs  # the item is no value


def test_mismatches_printed_in_full_stand_for_long_arrays():
    found = decode(message(MARKED["long vectors"]), "float32")
    assert [pair.second.text for pair in found.pairs] == ["0.001", "1.001", "2.001", "3.001", "4.001"]


def test_what_asserts_say_of_scalars_and_calls_is_read():
    def scalars():
        assert np.float32(1.1) == pytest.approx(np.float32(1.2))  # noqa: SIM300

    def call():
        assert torch.allclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))

    (pair,) = decode(message(scalars), "float64").pairs
    assert (pair.first.text, pair.second.text, pair.format.name) == (
        "1.100000023841858",
        "1.2000000476837158",
        "float32",
    )
    assert [pair.second.text for pair in decode(message(call), "float32").pairs] == ["1.0000", "2.1000"]


SHAPES = {
    "approx": lambda: "Impossible to compare lists with different sizes.\nLengths: 1 and 2",
    "NumPy": lambda: message(np.testing.assert_allclose, np.ones(3), np.ones(4)),
    "torch": lambda: message(torch.testing.assert_close, torch.ones(3), torch.ones(4)),
}


@pytest.mark.parametrize("by", SHAPES)
def test_two_shapes_get_a_sentence(by):
    with pytest.raises(PasteError, match="The two differ in shape"):
        decode(SHAPES[by](), "float32")


def test_products_that_cancel_somewhere_are_not_accused():
    """A float32 product in another order, any difference refused: where a component cancels, R is large."""
    drawn, both = torch.Generator().manual_seed(1), 0
    for _ in range(20):
        a, w = torch.randn(200, 64, generator=drawn), torch.randn(64, generator=drawn)
        order = torch.randperm(64, generator=drawn)
        found = failed(a @ w, a[:, order] @ w[order], rtol=0, atol=0)
        both += "at least" in found.answer
        assert not found.cause or found.cause.name in ("few ulps", "cancellation")
        assert "look for a bug" not in found.answer
    assert both


def test_a_relative_difference_of_two_is_a_sign_error_or_three_times():
    assert "−1 or 3 times the expected one: a sign error" in failed(-X, X).cause.sentence


def test_what_a_message_without_values_says_has_figures_too():
    said = message(torch.testing.assert_close, changed(1, 1.25), X)
    printed = decoded(said, "float32").figures
    assert printed["read_as"] == "failed check" and printed["cause"]["name"] == "far"
    assert "*" not in f"{printed}" and "`" not in f"{printed}"
    assert decoded("0.5 0.25", "float32").pairs
    with pytest.raises(PasteError, match="float8"):
        decoded(said, "float8")


def test_integers_are_not_told_of_in_floats():
    assert "whole numbers, up to 1 apart" in failed(torch.tensor([1, 2]), torch.tensor([1, 3])).answer
    assert "whole numbers" in failed(torch.tensor([True]), torch.tensor([False])).answer


def test_jax_arrays_are_read():
    decoding = decode("Array([1., 2.], dtype=float32) Array([1., 2.0000002], dtype=float32)", "float64")
    assert decoding.format.name == "float32" and [pair.ulps for pair in decoding.pairs][1] == (1, 1)


@pytest.mark.parametrize("text", [*PASTES, "Greatest absolute difference: " * 3000], ids=lambda text: ascii(text[:20]))
def test_any_other_paste_is_no_failure_at_once(text):
    start = perf_counter()
    assert of_failure(text, "float32") is None
    assert perf_counter() - start < 2


def test_hostile_sizes_get_a_sentence():
    for size in ("1e999", "-inf", "nan", "0", "1e-320", "--", "1.e.5", "1e308"):
        for other in (size, "1.0", "1e-300", "0.0"):
            each = {"absolute": size, "relative": other}
            text = "\n".join(f"Greatest {kind} difference: {one} at index (0,)" for kind, one in each.items())
            found = of_failure(text, "float16")
            assert found is None or found.answer.endswith(".")


SQUARE, OTHER = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 2.0], [3.0, 4.5]])


def asserted(check):
    with pytest.raises(AssertionError) as caught:
        check()
    return "\n".join(f"E   {line}" for line in str(caught.value).splitlines())


def length():
    assert len([1.0, 2.0]) == 4


def two_lengths():
    assert len([1.0, 2.0]) == len([1.0, 2.0, 3.0])


def dimensions():
    assert SQUARE.ndim == 3


def elements():
    assert SQUARE.numel() == 6


def shape():
    assert SQUARE.shape == (3, 2)


def array_shape():
    assert SQUARE.numpy().shape == (3, 2)


def close():
    assert torch.allclose(SQUARE, OTHER)


def close_method():
    assert SQUARE.allclose(OTHER)


def close_arrays():
    assert np.allclose(SQUARE.numpy(), OTHER.numpy(), rtol=1e-3)


def equal():
    assert torch.equal(SQUARE, OTHER)


def all_close():
    assert torch.isclose(SQUARE, OTHER).all()


def close_with_words():
    assert torch.allclose(SQUARE, OTHER), "of a network [5, 10, 2]"


def product():
    assert torch.allclose(2 * SQUARE[0], OTHER[0])


def product_of_matrices():
    assert torch.allclose(SQUARE * 2, OTHER)


@pytest.mark.parametrize("check", [length, two_lengths, dimensions, elements], ids=lambda check: check.__name__)
def test_a_check_of_whole_numbers_is_none_of_values(check):
    with pytest.raises(PasteError, match=r"^The check compares whole numbers, such as lengths, [^.]+\.$"):
        decoded(asserted(check), "float32")


@pytest.mark.parametrize("check", [shape, array_shape], ids=lambda check: check.__name__)
def test_a_check_of_shapes_is_none_of_values(check):
    with pytest.raises(PasteError, match=r"^The check compares shapes, [^.]+\.$"):
        decoded(asserted(check), "float32")


@pytest.mark.parametrize(
    "check", [close, close_method, close_arrays, equal, all_close, close_with_words], ids=lambda check: check.__name__
)
def test_the_matrices_of_a_failed_call_are_read(check):
    pairs = decode(asserted(check), "float32").pairs
    assert [float(pair.first.value) for pair in pairs] == SQUARE.flatten().tolist()
    assert [float(pair.second.value) for pair in pairs] == OTHER.flatten().tolist()


@pytest.mark.parametrize("check", [product, product_of_matrices], ids=lambda check: check.__name__)
def test_the_product_in_a_failed_call_is_refused(check):
    with pytest.raises(PasteError, match=r"computes with '\*', but nothing is computed here"):
        decode(asserted(check), "float32")


def test_where_the_numbers_of_an_assert_come_from_is_not_read():
    def total():
        assert sum([0.1, 0.2]) == 0.31

    (pair,) = decode(asserted(total), "float64").pairs
    assert (pair.first.text, pair.second.text) == ("0.30000000000000004", "0.31")


SPARSE = SQUARE.to_sparse()
TOLD_INSTEAD = {
    "differ in length": ([1.0, 2.0, 3.0], [1.0] * 6, {}),
    "differ in stride": (SQUARE, SQUARE.t().contiguous().t(), {"check_stride": True}),
    "differ in dtype": (SQUARE, SQUARE.double(), {}),
    "differ in device": (SQUARE, SQUARE.to("meta"), {}),
    "differ in layout": (SQUARE, SPARSE, {}),
    "differ in type": (1.0, 2, {}),
    "cannot be compared": (SQUARE, 2.0, {}),
    "different keys": ({"1": SQUARE}, {"2": SQUARE}, {}),
    "sparse tensors": (SPARSE, torch.eye(2).to_sparse(), {}),
    "or dimensions": (torch.zeros(2, 2, 2).to_sparse(1), torch.zeros(2, 2, 2).to_sparse(2), {}),
    "is None": (None, SQUARE, {}),
    "True or False": (True, False, {}),
    "in their bits": (*(torch.tensor(x).to(torch.float8_e8m0fnu) for x in ([1.0], [2.0])), {}),
    "mend its arguments": (SQUARE, SQUARE, {"rtol": 1e-3}),
}


@pytest.mark.parametrize("said", TOLD_INSTEAD)
def test_what_torch_tells_of_no_values_gets_a_sentence(said):
    actual, expected, options = TOLD_INSTEAD[said]
    with pytest.raises((AssertionError, TypeError, ValueError)) as caught:
        torch.testing.assert_close(actual, expected, **options)
    with pytest.raises(PasteError, match=said) as answered:
        decoded(f"E   {type(caught.value).__name__}: {caught.value}", "float32")
    assert str(answered.value).endswith(".") and len(str(answered.value)) < 200


@pytest.mark.parametrize(
    ("check", "actual", "expected"),
    [
        (np.testing.assert_allclose, [1.0, 2.0], [1.0, 2.5]),
        (np.testing.assert_array_equal, [1.0, 2.0], [1.0, 2.5]),
        (np.testing.assert_almost_equal, 1.0, 1.5),
    ],
    ids=["allclose", "array_equal", "almost_equal"],
)
def test_the_words_of_whoever_wrote_the_check_are_no_values(check, actual, expected):
    found = decode(message(check, actual, expected, err_msg="[1.0, 2.0] of a network [5, 10, 2]"), "float64")
    read = [(float(pair.first.value), float(pair.second.value)) for pair in found.pairs]
    assert read == list(zip(np.ravel(actual).tolist(), np.ravel(expected).tolist(), strict=True))
    assert found.passed[0] == "[1.0, 2.0] of a network [5, 10, 2]"


def test_a_difference_that_overflows_may_be_one_of_finite_numbers():
    huge = torch.tensor([3e38])
    sentence = failed(huge, -huge).cause.sentence
    assert "finite numbers whose difference overflows float32" in sentence and "NaN" not in sentence
    assert "finite numbers" not in failed(X, changed(1, inf)).cause.sentence  # R is NaN there


def test_whole_numbers_with_a_tolerance_are_values():
    def approximate():
        assert 2 == pytest.approx(3)  # noqa: SIM300

    (pair,) = decode(asserted(approximate), "float64").pairs
    assert (pair.first.text, pair.second.text) == ("2", "3")


@pytest.mark.parametrize(
    "part",
    [
        "where False = <built-in method equal of Tensor object>(1)\n + where ",
        "where <built-in method equal of Tensor object> = ",
        "> = ",
        "Arrays are not equal",
        "Arrays are not equal\n ",
        "assert 1",
        "],\\n\\n",
        "where ",
        ") + ",
    ],
)
def test_a_message_repeated_without_end_gets_an_answer_at_once(part):
    called = "where False = <built-in method equal of Tensor object>(1)\n + "
    for text in (part * (90_000 // len(part)), called + part * (90_000 // len(part))):
        start = perf_counter()
        with suppress(PasteError):
            decoded(text, "float32")
        assert perf_counter() - start < 10  # seconds, on a busy machine; with the square of the length it is minutes

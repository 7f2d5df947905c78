"""A pasted matrix, and what it gives away."""

import pytest

from lib.page.check import POST
from tests.page.visiting import tick, visit

OWN = "tab=Check+your+own"

PASTED = {
    "the post": ("J1: tensor([[10., 18.],\n[10., 18.],\n[10., 18.],", "All 3 rows are equal"),
    "right": ("[[2, 0], [0, 2], [8, 0], [0, 16]]", "No known fault"),
    "a shape alone": ("torch.Size([4, 3, 4, 2])", "whole batch of 4"),
    "its middle left out": (
        "tensor([[1., 2., ..., 3.],\n        ...,\n        [1., 2., ..., 3.]])",
        "In what stands there, all 2",
    ),
    "a vector": ("tensor([10., 18.])", "looks like the sum of all rows"),
    "zeros": ("[[0.0, 0.0], [0.0, 0.0]]", "detach()"),
}


@pytest.mark.parametrize("text, words", PASTED.values(), ids=PASTED)
def test_a_pasted_matrix_is_told_what_it_gives_away(text, words):
    at = visit(OWN)
    at.text_area(key="matrix").set_value(text)
    tick(at)
    assert not at.error
    assert any(words in finding.value for finding in [*at.warning, *at.success, *at.info])


def test_a_pasted_matrix_that_lacks_a_bracket_is_not_read_in_silence():
    at = visit(OWN)
    for text, asked in (("[[1, 2], [1, 2]", True), ("[[1, 2], [1, 2]]", False)):
        at.text_area(key="matrix").set_value(text)
        tick(at)
        (read,) = [one.value for one in at.markdown if one.value.startswith("Read: ")]
        assert ("A bracket is not closed" in read) is asked and "2 × 2 numbers." in read


def test_the_shape_of_a_pasted_matrix_is_judged_only_where_the_visitor_said_it():
    at = visit(f"{OWN}&inputs=3")
    at.text_area(key="matrix").set_value("[[2, 0], [0, 2], [8, 0], [0, 16]]")
    tick(at)
    assert not any("transposed" in finding.value or "shape" in finding.value for finding in [*at.warning, *at.info])
    at.number_input(key="matrix_Outputs").set_value(2)
    tick(at)
    (said,) = [finding.value for finding in at.warning if "transposed" in finding.value]
    assert "of a function of 2 outputs has a row per output" in said
    at.number_input(key="matrix_Outputs").set_value(4)
    tick(at)
    assert not any("transposed" in finding.value for finding in at.warning)
    at.text_area(key="matrix").set_value("torch.Size([4, 3])")
    tick(at)
    assert not at.warning and any("a row per output, 4" in finding.value for finding in at.info)
    at.number_input(key="matrix_Outputs").set_value(7)
    tick(at)
    assert [finding.value.partition(" has ")[0] for finding in at.warning] == ["Neither 4 × 3 nor its transpose"]


def test_without_a_paste_the_example_is_told_what_it_gives_away():
    at = visit(OWN)
    (said,) = [finding.value for finding in at.warning]
    assert said.startswith("All 4 rows are equal")
    assert at.text_area(key="matrix").placeholder == POST


BAD_PASTES = {
    "a megabyte": "[" + "1, " * 333_333 + "1]",
    "deep": "[" * 50_000,
    "a call": "__import__('os').system('x')",
    "a picture": "![a](//b.cc/d)",
    "blank": " \n ",
}


@pytest.mark.parametrize("text", BAD_PASTES.values(), ids=BAD_PASTES)
def test_a_bad_paste_gets_one_sentence(text):
    at = visit(OWN)
    at.text_area(key="matrix").set_value(text)
    (error,) = tick(at).error
    assert len(error.value) < 300 and "\n" not in error.value
    assert "![" not in error.value or "` ![a]" in error.value

"""The tab *Check your own*: the answers to its examples, its questions, and links with a text."""

import re

import pytest

from lib.page.own import EXAMPLES, MOST_IN_A_LINK
from tests.page.visiting import tick, visit


def type_text(at, text: str):
    """The tab, with a text typed into its box."""
    at.text_area(key="text").set_value(text)
    return tick(at)


def title(at) -> str:
    return re.sub(r"^:violet\[(.*)\]$", r"\1", at.header[0].value)


NOTHING = "Nothing to compare"
ASKED = "Which two do you mean?"


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_an_answer(name):
    at = visit(f"numbers={next(other for other in EXAMPLES if other != name)}", "own")
    at.pills(key="example").set_value(name)
    assert not tick(at).error and title(at) not in ("", NOTHING, ASKED)
    assert at.text_area(key="text").value == EXAMPLES[name]
    assert "numbers" not in at.query_params


def test_no_example_is_lit_over_another_text():
    at = visit("", "own")
    at.pills(key="example").set_value("NaN")
    assert tick(at).pills(key="example").value == "NaN"
    assert not type_text(at, "0.5 0.25").pills(key="example").value


def test_a_link_to_a_text_shows_it_and_is_the_address_of_no_other_text():
    at = type_text(visit("", "own"), "0.5 0.50000006")
    assert "paste" not in at.query_params
    (link,) = [code.value for code in at.code if "paste=" in code.value]
    shared = visit(link.partition("?")[2], "own")
    assert shared.text_area(key="text").value == "0.5 0.50000006"
    assert title(shared) == "Rounding fits" and "paste" in shared.query_params
    assert "paste" not in type_text(shared, "0.5 0.25").query_params


def test_a_long_text_has_no_link():
    at = type_text(visit("", "own"), "0.5 " * MOST_IN_A_LINK)
    assert not [code for code in at.code if "paste=" in code.value]
    assert any(f"{MOST_IN_A_LINK:,} characters" in caption.value for caption in at.caption)


def test_what_is_no_paste_is_one_sentence():
    assert len(type_text(visit("", "own"), "<script>alert(1)</script>" * 9_000).error) == 1

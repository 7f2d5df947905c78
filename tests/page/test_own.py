"""The tab *Check your own*: the answers to its examples, its questions, and links with a text."""

import re

import pytest

from lib.paste.examples import EXAMPLES
from tests.page.visiting import tick, visit


def answer(text: str):
    """The tab, with a text in its box."""
    at = visit("", "own")
    at.session_state["text"] = text
    return tick(at)


def button(at, label: str):
    (found,) = [part for part in at.button if part.label == label]
    return found


def title(at) -> str:
    return re.sub(r"^:violet\[(.*)\]$", r"\1", at.subheader[0].value)


NOTHING = "Nothing to compare"
ASKED = "Which two do you mean?"


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_an_answer(name):
    at = visit(f"numbers={next(other for other in EXAMPLES if other != name)}", "own")
    at.pills(key="example").set_value(name)
    assert not tick(at).error and title(at) not in ("", NOTHING, ASKED)
    assert at.session_state["text"] == EXAMPLES[name]
    assert at.query_params["numbers"] in (name, [name])


def test_no_example_is_lit_over_another_text():
    at = visit("", "own")
    assert at.pills(key="example").value
    at.session_state["text"] = "0.5 0.25"
    assert not tick(at).pills(key="example").value and "numbers" not in at.query_params


def test_a_link_to_a_text_is_made_if_asked_for():
    """And shows that text."""
    at = answer("0.5000000 0.5000001")
    assert "paste" not in at.query_params
    button(at, "Put this text into the address").click()
    assert button(tick(at), "Put this text into the address"), "which keeps the focus"
    assert at.query_params["paste"] in ("0.5000000 0.5000001", ["0.5000000 0.5000001"])
    shared = visit("paste=0.5000000+0.5000001", "own")
    assert (
        shared.session_state["text"] == "0.5000000 0.5000001" and title(shared) == "Rounding fits"
    )
    shared.session_state["text"] = "0.5 0.25"
    assert "paste" not in tick(shared).query_params


@pytest.mark.parametrize("length", [1000, 1001])
def test_a_long_text_has_no_link(length):
    at = answer("0.5 0.25".ljust(length, "!"))
    assert button(at, "Put this text into the address").disabled == (length > 1000)


def test_what_is_no_paste_is_one_sentence():
    assert len(answer("<script>alert(1)</script>" * 9_000).error) == 1

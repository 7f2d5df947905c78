"""The tab *Check your own*: every example has its answer, what is not certain is asked, and a link carries a text."""

import pytest

from lib.page.own import EXAMPLES, MOST_IN_A_LINK
from tests.hostile import PASTES
from tests.page.visiting import OWN, TABS, live, tick, visit


def drawn(at) -> dict:
    return live(at)["own"]["drawing"]


def answer(text: str):
    at = visit("", OWN)
    at.text_area[0].set_value(text)
    return tick(at)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_an_answer(name):
    at = visit(f"numbers={next(other for other in EXAMPLES if other != name)}", OWN)
    at.pills(key="chips").set_value(name)
    assert not tick(at).error and drawn(at)["title"] not in ("", "No values", "Which two do you mean?")
    assert at.text_area[0].value == EXAMPLES[name]
    assert at.query_params["numbers"] in (name, [name])


def test_two_values_are_judged_and_a_matrix_is_looked_at():
    equal = answer("tensor([[10., 18.], [10., 18.], [10., 18.]])")
    assert drawn(equal)["title"] == "Equal rows or columns" and "All 3 rows" in drawn(equal)["sentence"]
    vectors = answer("tensor([10., 18.])\ntensor([10., 18.000002])")
    assert drawn(vectors)["title"] == "Rounding fits" and drawn(vectors)["line"]
    pieces = [(words, role) for words, _, role in drawn(vectors)["read"] if role]
    assert pieces == [("10., 18.", "first"), ("10., 18.000002", "second")]


def test_what_is_not_certain_is_asked():
    at = answer("after 100 steps 0.5 and then 0.25")
    assert drawn(at)["title"] == "Which two do you mean?"
    assert [words for words, place, _ in drawn(at)["read"] if place is not None] == ["100", "0.5", "0.25"]


def test_no_example_is_lit_over_another_text():
    at = visit("", OWN)
    assert at.pills(key="chips").value
    at.text_area[0].set_value("0.5 0.25")
    assert not tick(at).pills(key="chips").value and "numbers" not in at.query_params


def test_a_link_to_a_text_is_made_when_it_is_asked_for_and_shows_that_text():
    at = answer("0.5 0.50000006")
    assert "paste" not in at.query_params
    at.button(key="share paste").click()
    tick(at)
    assert at.query_params["paste"] in ("0.5 0.50000006", ["0.5 0.50000006"])
    assert any("paste=0.5+0.50000006" in code.value for code in at.code)
    shared = visit("paste=0.5+0.50000006", OWN)
    assert shared.text_area[0].value == "0.5 0.50000006" and drawn(shared)["title"] == "Rounding fits"
    shared.text_area[0].set_value("0.5 0.25")
    assert "paste" not in tick(shared).query_params


def test_a_long_text_has_no_link():
    at = answer("0.5 " * MOST_IN_A_LINK)
    assert not [button for button in at.button if button.key == "share paste"]
    assert any(f"{MOST_IN_A_LINK:,} characters" in caption.value for caption in at.caption)


@pytest.mark.parametrize("text", ["abc", "[", "tensor(", "1 2 3 4", "<script>alert(1)</script>", *PASTES[::40]])
def test_what_is_no_paste_is_one_sentence(text):
    at = answer(text)
    assert len(at.error) <= 1


@pytest.mark.parametrize("before", ["discrepancy", OWN])
def test_a_link_of_a_cause_opens_its_section_whether_or_not_it_was_seen_before(before):
    at = visit("samples=20", before)
    at.session_state["tab"] = OWN
    tick(at)
    at.text_area[0].set_value("tensor([10., 18.])\ntensor([10., 18.000002])")
    tick(at).button(key="on to discrepancy").click()
    tick(at)
    assert at.session_state["tab"] == TABS["discrepancy"]
    assert at.session_state["card of discrepancy"] == "bug"

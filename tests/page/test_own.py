"""The tab *Check your own*: every kind of paste has its answer, and what is none is one sentence."""

import pytest

from lib.page.own import EXAMPLES
from lib.paste.causes import Verdict
from tests.hostile import PASTES
from tests.page.visiting import OWN, TABS, live, tick, visit


def drawn(at) -> dict:
    return live(at)["own"]["drawing"]


def verdict(at) -> str:
    return drawn(at)["verdict"]


def answer(text: str):
    at = visit("", OWN)
    at.text_area[0].set_value(text)
    return tick(at)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_an_answer(name):
    at = visit(f"numbers={next(one for one in EXAMPLES if one != name)}", OWN)
    at.pills(key="chips").set_value(name)
    assert not tick(at).error and verdict(at) in {verdict.value for verdict in Verdict}
    assert at.query_params["numbers"] in (name, [name])


def test_a_matrix_of_equal_rows_is_a_jacobian_and_two_vectors_are_not():
    equal = answer("tensor([[10., 18.], [10., 18.], [10., 18.]])")
    assert "Not rounding" in verdict(equal) and "3 rows are equal" in drawn(equal)["sentence"]
    vectors = answer("tensor([10., 18.])\ntensor([10., 18.000002])")
    assert verdict(vectors) == "Rounding" and drawn(vectors)["line"]
    pieces = [(words, role) for words, _, role in drawn(vectors)["read"] if role]
    assert pieces == [("10., 18.", "first"), ("10., 18.000002", "second")]
    assert "2 × 3" in drawn(answer("torch.Size([2, 3])"))["sentence"]


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
    keys = [button.key for button in tick(at).button if button.key and button.key.startswith("on to discrepancy ")]
    assert keys
    for key in keys:
        at.session_state["tab"] = OWN
        tick(at).button(key=key).click()
        tick(at)
        section = key.removeprefix("on to discrepancy ")
        assert at.session_state["tab"] == TABS["discrepancy"]
        assert not section or at.session_state[section] or at.session_state["card of discrepancy"] == section

"""The page's own numbers: an example at once, what is pasted instead, and the sentence where that cannot be read."""

import json
from threading import Event, Thread

import pytest
from streamlit.testing.v1 import AppTest

from lib.page import numbers
from lib.page.distances import largest, longest, share_of_equal
from lib.page.numbers import EXAMPLES
from lib.page.shared import TURNS
from lib.paste.decode import Decoding, decode
from lib.paste.failures import Failure, decoded
from lib.paste.intervals import picture
from tests.page.visiting import tick, visit
from tests.states import FOUND

OWN = "tab=Check+your+own"
NEIGHBOURS = "They are neighbours, one float apart: **rounding alone can do that**."


def answer(at: AppTest) -> str:
    """The answer above the picture."""
    (said,) = [heading.value for heading in at.main.header if heading.value not in ("Check my matrix", *TAKEAWAY)]
    return said


TAKEAWAY = ("Take it with you", "The data")


def drawn(at: AppTest) -> dict | None:
    """The data of the picture."""
    (found,) = [
        component.proto
        for component in at.get("bidi_component")
        if component.proto.component_name.endswith("last_bit_own")
    ] or [None]
    return found and json.loads(found.json)


def paste(at: AppTest, text: str) -> AppTest:
    at.text_area(key="pasted_numbers").set_value(text)
    return tick(at)


def test_the_first_example_is_in_the_box_and_in_the_picture_at_once():
    at = visit(OWN)
    assert answer(at) == NEIGHBOURS
    example = EXAMPLES["one gradient component"]
    assert at.text_area(key="pasted_numbers").value == at.text_area(key="pasted_numbers").placeholder == example
    assert drawn(at) == {"line": picture(decode(example, "float32")), "table": None}


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_fills_the_box_and_has_a_picture(example):
    at = visit(OWN)
    at.selectbox(key="numbers").set_value(example)
    tick(at)
    assert at.text_area(key="pasted_numbers").value == EXAMPLES[example]
    assert answer(at).rstrip("*").endswith(".") and drawn(at)["line"]


def test_an_emptied_box_answers_its_example():
    at = paste(visit(OWN), "  ")
    assert answer(at) == NEIGHBOURS


def test_a_link_opens_an_example_a_dtype_and_a_component():
    at = visit(f"{OWN}&numbers=all+five+of+them&numbers_at=2")
    assert "In component 2 (counted from 0) they are one float apart" in answer(at)
    assert drawn(at)["table"]["picked"] == 2
    assert visit(f"{OWN}&numbers_dtype=bfloat16").selectbox(key="numbers_dtype").value == "bfloat16"
    for wrong in ("17", "-1", "x", "9" * 30):
        at = visit(f"{OWN}&numbers=all+five+of+them&numbers_at={wrong}")
        assert drawn(at)["table"]["picked"] == 1 and "numbers_at" not in at.query_params


def test_other_numbers_in_the_box_forget_the_component_that_was_picked():
    at = visit(f"{OWN}&numbers=all+five+of+them&numbers_at=4")
    assert drawn(at)["table"]["picked"] == 4
    paste(at, "[0.5000000000, 0.25] [0.5000000000, 0.2500000298]")
    assert drawn(at)["table"]["picked"] == 1 and "numbers_at" not in at.query_params


def test_pasted_numbers_are_read_in_the_dtype_that_is_chosen_or_named():
    at = visit(OWN)
    at.selectbox(key="numbers_dtype").set_value("bfloat16")
    assert answer(paste(at, "0.5 0.5039")) == NEIGHBOURS

    named = "The paste names float16, so its numbers are read as that, whichever dtype was chosen."
    paste(at, "2049 at index (0, 1)\ndtype=float16")
    assert any(named in text.value for text in at.markdown)


def test_what_cannot_be_read_gets_one_sentence_and_no_picture():
    at = paste(visit(OWN), "[1, ..., 2]")
    assert [error.value for error in at.error] == [
        r"Numbers are left out at ` ... `: print it all, after torch.set_printoptions(threshold=10\*\*6) or "
        r"np.set_printoptions(threshold=10\*\*6)."
    ]
    assert drawn(at) is None
    paste(at, "[1, `x`]")
    assert [error.value for error in at.error] == [
        "`` `x` `` is not a number: only lists of numbers and printed tensors or arrays can be read."
    ]


def test_what_is_not_on_the_float_line_is_answered_without_a_picture():
    at = paste(visit(OWN), "inf nan")
    assert answer(at) == "They are **not equal**: NaN equals nothing, not even itself."
    assert drawn(at) is None and not at.error


def test_the_sections_of_the_cards_open_by_a_link():
    at = visit(f"{OWN}&numbers_figures=true&numbers_why=true")
    assert any("PyTorch prints four decimals" in text.value for text in at.markdown)
    assert any("assert_close" in str(table.value) for table in at.table)


def test_where_nothing_is_finite_the_figures_are_dashes():
    nothing = FOUND["none finite"].tally()
    assert [share_of_equal(nothing), largest(nothing), longest(nothing)] == ["–"] * 3
    equal = FOUND["equal"].tally()
    assert [share_of_equal(equal), largest(equal), longest(equal)] == ["100%", "0", "0 floats"]


@pytest.mark.parametrize("sent", ["x", None, [1], {}, float("inf"), float("nan"), 1.0, True, -1, 5, 10**400])
def test_a_pick_that_no_browser_sends_picks_nothing(monkeypatch, sent):
    address: dict[str, str] = {}
    monkeypatch.setattr(numbers.st, "query_params", address)
    monkeypatch.setattr(numbers, "state", {"numbers ticks": {"pick": sent}})
    numbers._pick("ticks", 5)
    assert address == {}
    numbers.state["numbers ticks"]["pick"] = 4
    numbers._pick("ticks", 5)
    assert address == {"numbers_at": "4"}


def test_a_batch_is_named_as_a_likely_cause_where_rounding_alone_can_explain_the_distance():
    hint = ":primary[A batch]"
    for pasted, likely in {"0.1 0.1000000238": True, "1.0 1.0000119": False}.items():
        at = paste(visit(OWN), pasted)
        assert (hint in ways_on(at)) == likely


def ways_on(at: AppTest) -> dict[str, str]:
    """The buttons by their labels, with their keys."""
    return {button.label: button.key for button in at.main.button}


def test_the_cause_is_below_the_picture_and_its_ways_lead_on():
    for pasted, words, way_on in (
        ("nan 1.0", "comes from an edge", "on to derivative unsafe"),
        ("0.0086 0.5504", "64 times", "on to pitfall "),
        ("0.0 0.25", "Exactly 0", "on to derivative saturation"),
    ):
        at = paste(visit(OWN), pasted)
        (said,) = [text.value for text in at.main.markdown if text.value.startswith("**Why?**")]
        assert words in said and way_on in ways_on(at).values()


def test_a_failed_check_without_values_gets_an_answer_and_a_cause():
    said = "\n".join(
        f"Greatest {kind} difference: {size} at index (1,)"
        for kind, size in {"absolute": 0.5, "relative": 0.25}.items()
    )
    at = paste(visit(OWN), said)
    assert "is 2 in size" in answer(at) and drawn(at) is None
    assert any(said.value.startswith("**Why?** The leading digits differ.") for said in at.main.markdown)
    assert ":primary[Is it a bug?]" in ways_on(at)


def test_another_session_can_draw_while_a_paste_is_read(monkeypatch):
    drawn_meanwhile = Event()

    def draw() -> None:
        with TURNS:
            drawn_meanwhile.set()

    def read(text: str, dtype: str) -> Decoding | Failure:
        Thread(target=draw).start()
        assert drawn_meanwhile.wait(60)
        return decoded(text, dtype)

    monkeypatch.setattr(numbers, "decoded", read)
    assert answer(visit(OWN)) == NEIGHBOURS and drawn_meanwhile.is_set()

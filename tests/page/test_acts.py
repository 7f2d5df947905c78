"""What a visitor did in a picture is shown by a control, even if the run that is to show it is cut short."""

import json
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from tests.page.visiting import BY_HAND
from tests.visitor import Visitor, run


def page() -> None:
    import streamlit as st

    from lib.page import acts

    acts.follow()
    st.text_input("x", key="x")
    if st.session_state.pop("cut", False):
        st.rerun()
    acts.finish()


@pytest.fixture
def at() -> AppTest:
    """A page with a control that is to show a pick, which the browser does not know yet."""
    at = AppTest.from_function(page).run()
    at.session_state["acts"] = {"x": ("picked", ("",))}
    return at


@pytest.mark.parametrize("cut", [False, True])
def test_the_control_shows_it_in_the_run_that_comes_to_its_end(at, cut):
    at.session_state["cut"] = cut
    (x,) = at.run().text_input
    assert x.value == "picked" and x.proto.set_value
    (x,) = at.run().text_input
    assert x.value == "picked" and not x.proto.set_value


def test_what_the_visitor_changed_since_stays(at):
    assert at.text_input(key="x").set_value("typed").run().text_input(key="x").value == "typed"


def test_while_the_page_arrives_nothing_cuts_the_run_short_that_shows_a_pick(server):
    """Else the browser might get the control of that run, or might not."""

    def shows_it(visitor: Visitor) -> bool:
        return "at x = 0." in visitor.pictures["last_bit_derivative"]["title"]

    async def pick() -> list[bool]:
        async with Visitor(server.address, f"samples=100&{urlencode({'tab': BY_HAND})}") as visitor:
            await visitor.until(lambda visitor: visitor.ticking, 60)
            visitor.runs.clear()
            (picture,) = (part.id for part in visitor.elements("bidi_component") if '"curve":' in part.json)
            await visitor.act(picture, json.dumps([{"event": "pick", "value": 28}]))
            await visitor.until(lambda visitor: visitor.settled and shows_it(visitor), 60)
            return [run.complete for run in visitor.runs if not run.fragments]

    whole = run(pick())
    assert whole and all(whole)

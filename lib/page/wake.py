"""A page whose ticks have stopped is woken: on a very busy machine the message that sets their timer may be lost.

`shared` has what keeps that from happening, in its NOTE [sending]; this is for when it happens all the same.
"""

from pathlib import Path

import streamlit as st

_WAKE = st.components.v2.component(
    "last_bit_wake", html="<i></i>", js=Path(__file__).with_name("wake.js").read_text("utf-8")
)

state = st.session_state


def begin() -> None:
    """Forget what the run of the page before this one had to follow."""
    state.every = 0.0


def expect(every: float) -> None:
    """Expect a tick in so many seconds, again and again."""
    state.every = max(state.every, every)


def show() -> None:
    """Have the browser ask for a run of the page if no tick comes for long. It draws nothing."""
    with st.container(key="wake"):
        _WAKE(data={"every": state.every}, key="wake up", height="content", on_asked_change=lambda: None)

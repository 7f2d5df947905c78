"""What a visitor did in a picture, for a control to show it.

NOTE [acts]: a value that is set as state is sent once, with the run that draws the control. If that run is cut short,
the browser may never get the value; it still reports what the control showed before, and would undo the act. So the
value is set in each run of the whole page until one of them has come to its end.
"""

import streamlit as st

from lib.page import address

state = st.session_state


def show(key: str, value: str | int) -> None:
    """Have the control with this key show a value. A run of the whole page has to follow."""
    acts = state.setdefault("acts", {})
    _, known = acts.get(key, ("", ()))
    acts[key] = value, (*known, state.get(key), value)


def follow() -> None:
    """Set the controls before they are drawn, but for those that the visitor has changed since."""
    if address.went_back():
        finish()
    for key, (value, known) in state.get("acts", {}).items():
        if state.get(key) in known:
            state[key] = value


def finish() -> None:
    """Forget the acts, at the end of a run of the whole page."""
    state.acts = {}

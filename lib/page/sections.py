"""Questions with their answers, and sections that open in place."""

from collections.abc import Callable, Mapping

import streamlit as st

from lib.page.drawings import component

ARRIVE_AT = "arrive at"
"""In the session's state: the key of the section to scroll to, until the browser has done so."""


def show_answers(answers: Mapping[str, str]) -> None:
    """Draw questions and their answers, in Markdown. A question without an answer is left out.

    They are one element, since every update of the page sends each of its elements again.
    """
    shown = [f"**{question}** {answer}" for question, answer in answers.items() if answer]
    st.markdown("\n\n".join(shown))


def show_section(title: str, key: str, show: Callable[[], object]) -> None:
    """Draw a section that can be opened.

    Args:
        title: its title.
        key: the key under which the address stores whether the section is open.
        show: draws the content when the section opens.
    """
    expander = st.expander(title, key=key, on_change="rerun", bind="query-params")
    if not expander.open:
        return
    with expander:
        if st.session_state.get(ARRIVE_AT) == key:  # it has just been opened from another tab
            arrive = component("arrive", '<div class="arrive"></div>')
            arrive(key=f"arrive at {key}", on_arrived_change=_forget)
        show()


def _forget() -> None:
    """Forget the section that the browser has scrolled to, which may take several runs."""
    st.session_state.pop(ARRIVE_AT, None)

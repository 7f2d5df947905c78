"""Cards: a question, its answer, and details that open in place."""

from collections.abc import Callable

import streamlit as st

from lib.page.drawings import component

ARRIVE_AT = "arrive at"
"""In the session's state: the key of the card or section to scroll to, as soon as it is drawn."""


def show_card(
    question: str,
    answer: str,
    details: str = "",
    key: str = "",
    show: Callable[[], object] | None = None,
) -> None:
    """Draw a question and its answer.

    Args:
        question: the question.
        answer: its answer, in Markdown.
        details: the title of the details.
        key: the key under which the address stores whether the details are open.
        show: draws the details when they open. Without it the card has no details.
    """
    with st.container(border=True, gap="xxsmall"):
        st.markdown(f"**{question}** {answer}")
        if show is None:
            return
        expander = st.expander(
            f"**{details}**", key=key, type="compact", on_change="rerun", bind="query-params"
        )
        if expander.open:
            with expander:
                _arrive(key)
                show()


def show_section(title: str, key: str, show: Callable[[], object]) -> None:
    """Draw a section that can be opened.

    Args:
        title: its title.
        key: the key under which the address stores whether the section is open.
        show: draws the content when the section opens.
    """
    expander = st.expander(title, key=key, on_change="rerun", bind="query-params")
    if expander.open:
        with expander:
            _arrive(key)
            show()


def _arrive(key: str) -> None:
    """Scroll to what has just been opened from another tab."""
    if st.session_state.get(ARRIVE_AT) == key:
        del st.session_state[ARRIVE_AT]
        component("arrive", '<div class="arrive"></div>')(key=f"arrive at {key}")

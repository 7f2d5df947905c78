"""Cards: a question, its answer, and details that open in place."""

from collections.abc import Callable

import streamlit as st


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
            details, key=key, type="compact", on_change="rerun", bind="query-params"
        )
        if expander.open:
            with expander:
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
            show()

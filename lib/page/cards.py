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
        details: the name of what opens below; none if it is empty.
        key: whether it is open, in the address.
        show: draws the details.
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
    """Draw a section of the page, whose content is computed when it opens."""
    expander = st.expander(title, key=key, on_change="rerun", bind="query-params")
    if expander.open:
        with expander:
            show()

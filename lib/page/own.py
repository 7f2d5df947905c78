"""Check your own: the visitor's own numbers, a matrix of theirs, and everything to take along."""

import streamlit as st

from lib.page import check, data, numbers, script
from lib.page.elements import show_environment, show_head
from lib.page.frame import open_tab

CLAIM = "Two numbers, and a small difference: rounding, or a bug?"
WHY = "Paste two numbers or two vectors as they were printed: the answer appears below."


def show() -> None:
    st.session_state.arriving = False  # nothing runs here: the tab arrives whole
    opening = open_tab(numbers.box)
    with opening.head:
        show_head(CLAIM, WHY)
    numbers.show()
    check.show()
    st.header("Take it with you", anchor="take-it-with-you")
    script.show(opening.experiment)
    data.show(opening.experiment)
    show_environment(opening.experiment)

"""Section 7: the visitor's own numbers, and everything to take along."""

import streamlit as st

from lib.page import data, numbers, script
from lib.page.elements import show_environment
from lib.page.frame import open_tab


def show() -> None:
    experiment = open_tab().experiment
    numbers.show()
    st.header("Take it with you", anchor="take-it-with-you", divider="gray")
    script.show(experiment)
    data.show(experiment)
    show_environment(experiment)

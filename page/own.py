"""Section 7: what a reader takes along, and their own numbers."""

import streamlit as st

from lib import machine
from lib.experiment import Experiment
from lib.sentences import environment
from page import data, numbers


def show(experiment: Experiment) -> None:
    numbers.show()
    st.header("Take it with you", anchor="take-it-with-you", divider="gray")
    st.caption(environment(machine.describe()))
    data.show(experiment)

"""All operations that lead to the component in the picture, one by one."""

import streamlit as st

from lib.experiment.methods import METHODS
from lib.floats.quantities import counted
from lib.floats.sentences import said
from lib.page.discrepancy import current, place
from lib.page.live import Seen
from lib.page.session import session
from lib.replay.operations import FIRST_DIVERGENCE, OTHER_METHOD, VERIFIED, facts, tables


def show(seen: Seen) -> None:
    at = place(seen)
    if at is None:
        return
    _choose(seen, *at)
    example = current(seen)
    if example is None:
        return
    found = example.replay
    of_it = facts(found)
    st.markdown(f"**{said(FIRST_DIVERGENCE, of_it)}** {said(OTHER_METHOD, of_it)}")
    if found.verified:
        st.caption(said(VERIFIED, of_it))
        names = "`backward()`", f"`{METHODS[found.replayed].label}`, its rows and their sum"
        for name, table in zip(names, tables(found).values(), strict=True):
            st.markdown(f"{name}: {counted(len(table), 'operation')}")
            st.dataframe(table, hide_index=True, alt=f"Table of the operations of {name}")


def _choose(seen: Seen, sample: int, component: int) -> None:
    """Let the visitor choose a component by its numbers."""
    state, experiment = st.session_state, seen.experiment
    state["sample shown"], state["component shown"] = sample, component

    def take() -> None:
        chosen = state["sample shown"], state["component shown"]
        session().picks["discrepancy"] = dict(zip(("trace_sample", "trace_component"), map(str, chosen), strict=True))

    with st.container(horizontal=True):
        st.number_input("Sample", 0, experiment.samples - 1, step=1, key="sample shown", on_change=take, width=180)
        st.number_input("Component", 0, experiment.inputs - 1, step=1, key="component shown", on_change=take, width=180)

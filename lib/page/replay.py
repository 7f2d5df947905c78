"""The section *All operations*: the component of the picture, operation by operation."""

import streamlit as st

from lib.discrepancy.example import example
from lib.discrepancy.examples import first_example
from lib.discrepancy.picks import WORST
from lib.discrepancy.sentences import why_there
from lib.discrepancy.study import DiscrepancyTally
from lib.display.quantities import counted
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.page import picks
from lib.page.shared import ask, share
from lib.replay.replay import Replay
from lib.replay.sentences import first_divergence_claim, replayed_method, verified
from lib.replay.tables import rows

state = st.session_state


def show(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    """Show all operations that lead to the component that is picked, and let the visitor name another one."""
    if state.pop("picked by name", False):
        st.rerun()  # the picture shows another component
    place = picks.place(tally, experiment) or ask(
        "An example is", experiment, first_example, experiment, settled=settled
    )
    if place is None:
        return
    show_choice(*place, experiment)
    found = ask("The operations are", experiment, example, experiment, *place, settled=settled)
    if found is not None:
        share((experiment.query, found.sample, found.component), draw_operations, found.replay)
    st.markdown(why_there(experiment).markdown)


def show_choice(sample: int, component: int, experiment: Experiment) -> None:
    """Let the visitor choose a component by its numbers, or the worst so far."""
    state.update({"sample shown": sample, "component shown": component, "worst shown": picks.picked().worst_by})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        last = experiment.samples - 1
        st.number_input("Sample", 0, last, step=1, key="sample shown", on_change=choose_by_number, width=180)
        last = experiment.inputs - 1
        st.number_input("Component", 0, last, step=1, key="component shown", on_change=choose_by_number, width=180)
        st.segmented_control("Or the worst so far by", list(WORST), key="worst shown", on_change=choose_worst)


def choose_by_number() -> None:
    picks.choose((state["sample shown"], state["component shown"]))
    state["picked by name"] = True


def choose_worst() -> None:
    picks.choose_worst(state["worst shown"])
    state["picked by name"] = True


def draw_operations(found: Replay) -> None:
    st.markdown(f"**{first_divergence_claim(found)}**")
    if found.verified:
        if of_method := replayed_method(found):
            st.markdown(of_method)
        st.caption(verified(found))
        for name, table in zip(
            ("`backward()`", f"`{METHODS[found.replayed].label}`, its rows and their sum"),
            rows(found).values(),
            strict=True,
        ):
            st.markdown(f"{name}: {counted(len(table), 'operation')}")
            st.dataframe(table, hide_index=True, alt=f"Table of the operations of {name}")

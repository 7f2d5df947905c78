"""Section: NaN, infinite and zero gradients. A case is picked and kept in the link; its code is shown and was run."""

import streamlit as st

from lib.derivative.unsafe import Look, looks, source
from lib.derivative.unsafe_cases import CASES, Case
from lib.derivative.unsafe_sentences import result_claim, shift_claim, unsafe_claim, unsafe_conditions, unsafe_why
from lib.derivative.unsafe_tables import overview
from lib.experiment.query import Experiment
from lib.page.elements import show_table, show_title, unfold
from lib.page.shared import ask

SECTION, CASE = "unsafe", "case"
"""The keys in the link."""

FIRST = "where"

LEGEND = "✓ right, up to rounding; ○ a choice where no derivative exists; ✗ not right"


def show(experiment: Experiment) -> None:
    unfold("NaN, infinite and zero gradients, and how to write it safely", SECTION, show_cases, experiment)


def show_cases(experiment: Experiment) -> None:
    picked = show_picker()
    about = experiment.dtype, experiment.device
    found = ask("The results are", about, looks, *about, settled=True)
    if found is None:
        return
    show_case(CASES[picked], found[picked], experiment)
    show_title("All cases", LEGEND)
    show_table(overview(found, experiment.dtype), "Table of all cases: the derivative that each spelling gives")


def show_picker() -> str:
    """Show the cases to pick from, and return the key of the one that is picked."""
    picked = st.pills(
        "Where does it come from?", list(CASES), default=FIRST, required=True, key=CASE, bind="query-params"
    )
    return picked if picked in CASES else FIRST


def show_case(case: Case, found: tuple[Look, ...], experiment: Experiment) -> None:
    st.markdown(f"**{unsafe_claim(case, found, experiment)}**")
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Often written**")
        st.code(source(case.unsafe), language="python", wrap_lines=True)
        st.markdown("  \n".join(result_claim(look, look.unsafe, experiment) for look in found))
    with right:
        st.markdown("**Instead**")
        st.code(source(case.safe), language="python", wrap_lines=True)
        st.markdown("  \n".join(result_claim(look, look.safe, experiment) for look in found))
    st.markdown(unsafe_why(case, found).markdown)
    if shift := shift_claim(case, found, experiment):
        st.markdown(shift)
    st.caption(unsafe_conditions(case, experiment))

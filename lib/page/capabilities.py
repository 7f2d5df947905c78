"""Other CPUs, other builds: what PyTorch's kernels for other capabilities change on this machine.

A worker of its own waits for the processes that find out, since the runs would have to wait as well; it does not
compute, so it takes nothing from them but what the processes take, which have low priority.
"""

from concurrent.futures import ThreadPoolExecutor

import streamlit as st

from lib.batch.capabilities import side_by_side
from lib.batch.capability_sentences import capabilities_claim
from lib.batch.capability_tables import table
from lib.batch.fingerprint import subject
from lib.experiment.query import Experiment
from lib.page.elements import show_table
from lib.page.shared import ask, state
from lib.run.answers import Answers

PERIOD = 2.0  # seconds between two looks whether the answer is there

OTHER_SETTINGS = (
    "`ATEN_CPU_CAPABILITY` chooses PyTorch's own kernels. Those of MKL are chosen by `MKL_ENABLE_INSTRUCTIONS`, those "
    'of oneDNN by `ONEDNN_MAX_CPU_ISA`. On another machine, `python -m lib "{query}" --fingerprint > there.json` '
    'prints its orders; here, `python -m lib "{query}" --fingerprint there.json` says what differs.'
)


@st.cache_resource(show_spinner=False)
def _answers() -> Answers:
    return Answers(ThreadPoolExecutor(1, thread_name_prefix="capabilities"))


def show(experiment: Experiment) -> None:
    """Show what the kernels for other capabilities change, once the processes that find out have ended."""
    about = subject(experiment)
    waits = state.get("capabilities of") != about
    st.fragment(draw, run_every=PERIOD if waits else None)(about, waits)


def draw(experiment: Experiment, waits: bool) -> None:
    found = ask(
        "The comparison, a few seconds for each capability, is",
        experiment,
        side_by_side,
        experiment,
        settled=False,
        answers=_answers(),
    )
    if not found:
        return
    state["capabilities of"] = experiment
    if waits:
        st.rerun()  # nothing to look for any more
    st.markdown(capabilities_claim(found))
    show_table(table(found), "Table of the CPU capabilities: orders and activations that differ from this page's")
    st.caption(OTHER_SETTINGS.format(query=experiment.query))

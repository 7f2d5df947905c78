"""What a visitor looks at in the tab of the batches: a batch size and one component of a sample, both in the link.

The component is written as `output-1` or `gradient-3`. A pick that is not compared in batches of this size counts as
none, and a pick is dropped when the experiment or the size changes.
"""

import re

import streamlit as st

from lib.batch.arrangements import SIZES
from lib.batch.example import Place, is_compared
from lib.experiment.query import Experiment
from lib.page import address

DEFAULT_SIZE = 4

SAMPLE, COMPONENT = "batch_sample", "batch_component"
"""The keys in the link."""

state = st.session_state


def show_size() -> None:
    st.selectbox(
        "Batch of",
        SIZES,
        SIZES.index(DEFAULT_SIZE),
        key="batch",
        help="How many samples are computed together, each compared with itself alone. If need be, samples that do not "
        "count fill the last batch.",
        width=84,
        bind="query-params",
    )


def size() -> int:
    """Return the batch size that is picked."""
    picked = state.get("batch")
    return picked if picked in SIZES else DEFAULT_SIZE


def follow(experiment: Experiment) -> None:
    """Take the pick from the link when a visitor arrives or goes back, and drop it when the experiment changes."""
    about = experiment, size()
    if address.is_new("batch pick"):
        state["batch pick"] = _in_address(experiment)
    elif about != state.get("batch picked of"):
        state["batch pick"] = None
    state["batch picked of"] = about
    pick = state["batch pick"]
    said = {} if pick is None else {SAMPLE: str(pick.sample), COMPONENT: f"{pick.quantity}-{pick.component}"}
    address.keep({SAMPLE: None, COMPONENT: None} | said)


def choose(place: Place) -> None:
    """Pick a component. A run of the whole page has to follow, which puts it into the link."""
    state["batch pick"] = place


def place() -> Place | None:
    """Return the component that is picked, None if there is none."""
    return state["batch pick"]


def _in_address(experiment: Experiment) -> Place | None:
    sample = address.number(SAMPLE, 0, experiment.samples - 1)
    found = re.fullmatch(r"(output|gradient)-([0-9]{1,3})", st.query_params.get(COMPONENT, ""))
    if sample is None or not found:
        return None
    picked = Place(size(), sample, found[1], int(found[2]))
    return picked if is_compared(experiment, picked) else None

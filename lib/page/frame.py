"""The frame of a tab: its head, the strip of its controls, and the places where a live run says how far it is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES
from lib.network import machine
from lib.page import address, controls
from lib.page.elements import keep_place

NETWORK = ("network", "activation", "output_activation", "dtype", "device")
"""The controls in the open wherever a network is what is looked at."""

MORE = ("evaluation", "distribution", "samples", "seed", "networks", "matmul", "step")
"""The other controls of an experiment on a network."""

STYLE = Path(__file__).with_name("page.css")
_STYLED = st.components.v2.component(
    "last_bit_styled", html="<div></div>", js=Path(__file__).with_name("styled.js").read_text("utf-8")
)

state = st.session_state


@dataclass(frozen=True)
class Opening:
    """The places that a part of the page fills while its run goes on, and the experiment to run.

    `head` is for the claim and for one line of why, `pause` for the control that pauses the run, `status` for its
    progress, and `notes` for what went wrong.
    """

    experiment: Experiment
    head: DeltaGenerator
    pause: DeltaGenerator
    status: DeltaGenerator
    notes: DeltaGenerator
    of_section: bool = False


def style() -> None:
    """Send the page's style sheet; a new session gets nothing else until it is in force, so that nothing shifts.

    A browser may get to a style sheet only after it has drawn what comes with it.
    """
    st.html(STYLE)
    if "styled" not in state:
        state.styled = True
        _STYLED(key="when styled", on_done_change=lambda: None)
        st.stop()


def open_tab(
    *open_: str | Callable[[], None],
    study: str | None = None,
    more: tuple[str, ...] = (),
    tries: controls.Tries | None = None,
    follow: Callable[[Experiment], None] = lambda _: None,
) -> Opening:
    """Draw the frame of the open tab: its head, still empty, and the strip of its controls.

    The tab of a `study` gets only the part of the experiment that it depends on: what is chosen for another tab alone
    neither starts its run anew, nor drops its pick, nor leaves a ghost; `follow` gets this part before the address is
    written. See `controls.show` for the other arguments. What is wrong with the link or with a control is said below
    the strip.
    """
    head = st.container(key="head")
    keep_place(head)
    strip = st.container(key="strip", horizontal=True, wrap=False, vertical_alignment="bottom", gap="xsmall")
    with strip:
        experiment, fault = controls.show(open_, more, tries)
        with st.container(key="status", gap=None):
            status, pause = st.container(gap=None), st.container(gap=None)
    follow(STUDIES[study].of(experiment) if study else experiment)
    state.chosen = experiment
    address.put(experiment)
    notes = st.container(key="notes")
    if fault or experiment != address.DEFAULT:
        state.link_fault = None
    with notes:
        if state.link_fault:
            instead = "You see the first post's experiment instead."
            st.error(f"This link does not describe an experiment: {state.link_fault} {instead}")
        if fault:
            st.error(fault)
        if reason := machine.unsupported_reason(experiment):
            st.warning(f"{reason} The figures below were computed on the CPU instead.")
            experiment = replace(experiment, device="cpu")
    if study:
        experiment = STUDIES[study].of(experiment)
    return Opening(experiment, head, pause, status, notes)


def open_section(experiment: Experiment) -> Opening:
    """Draw the places of a section that opens, where it stands."""
    head = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        status, pause = st.container(width="stretch", gap=None), st.container(width="content")
    return Opening(experiment, head, pause, status, st.container(), of_section=True)

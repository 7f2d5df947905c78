"""The opening view of the first tab: one component as a picture, a sentence about it, and the way to another."""

import streamlit as st

from lib.discrepancy.example import Example, example
from lib.discrepancy.example_sentences import example_claim
from lib.discrepancy.examples import another, first_example, sample_and_component
from lib.discrepancy.frequencies import BARS, Ghost, shares
from lib.discrepancy.opening import opening
from lib.discrepancy.study import DiscrepancyTally
from lib.experiment.query import Experiment
from lib.page import ghost, picks
from lib.page.elements import keep_place
from lib.page.picture import draw_picture
from lib.page.shared import ask

PICTURE = "opening"

state = st.session_state


def show(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    """Show the picture of the component that is picked, and one sentence about it."""
    before = picks.picked()
    take_bar(tally, experiment)
    take_another(experiment, settled)
    picture = st.container(key="picture")
    keep_place(picture)
    with st.container(key="under", horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            shown = current(tally, experiment, settled)
            if shown:
                st.markdown(example_claim(shown, experiment))
        st.button(
            "Another",
            key="another",
            on_click=look_for_another,
            args=(experiment, shown),
            disabled=shown is None,
            help="The next component of the same bar",
            icon=":material/casino:",
            width=130,
        )
    with picture:
        draw(tally, experiment, shown)
    if picks.picked() != before:
        st.rerun()  # the sections below show the same component


def show_first(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    """Show the picture alone, as the page arrives. What it waits for is said below it, so that nothing shifts."""
    picture = st.container(key="picture")
    keep_place(picture)
    with st.container(key="under"):
        shown = current(tally, experiment, settled)
    with picture:
        draw(tally, experiment, shown)


def draw(tally: DiscrepancyTally, experiment: Experiment, shown: Example | None) -> None:
    former = ghost.of(PICTURE, experiment, shares(tally) if tally.finite else None)
    data = opening(experiment, tally, shown, former and Ghost(*former))
    draw_picture(PICTURE, data, key=PICTURE, on_pick_change=keep_bar)


def current(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> Example | None:
    """Return the component that is picked, or a first example; None as long as the worker has not computed it."""
    place = picks.place(tally, experiment) or ask(
        "An example is", experiment, first_example, experiment, settled=settled
    )
    return place and ask("The component is", experiment, example, experiment, *place, settled=settled)


def keep_bar() -> None:
    state.bar = state[PICTURE]["pick"]


def take_bar(tally: DiscrepancyTally, experiment: Experiment) -> None:
    """Pick the first component of the bar that was picked, if any was."""
    key = state.pop("bar", None)
    place = tally.ulps_first[key] if key in BARS else None  # whatever a browser sends
    if place:
        picks.choose(sample_and_component(experiment, place))


def look_for_another(experiment: Experiment, shown: Example) -> None:
    state.search = experiment, shown.sample, shown.component


def take_another(experiment: Experiment, settled: bool) -> None:
    """Pick the next component of the same bar, as soon as the worker has found it."""
    question = state.get("search")
    if question and question[0] != experiment:
        del state.search
    elif question:
        found = ask("Another one is", question, another, *question, settled=settled)
        if found == question[1:]:
            st.toast("No other component of this bar was found.")
        elif found:
            picks.choose(found)
        if found:
            del state.search

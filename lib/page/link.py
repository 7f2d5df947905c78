"""The address of the page, which is a link to what is chosen and picked.

Streamlit itself binds controls, tabs and sections to the address. It drops what it cannot read without a word, so a
link is checked before anything is drawn. What is picked in a picture is put there by a run of the whole page.
"""

import re
from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lib.experiment.query import FIELDS, LAYERS, SHAPE, Experiment, QueryError
from lib.experiment.views import RETIRED, retired
from lib.floats.sentences import quoted
from lib.page.session import session

Picks = Mapping[str, Callable[[str, Experiment], object]]
"""What can be picked, by its keys in the link, and what reads the text there: None if the experiment has none such."""

OWN = "Check your own"
"""The label of the tab for what visitors bring."""


def layers_text(experiment: Experiment) -> str:
    return " ".join(map(str, experiment.widths))


def arrive() -> None:
    """Check the link when a visitor arrives or goes back: what is malformed is told of and taken out."""
    mine = session()
    mine.opens = st.session_state.get("tab") != mine.tab
    if "arrived" in st.session_state and not went_back():
        return
    st.session_state.arrived = True
    mine.picks.clear()
    pairs = [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]
    try:
        experiment = Experiment.from_pairs(pairs)
    except QueryError as error:
        mine.fault = quoted(str(error), error.shown)
        put(dict.fromkeys((*FIELDS, LAYERS)))
        st.rerun()  # what a control is bound to is read where a run begins
    mine.retired = retired(st.query_params)
    put(dict.fromkeys(RETIRED))
    if any(key in st.query_params for key in SHAPE):
        put(dict.fromkeys(SHAPE) | {LAYERS: layers_text(experiment)})
        st.rerun()


def depart() -> None:
    """Note which tab this run has drawn, at its end."""
    session().tab = st.session_state.get("tab")


def keep(key: str) -> str:
    """Return the key of a control, whose value the browser takes when the tab opens.

    A browser forgets a control when a run without it ends. If the visitor comes back in that moment, it has just sent
    the value with the click, so that Streamlit does not send it.
    """
    if session().opens and key in st.session_state:
        st.session_state[key] = st.session_state[key]
    return key


def went_back() -> bool:
    """Whether this run is there because the visitor went back or forward."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def tell() -> None:
    """Say once what is wrong with the link by which the visitor came."""
    if fault := session().fault:
        st.error(f"This link does not describe an experiment: {fault} You see the first post's experiment instead.")
        session().fault = ""
    if said := session().retired:
        st.info(said)
        session().retired = ""


def picked(tab: str, picks: Picks, experiment: Experiment, about: object) -> None:
    """Keep what is picked in a tab, which is in the link when the tab opens, and drop what cannot be read. All of it is
    dropped when what it is `about` changes."""
    mine, of = session(), f"pick of {tab}"
    if tab in mine.picks and mine.of.get(of) != about:
        mine.picks[tab] = {}
    mine.of[of] = about
    texts = mine.picks.get(tab, st.query_params.to_dict())
    found = ((key, texts[key]) for key in picks if key in texts)
    mine.picks[tab] = {key: text for key, text in found if picks[key](text, experiment) is not None}
    put({key: mine.picks[tab].get(key) for key in picks})


def put(view: Mapping[str, str | None]) -> None:
    """Make the address say what the visitor looks at; None takes a key out."""
    for key, text in view.items():
        if text is None:
            st.query_params.pop(key, None)
        elif st.query_params.get(key) != text:
            st.query_params[key] = text


def bring(example: str | None = None) -> None:
    """Open the tab for what visitors bring, perhaps with one of its examples."""
    st.session_state["tab"] = OWN
    if example:
        st.session_state["brought"] = example


def number(text: str | None, high: int) -> int | None:
    """Return the whole number from 0 to `high` that a text of the link stands for, None for any other text."""
    found = int(text) if re.fullmatch("[0-9]{1,20}", text or "") else None
    return found if found is not None and found <= high else None

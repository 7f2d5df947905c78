"""The address of the page, which is a link to what is chosen and picked.

Streamlit binds controls, tabs and sections to the address by itself. It drops what it cannot read without a word, so a
link is checked before anything is drawn.
"""

import re

import streamlit as st

from lib.experiment.query import FIELDS, LAYERS, SHAPE, Experiment, QueryError
from lib.floats.sentences import quoted

RETIRED = {
    "agreement",
    "apart",
    "batch_closer",
    "batch_cpus",
    "batch_orders",
    "chart",
    "code",
    "controls",
    "differences",
    "distances",
    "edges",
    "files",
    "g",
    "kinks",
    "lean",
    "link",
    "look_at",
    "meeting",
    "numbers_at",
    "numbers_figures",
    "numbers_why",
    "operations",
    "plotted",
    "report",
    "round_trip",
    "saturation",
    "scaling",
    "script",
    "spelling",
    "stop",
    "tour",
    "why_by_hand",
}
"""Keys of older links, whose sections are gone. Such a link opens without them."""


def check() -> None:
    """Check the link by which a visitor comes, once: say what is malformed or retired, and take it out."""
    if "link fault" not in st.session_state:
        st.session_state["link fault"] = st.session_state["link note"] = ""
        _repair()
    if fault := st.session_state["link fault"]:
        st.error(
            f"This link does not describe an experiment: {fault} You see the first post's experiment instead."
        )
    if note := st.session_state["link note"]:
        st.info(note)
    st.session_state["link fault"] = st.session_state["link note"] = ""


def _repair() -> None:
    pairs = [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]
    try:
        experiment = Experiment.from_pairs(pairs)
    except QueryError as error:
        st.session_state["link fault"] = quoted(str(error), error.shown)
        remove(*FIELDS, LAYERS)
        st.rerun()  # a control reads the address where a run begins
    if ignored := sorted(RETIRED.intersection(st.query_params)):
        note = f"The link is of an older version; this one ignores {', '.join(ignored)}."
        st.session_state["link note"] = note
    remove(*RETIRED)
    if any(key in st.query_params for key in SHAPE):  # the older way to write the layers
        remove(*SHAPE)
        st.query_params[LAYERS] = layers_text(experiment)
        st.rerun()


def remove(*keys: str) -> None:
    """Take keys out of the address."""
    for key in keys:
        st.query_params.pop(key, None)


def layers_text(experiment: Experiment) -> str:
    """Return the layer sizes as the control and the address write them."""
    return " ".join(map(str, experiment.widths))


def number(key: str, highest: int) -> int | None:
    """Return the whole number from 0 to `highest` that the address has for a key.

    What is no such number is taken out of the address; then, and if there is none, return None.
    """
    text = st.query_params.get(key, "")
    if re.fullmatch("[0-9]{1,20}", text) and int(text) <= highest:
        return int(text)
    remove(key)
    return None

"""The address of the page: a link to the experiment and the selections that it shows.

Streamlit binds controls, tabs and sections to the address. It silently drops values that it cannot
read, so the page checks the fields of the experiment before it draws anything.
"""

import re

import streamlit as st

from lib.experiment.query import FIELDS, LAYERS, SHAPE, Experiment, QueryError
from lib.floats.sentences import quoted


def report_faults() -> None:
    """Check the link that opened the page, once per visit.

    Show what is malformed, and remove it from the address.
    """
    if "link fault" not in st.session_state:
        st.session_state["link fault"] = _repaired()
        st.rerun()  # controls read the address at the start of a run
    if fault := st.session_state["link fault"]:
        st.error(
            f"This link does not describe an experiment: {fault} "
            "You see the default experiment instead."
        )
    st.session_state["link fault"] = ""


def _repaired() -> str:
    """Remove from the address what is malformed or retired. Return what is malformed."""
    pairs = [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]
    try:
        experiment = Experiment.from_pairs(pairs)
    except QueryError as error:
        remove(*FIELDS, LAYERS)
        return quoted(str(error), error.shown)
    has_older_keys = any(key in st.query_params for key in SHAPE)
    if has_older_keys:  # inputs, hidden and outputs, which are now one text
        remove(*SHAPE)
        st.query_params[LAYERS] = layers_text(experiment)
    return ""


def remove(*keys: str) -> None:
    """Remove keys from the address, in one step of the browser's history."""
    known = [key for key in keys if st.query_params.get_all(key)]
    if known:
        st.query_params.update(dict.fromkeys(known, []))


def layers_text(experiment: Experiment) -> str:
    """Return the layer sizes as in the control and the address: "5 10 2"."""
    return " ".join(map(str, experiment.widths))


def valid_number(key: str, highest: int) -> int | None:
    """Return the whole number that the address has for a key; remove the key if it is not valid.

    Args:
        key: the key.
        highest: the largest number allowed; the smallest is 0.

    Returns:
        The number, None if there is none or it is not valid.
    """
    text = st.query_params.get(key, "")
    if re.fullmatch("[0-9]{1,20}", text) and int(text) <= highest:
        return int(text)
    remove(key)
    return None

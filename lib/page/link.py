"""The address of the page: a link to the experiment and to what is picked in its drawings.

Streamlit binds controls, tabs and sections to the address. It silently drops values that it cannot
read, so `check` checks the fields of the experiment before any control is drawn.
"""

import re

import streamlit as st

from lib.experiment.query import FIELDS, LAYERS, SHAPE, Experiment, QueryError
from lib.floats.sentences import quoted


def check() -> None:
    """Check and repair the link that opened the page, once per visit.

    If the experiment in the link is not valid, show why and remove it from the address.
    """
    if "link fault" not in st.session_state:
        pairs = _pairs()
        st.session_state["link fault"] = _repair(pairs)
        if _pairs() != pairs:
            # Controls read the address as it was when the run of the script began.
            st.rerun()
    if fault := st.session_state["link fault"]:
        st.error(f"This link cannot be read: {fault} You see the default experiment instead.")
    # The fault is shown once.
    st.session_state["link fault"] = ""


def _pairs() -> list[tuple[str, str]]:
    """Return each key of the address with each of its texts.

    Streamlit still lists a key that was removed in this run, but without a text.
    """
    return [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]


def _repair(pairs: list[tuple[str, str]]) -> str:
    """Repair the address, and return what is wrong with it, or "".

    If a field of the experiment is not valid, all of them are removed. Retired keys are replaced.
    """
    try:
        experiment = Experiment.from_pairs(pairs)
    except QueryError as error:
        remove(*FIELDS, LAYERS)
        return quoted(str(error), error.shown)
    # In older links, the layer sizes are the three keys of `SHAPE` instead of one text.
    has_older_keys = any(key in st.query_params for key in SHAPE)
    if has_older_keys:
        remove(*SHAPE)
        st.query_params[LAYERS] = experiment.layers
    return ""


def remove(*keys: str) -> None:
    """Remove keys from the address, in one step of the browser's history."""
    present = [key for key in keys if st.query_params.get_all(key)]
    if present:
        # A key without values is removed. `del` would be one step for each key.
        st.query_params.update(dict.fromkeys(present, []))


def number_or_remove(key: str, highest: int) -> int | None:
    """Return the whole number that the address has for a key; remove the key if it is not valid.

    Args:
        key: a key of the address.
        highest: the largest number allowed; the smallest is 0.

    Returns:
        The number. None if the address has none, or none that is valid.
    """
    text = st.query_params.get(key, "")
    if re.fullmatch("[0-9]{1,20}", text) and int(text) <= highest:
        return int(text)
    remove(key)
    return None

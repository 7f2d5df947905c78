"""The address of the page, which is a link to what was chosen: this module reads it and keeps it true.

What was chosen is `state.chosen`, an experiment: a tab draws only its own controls, so the others have to be kept
somewhere. Streamlit itself binds only the view to the address: the tab, the sections that are open, what is picked.
"""

import streamlit as st

from lib.display.markdown import quoted
from lib.experiment.query import FIELDS, Experiment, QueryError, unfit_views
from lib.experiment.studies import SUBJECTS

DEFAULT = Experiment()

SHAPE = ("inputs", "hidden", "outputs")
"""The fields that one control shows together, as the shape of the network."""

CONTROLS = ("network", *(name for name in FIELDS if name not in SHAPE))
"""The keys of all controls."""

OWN = "Check your own"
"""The tab of no study."""

FORMER_TABS = {"Why is 1/x off?": SUBJECTS["derivative"].label}
"""Today's tabs, by the names that older links use for them."""

state = st.session_state


def check_link() -> None:
    """Remove malformed fields from the address before a control can read them, and keep the sentence to show."""
    pairs = _pairs()
    unfit = unfit_views(pairs)
    try:
        Experiment.from_pairs(pairs)
    except QueryError as error:
        state.link_fault = quoted(str(error), error.shown)
        unfit |= FIELDS.keys() & st.query_params.keys()
    for key in unfit:
        del st.query_params[key]
    former = FORMER_TABS.get(st.query_params.get("tab"))
    if former:
        st.query_params["tab"] = former
    if unfit or former:
        st.rerun()


def follow() -> None:
    """Choose what the address says: on the first run, and after the visitor went back or forward.

    The latter shows in an address other than the one put there. One that is no link to an experiment changes nothing.
    """
    said = {key: st.query_params[key] for key in FIELDS if key in st.query_params}
    if said == state.get("put"):
        return
    state.put = said
    try:
        choose(Experiment.from_pairs(_pairs()))
    except QueryError:
        state.setdefault("chosen", DEFAULT)


def choose(experiment: Experiment) -> None:
    """Choose an experiment, before the controls are drawn."""
    state.chosen = experiment
    state.update({name: shown_by(name, experiment) for name in CONTROLS})


def put(experiment: Experiment) -> None:
    """Make the address a link to the experiment, by one change at most, so that one step back undoes it."""
    pairs = experiment.pairs()
    for key in FIELDS.keys() - pairs.keys() & st.query_params.keys():
        del st.query_params[key]
    if pairs != {key: st.query_params[key] for key in FIELDS if key in st.query_params}:
        st.query_params.update(pairs)
    state.put = pairs


def shown_by(name: str, experiment: Experiment) -> object:
    """Return what a control shows of an experiment."""
    return " → ".join(map(str, experiment.widths)) if name == "network" else getattr(experiment, name)


def _pairs() -> list[tuple[str, str]]:
    return [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]

"""The address of the page, which is a link to what was chosen: this module reads it and keeps it true.

What was chosen is `state.chosen`, an experiment: a tab draws only its own controls, so the others have to be kept
somewhere. Streamlit itself binds the tab and the sections that are open to the address. Which component is picked and
the stop of the tour are kept there together with the experiment: each change of the address is a step for Back.
"""

from collections.abc import Iterable, Mapping

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
    """Choose what the address says where that is new. If it is no link to an experiment, nothing changes."""
    if not is_new(FIELDS):
        return
    try:
        choose(Experiment.from_pairs(_pairs()))
    except QueryError:
        state.setdefault("chosen", DEFAULT)


def choose(experiment: Experiment) -> None:
    """Choose an experiment, before the controls are drawn."""
    state.chosen = experiment
    state.update({name: shown_by(name, experiment) for name in CONTROLS})


def in_address(keys: Iterable[str]) -> dict[str, str | None]:
    """Return what the address says under each of the keys, None where it does not have the key."""
    return {key: (st.query_params.get_all(key) or [None])[-1] for key in keys}


def is_new(keys: Iterable[str]) -> bool:
    """Whether the visitor arrived, went back or forward: the page neither put nor saw there what these keys say."""
    said, known = in_address(keys), state.setdefault("in address", {})
    new = not said.items() <= known.items()
    known.update(said)
    return new


def keep(view: Mapping[str, str | None]) -> None:
    """Have the next `put` say what the visitor looks at, too; None keeps a key out of the address."""
    state.setdefault("to put", {}).update(view)


def put(experiment: Experiment) -> None:
    """Make the address a link to the experiment and to what `keep` got, by one change at most, for one step back.

    Each `del` would be a change of its own; a key without values is not in the address either.
    """
    pairs: dict[str, str | None] = dict.fromkeys(FIELDS) | experiment.pairs() | state.pop("to put", {})
    before = in_address(pairs)
    if pairs != before:
        changed = {key: text for key, text in pairs.items() if text != before[key]}
        st.query_params.update({key: [] if text is None else text for key, text in changed.items()})
    state["in address"].update(pairs)


def shown_by(name: str, experiment: Experiment) -> object:
    """Return what a control shows of an experiment."""
    return " → ".join(map(str, experiment.widths)) if name == "network" else getattr(experiment, name)


def _pairs() -> list[tuple[str, str]]:
    return [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]

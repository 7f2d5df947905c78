"""The address of the page, which is a link to what was chosen: this module reads it and keeps it true.

What was chosen is `state.chosen`, an experiment: a tab draws only its own controls, so the others have to be kept
somewhere. Streamlit itself binds the tab and the sections that are open to the address. Which component is picked and
the stop of the tour are kept there together with the experiment. `view.js` makes one step of Back of what one act of
the visitor changes.
"""

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lib.display.markdown import quoted
from lib.experiment.fields import WholeNumber
from lib.experiment.query import FIELDS, Experiment, QueryError
from lib.experiment.studies import SUBJECTS
from lib.experiment.views import unfit_views

DEFAULT = Experiment()

SHAPE = ("inputs", "hidden", "outputs")
"""The fields that one control shows together, as the shape of the network."""

CONTROLS = ("network", *(name for name in FIELDS if name not in SHAPE))
"""The keys of all controls."""

OWN_FUNCTION = "your own…"
"""What the control of the function shows in place of a listed one."""

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


def arrive() -> None:
    """Let all parts of the page read the address again if the visitor just arrived, went back or forward.

    In every other run they keep what they know: a browser that asked for it before the last change of the address
    reached it still reports the address before, which would undo the change. If a click meets a step back in one run,
    Streamlit tells of the click alone, which then wins.
    """
    if "unread" not in state or went_back():
        state.unread = {"experiment", "pick", "batch pick", "stop"}


def went_back() -> bool:
    """Whether this run is there because the visitor went back or forward."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def is_new(part: str) -> bool:
    """Whether this part of the address has not been read since the visitor arrived, went back or forward."""
    new = part in state.unread
    state.unread.discard(part)
    return new


def follow() -> None:
    """Choose what the address says where that is new. If it is no link to an experiment, nothing changes."""
    if not is_new("experiment"):
        return
    try:
        choose(Experiment.from_pairs(_pairs()))
    except QueryError:
        state.setdefault("chosen", DEFAULT)


def number(key: str, low: int, high: int) -> int | None:
    """Return the whole number from `low` to `high` that the address has under a key, None if it has none."""
    field = WholeNumber(low, high)
    value = field.parse(st.query_params.get(key, ""))
    return value if isinstance(value, int) and field.admits(value) else None


def choose(experiment: Experiment) -> None:
    """Choose an experiment, before the controls are drawn."""
    state.chosen = experiment
    state.update({name: shown_by(name, experiment) for name in CONTROLS})


def keep(view: Mapping[str, str | None]) -> None:
    """Have the next `put` say what the visitor looks at, too; None keeps a key out of the address."""
    state.setdefault("view", {}).update(view)


def put(experiment: Experiment) -> None:
    """Make the address a link to the experiment and to what `keep` got, by one change at most, for one step back.

    Each `del` would be a change of its own; a key without values is not in the address either.
    """
    said = dict.fromkeys(FIELDS) | experiment.pairs() | state.pop("view", {})
    values = {key: [] if text is None else [text] for key, text in said.items()}
    changed = {key: value for key, value in values.items() if value != st.query_params.get_all(key)}
    if changed:
        st.query_params.update(changed)


def shown_by(name: str, experiment: Experiment) -> object:
    """Return what a control shows of an experiment."""
    if name == "function" and experiment.f:
        return OWN_FUNCTION
    return " → ".join(map(str, experiment.widths)) if name == "network" else getattr(experiment, name)


def _pairs() -> list[tuple[str, str]]:
    return [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]

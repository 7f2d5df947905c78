"""Rows of pills. Each pill takes the visitor to an experiment and to a part of the page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.page.address import choose

state = st.session_state

_AT_FIRST = {"tab": SUBJECTS["discrepancy"].label}


@dataclass(frozen=True)
class Place:
    """An experiment and what is open on the page: by key, the name of the tab, and whether each expander is open."""

    experiment: Experiment
    view: Mapping[str, str | bool] = field(default_factory=dict)

    def is_here(self, experiment: Experiment) -> bool:
        return self.experiment == experiment and all(shown(key) == value for key, value in self.view.items())


def shown(key: str) -> str | bool:
    """Return what is open under the key.

    The first run reads it from the link, since the tabs and expanders have no state yet.
    """
    here = state.get(key, st.query_params.get(key, _AT_FIRST.get(key, False)))
    return here == "true" if here in ("true", "false") else here


def follow_click(row: str, places: Mapping[str, Place]) -> None:
    """Set the controls to the place that was clicked, that is, to one that the last run did not mark.

    A callback would not do: a tick of a live part may carry the click and run the callback first. The run that belongs
    to the click then arrives with the controls as they were before, and would undo it.
    """
    marked, marks = state.setdefault(f"{row} marked", (None, 0))
    clicked = state.get(f"{row} {marks}")
    if clicked and clicked != marked:
        choose(places[clicked].experiment)
        for key, value in places[clicked].view.items():
            state[key] = value


def show(row: str, label: str, places: Mapping[str, Place], experiment: Experiment) -> str | None:
    """Show the row, mark the place where the visitor is, if any, and return the name of that place.

    Each new mark makes a new widget. Until the browser learns of it, the browser may still report the state of the old
    widget, which would otherwise count as a click.
    """
    here = next((name for name, place in places.items() if place.is_here(experiment)), None)
    _, marks = state[f"{row} marked"]
    if here != state.get(f"{row} {marks}"):
        marks += 1
    state[f"{row} marked"] = here, marks
    # Until a run that marks another place ends, Streamlit keeps the old widget below the new one: hide it.
    st.html(f"<style>[class*=st-key-{row}] + [class*=st-key-{row}] {{display: none}}</style>")
    st.pills(label, list(places), default=here, key=f"{row} {marks}")
    return here

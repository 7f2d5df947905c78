"""Rows of pills, each of which takes the visitor to an experiment and to a part of the page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from lib.experiment.query import Experiment

state = st.session_state

_AT_FIRST = {"tab": "Why do they differ?"}


@dataclass(frozen=True)
class Place:
    """An experiment, and what of the page is open there: the name of the tab by its key, True or False by an
    expander's."""

    experiment: Experiment
    view: Mapping[str, str | bool] = field(default_factory=dict)

    def is_here(self, experiment: Experiment) -> bool:
        return self.experiment == experiment and all(shown(key) == value for key, value in self.view.items())


def shown(key: str) -> str | bool:
    """What is open, at the first run too, when the tabs and expanders do not have what the link says yet."""
    here = state.get(key, st.query_params.get(key, _AT_FIRST.get(key, False)))
    return here == "true" if here in ("true", "false") else here


def follow_click(row: str, places: Mapping[str, Place]) -> None:
    """Sets the controls to a place that was clicked, which is one that the last run did not mark.

    Not in a callback: a tick of a live part may carry the click and run it first, and the run of the click, which
    brings the controls as they were, would then undo it.
    """
    marked, marks = state.setdefault(f"{row} marked", (None, 0))
    clicked = state.get(f"{row} {marks}")
    if clicked and clicked != marked:
        experiment = places[clicked].experiment
        for name, value in experiment.to_dict().items():
            state[name] = experiment.text(name) if name == "hidden" else value
        for key, value in places[clicked].view.items():
            state[key] = value


def show(row: str, label: str, places: Mapping[str, Place], experiment: Experiment) -> str | None:
    """The row, with the place marked that the visitor is at, if any; gives its name.

    Another mark is another widget: what the browser says of the one before, which it may do until it hears of the new
    one, is then no click.
    """
    here = next((name for name, place in places.items() if place.is_here(experiment)), None)
    _, marks = state[f"{row} marked"]
    if here != state.get(f"{row} {marks}"):
        marks += 1
    state[f"{row} marked"] = here, marks
    # While a run that marks another place goes on, Streamlit keeps the widget before below the new one: hidden.
    st.html(f"<style>[class*=st-key-{row}] + [class*=st-key-{row}] {{display: none}}</style>")
    st.pills(label, list(places), default=here, key=f"{row} {marks}")
    return here

"""Ghosts: after a control has changed, a curve of the former experiment stays, with its name, for the eye to compare.

A ghost stays until the next change. Each drawing hands in its own curve and gets the former one to draw beside it.
"""

from typing import Any, NamedTuple

import streamlit as st

from lib.experiment.changes import what_it_was
from lib.experiment.query import Experiment

state = st.session_state


class Ghost(NamedTuple):
    """The curve of a former experiment, as small data, and what that experiment was in few words."""

    name: str
    data: Any


class _Drawn(NamedTuple):
    experiment: Experiment
    data: Any
    ghost: Ghost | None


def of(part: str, experiment: Experiment, data: Any) -> Ghost | None:
    """Return what a part of the page drew of the experiment before this one, if there is any, and remember `data`.

    `part` names the part within the session. Hand in `None` as data while there is nothing to draw: it leaves no ghost.
    """
    drawn: dict[str, _Drawn] = state.setdefault("drawn", {})
    last = drawn.get(part)
    if last is None:
        ghost = None
    elif last.experiment == experiment:
        ghost = last.ghost
    else:
        ghost = None if last.data is None else Ghost(what_it_was(last.experiment, experiment), last.data)
    drawn[part] = _Drawn(experiment, data, ghost)
    return ghost

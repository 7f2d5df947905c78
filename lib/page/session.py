"""What a session remembers beside the values of its widgets, as one typed object."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from lib.experiment.query import Experiment


@dataclass
class Drawn:
    """The last curve that a part drew, of which experiment, and the ghost beside it: the name and the curve of the
    experiment before, which stays until the next change."""

    experiment: Experiment
    curve: Any
    ghost: tuple[str, Any] | None = None


@dataclass
class Session:
    """`fault` and `retired` are what to say of the link by which the visitor came. `picks` are what was picked in each
    tab, by its keys in the link. `tab` is the one drawn last, and `opens` says whether this run opens another. `paused`
    has the parts whose runs stand still, and `over` those that were drawn with their runs at an end. `known` are the
    names of the pieces of messages that the browser has, and `taken` the number of each component's last act."""

    fault: str = ""
    retired: str = ""
    picks: dict[str, dict[str, str]] = field(default_factory=dict)
    tab: str | None = None
    opens: bool = True
    of: dict[str, Any] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)
    over: dict[str, bool] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    taken: dict[str, int] = field(default_factory=dict)
    drawn: dict[str, Drawn] = field(default_factory=dict)

    def ghost(self, part: str, experiment: Experiment, curve: Any) -> tuple[str, Any] | None:
        """Remember what a part draws, and return the former experiment's name and curve, None without one.

        Hand in None as the curve while there is nothing to draw: it leaves no ghost.
        """
        last = self.drawn.get(part, Drawn(experiment, None))
        ghost = last.ghost
        if last.experiment != experiment:
            ghost = (last.experiment.beside(experiment), last.curve) if last.curve is not None else None
        self.drawn[part] = Drawn(experiment, curve, ghost)
        return ghost


def session() -> Session:
    return st.session_state.setdefault("session", Session())

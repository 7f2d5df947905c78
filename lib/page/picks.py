"""The component that the first tab shows: what the visitor picked, kept in the link.

Without a pick, the tab shows an example that depends on the experiment alone. What is picked by "the worst so far"
changes with the samples; every other pick stays until the visitor picks again or changes the experiment.

NOTE [link]: a fragment that asks for a run of the whole page loses what it has sent so far, the new address too. So
only the run of the whole page writes the address, together with the experiment.
"""

from typing import NamedTuple

import streamlit as st

from lib.discrepancy.examples import sample_and_component
from lib.discrepancy.picks import WORST
from lib.discrepancy.study import DiscrepancyTally
from lib.experiment.query import Experiment
from lib.page import address


class Pick(NamedTuple):
    """What is picked, by the keys of the link. A pick may leave open the sample or the component: then it is that of
    the worst so far."""

    trace_sample: int | None = None
    trace_component: int | None = None
    worst_by: str | None = None


NOTHING = Pick()

state = st.session_state


def follow(experiment: Experiment) -> None:
    """Take the pick from the link when a visitor arrives or goes back, and drop it when the experiment changes.

    What is picked from now on is kept in the address, which is written next.
    """
    if address.is_new("pick"):
        state.pick = _in_address(experiment)
    elif experiment != state["picked of"]:
        state.pick = NOTHING
    state["picked of"] = experiment
    address.keep({key: None if value is None else str(value) for key, value in picked()._asdict().items()})


def choose(component: tuple[int, int]) -> None:
    """Pick a component. A run of the whole page has to follow, which puts it into the link: NOTE [link]."""
    state.pick = Pick(*component)


def choose_worst(measure: str | None) -> None:
    """Likewise pick the worst so far by a measure of `WORST`; None drops the pick."""
    state.pick = Pick(worst_by=measure)


def picked() -> Pick:
    return state.pick


def place(tally: DiscrepancyTally, experiment: Experiment) -> tuple[int, int] | None:
    """Return the sample and the component that are picked, None if nothing is."""
    pick = picked()
    if pick == NOTHING:
        return None
    worst = WORST[pick.worst_by or "difference"](tally).place
    sample, component = sample_and_component(experiment, worst) if worst else (0, 0)
    return (
        sample if pick.trace_sample is None else pick.trace_sample,
        component if pick.trace_component is None else pick.trace_component,
    )


def _in_address(experiment: Experiment) -> Pick:
    """Return what the link picks, as far as there is such a sample, component or measure."""
    measure = st.query_params.get("worst_by")
    return Pick(
        address.number("trace_sample", 0, experiment.samples - 1),
        address.number("trace_component", 0, experiment.inputs - 1),
        measure if measure in WORST else None,
    )

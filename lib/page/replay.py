"""Section 3: where does it come from? One component, operation by operation."""

from collections.abc import Callable

import streamlit as st

from lib.discrepancy.sentences import why_there
from lib.discrepancy.study import DiscrepancyTally
from lib.display.quantities import counted
from lib.experiment.query import Experiment
from lib.network.sampling import block_size
from lib.page.shared import ask, share
from lib.replay.replay import Replay, replay
from lib.replay.sentences import first_divergence_claim, replayed_method, verified
from lib.replay.tables import rows
from lib.run.tally import Extreme, Place

WORST: dict[str, Callable[[DiscrepancyTally], Extreme[Place]]] = {
    "difference": lambda tally: tally.max_abs,
    "ulps": lambda tally: tally.max_ulps,
    "rounding units": lambda tally: tally.verdict.max_units,
}


def show(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    """Show term by term the component that the visitor picks, by default the one with the largest discrepancy."""
    st.header("Where does it come from?", anchor="where-from", divider="gray")
    st.markdown(why_there(experiment).markdown)
    left, middle, right = st.columns(3)
    with left:
        worst = st.segmented_control(
            "The worst by", list(WORST), default="difference", required=True, key="worst_by", bind="query-params"
        )
    with middle:
        sample = pick("Sample", "trace_sample", experiment.samples, "the worst so far")
    with right:
        component = pick("Component", "trace_component", experiment.inputs, "the worst there")
    place = WORST.get(worst, WORST["difference"])(tally).place
    if sample is None:
        sample = place.block * block_size(experiment) + place.index if place else 0
    if component is None:
        component = place.component if place else 0
    found = ask("The operations are", experiment, replay, experiment, sample, component, settled=settled)
    if found is not None:
        share((experiment.query, found.sample, found.component), draw_operations, found)


def draw_operations(found: Replay) -> None:
    st.markdown(f"**{first_divergence_claim(found)}**")
    if found.verified:
        if of_method := replayed_method(found):
            st.markdown(of_method)
        st.caption(verified(found))
        for name, table in zip(
            ("`backward()`", "`functional.jacobian`, its rows and their sum"), rows(found).values(), strict=True
        ):
            st.markdown(f"{name}: {counted(len(table), 'operation')}")
            st.dataframe(table, hide_index=True, alt=f"Table of the operations of {name}")


def pick(label: str, key: str, count: int, otherwise: str) -> int | None:
    """Ask for a whole number below `count`; return None if the visitor enters none."""
    picked = st.number_input(
        label,
        0,
        count - 1,
        None,
        step=1,
        key=key,
        placeholder=otherwise,
        help=f"Empty: {otherwise}.",
        bind="query-params",
    )
    # Not `in range(count)`: for anything but an int, None included, that would compare up to a billion numbers.
    return picked if picked is not None and 0 <= picked < count else None

"""Section 1: how far apart are the two gradients? Sections 2 to 4, below it, have modules of their own."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.discrepancy.charts import ARRIVALS, CELLS, ULPS
from lib.discrepancy.condition_sentences import line_claim, reading
from lib.discrepancy.sentences import claim, conditions, finiteness, why_apart
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.discrepancy.tables import printout, tables
from lib.display.quantities import at_most, distance, percent
from lib.experiment.query import Experiment
from lib.page import remedies, replay, variations, verdict
from lib.page.elements import draw_chart, show_environment, show_title
from lib.page.frame import MORE, NETWORK, open_tab
from lib.page.live import Live, follow
from lib.page.shared import share


def show() -> None:
    opening = open_tab(*NETWORK, "method", more=MORE)
    experiment = opening.experiment
    part = Live(Discrepancy, claim, draw, draw_first=draw_first, draw_seldom=draw_reasons)
    follow(part, experiment, opening)
    if part.arriving:
        return
    variations.show(experiment)
    remedies.show(experiment)


def draw(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), draw_figures, tally, experiment, settled)


def draw_first(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), draw_beginning, tally, experiment, settled)


def draw_reasons(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), verdict.show, tally.verdict, experiment, settled)
    replay.show(tally, experiment, settled)


def draw_beginning(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    draw_distances(tally, experiment, settled, tables(tally, experiment))


def draw_figures(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    data = tables(tally, experiment)
    left, right = draw_distances(tally, experiment, settled, data)
    with right:
        show_title(
            "Why are some so many floats apart?",
            "S is the sum of the sizes of all terms, |g| the size of their sum. Grey, in the lowest row: equal values.",
        )
        takeaway = line_claim(tally) if settled else None
        draw_chart("cells", CELLS, data, "Heat map of the distance in floats against the condition number", takeaway)

    with left:
        show_title("Does it settle?", "Share of equal components among the first samples. The axis is logarithmic.")
        takeaway = f"{share_of_equal(tally)} after {tally.samples:,} samples" if settled and tally.finite else None
        draw_chart("arrivals", ARRIVALS, data, "Curve of the share of equal components", takeaway)
    with right:
        st.markdown(f"{why_apart(experiment).markdown}\n\n{reading(tally, experiment)}")

    st.markdown("**The first samples, as PyTorch prints them**")
    st.code(printout(tally, experiment), language=None)
    show_environment(experiment, before=finiteness(tally, experiment))


def draw_distances(
    tally: DiscrepancyTally, experiment: Experiment, settled: bool, data: dict[str, pd.DataFrame]
) -> list[DeltaGenerator]:
    """Draw the figures and the first chart, and return the two columns that the other charts go into."""
    st.caption(conditions(experiment))
    st.header("How far apart are they?", anchor="how-far-apart", divider="gray")
    with st.container(horizontal=True):
        st.metric("Equal components", share_of_equal(tally), help="Both values are equal, as +0 and −0 are.", width=165)
        st.metric("Equal samples", f"{tally.samples_equal:,}", help="All their components are equal.", width=165)
        st.metric("Largest difference", largest(tally), help="Of the two values of a component, absolute.", width=165)
        st.metric("Longest distance", longest(tally), help="In steps from float to float.", width=165)

    left, right = st.columns(2, gap="large")
    with left:
        show_title(
            "How many floats apart?", "One ulp is one step from a float to the next. In the middle, grey: equal values."
        )
        takeaway = f"{share_of_equal(tally)} of the components are equal" if settled and tally.finite else None
        draw_chart("ulps", ULPS, data, "Histogram of the distances in ulps", takeaway)
    return [left, right]


def share_of_equal(tally: DiscrepancyTally) -> str:
    return percent(tally.equal, tally.finite)


def largest(tally: DiscrepancyTally) -> str:
    return at_most(tally.max_abs.value) if tally.finite else "–"


def longest(tally: DiscrepancyTally) -> str:
    return distance(int(tally.max_ulps.value)) if tally.finite else "–"

"""Section 1: how far apart are the two gradients? The sections that follow have modules of their own."""

import streamlit as st

from lib.charts.discrepancy import ARRIVALS, CELLS, ULPS
from lib.experiment import Experiment
from lib.quantities import distance, percent
from lib.sentences import claim, conditions, finiteness
from lib.studies.discrepancy import Discrepancy, DiscrepancyTally
from lib.studies.discrepancy_tables import printout, tables
from page import learn, origin, remedies, verdict
from page.live import Live, draw_chart, follow, share, show_environment

READING = """
The rounding goes with the size of the terms that are added, not of their sum. Where the terms nearly cancel, a small
component keeps their large error: it lies far above the dashed line, which is about one ulp, and many floats apart. On
paper the two vectors are equal, unless the method is *single-call* or *finite-difference*.
"""


def show(experiment: Experiment) -> None:
    follow(Live(Discrepancy, "samples", claim, draw, draw_seldom=draw_reasons), experiment)
    origin.show_controls(experiment)
    origin.show_agreement(experiment)
    origin.show_scaling(experiment)
    remedies.show(experiment)


def draw(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), draw_figures, tally, experiment, settled)


def draw_reasons(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), verdict.show, tally.verdict, experiment, settled)
    origin.show_replay(tally, experiment, settled)


def draw_figures(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    st.caption(conditions(experiment))
    data = tables(tally, experiment)
    finite = tally.components - tally.nonfinite
    equal = percent(tally.equal, finite)
    largest = f"{tally.max_abs.value:.2e}"

    st.header("How far apart are they?", anchor="how-far-apart", divider="gray")
    with st.container(horizontal=True):
        st.metric("Equal components", equal, help="Both values have the same bits.", width=165)
        st.metric("Equal samples", f"{tally.samples_equal:,}", help="All their components are equal.", width=165)
        st.metric("Largest difference", largest, help="Of backward() and the summed Jacobian, absolute.", width=165)
        st.metric("Longest distance", distance(tally.max_ulps.value), help="In steps from float to float.", width=165)

    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**How many floats apart?**")
        st.caption("One ulp is one step from a float to the next. In the middle, grey: the same bits.")
        takeaway = f"{equal} of the components are equal" if settled else None
        draw_chart("ulps", ULPS, data, "Histogram of the distances in ulps", takeaway)
    with right:
        st.markdown("**How large, next to the component?**")
        st.caption("Each cell is a factor of two wide and high; the grey row at the bottom is a difference of zero.")
        takeaway = f"the largest difference is {largest}" if settled else None
        draw_chart("cells", CELLS, data, "Heat map of the difference against the size of the component", takeaway)

    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Does it settle?**")
        st.caption("Share of equal components among the first samples. The axis is logarithmic.")
        takeaway = f"{equal} after {tally.samples:,} samples" if settled else None
        draw_chart("arrivals", ARRIVALS, data, "Curve of the share of equal components", takeaway)
    with right:
        learn.show("how-far-apart")
        st.markdown(READING)

    st.markdown("**The first five samples, as PyTorch prints them**")
    st.code(printout(tally, experiment), language=None)
    st.caption(finiteness(tally))
    show_environment(experiment)

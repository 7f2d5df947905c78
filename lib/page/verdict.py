"""The sections *Which one is right?* and *Is it a bug?*."""

import streamlit as st

from lib.discrepancy import charts
from lib.discrepancy.verdict import VerdictTally
from lib.discrepancy.verdict_sentences import (
    bound_claim,
    lean_claim,
    reference_conditions,
    shared_error,
    verdict_claim,
    why_right,
)
from lib.discrepancy.verdict_tables import tables
from lib.experiment.query import Experiment
from lib.page.elements import draw_chart, show_title


def show_closer(tally: VerdictTally, experiment: Experiment, settled: bool) -> None:
    claim = verdict_claim(tally, experiment)
    st.markdown(f"**{claim}**")
    if tally.referenced:
        left, right = st.columns(2, gap="large")
        with left:
            show_title("Who is closer?", "To the exact gradient of the rounded weights and the rounded input.")
            takeaway = claim if settled else None
            draw_chart(
                "closer", charts.closer(), tables(tally), "Bars of who is closer to the exact gradient", takeaway
            )
        with right:
            st.markdown(lean_claim(tally, experiment))
            st.markdown(why_right(tally, experiment).markdown)
            st.caption(reference_conditions(tally))


def show_bound(tally: VerdictTally, experiment: Experiment, settled: bool) -> None:
    bound = bound_claim(tally, experiment)
    if tally.referenced:
        show_title(
            "How far off are both, and how far apart?",
            "In rounding units, which cancellation cannot inflate; zeros on the left. The vertical axis is a square "
            "root.",
        )
        alt = "Histogram of both errors and of the discrepancy in rounding units"
        draw_chart("units", charts.units(), tables(tally), alt, bound if settled else None)
    st.markdown(f"{bound}\n\n{shared_error(tally, experiment)}")

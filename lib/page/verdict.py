"""Section 2: which of the two gradients is right?"""

import streamlit as st

from lib.discrepancy.charts import CLOSER, UNITS
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


def show(tally: VerdictTally, experiment: Experiment, settled: bool) -> None:
    st.header("Which one is right?", anchor="which-is-right", divider="gray")
    claim = verdict_claim(tally, experiment)
    st.markdown(f"**{claim}**")
    if tally.referenced == 0:
        return
    data = tables(tally)
    left, right = st.columns(2, gap="large")
    with left:
        show_title(
            "Who is closer?", "By component, to the exact gradient of the rounded weights and the rounded input."
        )
        draw_chart("closer", CLOSER, data, "Bars of who is closer to the exact gradient", claim if settled else None)
        st.markdown(lean_claim(tally, experiment))
    bound = bound_claim(tally, experiment)
    with right:
        show_title(
            "How far off are both, and how far apart?",
            "In rounding units, which cancellation cannot fool; zeros on the left. The axis is a square root.",
        )
        takeaway = bound if settled else None
        draw_chart("units", UNITS, data, "Histogram of both errors and of the discrepancy in rounding units", takeaway)
    st.markdown(f"{shared_error(tally, experiment)}\n\n{bound}")
    st.caption(reference_conditions(tally))
    st.markdown(why_right(tally, experiment).markdown)

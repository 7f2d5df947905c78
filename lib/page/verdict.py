"""The cards *Which one is right?* and *Is it a bug?*, opened."""

import streamlit as st

from lib.discrepancy import charts
from lib.discrepancy.verdict_sentences import (
    bound_claim,
    lean_claim,
    reference_conditions,
    shared_error,
    verdict_claim,
    why_right,
)
from lib.discrepancy.verdict_tables import tables
from lib.page.elements import draw_chart, show_title
from lib.page.live import Seen


def show_closer(seen: Seen) -> None:
    tally, experiment = seen.tally.verdict, seen.experiment
    st.markdown(verdict_claim(tally, experiment))
    if tally.referenced:
        left, right = st.columns(2, gap="large")
        with left:
            show_title("Who is closer?", "To the exact gradient of the rounded weights and the rounded input.")
            draw_chart(
                "closer", charts.closer(), tables(tally), f"Bars of who is closer: {verdict_claim(tally, experiment)}"
            )
        with right:
            st.markdown(lean_claim(tally, experiment))
            st.markdown(why_right(tally, experiment).markdown)
            st.caption(reference_conditions(tally))


def show_bound(seen: Seen) -> None:
    tally, experiment = seen.tally.verdict, seen.experiment
    bound = bound_claim(tally, experiment)
    if tally.referenced:
        show_title(
            "How far off are both, and how far apart?",
            "In rounding units, which cancellation cannot inflate; zeros on the left. Heights are square roots.",
        )
        draw_chart(
            "units", charts.units(), tables(tally), f"Histogram of errors and discrepancy in rounding units: {bound}"
        )
    st.markdown(f"{bound}\n\n{shared_error(tally, experiment)}")

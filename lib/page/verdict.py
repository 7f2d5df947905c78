"""The cards *Which one is right?* and *Is it a bug?*, opened."""

import streamlit as st

from lib.discrepancy import charts
from lib.discrepancy.sentences import BOUND, BUG, LEAN, REFERENCE, RIGHT, WHY_NEITHER_IS_RIGHT, Facts
from lib.discrepancy.tables import tables
from lib.floats.sentences import said
from lib.page.elements import draw_chart, show_title
from lib.page.live import Seen


def show_closer(seen: Seen) -> None:
    tally, facts = seen.tally.verdict, Facts.of(seen.tally, seen.experiment)
    if tally.referenced:
        left, right = st.columns(2, gap="large")
        with left:
            show_title("Who is closer?", "To the exact gradient of the rounded weights and the rounded input.")
            draw_chart("closer", charts.closer(), tables(tally), f"Bars of who is closer: {said(RIGHT, facts)}")
        with right:
            st.markdown(f"{said(LEAN, facts)}\n\n{WHY_NEITHER_IS_RIGHT.markdown}")
            st.caption(said(REFERENCE, facts))


def show_bound(seen: Seen) -> None:
    tally, facts = seen.tally.verdict, Facts.of(seen.tally, seen.experiment)
    if tally.referenced:
        show_title(
            "How far off are both, and how far apart?",
            "In rounding units, which cancellation cannot inflate; zeros on the left. Heights are square roots.",
        )
        alt = f"Histogram of errors and discrepancy in rounding units: {said(BUG, facts)}"
        draw_chart("units", charts.units(), tables(tally), alt)
    st.markdown(said(BOUND, facts))

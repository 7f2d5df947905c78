"""The cards *Which one is right?* and *Is it a bug?*, opened."""

import streamlit as st

from lib.discrepancy import closer, rounding_units
from lib.discrepancy.rounding_units import RoundingUnits
from lib.discrepancy.sentences import BOUND, LEAN, REFERENCE, RIGHT, WHY_NEITHER_IS_RIGHT, WITHIN, Facts
from lib.floats.sentences import said
from lib.page import live
from lib.page.elements import draw_chart, show_title
from lib.page.live import Live, Seen


def show_closer(seen: Seen) -> None:
    tally, facts = seen.tally.verdict, Facts.of(seen.tally, seen.experiment)
    if tally.referenced:
        left, right = st.columns(2, gap="large")
        with left:
            show_title("Who is closer?", "To the exact gradient of the rounded weights and the rounded input.")
            draw_chart("closer", closer.closer(), closer.tables(tally), f"Bars of who is closer: {said(RIGHT, facts)}")
        with right:
            st.markdown(f"{said(LEAN, facts)}\n\n{WHY_NEITHER_IS_RIGHT.markdown}")
            st.caption(said(REFERENCE, facts))


def show_bound(seen: Seen) -> None:
    live.show(
        Live("units", RoundingUnits, lambda of: {"claim": said(WITHIN, of.tally)}, below=_draw_units), seen.experiment
    )
    st.markdown(said(BOUND, Facts.of(seen.tally, seen.experiment)))


def _draw_units(seen: Seen) -> None:
    show_title(
        "How far off are both, and how far apart?",
        "In rounding units, which cancellation cannot inflate; zeros on the left. Heights are square roots.",
    )
    alt = "Histogram of errors and discrepancy in rounding units, and the bound."
    draw_chart("units", rounding_units.units(), rounding_units.tables(seen.tally), alt)

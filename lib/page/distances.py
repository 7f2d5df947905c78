"""The section *How far apart, and why so many floats?*: the figures, the magnitudes, and the first samples."""

import pandas as pd
import streamlit as st

from lib.discrepancy import charts
from lib.discrepancy.condition_sentences import line_claim, reading
from lib.discrepancy.examples import sample_and_component
from lib.discrepancy.picks import cells, first_components
from lib.discrepancy.sentences import conditions, finiteness, why_apart
from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.tables import first_of_cell, printout, tables
from lib.display.quantities import at_most, distance, percent
from lib.experiment.query import Experiment
from lib.page import picks
from lib.page.elements import draw_chart, show_environment, show_title
from lib.page.shared import share

state = st.session_state


def show(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    before = picks.picked()
    data, samples = tables(tally, experiment), first_components(tally, experiment)
    take_cell(tally, experiment, data["cells"])
    take_row(samples)
    if picks.picked() != before:
        st.rerun()  # the picture shows another component
    show_figures(tally)
    left, right = st.columns(2, gap="large")
    with left:
        show_title(
            "Why are some so many floats apart?",
            "S adds up the sizes of all terms, |g| is the size of their sum. Pick a cell to see a component of it.",
        )
        takeaway = line_claim(tally) if settled else None
        alt = "Heat map of the distance in floats against the condition number"
        draw_chart("cells", charts.cells(), data, alt, takeaway, on_select=keep_cell)
        names = cells(data["cells"])
        st.selectbox(
            "Or pick a cell by name", list(names), None, names.get, key="cell", on_change=keep_cell_by_name, width=440
        )
    with right:
        share((experiment.query, tally.samples, settled), draw_arrivals, tally, data, settled)
        st.markdown(reading(tally, experiment))
    show_first_samples(tally, experiment, samples)
    st.markdown(why_apart(experiment).markdown)
    show_environment(experiment, before=f"{conditions(experiment)} {finiteness(tally, experiment)}")


def show_figures(tally: DiscrepancyTally) -> None:
    with st.container(horizontal=True):
        st.metric("Equal components", share_of_equal(tally), help="Both values are equal, as +0 and −0 are.", width=165)
        st.metric("Equal samples", f"{tally.samples_equal:,}", help="All their components are equal.", width=165)
        st.metric("Largest difference", largest(tally), help="Of the two values of a component, absolute.", width=165)
        st.metric("Longest distance", longest(tally), help="In steps from float to float.", width=190)


def draw_arrivals(tally: DiscrepancyTally, data: dict[str, pd.DataFrame], settled: bool) -> None:
    show_title("Does it settle?", "Share of equal components among the first samples. The axis is logarithmic.")
    takeaway = f"{share_of_equal(tally)} after {tally.samples:,} samples" if settled and tally.finite else None
    draw_chart("arrivals", charts.arrivals(), data, "Curve of the share of equal components", takeaway)


def show_first_samples(tally: DiscrepancyTally, experiment: Experiment, samples: pd.DataFrame) -> None:
    show_title("The first samples", "Pick a row to see its component above.")
    if st.toggle("As PyTorch prints them", key="as printed"):
        st.code(printout(tally, experiment), language=None)
        return
    st.dataframe(
        samples,
        hide_index=True,
        height=220,
        on_select=keep_row,
        selection_mode="single-row",
        key="first samples",
        alt="Table of the components of the first samples",
    )


def keep_cell() -> None:
    """Remember the cell that was clicked in the chart."""
    found = state.cells["selection"].get("cell")
    if isinstance(found, list) and found and isinstance(found[0], dict):
        state["picked cell"] = found[0].get("x"), found[0].get("y")


def keep_cell_by_name() -> None:
    state["picked cell"] = state.cell


def take_cell(tally: DiscrepancyTally, experiment: Experiment, table: pd.DataFrame) -> None:
    """Pick the first component of the cell that was picked, if any was."""
    cell = state.pop("picked cell", None)
    if cell not in list(zip(table["x"], table["y"], strict=True)):  # whatever a browser sends
        return
    place = first_of_cell(tally, experiment, *cell)
    if place:
        picks.choose(sample_and_component(experiment, place))


def keep_row() -> None:
    rows = state["first samples"]["selection"]["rows"]
    if rows:
        state["picked row"] = rows[0]


def take_row(table: pd.DataFrame) -> None:
    """Pick the component of the row that was selected, if any was."""
    row = state.pop("picked row", None)
    if row in range(len(table)):
        picks.choose((int(table["sample"][row]), int(table["component"][row])))


def share_of_equal(tally: DiscrepancyTally) -> str:
    return percent(tally.equal, tally.finite)


def largest(tally: DiscrepancyTally) -> str:
    return at_most(tally.max_abs.value) if tally.finite else "–"


def longest(tally: DiscrepancyTally) -> str:
    return distance(int(tally.max_ulps.value)) if tally.finite else "–"

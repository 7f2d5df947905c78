"""Why are all rows the same? One call asks for all rows, and each comes back as the sum of all."""

import streamlit as st

from lib.display.quantities import at_most
from lib.experiment.query import Experiment
from lib.page import costs, ghost
from lib.page.address import OWN
from lib.page.elements import Card, draw_chart, show_cards, show_environment, show_table, show_title, unfold
from lib.page.frame import MORE, NETWORK, open_tab
from lib.page.live import Live, follow
from lib.page.picture import draw_picture
from lib.page.shared import ask, share
from lib.pitfall import charts, graph
from lib.pitfall.card_sentences import fix_card, notice_card, rounding_card
from lib.pitfall.fixes import ATTEMPTS
from lib.pitfall.head_sentences import headline, why_in_short
from lib.pitfall.opening import picture
from lib.pitfall.populations import bars
from lib.pitfall.sentences import pitfall_rows, why_the_sum
from lib.pitfall.study import Inspection, Pitfall, PitfallTally, inspect
from lib.pitfall.tables import entries, fix_rows, tables

MORE_OF_ROWS = ("method", *(name for name in MORE if name != "step"))
"""Not the step of finite differences: the rows are by a method that gives them exactly."""

state = st.session_state


def show() -> None:
    opening = open_tab(*NETWORK, study="pitfall", more=MORE_OF_ROWS)
    experiment = opening.experiment
    if "look_at" in st.query_params:
        state.setdefault("fixes", True)
    part = Live(Pitfall, headline, draw, draw_first=draw_first, why=lambda _, experiment: why_in_short(experiment))
    follow(part, experiment, opening)
    if part.arriving:
        return
    show_place("why-the-sum")
    unfold("Where do the rows meet?", "meeting", show_graphs, experiment)
    show_place("costs")
    costs.show(experiment)


def show_place(name: str) -> None:
    """Mark a place that links lead to; it takes no room."""
    with st.container(key=f"place_{name}"):
        st.html(f'<span id="{name}"></span>')


def draw_first(tally: PitfallTally, experiment: Experiment, settled: bool) -> None:
    show_place("pitfall")
    former = ghost.of("rows", experiment, bars(tally, experiment) or None)
    data = picture(tally, experiment, former.data, former.name) if former else picture(tally, experiment)
    with st.container(key="picture_of_rows"):
        draw_picture("pitfall", data, key="rows_picture")


def draw(tally: PitfallTally, experiment: Experiment, settled: bool) -> None:
    draw_first(tally, experiment, settled)
    st.markdown(pitfall_rows(tally, experiment))
    show_cards(
        [
            Card("Is it rounding?", rounding_card(tally, experiment), "How far off, and from what?", "distances"),
            Card("What is the fix?", fix_card(experiment), "See every fix run", "fixes"),
            Card("How do I notice?", notice_card(tally, experiment), "Check my matrix", "matrix_box", tab=OWN),
        ]
    )
    show_place("fixes")
    unfold("What fixes it? Every attempt, run on one sample", "fixes", draw_fixes, tally, experiment, settled)
    unfold("How far off, and from what?", "distances", draw_distances, tally, experiment, settled)


def draw_distances(tally: PitfallTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), draw_populations, tally, experiment, settled)
    show_environment(experiment)


def draw_populations(tally: PitfallTally, experiment: Experiment, settled: bool) -> None:
    show_title(
        "The one call is far from the rows, and close to their sum",
        "Each entry of the one call, by its distance from the right row (violet) and from the sum of the right rows "
        "(teal), on a logarithmic axis. A distance of 0 has a column of its own at the left.",
    )
    takeaway = f"the farthest entry is {at_most(tally.worst.value)} off its row" if settled else None
    data = tables(tally, experiment)
    draw_chart(
        "populations", charts.populations(), data, "Histogram of the distances from the rows and their sum", takeaway
    )


def draw_fixes(tally: PitfallTally, experiment: Experiment, settled: bool) -> None:
    """Show the sample that the visitor picks, by default the worst so far: both matrices, and what each fix gives."""
    picked = st.number_input(
        "Sample",
        min_value=0,
        max_value=experiment.samples - 1,
        value=None,
        step=1,
        key="look_at",
        placeholder="the worst so far",
        help="Leave it empty for the sample with the entry that is farthest off.",
        bind="query-params",
    )
    fit = picked is not None and 0 <= picked < experiment.samples
    number = picked if fit else tally.worst_number(experiment)
    inspection = ask("The matrices are", experiment, inspect, experiment, number, settled=settled)
    if inspection:
        share((experiment.query, inspection.number), show_matrices, inspection)
        share((experiment.query, inspection.number), show_fixes, inspection)


def show_matrices(inspection: Inspection) -> None:
    largest = max(inspection.rows.abs().max().item(), inspection.single.abs().max().item())
    st.caption(
        f"Sample {inspection.number}. Filled cells are positive, hollow ones negative; darker means larger, up to "
        f"{largest:.2g} in both."
    )
    right, single = (entries(matrix, largest) for matrix in (inspection.rows, inspection.single))
    left_column, right_column = st.columns(2, gap="large")
    with left_column:
        st.markdown("**Row by row**: each row is its output's own.")
        draw_chart("right", charts.matrix("right"), {"right": right}, "Heat map of the right Jacobian")
    with right_column:
        st.markdown("**One call**: every row is the sum.")
        draw_chart("single", charts.matrix("single"), {"single": single}, "Heat map of the matrix of the single call")


def show_fixes(inspection: Inspection) -> None:
    st.markdown(
        f"Every attempt, run on sample {inspection.number}. The same letter means equal values in every entry; A are "
        "those of `functional.jacobian`. A backward pass is counted each time that gradients enter the network."
    )
    show_table(fix_rows(inspection.outcomes), "Table of the attempts and what each gave")
    for outcome in inspection.outcomes:
        if outcome.refusal:
            st.caption(f"PyTorch's error for *{outcome.attempt.name}*: `{outcome.refusal}`.")
    with st.expander("The lines of each attempt"):
        for attempt in ATTEMPTS:
            st.code(f"# {attempt.name}\n{attempt.code}", language="python")


def show_graphs(experiment: Experiment) -> None:
    st.markdown(why_the_sum(experiment).markdown)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**One leaf for all outputs: the pitfall**")
        st.mermaid_chart(
            graph.one_leaf(experiment.outputs), alt="All outputs flow back through the network into one leaf"
        )
    with right:
        st.markdown("**A leaf for each output: a fix**")
        st.mermaid_chart(graph.one_leaf_each(experiment.outputs), alt="Each output flows back to a leaf of its own")

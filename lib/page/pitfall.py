"""Section 5: the summed-gradient pitfall. A single call asks for all rows and returns the sum of all rows as each."""

import streamlit as st
import torch

from lib.display.quantities import at_most
from lib.experiment.query import Experiment
from lib.page import check, costs
from lib.page.elements import draw_chart, show_environment, show_table, show_title
from lib.page.frame import MORE, NETWORK, open_tab
from lib.page.live import Live, follow
from lib.page.shared import ask, share
from lib.pitfall import graph
from lib.pitfall.charts import POPULATIONS, RIGHT, SINGLE
from lib.pitfall.fixes import ATTEMPTS, post_matrices
from lib.pitfall.sentences import pitfall_claim, pitfall_rows, why_the_sum
from lib.pitfall.study import Inspection, Pitfall, PitfallTally, inspect
from lib.pitfall.tables import entries, fix_rows, tables

SINGLE_CALL = """
q = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.cat([2 * q, 4 * q * q])
J = torch.stack(grad(
    list(x),
    [q] * len(x),
))
"""
ROW_BY_ROW = """
q = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.cat([2 * q, 4 * q * q])
J = torch.stack([
    grad(x_i, q, retain_graph=True)[0]
    for x_i in x
])
"""
state = st.session_state


def show() -> None:
    opening = open_tab(*NETWORK, more=MORE)
    experiment = opening.experiment
    show_post()
    follow(Live(Pitfall, pitfall_claim, draw), experiment, opening)
    show_graphs(experiment)
    costs.show(experiment)
    check.show()


def show_post() -> None:
    """Show the second post's example, computed on the spot."""
    st.header("The summed-gradient pitfall", anchor="pitfall", divider="gray")
    st.markdown(
        "The example of a forum post: q has 2 components, and x = [2q, 4q²] has 4, so the Jacobian ∂x/∂q has 4 rows. "
        "Asked for all of them in one call, `torch.autograd.grad` gives the same row four times: it is the sum of all."
    )
    matrices = post_matrices()
    for column, title, code, matrix in zip(
        st.columns(2, gap="large"),
        ("One call, q given four times: ✗ wrong", "One call per row: ✓ right"),
        (SINGLE_CALL, ROW_BY_ROW),
        (matrices["single"], matrices["rows"]),
        strict=True,
    ):
        with column:
            st.markdown(f"**{title}**")
            st.code(code.strip(), language="python")
            st.code(f"J = {torch.tensor(matrix)}", language=None)


def draw(tally: PitfallTally, experiment: Experiment, settled: bool) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        share((experiment.query, tally.samples, settled), draw_populations, tally, experiment, settled)
    with right:
        inspection = show_sample(tally, experiment, settled)
    show_environment(experiment)
    if inspection:
        share((experiment.query, inspection.number), show_fixes, inspection)


def draw_populations(tally: PitfallTally, experiment: Experiment, settled: bool) -> None:
    show_title(
        "How far off, and from what?",
        "Each entry of the single call, by its distance from the right row (violet) and from the sum of the right "
        "rows (teal). The axis is logarithmic; a distance of zero has a column of its own on the left.",
    )
    takeaway = f"the farthest entry is {at_most(tally.worst.value)} off its row" if settled else None
    data = tables(tally, experiment)
    draw_chart("populations", POPULATIONS, data, "Histogram of the distances from the rows and their sum", takeaway)
    st.caption(pitfall_rows(tally, experiment))


def show_sample(tally: PitfallTally, experiment: Experiment, settled: bool) -> Inspection | None:
    """Show both matrices of the sample that the visitor picks, and return them if they are known yet."""
    st.markdown("**One sample, both matrices**")
    picked = st.number_input(
        "Sample",
        min_value=0,
        max_value=experiment.samples - 1,
        value=None,
        step=1,
        key="look_at",
        placeholder="the worst so far",
        help="Empty: the sample with the entry that is farthest off.",
        bind="query-params",
    )
    fit = picked is not None and 0 <= picked < experiment.samples
    number = picked if fit else tally.worst_number(experiment)
    inspection = ask("The matrices are", experiment, inspect, experiment, number, settled=settled)
    if inspection:
        share((experiment.query, inspection.number), show_matrices, inspection)
    return inspection


def show_matrices(inspection: Inspection) -> None:
    largest = max(inspection.rows.abs().max().item(), inspection.single.abs().max().item())
    st.caption(
        f"Sample {inspection.number}. Full cells are positive, hollow ones negative; the darker, the larger: up to "
        f"{largest:.2g} in both."
    )
    right, single = (entries(matrix, largest) for matrix in (inspection.rows, inspection.single))
    st.markdown("The Jacobian: each row is an output's own.")
    draw_chart("right", RIGHT, {"right": right}, "Heat map of the right Jacobian")
    st.markdown("The single call: every row is the sum.")
    draw_chart("single", SINGLE, {"single": single}, "Heat map of the matrix of the single call, whose rows are equal")


def show_fixes(inspection: Inspection) -> None:
    st.header("What fixes it?", anchor="fixes", divider="gray")
    st.markdown(
        f"Each attempt, run on sample {inspection.number}. The same letter means equal values in every entry; A are "
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
    st.header("Where the rows meet", anchor="why-the-sum", divider="gray")
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

"""The discrepancy under other conditions, each a study that starts when it opens: remedies, dtypes, for specialists."""

from dataclasses import replace
from typing import Any

import streamlit as st

from lib.discrepancy import agreement, charts, claims, remedies, scaling, zero_cases
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.remedies import Remedies, relative_costs
from lib.discrepancy.scaling import DTYPE_ROWS, SAMPLES, SWEEPS, Ladder, Scaling
from lib.discrepancy.zero_cases import ZeroCases
from lib.experiment.query import Experiment
from lib.floats.sentences import said
from lib.page.charts import draw_chart, show_table
from lib.page.follow import Snapshot, ask, follow, show_progress, tick
from lib.run.stream import Study

MOST_SAMPLES = {"per-sample": 500, "batched": 50_000}
"""How many samples each variant is tried on, by evaluation."""


@st.fragment
def show_remedies(experiment: Experiment) -> None:
    run = _show_claim("remedies", Remedies, _few(experiment))
    if run.tally.samples:
        costs = ask(relative_costs, run.experiment)
        show_table(
            remedies.table(run.tally, costs),
            "Table of the remedies: time, equal components, differences",
        )
        st.caption(
            "Time: of both sides, as a multiple of the plain comparison's, measured here and now."
        )
    tick(run)


@st.fragment
def show_ladder(experiment: Experiment) -> None:
    run = _show_claim("ladder", Ladder, _few(experiment, dtype=Experiment.dtype))
    st.caption(
        "Triangles: largest, crosses: mean. On the dashed line the difference is proportional to eps."
    )
    data = scaling.tables(run.tally, "ladder")
    draw_chart(
        "ladder chart",
        charts.log_log("ladder"),
        data,
        "Points of the difference against eps, by dtype.",
    )
    show_table(run.tally.table(DTYPE_ROWS), "Table of the differences, by dtype")
    tick(run)


@st.fragment
def show_zero_cases(experiment: Experiment) -> None:
    run = _show_claim("zero-cases", ZeroCases, _of_one_network(experiment))
    show_table(run.tally.table(zero_cases.ROWS), "Table of the cases: equal components by method")
    tick(run)


@st.fragment
def show_agreement(experiment: Experiment) -> None:
    run = _show_claim("agreement", Agreement, _few(experiment, method=Experiment.method))
    if run.tally.samples:
        st.caption("Share of components with equal values. A violet edge: different somewhere.")
        data = agreement.tables(run.tally)
        draw_chart("agreement", charts.agreement(), data, "Heat map of methods against methods.")
        classes = "\n".join(
            f"- {', '.join(f'`{name}`' for name in alike)}" for alike in run.tally.classes()
        )
        st.markdown(f"Equal in every component so far:\n{classes}")
    tick(run)


@st.fragment
def show_scaling(experiment: Experiment) -> None:
    run = _show_claim("scaling", Scaling, _of_one_network(experiment))
    st.caption(
        f"{SAMPLES} samples at each point, a network each. The dashed lines grow as √n and as n."
    )
    for column, sweep in zip(st.columns(3), SWEEPS, strict=True):
        data = scaling.tables(run.tally, sweep)
        if len(data[sweep]):
            with column:
                draw_chart(
                    sweep,
                    charts.log_log(sweep),
                    data,
                    f"Points of the largest discrepancy, by {sweep}.",
                )
    tick(run)


SPECIAL = {
    "where it must be zero": show_zero_cases,
    "methods against methods": show_agreement,
    "width, depth, outputs": show_scaling,
}
"""What is for specialists, by its name in the link."""


def _show_claim(name: str, study: type[Study], experiment: Experiment) -> Snapshot:
    """Draw what a study shows so far, and how far it is; return its run."""
    run = follow(study, experiment)
    rows, facts = claims.CLAIMS[name]
    st.markdown(f"**{said(rows, facts(run.tally))}**")
    show_progress(run)
    return run


def _few(experiment: Experiment, **changes: Any) -> Experiment:
    samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
    return replace(_of_one_network(experiment), samples=samples, **changes)


def _of_one_network(experiment: Experiment) -> Experiment:
    return replace(experiment, networks="one")

"""The discrepancy under other conditions, each a study that starts when it opens: remedies, dtypes, for specialists."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from lib.discrepancy import agreement, charts, claims, remedies, scaling, zero_cases
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.remedies import Remedies, relative_costs
from lib.discrepancy.scaling import SAMPLES, SWEEPS, Ladder, Scaling
from lib.discrepancy.zero_cases import ZeroCases
from lib.experiment.query import Experiment
from lib.floats.sentences import said
from lib.page import live
from lib.page.elements import draw_chart, show_table
from lib.page.live import Live, Seen
from lib.page.runs import ask

MOST_SAMPLES = {"per-sample": 500, "batched": 50_000}
"""How many samples each variant is tried on, by evaluation."""


def _few(experiment: Experiment, **changes: Any) -> Experiment:
    samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
    return replace(_of_one_network(experiment), samples=samples, **changes)


def _of_one_network(experiment: Experiment) -> Experiment:
    return replace(experiment, networks="one")


def _follow(
    key: str, study: Any, below: Callable[[Seen], None], of: Callable[[Experiment], Experiment]
) -> Callable[[Seen], Any]:
    """Return what draws a study of its own, `of` an experiment that it makes from the chosen one: its claim and
    progress, and below them what `below` draws at every tick."""
    rows, facts = claims.CLAIMS[key]
    part = Live(key, study, lambda seen: {"claim": said(rows, facts(seen.tally))}, below=below)
    return lambda seen: live.show(part, of(seen.experiment))


def _draw_remedies(seen: Seen) -> None:
    if seen.tally.samples:
        costs = ask(relative_costs, seen.experiment, patience=seen.patience)
        show_table(remedies.table(seen.tally, costs), "Table of the remedies: time, equal components, differences")
        st.caption("Time: of both sides, as a multiple of the plain comparison's, measured here and now.")


def _draw_ladder(seen: Seen) -> None:
    st.caption("Triangles: largest, crosses: mean. On the dashed line the difference is proportional to eps.")
    data = scaling.tables(seen.tally, "ladder")
    draw_chart("ladder", charts.log_log("ladder"), data, "Points of the difference against eps, by dtype.")
    show_table(seen.tally.table(scaling.DTYPE_ROWS), "Table of the differences, by dtype")


def _draw_zero_cases(seen: Seen) -> None:
    show_table(seen.tally.table(zero_cases.ROWS), "Table of the cases: equal components by method")


def _draw_agreement(seen: Seen) -> None:
    if seen.tally.samples:
        st.caption("Share of components with equal values: the darker, the more. A violet edge: different somewhere.")
        draw_chart(
            "agreement", charts.agreement(), agreement.tables(seen.tally), "Heat map of methods against methods."
        )
        classes = "\n".join(f"- {', '.join(f'`{name}`' for name in alike)}" for alike in seen.tally.classes())
        st.markdown(f"Equal in every component so far:\n{classes}")


def _draw_scaling(seen: Seen) -> None:
    st.caption(f"{SAMPLES} samples at each point, a network each. The dashed lines grow as √n and as n.")
    for column, sweep in zip(st.columns(3), SWEEPS, strict=True):
        data = scaling.tables(seen.tally, sweep)
        if len(data[sweep]):
            with column:
                draw_chart(sweep, charts.log_log(sweep), data, f"Points of the largest discrepancy, by {sweep}.")


show_remedies = _follow("remedies", Remedies, _draw_remedies, _few)
show_ladder = _follow("ladder", Ladder, _draw_ladder, lambda chosen: _few(chosen, dtype=Experiment.dtype))
SPECIAL = {
    "where it must be zero": _follow("zero-cases", ZeroCases, _draw_zero_cases, _of_one_network),
    "methods against methods": _follow(
        "agreement", Agreement, _draw_agreement, lambda chosen: _few(chosen, method=Experiment.method)
    ),
    "width, depth, outputs": _follow("scaling", Scaling, _draw_scaling, _of_one_network),
}
"""What is for specialists, by its name in the link."""


def show_specialists(seen: Seen) -> None:
    chosen = st.pills("Look at", list(SPECIAL), key="special", bind="query-params", label_visibility="collapsed")
    if chosen in SPECIAL:
        SPECIAL[chosen](seen)

"""The discrepancy under other conditions, each a study that starts when it opens: remedies, dtypes, for specialists."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from lib.discrepancy import agreement, ladder, remedies, scaling, zero_cases
from lib.discrepancy import named_charts as charts
from lib.discrepancy import named_sentences as sentences
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.named_tables import readable
from lib.discrepancy.remedies import Remedies, relative_costs, tolerance_table
from lib.discrepancy.scaling import GROWTHS, SAMPLES, Scaling
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
    return replace(experiment, samples=samples, networks="one", **changes)


def _follow(key: str, study: Any, below: Callable[[Seen], None], experiment: Experiment) -> None:
    """Draw a study of its own: its claim and progress, and below them what `below` draws at every tick."""
    rows, facts = sentences.CLAIMS[key]
    live.show(Live(key, study, lambda seen: {"claim": said(rows, facts(seen.tally))}, below=below), experiment)


def show_remedies(seen: Seen) -> None:
    _follow("remedies", Remedies, _draw_remedies, _few(seen.experiment))
    st.markdown(sentences.WHY_REMEDIES.markdown)


def _draw_remedies(seen: Seen) -> None:
    if seen.tally.samples:
        costs = ask(relative_costs, seen.experiment, patience=seen.patience)
        show_table(remedies.table(seen.tally, costs), "Table of the remedies: time, equal components, differences")
        st.caption("Time: of both sides, as a multiple of the plain comparison's, measured here and now.")
        show_table(tolerance_table(seen.tally, seen.experiment.dtype), "Table of tolerances and how much they allow")


def show_ladder(seen: Seen) -> None:
    _follow("ladder", Ladder, _draw_ladder, _few(seen.experiment, dtype=Experiment.dtype))


def _draw_ladder(seen: Seen) -> None:
    st.caption("Triangles: largest, crosses: mean. On the dashed line the difference is proportional to eps.")
    data = ladder.GROWTH.tables(ladder.points(seen.tally))
    draw_chart("ladder", charts.growth("ladder"), data, "Points of the difference against eps, by dtype.")
    show_table(readable(seen.tally, ladder.ROWS), "Table of the differences, by dtype")


def _draw_zero_cases(seen: Seen) -> None:
    show_table(readable(seen.tally, zero_cases.ROWS), "Table of the cases: equal components by method")


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
    for column, (sweep, growth) in zip(st.columns(3), GROWTHS.items(), strict=True):
        data = growth.tables(scaling.points(seen.tally, sweep))
        if len(data[sweep]):
            with column:
                draw_chart(sweep, charts.growth(sweep), data, f"Points of the largest discrepancy, by {sweep}.")


SPECIAL: dict[str, Callable[[Experiment], None]] = {
    "where it must be zero": lambda experiment: _follow(
        "zero-cases", ZeroCases, _draw_zero_cases, replace(experiment, networks="one")
    ),
    "methods against methods": lambda experiment: _follow(
        "agreement", Agreement, _draw_agreement, _few(experiment, method=Experiment.method)
    ),
    "width, depth, outputs": lambda experiment: _follow(
        "scaling", Scaling, _draw_scaling, replace(experiment, networks="one")
    ),
}
"""What is for specialists, by its name in the link."""


def show_specialists(seen: Seen) -> None:
    names = list(SPECIAL)
    chosen = st.pills("What to look at", names, key="special", bind="query-params", label_visibility="collapsed")
    if chosen in SPECIAL:
        SPECIAL[chosen](seen.experiment)

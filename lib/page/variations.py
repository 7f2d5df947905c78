"""The discrepancy under other conditions, each a study that starts when it opens: remedies, dtypes, for specialists."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from lib.experiment.query import Experiment
from lib.page import live
from lib.page.elements import draw_chart, show_table
from lib.page.live import Live, Seen
from lib.page.runs import ask
from lib.variations import agreement, charts, controls, ladder, scaling
from lib.variations.agreement import Agreement
from lib.variations.controls import Controls
from lib.variations.ladder import Ladder
from lib.variations.remedies import Remedies, readable, readable_tolerances, relative_costs
from lib.variations.scaling import SAMPLES, SWEEPS, ULPS, UNITS, Scaling
from lib.variations.sentences import (
    agreement_claim,
    bit_classes,
    controls_claim,
    ladder_claim,
    ladder_reading,
    remedies_claim,
    scaling_claim,
    why_remedies,
)

MOST_SAMPLES = {"per-sample": 500, "batched": 50_000}
"""How many samples each variant is tried on, by evaluation."""


def _few(experiment: Experiment, **changes: Any) -> Experiment:
    samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
    return replace(experiment, samples=samples, networks="one", **changes)


def _follow(key: str, study: Any, claim: Callable, below: Callable[[Seen], None], experiment: Experiment) -> None:
    """Draw a study of its own: its claim and progress, and below them what `below` draws at every tick."""
    live.show(Live(key, study, lambda seen: {"claim": claim(seen.tally, seen.experiment)}, below=below), experiment)


def show_remedies(seen: Seen) -> None:
    _follow("remedies", Remedies, remedies_claim, _draw_remedies, _few(seen.experiment))
    st.markdown(why_remedies(seen.experiment).markdown)


def _draw_remedies(seen: Seen) -> None:
    if not seen.tally.samples:
        return
    table = readable(seen.tally, ask(relative_costs, seen.experiment, patience=seen.patience))
    table["code"] = [f"`{code}`" for code in table["code"]]
    show_table(table, "Table of the remedies: shares of equal components, largest discrepancy, time")
    st.caption("Time: of both sides, as a multiple of the plain comparison's, measured here and now.")
    show_table(readable_tolerances(seen.tally), "Table of tolerances and how much they allow")


def show_ladder(seen: Seen) -> None:
    _follow("ladder", Ladder, ladder_claim, _draw_ladder, _few(seen.experiment, dtype=Experiment.dtype))


def _draw_ladder(seen: Seen) -> None:
    if seen.tally.samples:
        st.caption(f"Triangles: largest, crosses: mean, against eps. {ladder_reading(seen.tally, seen.experiment)}")
        draw_chart(
            "ladder", charts.ladder(), ladder.tables(seen.tally), "Points of the difference against eps, by dtype."
        )
        show_table(ladder.readable(seen.tally), "Table of the differences, by dtype and emulation")


def _draw_controls(seen: Seen) -> None:
    show_table(controls.readable(seen.tally), "Table of the controls: equal components by method")


def _draw_agreement(seen: Seen) -> None:
    if seen.tally.samples:
        st.caption("Share of components with equal values: the darker, the more. A violet edge: different somewhere.")
        draw_chart(
            "agreement", charts.agreement(), agreement.tables(seen.tally), "Heat map of methods against methods."
        )
        st.markdown(f"Equal in every component so far:\n{bit_classes(seen.tally)}")


def _draw_scaling(seen: Seen) -> None:
    st.caption(f"{SAMPLES} samples at each point, a network each. The dashed lines grow as √n and as n.")
    data = scaling.tables(seen.tally)
    for quantity in (UNITS, ULPS):
        for column, sweep in zip(st.columns(3), SWEEPS, strict=True):
            chart = charts.growth(sweep, quantity)
            if any(len(data[name]) for name in chart.tables):
                with column:
                    draw_chart(f"{sweep} {quantity}", chart, data, f"Curve of the discrepancy, {quantity}, by {sweep}.")


SPECIAL: dict[str, Callable[[Experiment], None]] = {
    "where it must be zero": lambda experiment: _follow(
        "controls", Controls, controls_claim, _draw_controls, replace(experiment, networks="one")
    ),
    "methods against methods": lambda experiment: _follow(
        "agreement", Agreement, agreement_claim, _draw_agreement, _few(experiment, method=Experiment.method)
    ),
    "width, depth, outputs": lambda experiment: _follow(
        "scaling", Scaling, scaling_claim, _draw_scaling, replace(experiment, networks="one")
    ),
}
"""What is for specialists, by its name in the link."""


def show_specialists(seen: Seen) -> None:
    names = list(SPECIAL)
    chosen = st.pills("What to look at", names, key="special", bind="query-params", label_visibility="collapsed")
    if chosen in SPECIAL:
        SPECIAL[chosen](seen.experiment)

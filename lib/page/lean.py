"""Within section 2: to which side the verdict leans with more outputs, and why."""

from dataclasses import replace

import streamlit as st

from lib.experiment.query import Experiment
from lib.page.figures import draw_chart, show_title
from lib.page.live import Live, follow
from lib.variations.lean import Lean, LeanTally
from lib.variations.lean_charts import LEAN
from lib.variations.lean_sentences import causes, lean_conditions, outputs_claim
from lib.variations.lean_tables import last_points, readable, tables


def show(experiment: Experiment) -> None:
    part = st.expander(
        "Which one is right with more outputs, in every dtype, and why",
        key="lean",
        on_change="rerun",
        bind="query-params",
    )
    if part.open:
        kept = ("dtype", "outputs", "method", "step", "samples", "networks")  # of which each has its own at every point
        any_point = replace(experiment, **{name: getattr(Experiment, name) for name in kept})
        with part:
            follow(Live(Lean, "samples", outputs_claim, draw), any_point)


def draw(tally: LeanTally, experiment: Experiment, settled: bool) -> None:
    st.caption(lean_conditions(experiment))
    takeaway = outputs_claim(tally, experiment).replace("`", "").rstrip(".") if settled else None
    draw_chart("leans", LEAN, tables(tally, experiment), "Curves of the lean against the number of outputs", takeaway)
    outputs = next(iter(last_points(experiment).values())).experiment.outputs
    show_title(
        f"Why, with {outputs} outputs",
        "Each row switches one thing off, on the same networks and samples. In brackets: the 95 % interval.",
    )
    table = readable(tally, experiment)
    table["how"] = [f"{how}: `{code}`" for how, code in zip(table["how"], table.pop("code"), strict=True)]
    st.table(table, hide_index=True, alt="Table of the leans with a cause switched off, by dtype")
    st.markdown(causes(tally, experiment))

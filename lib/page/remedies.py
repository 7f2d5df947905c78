"""The sections *How do I make it go away?*, remedies and tolerances tried on the same samples, and the dtype ladder."""

from dataclasses import replace

import streamlit as st

from lib.experiment.query import Experiment
from lib.page.elements import draw_chart, show_table, unfold
from lib.page.live import Live, follow
from lib.page.shared import ask
from lib.variations import charts, ladder
from lib.variations.ladder import Ladder, LadderTally
from lib.variations.remedies import Remedies, RemediesTally, readable, readable_tolerances, relative_costs
from lib.variations.sentences import emulated_reading, ladder_claim, ladder_reading, remedies_claim, why_remedies

MOST_SAMPLES = {"per-sample": 1000, "batched": 100_000}
"""How many samples each remedy and each dtype is tried on, by evaluation."""


def show(experiment: Experiment) -> None:
    few = replace(experiment, samples=min(experiment.samples, MOST_SAMPLES[experiment.evaluation]), networks="one")
    unfold("How do I make it go away?", "remedies", show_remedies, experiment, few)
    ladder = Live(Ladder, ladder_claim, draw_ladder)
    any_dtype = replace(few, dtype=Experiment.dtype)
    unfold("Does it shrink with eps? The four dtypes", "ladder", follow, ladder, any_dtype)


def show_remedies(experiment: Experiment, few: Experiment) -> None:
    st.markdown(why_remedies(experiment).markdown)
    follow(Live(Remedies, remedies_claim, draw_remedies), few)


def draw_remedies(tally: RemediesTally, experiment: Experiment, settled: bool) -> None:
    if tally.samples == 0:
        return
    costs = ask("The costs are", experiment, relative_costs, experiment, settled=settled)
    table = readable(tally, costs)
    table["code"] = [f"`{code}`" for code in table["code"]]
    show_table(table, "Table of the remedies: shares of equal components, largest discrepancy, time")
    st.caption("Time: of both sides, as a multiple of the plain comparison's, measured here and now.")
    show_table(readable_tolerances(tally), "Table of tolerances and how much they allow")


def draw_ladder(tally: LadderTally, experiment: Experiment, settled: bool) -> None:
    if tally.samples == 0:
        return
    st.caption(
        "Largest difference (triangles) and mean (crosses) against eps, the distance from 1 to the next "
        f"float. Both axes are logarithmic. {ladder_reading(tally, experiment)}"
    )
    takeaway = ladder_claim(tally, experiment) if settled else None
    about = "Points of the difference against eps, by dtype and emulation"
    draw_chart("ladder", charts.ladder(), ladder.tables(tally), about, takeaway)
    show_table(ladder.readable(tally), "Table of the differences, by dtype and emulation")
    st.caption(emulated_reading(tally, experiment))

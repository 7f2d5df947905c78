"""The discrepancy under other conditions: with remedies, in other dtypes, by other methods."""

from dataclasses import replace
from typing import Any

import streamlit as st

from lib.discrepancy import agreement, ladder, remedies
from lib.experiment.query import Experiment
from lib.page.charts import show_table
from lib.page.follow import follow, show_progress, tick
from lib.run.stream import Study

MOST_SAMPLES = {"per-sample": 500, "batched": 50_000}
"""The largest number of samples of these studies, by evaluation."""

VARIATIONS: tuple[tuple[type[Study], Any, dict[str, Any]], ...] = (
    (remedies.Remedies, remedies, {}),
    (ladder.Ladder, ladder, {"dtype": Experiment.dtype}),
    (agreement.Agreement, agreement, {"method": Experiment.method}),
)
"""Each study, its module, and the default of the field that the study varies itself, if any.

The study ignores the value of this field. `show` sets it to the default, so that viewers whose
experiments differ only in this field share a run.
"""


@st.fragment
def show(experiment: Experiment) -> None:
    """Draw the claim of each study, and its table.

    Each study measures one network, with at most `MOST_SAMPLES` samples.
    """
    samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
    shared: dict[str, Any] = {"networks": "one", "samples": samples}
    runs = []
    for study, module, varied in VARIATIONS:
        run = follow(study, replace(experiment, **shared, **varied))
        runs.append(run)
        if run.tally.samples:
            claim = module.claim(run.tally)
            st.markdown(f"**{claim}**" if run.finished else f"So far: **{claim}**")
            show_table(module.table(run.tally), claim)
        show_progress(run)
    st.caption(f"All on one network, the one drawn from the seed. {ladder.NARROW_SUMS}")
    tick("variations", *runs)

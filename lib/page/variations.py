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

STUDIES: tuple[tuple[type[Study], Any, dict[str, Any]], ...] = (
    (remedies.Remedies, remedies, {}),
    (ladder.Ladder, ladder, {"dtype": Experiment.dtype}),
    (agreement.Agreement, agreement, {"method": Experiment.method}),
)
"""Each study with its module, and the default value of what it varies, so that all its viewers
share a run."""


@st.fragment
def show(experiment: Experiment) -> None:
    """Draw the claim of each study, and its table, on one network and with fewer samples."""
    samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
    shared: dict[str, Any] = {"networks": "one", "samples": samples}
    runs = []
    for study, module, varied in STUDIES:
        run = follow(study, replace(experiment, **shared, **varied))
        runs.append(run)
        if run.tally.samples:
            claim = module.claim(run.tally)
            st.markdown(f"**{claim}**" if run.finished else f"So far: **{claim}**")
            show_table(module.table(run.tally), claim)
        show_progress(run)
    st.caption(f"On one network, that of the seed. {ladder.NARROW_SUMS}")
    tick("variations", *runs)

"""The discrepancy under other conditions: with remedies, in other dtypes, by other methods.

Each is a study of its own, which starts when the visitor opens it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from lib.discrepancy import agreement, ladder, remedies
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.ladder import NARROW_SUMS, Ladder
from lib.discrepancy.remedies import Remedies
from lib.experiment.query import Experiment
from lib.page.charts import show_table
from lib.page.follow import Snapshot, follow, show_progress, tick
from lib.run.stream import Study

MOST_SAMPLES = {"per-sample": 500, "batched": 50_000}
"""The largest number of samples of these studies, by evaluation."""


@st.fragment
def show_remedies(experiment: Experiment) -> None:
    run = _show_claim(remedies.claim, Remedies, _few(experiment))
    if run.tally.samples:
        show_table(
            remedies.table(run.tally), "Table of the remedies: equal components, differences"
        )
    tick("remedies", run)


@st.fragment
def show_ladder(experiment: Experiment) -> None:
    run = _show_claim(ladder.claim, Ladder, _few(experiment, dtype=Experiment.dtype))
    if run.tally.samples:
        st.caption(NARROW_SUMS)
    show_table(ladder.table(run.tally), "Table of the differences, by dtype")
    tick("ladder", run)


@st.fragment
def show_agreement(experiment: Experiment) -> None:
    run = _show_claim(agreement.claim, Agreement, _few(experiment, method=Experiment.method))
    if run.tally.samples:
        show_table(agreement.table(run.tally), "Table of the methods against backward()")
    tick("agreement", run)


def _show_claim(
    claim: Callable[[Any], str], study: type[Study], experiment: Experiment
) -> Snapshot:
    """Draw the claim and the progress of a study, and return its run.

    Args:
        claim: returns a sentence about the tally of the study.
        study: the study.
        experiment: its experiment.
    """
    run = follow(study, experiment)
    st.markdown(f"**{claim(run.tally)}**")
    st.caption("Measured on one network, that of the seed.")
    show_progress(run)
    return run


def _few(experiment: Experiment, **changes: Any) -> Experiment:
    """Return the experiment on one network, with at most `MOST_SAMPLES` samples.

    Args:
        experiment: the experiment of the page.
        changes: the default value of what the study varies, so that all its viewers share a run.
    """
    samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
    return replace(experiment, networks="one", samples=samples, **changes)

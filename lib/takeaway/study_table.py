"""The table of studies: one row for each, with everything that the page and the command line do with it.

A study whose row is missing or incomplete is refused here, by name, when this module is imported.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lib.derivative import tables as derivative_tables
from lib.derivative.sentences import derivative_claim
from lib.derivative.study import Derivative
from lib.discrepancy import tables as discrepancy_tables
from lib.discrepancy import verdict_tables
from lib.discrepancy.sentences import claim
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment import studies
from lib.experiment.query import Experiment
from lib.experiment.rows import Named, complete
from lib.pitfall import tables as pitfall_tables
from lib.pitfall.sentences import pitfall_claim
from lib.pitfall.study import Pitfall
from lib.run.stream import Study
from lib.takeaway import link_sentences, plots, script_parts
from lib.takeaway.plots import Plot
from lib.variations.agreement import Agreement
from lib.variations.ladder import Ladder
from lib.variations.lean import Lean


@dataclass(frozen=True)
class Subject(Named):
    """A study by itself. `unit` is the name of its samples, `claim` the sentence that sums up its tally.

    `tables` makes what its charts plot, by the names in `plots`; `script` the parts of its script. `title` is a few
    words, for a window and a link's preview, and `summary` the question that it asks, in one sentence of plain text.
    """

    study: type[Study]
    unit: str
    claim: Callable[[Any, Experiment], str]
    tables: Callable[[Any, Experiment], dict[str, pd.DataFrame]]
    plots: Mapping[str, Plot]
    script: Callable[[Experiment], list[str]]
    title: Callable[[Experiment], str]
    summary: Callable[[Experiment], str]


def _discrepancy_tables(tally: DiscrepancyTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    return discrepancy_tables.tables(tally, experiment) | verdict_tables.tables(tally.verdict)


SUBJECTS = complete(
    "study",
    studies.SUBJECTS,
    {
        "discrepancy": Subject(
            Discrepancy,
            "samples",
            claim,
            _discrepancy_tables,
            plots.DISCREPANCY,
            script_parts.discrepancy,
            link_sentences.discrepancy_title,
            link_sentences.discrepancy_summary,
        ),
        "pitfall": Subject(
            Pitfall,
            "samples",
            pitfall_claim,
            pitfall_tables.tables,
            plots.PITFALL,
            script_parts.pitfall,
            link_sentences.pitfall_title,
            link_sentences.pitfall_summary,
        ),
        "derivative": Subject(
            Derivative,
            "x",
            derivative_claim,
            derivative_tables.tables,
            plots.DERIVATIVE,
            script_parts.derivative,
            link_sentences.derivative_title,
            link_sentences.derivative_summary,
        ),
    },
)
"""The studies by themselves."""

OPTIONS = complete("study", studies.OPTIONS, {"ladder": Ladder, "methods": Agreement, "lean": Lean})
"""The studies that are an option of another one."""


def study_of(name: str) -> type[Any]:
    """The class of a study, by itself or an option of another."""
    return SUBJECTS[name].study if name in SUBJECTS else OPTIONS[name]


def plotted_by(plot: str) -> Subject:
    """The study that a chart belongs to, by the name of the chart's table."""
    return next(subject for subject in SUBJECTS.values() if plot in subject.plots)


def tidy_csv(name: str, tally: Any, experiment: Experiment, environment: Mapping[str, object]) -> str:
    """What a chart plots of the tally as CSV, below lines that start with `# `: the query, the samples, the environment
    and the columns."""
    subject = plotted_by(name)
    plot = subject.plots[name]
    samples = f"{tally.samples} of {subject.study.total(experiment)}"
    facts = {"query": experiment.query, "seed": experiment.seed, "chart": plot.title, "samples": samples}
    columns = {f"column {column}": about for column, about in plot.columns.items()}
    lines = [f"# {fact}: {value}\n" for fact, value in {**facts, **environment, **columns}.items()]
    return "".join(lines) + subject.tables(tally, experiment)[name].to_csv(index=False, lineterminator="\n")

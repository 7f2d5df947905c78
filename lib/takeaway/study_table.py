"""The table of studies: one row per study, with everything that the page and the command line do with it.

Importing this module fails if the row of a study is missing or incomplete, and the error names the study.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lib.batch import tables as batch_tables
from lib.batch.sentences import HEADLINE, Facts
from lib.batch.study import Batch
from lib.derivative import tables as derivative_tables
from lib.derivative.sentences import derivative_claim
from lib.derivative.study import Derivative
from lib.discrepancy import tables as discrepancy_tables
from lib.discrepancy import verdict_tables
from lib.discrepancy.sentences import claim
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.display.sentences import said
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


@dataclass(frozen=True)
class Subject(Named):
    """A study that is not an option of another one.

    `unit` is what its samples are called, and `claim` returns the sentence that sums up its tally. `tables` returns the
    tables behind its charts, by their names in `plots`, and `script` the parts of its script. `title` returns a few
    words for the title of a window or a link, and `summary` returns the study's question as one sentence of plain text.
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
        "batch": Subject(
            Batch,
            "samples",
            lambda tally, experiment: said(HEADLINE, Facts.of(tally, experiment)),
            batch_tables.tables,
            plots.BATCH,
            script_parts.batch,
            link_sentences.batch_title,
            link_sentences.batch_summary,
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
"""The studies that are not options of another one."""

OPTIONS = complete("study", studies.OPTIONS, {"ladder": Ladder, "methods": Agreement})
"""The studies that are options of another one."""


def study_of(name: str) -> type[Any]:
    """Return the class of a study in either table."""
    return SUBJECTS[name].study if name in SUBJECTS else OPTIONS[name]


def plotted_by(plot: str) -> Subject:
    """Return the study whose charts include the one with this table."""
    return next(subject for subject in SUBJECTS.values() if plot in subject.plots)


def tidy_csv(name: str, tally: Any, experiment: Experiment, environment: Mapping[str, object]) -> str:
    """Return a chart's table as CSV.

    Lines that start with `# ` come first: the query, the number of samples, the environment and the columns.
    """
    subject = plotted_by(name)
    plot = subject.plots[name]
    samples = f"{tally.samples} of {subject.study.total(experiment)}"
    facts = {"query": experiment.query, "seed": experiment.seed, "chart": plot.title, "samples": samples}
    columns = {f"column {column}": about for column, about in plot.columns.items()}
    lines = [f"# {fact}: {value}\n" for fact, value in {**facts, **environment, **columns}.items()]
    return "".join(lines) + subject.tables(tally, experiment)[name].to_csv(index=False, lineterminator="\n")

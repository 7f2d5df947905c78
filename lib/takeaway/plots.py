"""What the charts of the studies plot, as tidy tables: a row for each mark, and every column explained."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from lib.derivative import tables as derivative_tables
from lib.derivative.study import Derivative
from lib.discrepancy import tables as discrepancy_tables
from lib.discrepancy import verdict_tables
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.pitfall import tables as pitfall_tables
from lib.pitfall.study import Pitfall
from lib.run.stream import Study
from lib.run.tally import Tally

_SHARE = "as a part of all {}"
_LAST = "; the last row of a series repeats the one before it, which closes the line"


@dataclass(frozen=True)
class Plot:
    """A chart by its title on the page: the study whose tally it draws, and what is in the columns of its table."""

    title: str
    study: type[Study]
    columns: dict[str, str]


PLOTS = {
    "ulps": Plot(
        "How many floats apart?",
        Discrepancy,
        {
            "ulps": "backward − jacobian in ulps; the ends hold all that is farther out",
            "kind": "equal or different values",
            "components": "how many there are",
            "share": _SHARE.format("finite components"),
        },
    ),
    "cells": Plot(
        "Why are some so many ulps apart?",
        Discrepancy,
        {
            "x": "log2 of the condition number, lower end of the cell",
            "x2": "its upper end",
            "y": "log2 of the distance in ulps, lower end of the cell; −2 stands for zero",
            "y2": "its upper end",
            "kind": "equal or different values",
            "condition": "the condition number in words; the edges hold all that is farther out",
            "ulps": "the distance in words, likewise",
            "components": "how many there are; those without a condition number are in no cell",
            "share": _SHARE.format("finite components"),
        },
    ),
    "arrivals": Plot(
        "Does it settle?",
        Discrepancy,
        {
            "samples": "the first so many samples",
            "share": "equal components " + _SHARE.format("finite ones among them"),
        },
    ),
    "closer": Plot(
        "Who is closer?",
        Discrepancy,
        {
            "verdict": "which gradient is closer to the exact one",
            "components": "how many there are",
            "share": _SHARE.format("components with a verdict"),
        },
    ),
    "units": Plot(
        "How far off are both, and how far apart?",
        Discrepancy,
        {
            "series": "what is measured",
            "x": "log2 of its size in rounding units, lower end of the step; −10 stands for zero" + _LAST,
            "size": "the size in words",
            "share": _SHARE.format("components with a reference"),
        },
    ),
    "populations": Plot(
        "How far off, and from what?",
        Pitfall,
        {
            "x": "log10 of the distance, lower end of the column; the first column holds the zeros",
            "x2": "its upper end",
            "kind": "what an entry of the single call is held against",
            "error": "the distance in words",
            "entries": "how many there are",
            "share": _SHARE.format("finite entries"),
        },
    ),
    "errors": Plot(
        "How far from the exact derivative?",
        Derivative,
        {
            "series": "autograd or a formula",
            "x": "the error in ulps of the exact derivative, lower end of the step" + _LAST,
            "ulps": "the error in words",
            "share": _SHARE.format("x with a finite value"),
        },
    ),
    "by_x": Plot(
        "At which x?",
        Derivative,
        {
            "series": "autograd or a formula",
            "x": "the middle of the bin: the mantissa of x, or quarters of a binade outwards from the innermost shown",
            "mean": "log2(1 + the mean error in ulps)",
            "error": "the mean error in ulps",
            "correct": "the share of x there that is correctly rounded",
            "range": "the x of the bin",
        },
    ),
}
"""The charts by the names of their tables, in the order of the page."""


def _discrepancy(tally: DiscrepancyTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    return discrepancy_tables.tables(tally, experiment) | verdict_tables.tables(tally.verdict)


_TABLES: dict[type[Study], Callable[[Tally, Experiment], dict[str, pd.DataFrame]]] = {
    Discrepancy: _discrepancy,
    Pitfall: pitfall_tables.tables,
    Derivative: derivative_tables.tables,
}


def table(name: str, tally: Tally, experiment: Experiment) -> pd.DataFrame:
    """What a chart plots of the tally, with the columns of its plot."""
    return _TABLES[PLOTS[name].study](tally, experiment)[name]


def tidy_csv(name: str, tally: Tally, experiment: Experiment, environment: dict[str, object]) -> str:
    """The same as CSV, below lines that start with `# `: the query, the samples, the environment and the columns."""
    plot = PLOTS[name]
    samples = f"{tally.samples} of {plot.study.total(experiment)}"
    facts = {"query": experiment.query, "seed": experiment.seed, "chart": plot.title, "samples": samples}
    columns = {f"column {column}": about for column, about in plot.columns.items()}
    lines = [f"# {fact}: {value}\n" for fact, value in {**facts, **environment, **columns}.items()]
    return "".join(lines) + table(name, tally, experiment).to_csv(index=False, lineterminator="\n")

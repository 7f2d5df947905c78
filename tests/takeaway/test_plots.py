"""The tidy tables: one for every chart of the studies, the same that it draws, with every column explained."""

import io

import pandas as pd
import pytest

from lib.derivative import charts as derivative
from lib.discrepancy import charts as discrepancy
from lib.experiment.query import Experiment
from lib.pitfall import charts as pitfall
from lib.run.stream import Stream
from lib.takeaway.data_sentences import plot_columns
from lib.takeaway.plots import PLOTS
from lib.takeaway.study_table import SUBJECTS, plotted_by, tidy_csv

EXPERIMENT = Experiment(samples=30, outputs=3)
CHARTS = [discrepancy.closer(), discrepancy.units(), pitfall.populations(), derivative.errors(), derivative.by_x()]


@pytest.fixture(scope="module")
def tallies() -> dict[type, object]:
    return {subject.study: Stream(subject.study(EXPERIMENT)).finish() for subject in SUBJECTS.values()}


IN_PICTURES = {"staircase"}


def test_every_chart_of_the_studies_has_its_table():
    assert [chart.tables[0] for chart in CHARTS] == [name for name in PLOTS if name not in IN_PICTURES]
    assert IN_PICTURES < PLOTS.keys()


@pytest.mark.parametrize("name", PLOTS)
def test_every_column_is_explained(name, tallies):
    plot, subject = PLOTS[name], plotted_by(name)
    for tally in (tallies[subject.study], subject.study.empty):
        assert list(plot.columns) == list(subject.tables(tally, EXPERIMENT)[name].columns)
    assert [line.split("`")[1] for line in plot_columns(plot).splitlines()] == list(plot.columns)


@pytest.mark.parametrize("name", PLOTS)
def test_the_table_reads_back_with_where_it_is_from(name, tallies):
    plot, subject = PLOTS[name], plotted_by(name)
    tally = tallies[subject.study]
    text = tidy_csv(name, tally, EXPERIMENT, {"torch": "2.0"})
    plotted = subject.tables(tally, EXPERIMENT)[name]
    read = pd.read_csv(io.StringIO(text), comment="#", dtype=plotted.dtypes.to_dict(), keep_default_na=False)
    pd.testing.assert_frame_equal(read, plotted, check_exact=True)
    comments = [line for line in text.splitlines() if line.startswith("# ")]
    assert comments[:4] == [
        "# query: outputs=3&samples=30",
        "# seed: 0",
        f"# chart: {plot.title}",
        "# samples: 30 of 30",
    ]
    assert "# torch: 2.0" in comments and len(plotted) > 0

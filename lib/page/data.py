"""The data to take along: every component of every sample as a file, and what the charts plot as tidy tables."""

from functools import partial

import streamlit as st

from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES
from lib.network import machine
from lib.page.elements import unfold
from lib.page.live import Live, follow
from lib.page.shared import ask
from lib.run.tally import Tally
from lib.takeaway.data_sentences import files_claim, files_columns, files_command, files_limit, plot_columns
from lib.takeaway.files import Files, FilesTally, first
from lib.takeaway.plots import PLOTS
from lib.takeaway.study_table import SUBJECTS, plotted_by, tidy_csv


def show(experiment: Experiment) -> None:
    st.header("The data", anchor="the-data", divider="gray")
    st.markdown(
        "A row for each component of each sample: the input, both gradients, how far apart they are, and the exact "
        "gradient where it is known. The numbers read back to the same floats. The query, the seed and the versions "
        "are inside."
    )
    unfold("Every component, as CSV and as Parquet", "files", show_files, experiment)
    unfold("What the charts plot, as tables", "plotted", show_plots, experiment)


def show_files(experiment: Experiment) -> None:
    follow(Live(Files, files_claim, draw_files), first(experiment))
    st.markdown(files_limit(experiment))
    st.code(files_command(experiment), language="sh", wrap_lines=True)
    st.markdown(files_columns())


def draw_files(tally: FilesTally, experiment: Experiment, settled: bool) -> None:
    with st.container(horizontal=True):
        download("Download CSV", "last-bit-components.csv", "text/csv", tally.csv)
        download("Download Parquet", "last-bit-components.parquet", "application/vnd.apache.parquet", tally.parquet)


def show_plots(experiment: Experiment) -> None:
    st.markdown(
        "Point at any chart, choose *Show data* in its toolbar, and there *Download as CSV*. Here the table comes with "
        "its query, the versions and the meaning of its columns, too."
    )
    name = st.selectbox(
        "Chart", list(PLOTS), format_func=lambda name: PLOTS[name].title, key="chart", bind="query-params"
    )
    study, subject = next((study, subject) for study, subject in SUBJECTS.items() if name in subject.plots)
    part = Live(subject.study, subject.claim, partial(draw_plot, name, experiment), subject.unit, "plot")
    follow(part, STUDIES[study].of(experiment))
    st.markdown(plot_columns(PLOTS[name]))


def draw_plot(name: str, experiment: Experiment, tally: Tally, measured: Experiment, settled: bool) -> None:
    """Show the table, with the query of the whole experiment; the part that its study depends on was measured."""
    environment = ask("The versions are", experiment, machine.describe, experiment, settled=settled)
    content = tidy_csv(name, tally, experiment, environment) if settled and environment else ""
    download("Download this table", f"last-bit-{name}.csv", "text/csv", content)
    table = plotted_by(name).tables(tally, experiment)[name]
    st.dataframe(table, hide_index=True, alt=f"Table of the chart: {PLOTS[name].title}")


def download(label: str, file_name: str, mime: str, content: str | bytes) -> None:
    """Show a download button, disabled while the content is empty."""
    # A disabled button gets a function instead of a file: browsers would ask for a file that is already gone.
    data = content or (lambda: content)
    st.download_button(label, data, file_name, mime, key=label, on_click="ignore", disabled=not content)

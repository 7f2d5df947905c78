"""What the parts of the page are made of: charts and tables, their headings, sections that open."""

from collections.abc import Callable
from copy import deepcopy

import pandas as pd
import pyarrow as pa
import streamlit as st

from lib.display.charts import Chart
from lib.experiment.query import Experiment
from lib.network import machine
from lib.network.machine_sentences import environment


def show_title(title: str, about: str) -> None:
    """The heading of a chart and how to read it: in one element, since each costs a message at every tick."""
    st.markdown(f"**{title}**  \n:small[{about}]")


def draw_chart(key: str, chart: Chart, data: dict, alt: str, takeaway: str | None = None) -> None:
    """`takeaway` is a claim with figures and goes into the alt text; None while they change, since the browser would
    otherwise draw the chart anew at each tick."""
    # Without what pandas would note of its own types, which would be a tenth of all that a tick sends.
    datasets = {
        name: pa.Table.from_pandas(data[name], preserve_index=False).replace_schema_metadata() for name in chart.tables
    }
    alt = f"{alt}: {takeaway.replace('`', '').rstrip('.')}." if takeaway else f"{alt}."
    # A copy, since Streamlit writes into the specification that it is given.
    st.vega_lite_chart({**deepcopy(chart.spec), "datasets": datasets}, key=key, alt=alt)


def show_table(table: pd.DataFrame, alt: str) -> None:
    st.table(table, hide_index=True, alt=alt)


def unfold(label: str, key: str, show: Callable[..., None], *arguments: object) -> None:
    """A section that opens, by its key in the link. What it shows, and may have to compute, waits until it is open."""
    section = st.expander(label, key=key, on_change="rerun", bind="query-params")
    if section.open:
        with section:
            show(*arguments)


def show_environment(experiment: Experiment, before: str = "") -> None:
    """One line on what computes the figures here, below what else is to be said in small print."""
    st.caption(f"{before}\n\n{environment(machine.describe(experiment), experiment.device)}".lstrip())

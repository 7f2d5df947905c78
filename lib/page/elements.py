"""The building blocks of the page: charts and tables, their headings, sections that open."""

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
    """Show a chart's heading and how to read the chart, as one element: each element costs a message at every tick."""
    st.markdown(f"**{title}**  \n:small[{about}]")


def draw_chart(key: str, chart: Chart, data: dict, alt: str, takeaway: str | None = None) -> None:
    """Draw a chart from the tables in `data`.

    `takeaway` is a claim with figures, added to the alt text. Pass None while the figures change, or the browser would
    redraw the whole chart at each tick.
    """
    # Drop the metadata about pandas types, which would be a tenth of all that a tick sends.
    datasets = {
        name: pa.Table.from_pandas(data[name], preserve_index=False).replace_schema_metadata() for name in chart.tables
    }
    alt = f"{alt}: {takeaway.replace('`', '').rstrip('.')}." if takeaway else f"{alt}."
    # A copy, since Streamlit modifies the specification passed to it.
    st.vega_lite_chart({**deepcopy(chart.spec), "datasets": datasets}, key=key, alt=alt)


def show_table(table: pd.DataFrame, alt: str) -> None:
    st.table(table, hide_index=True, alt=alt)


def unfold(label: str, key: str, show: Callable[..., None], *arguments: object) -> None:
    """Show a section that opens; `key` names it in the link. `show` is called only while the section is open."""
    section = st.expander(label, key=key, on_change="rerun", bind="query-params")
    if section.open:
        with section:
            show(*arguments)


def show_environment(experiment: Experiment, before: str = "") -> None:
    """Show in small print what computes the figures here, below the text `before`."""
    st.caption(f"{before}\n\n{environment(machine.describe(experiment), experiment.device)}".lstrip())

"""Altair's charts and tables on the page."""

from collections.abc import Callable, Mapping
from json import loads
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from lib.floats.charts import Chart

PICK = "pick"
"""The name of the selection parameter in every chart with marks that can be pressed."""


def draw_chart(
    key: str,
    chart: Chart,
    data: Mapping[str, pa.Table | pd.DataFrame],
    alt: str,
    on_pick: Callable[[Any], None] | None = None,
) -> None:
    """Draw a chart.

    Args:
        key: the key of the element.
        chart: the chart. It must be the same at every tick, so that only the data is updated.
        data: the tables, by their names in the chart.
        alt: a description of the chart for screen readers.
        on_pick: called with the marks that the visitor selected: a list with a dict for each, which
            has the fields of the selection. It is not called when the selection is cleared. Check
            the list: a browser may send anything.
    """
    datasets = {name: arrow(data[name]) for name in chart.tables}
    # Streamlit changes the dict that it receives, so the chart's JSON is parsed at each call.
    spec = {**loads(chart.text), "datasets": datasets}
    if on_pick is None:
        st.vega_lite_chart(spec, key=key, height=chart.height, alt=alt)
        return

    def pick() -> None:
        if selected := st.session_state[key].selection[PICK]:
            on_pick(selected)

    st.vega_lite_chart(
        spec, key=key, height=chart.height, alt=alt, on_select=pick, selection_mode=PICK
    )


def arrow(table: pa.Table | pd.DataFrame) -> pa.Table:
    """Convert a table to Arrow, without the metadata that pandas adds, to keep messages small."""
    if isinstance(table, pa.Table):
        return table
    return pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata()


def show_table(table: pd.DataFrame, alt: str) -> None:
    """Draw all rows of a table. A wide table scrolls sideways, also by keyboard."""
    st.dataframe(table, hide_index=True, height="content", alt=alt)

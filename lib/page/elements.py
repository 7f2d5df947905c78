"""Elements that all tabs share: charts, tables."""

from copy import deepcopy

import pandas as pd
import pyarrow as pa
import streamlit as st

from lib.floats.charts import Chart


def draw_chart(key: str, chart: Chart, data: dict[str, pd.DataFrame], alt: str) -> None:
    """Draw a chart from the tables in `data`: the same specification at every tick, so that it is not embedded anew."""
    datasets = {
        name: pa.Table.from_pandas(data[name], preserve_index=False).replace_schema_metadata() for name in chart.tables
    }
    # A copy, since Streamlit modifies the specification passed to it.
    st.vega_lite_chart({**deepcopy(chart.spec), "datasets": datasets}, key=key, alt=alt)


def show_table(table: pd.DataFrame, alt: str) -> None:
    st.table(table, hide_index=True, alt=alt)

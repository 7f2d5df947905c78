"""How a chart and its heading are put on the page."""

from copy import deepcopy

import pyarrow as pa
import streamlit as st

from lib.display.charts import Chart


def show_title(title: str, about: str) -> None:
    """The heading of a chart and how to read it: in one element, since each costs a message at every tick."""
    st.markdown(f"**{title}**  \n:small[{about}]")


def draw_chart(key: str, chart: Chart, data: dict, alt: str, takeaway: str | None = None) -> None:
    """`takeaway` has figures and goes into the alt text; None while they change, since the browser would then draw the
    chart anew on each tick."""
    # Without what pandas would note of its own types, which would be a tenth of all that a tick sends.
    datasets = {
        name: pa.Table.from_pandas(data[name], preserve_index=False).replace_schema_metadata() for name in chart.tables
    }
    alt = f"{alt}: {takeaway}." if takeaway else f"{alt}."
    # A copy, since Streamlit writes into the specification that it is given.
    st.vega_lite_chart({**deepcopy(chart.spec), "datasets": datasets}, key=key, alt=alt)

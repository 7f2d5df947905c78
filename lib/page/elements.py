"""Elements that all tabs share: sections that open, charts, tables."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module

import pandas as pd
import pyarrow as pa
import streamlit as st

from lib.floats.charts import Chart
from lib.page.link import put
from lib.page.live import Seen, keep_room


@dataclass(frozen=True)
class Section:
    """A question whose answer opens: its key in the link, and the function that draws it, imported when it opens."""

    question: str
    key: str
    draws: str

    def draw(self, seen: Seen) -> None:
        module, _, function = self.draws.rpartition(".")
        getattr(import_module(f"lib.page.{module}"), function)(seen)


def opened(sections: Sequence[Section], key: str) -> str:
    """Return the key of the card that is open, "" for none: the one clicked last, at first the one in the link."""
    in_link = (section.key for section in sections if st.query_params.get(section.key) == "true")
    return st.session_state.setdefault(key, next(in_link, ""))


def show_open(sections: Sequence[Section], key: str, seen: Seen) -> None:
    """Draw in place the section of the card that is open, if any, and put it into the link."""
    section = next((section for section in sections if section.key == opened(sections, key)), None)
    put({one.key: "true" if one is section else None for one in sections})
    if section:
        with keep_room(1), st.container(border=True, key=f"open {section.key}"):
            st.subheader(section.question, anchor=False)
            section.draw(seen)


def unfold(sections: Sequence[Section], seen: Seen) -> None:
    """Draw sections as expanders, which are open where the link says so."""
    place = keep_room(1)  # as wide as the part above
    for section in sections:
        expander = place.expander(section.question, key=section.key, on_change="rerun", bind="query-params")
        if expander.open:
            with expander:
                section.draw(seen)


def draw_chart(key: str, chart: Chart, data: dict[str, pd.DataFrame], alt: str) -> None:
    """Draw a chart from the tables in `data`: the same specification at every tick, so that it is not embedded anew."""
    datasets = {
        name: pa.Table.from_pandas(data[name], preserve_index=False).replace_schema_metadata() for name in chart.tables
    }
    # A copy, since Streamlit modifies the specification passed to it.
    st.vega_lite_chart({**deepcopy(chart.spec), "datasets": datasets}, key=key, alt=alt)


def show_title(title: str, about: str) -> None:
    """Show a chart's heading and how to read it, as one element."""
    st.markdown(f"**{title}**  \n:small[{about}]")


def show_table(table: pd.DataFrame, alt: str) -> None:
    st.table(table, hide_index=True, alt=alt)

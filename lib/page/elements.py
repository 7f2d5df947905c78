"""The building blocks of the page: charts and tables, their headings, sections that open."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd
import pyarrow as pa
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.display.charts import Chart
from lib.experiment.query import Experiment
from lib.network import machine
from lib.network.machine_sentences import environment

_VIEW = st.components.v2.component(
    "last_bit_view", html="<div></div>", js=Path(__file__).with_name("view.js").read_text("utf-8")
)

_VIEW_KEY = "bring into view"

FORMER_ANCHORS = {
    "how-far-apart": "apart",
    "which-is-right": "right",
    "where-from": "operations",
    **{key: key for key in ("remedies", "costs", "saturation")},
}
"""The keys of the sections that hold what older links name by an anchor."""

state = st.session_state


class Card(NamedTuple):
    """A question, its answer in Markdown, the words of the way on, and the key of the section that these open.

    If there is a `tab`, the way on leads to another tab, and to what has the key there.
    """

    question: str
    answer: str
    way_on: str = ""
    opens: str = ""
    tab: str = ""


def keep_place(container: DeltaGenerator) -> None:
    """Give a container its room before anything is drawn in it, so that nothing below it shifts: an empty one has no
    height."""
    container.html("<i></i>")


def show_head(claim: str, why: str = "") -> None:
    """Show what a tab claims, as the heading of the page, and one line of why."""
    st.title(claim, anchor=False)
    if why:
        st.markdown(why)


def show_title(title: str, about: str) -> None:
    """Show a chart's heading and how to read the chart, as one element: each element costs a message at every tick."""
    st.markdown(f"**{title}**  \n:small[{about}]")


def draw_chart(
    key: str,
    chart: Chart,
    data: dict,
    alt: str,
    takeaway: str | None = None,
    on_select: Callable[[], None] | Literal["ignore"] = "ignore",
) -> None:
    """Draw a chart from the tables in `data`; `on_select` is called when the visitor selects a part of it.

    `takeaway` is a claim with figures, added to the alt text. Pass None while the figures change, or the browser would
    redraw the whole chart at each tick.
    """
    # Drop the metadata about pandas types, which would be a tenth of all that a tick sends.
    datasets = {
        name: pa.Table.from_pandas(data[name], preserve_index=False).replace_schema_metadata() for name in chart.tables
    }
    alt = f"{alt}: {takeaway.replace('`', '').rstrip('.')}." if takeaway else f"{alt}."
    # A copy, since Streamlit modifies the specification passed to it.
    st.vega_lite_chart({**deepcopy(chart.spec), "datasets": datasets}, key=key, alt=alt, on_select=on_select)


def show_table(table: pd.DataFrame, alt: str) -> None:
    st.table(table, hide_index=True, alt=alt)


def unfold(label: str, key: str, show: Callable[..., None], *arguments: object) -> None:
    """Show a section that opens; `key` names it in the link. `show` is called only while the section is open."""
    section = st.expander(label, key=key, on_change="rerun", bind="query-params")
    if section.open:
        with section:
            show(*arguments)


def show_cards(cards: Sequence[Card]) -> None:
    """Show cards in a row, each with a question, its answer, and the way on to a section, which opens."""
    with st.container(key="cards"):
        for column, card in zip(st.columns(len(cards), border=True), cards, strict=True):
            with column:
                st.markdown(f"**{card.question}** {card.answer}")
                if card.way_on and st.button(f":primary[{card.way_on}]", key=f"on to {card.opens}", type="tertiary"):
                    go_to(card.opens, opens=not card.tab, tab=card.tab)


def go_to(key: str, opens: bool = True, tab: str = "") -> None:
    """Bring what has the key into view, and open it if it is a section, by a run of the whole page."""
    if opens:
        state[key] = True
    if tab:
        state.next_tab = tab
    _bring(key)
    st.rerun()


def _bring(key: str) -> None:
    state.goal = key, 1 + state.get("goal", ("", 0))[1]


def open_what_was_asked_for() -> None:
    """Open the tab that a way on led to, and the section that the link names, before they are drawn."""
    if tab := state.pop("next_tab", ""):
        state["tab"] = tab
    section = state.get(_VIEW_KEY, {}).get("section")
    if section in FORMER_ANCHORS.values():  # a client other than a browser may send anything
        state[section] = True
        _bring(section)


def bring_into_view(tab: str) -> None:
    """Keep the open tab in view where the row of tabs is wider than the page, and go where a visitor asked to go."""
    goal, count = state.get("goal", ("", 0))
    data = {"tab": tab, "goal": goal, "count": count, "anchors": FORMER_ANCHORS}
    with st.container(key="view"):
        _VIEW(data=data, key=_VIEW_KEY, height="content", on_section_change=lambda: None)


def show_environment(experiment: Experiment, before: str = "") -> None:
    """Show in small print what computes the figures here, below the text `before`."""
    st.caption(f"{before}\n\n{environment(machine.describe(experiment), experiment.device)}".lstrip())

"""The page of Last Bit, from top to bottom. Start it with `streamlit run streamlit_app.py`."""

import streamlit as st

from lib.experiment.studies import TAB_STUDIES
from lib.page import batch, derivative, discrepancy, link, own, pitfall, shared

TABS = {
    TAB_STUDIES["discrepancy"].label: discrepancy.show,
    TAB_STUDIES["pitfall"].label: pitfall.show,
    "Check your own": own.show,
    TAB_STUDIES["batch"].label: batch.show,
    TAB_STUDIES["derivative"].label: derivative.show,
}

st.set_page_config("Last Bit", "/app/static/icon.svg", layout="wide")
# No gap: the line of text stands right below the title.
with st.container(gap=None):
    with st.container(horizontal=True):
        st.title("Last Bit", anchor=False, width="content")
        st.button(
            "Have two numbers of your own? →",
            type="tertiary",
            on_click=st.session_state.update,
            args=({"tab": "Check your own"},),
        )
    st.markdown("Why two ways of computing a gradient differ.")
# A link that cannot be read is repaired, and its fault is shown here.
link.check()
tabs = st.tabs(list(TABS), key="tab", bind="query-params")
if not tabs[0].open:
    # Scroll the label of the open tab into view. Streamlit does so on a switch, but not when a page
    # is loaded. The component draws nothing; the container keeps it from taking up a row. It acts
    # when its data is new, so the data is the label.
    with st.container(width=1, height=1, border=False):
        shared.scroll_to_open_tab(key="tab in view", data=st.session_state.tab)
for tab, show in zip(tabs, TABS.values(), strict=True):
    # Only the open tab computes anything.
    if tab.open:
        with tab:
            show()

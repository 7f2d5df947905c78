"""The page of Last Bit, from top to bottom. Start it with `streamlit run streamlit_app.py`."""

import streamlit as st

from lib.experiment.studies import SUBJECTS
from lib.page import batch, derivative, discrepancy, link, log, own, pitfall

TABS = {SUBJECTS[tab.TAB].label: tab.show for tab in (discrepancy, pitfall, batch, derivative)}
TABS[own.LABEL] = own.show
"""The tabs by their labels. Only the open one computes anything."""

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0f766e"/>
<path d="M8 11h3v10H8zm6.500 0h3v10h-3z" fill="#fff" opacity=".5"/><path d="M21 9h3v14h-3z" fill="#fff"/></svg>"""

st.set_page_config("Last Bit", ICON, layout="wide")
log.keep_short()
link.arrive()
for box, show in zip(
    st.tabs(list(TABS), key="tab", on_change="rerun", bind="query-params"), TABS.values(), strict=True
):
    if box.open:
        with box:
            link.tell()
            show()

"""The page of Last Bit, from top to bottom, as the visitor sees it. Start it with `streamlit run streamlit_app.py`."""

from uuid import uuid4

import streamlit as st

from lib.experiment import studies
from lib.page import (
    acts,
    address,
    batch,
    controls,
    derivative,
    discrepancy,
    elements,
    frame,
    jumps,
    live,
    log,
    own,
    picture,
    pitfall,
    shared,
    tour,
    wake,
)
from lib.takeaway.study_table import SUBJECTS

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0f766e"/>
<path d="M8 11h3v10H8zm6.500 0h3v10h-3z" fill="#fff" opacity=".5"/><path d="M21 9h3v14h-3z" fill="#fff"/></svg>"""

TABS = {
    tour.GRADIENTS: ("opening", discrepancy.show),
    tour.ROWS: ("pitfall", pitfall.show),
    tour.BATCHES: ("batch", batch.show),
    tour.BY_HAND: ("derivative", derivative.show),
    address.OWN: ("own", own.show),
}
"""Tab labels, each with the tab's picture and the function that draws the tab. Only the open tab computes anything."""

STUDIES = {study.label: SUBJECTS[name] for name, study in studies.SUBJECTS.items()}
"""The study behind each tab, which supplies the title of the window."""

state = st.session_state

if "viewer" not in state:
    log.keep_short()
    state.update(viewer=uuid4().hex, link_fault=None, arriving=True, drawing=live.DRAWING, drawing_seldom=live.DRAWING)
    address.check_link()
# What the visitor did comes first: a run that has begun to draw may be cut short by the next, and forget it.
address.arrive()
address.follow()
acts.follow()
jumps.follow_click("preset", controls.PLACES)
tour.follow()
elements.open_what_was_asked_for()
st.set_page_config("Last Bit", ICON, layout="wide")
frame.style()

state.more_to_come = False
wake.begin()
tabs = st.tabs(list(TABS), key="tab", on_change="rerun", bind="query-params")
for tab, (name, show) in zip(tabs, TABS.values(), strict=True):
    if tab.open:
        with tab, shared.TURNS:
            picture.send_code(name)
            show()
st.set_page_config(STUDIES.get(str(jumps.shown("tab")), SUBJECTS["discrepancy"]).title(state.chosen))
if not state.more_to_come:  # the first screen comes first
    tour.show()
    elements.bring_into_view(str(jumps.shown("tab")))
state.arriving = False
wake.show()
shared.wait_for_sending()
acts.finish()

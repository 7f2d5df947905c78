"""The page of Last Bit, from top to bottom, as the visitor sees it. Start it with `streamlit run streamlit_app.py`."""

from dataclasses import replace
from uuid import uuid4

import streamlit as st

from lib.experiment import studies
from lib.network import machine
from lib.page import controls, derivative, discrepancy, jumps, live, log, own, pitfall, shared, tour
from lib.takeaway.study_table import SUBJECTS

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0f766e"/>
<path d="M8 11h3v10H8zm6.500 0h3v10h-3z" fill="#fff" opacity=".5"/><path d="M21 9h3v14h-3z" fill="#fff"/></svg>"""

TABS = {
    tour.GRADIENTS: discrepancy.show,
    tour.ROWS: pitfall.show,
    tour.BY_HAND: derivative.show,
    "Check your own": own.show,
}
"""Tab labels, each with the function that draws the tab. Only the open tab computes anything."""

STUDIES = {study.label: SUBJECTS[name] for name, study in studies.SUBJECTS.items()}
"""The study behind each tab, which supplies the title of the window."""

state = st.session_state

st.set_page_config(page_icon=ICON, layout="wide")
if "viewer" not in state:
    log.keep_short()
    state.update(
        viewer=uuid4().hex,
        paused=frozenset(),
        link_fault=None,
        arriving=True,
        drawing=live.DRAWING,
        drawing_seldom=live.DRAWING,
    )
    controls.check_link()
jumps.follow_click("preset", controls.PLACES)
jumps.follow_click(tour.ROW, tour.TOUR)
with shared.ONE_AT_A_TIME:
    experiment, control_fault = controls.sidebar()
controls.put_into_address(experiment)
if experiment != state.get("experiment"):
    state.update(experiment=experiment, paused=frozenset())
st.set_page_config(STUDIES.get(str(jumps.shown("tab")), SUBJECTS["discrepancy"]).title(experiment))

st.title("Last Bit", anchor=False)
st.markdown(
    "Why do `Tensor.backward()` and `torch.autograd.functional.jacobian()` disagree in the last bits? Both compute the "
    "same gradient of the same network. But they add up its terms in different orders, and a floating-point sum "
    "depends on the order. Watch how far that carries."
)
controls.show_presets(experiment)
tour.show(experiment)
if control_fault or experiment != controls.DEFAULT:
    state.link_fault = None
if state.link_fault:
    st.error(f"This link is no experiment: {state.link_fault} You see the first post's experiment instead.")
if control_fault:
    st.error(control_fault)
if reason := machine.unsupported_reason(experiment):
    st.warning(f"{reason} The figures below were computed on the CPU instead.")
    experiment = replace(experiment, device="cpu")

tabs = st.tabs(list(TABS), key="tab", on_change="rerun", bind="query-params")
for tab, show in zip(tabs, TABS.values(), strict=True):
    if tab.open:
        with tab:
            show(experiment)
state.arriving = False
shared.wait_for_sending()

"""The page of Last Bit, from top to bottom. Start it with `streamlit run streamlit_app.py`.

Streamlit imports this file once, for the server, and runs it as `__main__` for each visitor.
"""

import streamlit as st

from lib.page import warm

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0f766e"/>
<path d="M8 11h3v10H8zm6.500 0h3v10h-3z" fill="#fff" opacity=".5"/><path d="M21 9h3v14h-3z" fill="#fff"/></svg>"""


def show_page() -> None:
    from lib.experiment.studies import SUBJECTS
    from lib.page import batch, derivative, discrepancy, link, log, own, pitfall

    tabs = {SUBJECTS[of.KEY].label: of.TAB.show for of in (discrepancy, pitfall, batch, derivative)}
    tabs[link.OWN] = own.show

    st.set_page_config("Last Bit", ICON, layout="wide")
    log.keep_short()
    link.arrive()
    boxes = st.tabs(list(tabs), key="tab", on_change="rerun", bind="query-params")
    for box, show in zip(boxes, tabs.values(), strict=True):
        if box.open:  # only the open one computes anything
            with box:
                link.tell()
                show()
    link.depart()


if __name__ == "__main__":
    show_page()
else:
    app = st.App(__file__, lifespan=warm.lifespan)

"""The menu *Save or share*: a link, a script, and a file of all components."""

from urllib.parse import urlencode

import streamlit as st

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.network import machine
from lib.takeaway.components import first_components
from lib.takeaway.script import script


def show_share(study: str, experiment: Experiment) -> None:
    """Draw the menu *Save or share* of a study.

    Args:
        study: the name of the study.
        experiment: the experiment.
    """
    menu = st.popover(
        "Save or share", icon=":material/ios_share:", type="tertiary", key="menu", on_change="rerun"
    )
    if not menu.open:
        return
    with menu:
        st.markdown("**The link**, which shows the same figures on a machine like this:")
        st.code(link_to(study, experiment), language=None, wrap_lines=True)
        st.download_button(
            "A script that needs only PyTorch",
            lambda: script(study, experiment),
            f"{study}.py",
            on_click="ignore",
            icon=":material/code:",
        )
        if study == "discrepancy":
            st.download_button(
                "Every component as CSV",
                lambda: first_components(experiment),
                "components.csv",
                on_click="ignore",
                icon=":material/table:",
            )
        versions = machine.describe(experiment)
        st.caption(" · ".join(f"{name} {value}" for name, value in versions.items()))


def link_to(study: str, experiment: Experiment) -> str:
    """Return the address that opens an experiment in the tab of a study."""
    tab = {} if study == "discrepancy" else {"tab": SUBJECTS[study].label}
    query = urlencode({**experiment.pairs(), **tab}, safe=",")
    return f"{(st.context.url or '').rstrip('/')}/{'?' if query else ''}{query}"

"""What leads on from a tab: presets, a button to *Check your own*, and *Save or share*."""

from urllib.parse import urlencode

import streamlit as st

from lib.experiment.query import PRESETS, Experiment
from lib.experiment.studies import SUBJECTS
from lib.network import machine
from lib.page.own import show_invitation
from lib.takeaway.components import MOST_COMPONENTS, first_components
from lib.takeaway.script import script


def show_presets(study: str) -> None:
    """Draw links to experiments worth seeing, in the tab of a study."""
    tab = {"tab": SUBJECTS[study].label}
    links = (
        f'<a href="?{urlencode({**tab, **preset.pairs()})}" target="_self" style="color: inherit">'
        f"{name}</a>"
        for name, preset in PRESETS.items()
    )
    st.html(f"Try {' · '.join(links)}")  # links in Markdown open a new window


def show_last_row(study: str, experiment: Experiment, words: str, example: str) -> None:
    """Draw what leads on from a tab.

    Args:
        study: the name of its study.
        experiment: the experiment.
        words: the label of the button that opens *Check your own*.
        example: the name of the example to show there.
    """
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        show_invitation(words, example)
        show_share(study, experiment)


def show_share(study: str, experiment: Experiment) -> None:
    """Draw the menu *Save or share* of a study.

    Args:
        study: the name of the study.
        experiment: the experiment.
    """
    with st.popover("Save or share", icon=":material/ios_share:", type="tertiary"):
        st.markdown("The address of this page is a link to what you see.")
        st.download_button(
            "A script that needs only PyTorch",
            lambda: script(study, experiment),
            f"{study}.py",
            on_click="ignore",
            icon=":material/code:",
        )
        if study == "discrepancy":
            st.download_button(
                f"Components as CSV, at most {MOST_COMPONENTS:,}",
                lambda: first_components(experiment),
                "components.csv",
                on_click="ignore",
                icon=":material/table:",
            )
        versions = machine.describe(experiment)
        st.caption(" · ".join(f"{name} {value}" for name, value in versions.items()))

"""What the tabs share: answers, presets, *Save or share*, and sections that open."""

from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from lib.experiment.presets import PRESETS
from lib.experiment.query import Experiment
from lib.experiment.studies import TAB_STUDIES
from lib.floats.verdict import Verdict
from lib.page.drawings import browser_module
from lib.takeaway.components import MOST_COMPONENTS, first_components
from lib.takeaway.script import script

scroll_to_open_tab = browser_module("tab")
"""Scrolls the row of tabs to the open one."""

_scroll = browser_module("scroll", '<div class="scroll" style="scroll-margin-top: 4rem"></div>')
"""Scrolls the page to the place where it is drawn, and then reports that it is done."""

SCROLL_TO = "scroll to"
"""In the session's state: the key of the section to scroll to, until the browser has done so."""

ROUNDING_UNIT = (
    "A rounding unit is u times the sum of the absolute values of a result's terms, plus what "
    "underflow may lose. u is half the distance from 1 to the next float."
)


def show_answers(answers: Mapping[str, str]) -> None:
    """Draw questions and their answers, in Markdown. A question without an answer is left out.

    All of them are one element: Streamlit sends each small element again with every update.
    If an answer mentions rounding units, the element's help defines them.
    """
    shown = [f"**{question}** {answer}" for question, answer in answers.items() if answer]
    text = "\n\n".join(shown)
    st.markdown(text, help=ROUNDING_UNIT if "rounding unit" in text else None)


def show_verdict(verdict: Verdict) -> None:
    """Draw a verdict as three questions and their answers."""
    show_answers(
        {
            "Is it a bug?": verdict.bug,
            "Which one is right?": verdict.right,
            "What do I do?": verdict.remedy,
        }
    )


def show_presets(study_name: str, experiment: Experiment) -> None:
    """Draw links to experiments worth seeing, in the tab of a study. The current one is bold."""
    study = TAB_STUDIES[study_name]
    links = []
    for name, preset in PRESETS.items():
        query = urlencode({"tab": study.label, **preset.pairs()})
        label = f"<b>{name}</b>" if study.of(preset) == experiment else name
        links.append(f'<a href="?{query}" target="_self" style="color: inherit">{label}</a>')
    # Links in Markdown open a new window.
    st.html(f"Try {' · '.join(links)}")


def show_share(study_name: str, experiment: Experiment) -> None:
    """Draw the menu *Save or share* of a study. Its downloads are drawn when it is opened."""
    menu = st.popover(
        "Save or share",
        icon=":material/ios_share:",
        type="tertiary",
        key=f"share {study_name}",
        on_change="rerun",
    )
    menu.markdown("The address of this page is a link to what you see.")
    # A download takes as long to draw as ten other elements.
    if not menu.open:
        return
    menu.download_button(
        "A script that needs only PyTorch",
        lambda: script(study_name, experiment),
        f"{study_name}.py",
        on_click="ignore",
        icon=":material/code:",
    )
    if study_name == "discrepancy":
        menu.download_button(
            f"Components as CSV, at most {MOST_COMPONENTS:,}",
            lambda: first_components(experiment),
            "components.csv",
            on_click="ignore",
            icon=":material/table:",
        )


def show_section(title: str, key: str, show: Callable[[], object]) -> None:
    """Draw a section that can be opened.

    Args:
        title: its title.
        key: the key under which the address stores whether the section is open.
        show: draws the content when the section opens.
    """
    expander = st.expander(title, key=key, bind="query-params")
    if not expander.open:
        return
    with expander:
        if st.session_state.get(SCROLL_TO) == key:
            # The key stays until the browser has scrolled, which may take several runs.
            forget = partial(st.session_state.pop, SCROLL_TO, None)
            _scroll(key=f"scroll to {key}", on_done_change=forget)
        show()

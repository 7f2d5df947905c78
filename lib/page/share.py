"""The last rows of a tab: presets, a button to *Check your own*, and *Save or share*."""

from collections.abc import Iterable
from urllib.parse import urlencode

import streamlit as st

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.network import machine
from lib.page import controls
from lib.page.own import show_invitation
from lib.page.widgets import value_of
from lib.takeaway.components import MOST_COMPONENTS, first_components
from lib.takeaway.script import script

VIEW = {
    "discrepancy": ("trace_sample", "trace_component"),
    "pitfall": ("example_x",),
    "batch": ("batch", "batch_sample", "batch_component"),
    "derivative": ("formula", "explain", "range"),
}
"""The keys of the address for what the visitor chose to see of an experiment, by study."""


def show_last_rows(
    study: str,
    experiment: Experiment,
    words: str,
    example: str,
    parts: Iterable[str | controls.Extra] = (),
) -> None:
    """Draw what leads on from a tab.

    Args:
        study: the name of its study.
        experiment: the experiment.
        words: the label of the button that opens *Check your own*.
        example: the name of the example to show there.
        parts: the parts of its sentence and the keys of its menu, which a preset sets. Without
            any, no presets are drawn.
    """
    if parts:
        controls.show_presets(parts)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        show_invitation(words, example)
        show_share(study, experiment)


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
                f"Components as CSV, at most {MOST_COMPONENTS:,}",
                lambda: first_components(experiment),
                "components.csv",
                on_click="ignore",
                icon=":material/table:",
            )
        versions = machine.describe(experiment)
        st.caption(" · ".join(f"{name} {value}" for name, value in versions.items()))


def link_to(study: str, experiment: Experiment) -> str:
    """Return the address that opens an experiment in the tab of a study, as the visitor sees it."""
    tab = {} if study == "discrepancy" else {"tab": SUBJECTS[study].label}
    view = {key: value for key in VIEW[study] if (value := value_of(key))}
    query = urlencode({**experiment.pairs(), **tab, **view}, safe=",")
    return f"{(st.context.url or '').rstrip('/')}/{'?' if query else ''}{query}"

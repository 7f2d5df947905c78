"""What to take along, as one small menu on every tab: the link, a script, every component as a file."""

from collections.abc import Callable
from urllib.parse import urlencode

import streamlit as st

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.network import machine
from lib.page.live import Seen
from lib.takeaway.components import first_components
from lib.takeaway.script import script


def show(study: str, seen: Seen) -> None:
    menu = st.popover("Save or share", icon=":material/ios_share:", type="tertiary", key="menu", on_change="rerun")
    if not menu.open:
        return
    with menu:
        experiment, about = seen.experiment, machine.describe(seen.experiment)
        st.caption(" · ".join(f"{name} {value}" for name, value in about.items()))
        st.markdown("**The link**, which shows the same figures on a machine like this:")
        st.code(link_to(study, experiment), language=None, wrap_lines=True)
        files: list[tuple[str, Callable[[], str | bytes], str, str]] = [
            ("A script that needs only PyTorch", lambda: script(study, experiment), f"{study}.py", "code")
        ]
        if study == "discrepancy":
            files.append(("Every component as CSV", lambda: first_components(experiment), "components.csv", "table"))
        for words, make, name, icon in files:
            st.download_button(words, make, name, on_click="ignore", icon=f":material/{icon}:")


def link_to(study: str, experiment: Experiment) -> str:
    tab = {} if study == "discrepancy" else {"tab": SUBJECTS[study].label}
    query = urlencode({**experiment.pairs(), **tab}, safe=",")
    return f"{(st.context.url or '').rstrip('/')}/{'?' if query else ''}{query}"

"""The experiment to take along: as a script, a bug report, and a link with a sentence about it."""

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from lib.experiment import studies
from lib.experiment.query import Experiment
from lib.network import machine
from lib.page.elements import unfold
from lib.page.live import Live, follow
from lib.run.tally import Tally
from lib.takeaway.link_sentences import elsewhere
from lib.takeaway.report import report
from lib.takeaway.script import script
from lib.takeaway.study_table import SUBJECTS

CODE_HEIGHT = 480
"""In pixels; a longer script scrolls."""

DEFAULT = "discrepancy"
"""The study of the first tab."""

ABOUT = "\n".join(f"- **{name}**: {study.about}" for name, study in studies.SUBJECTS.items())


def show(experiment: Experiment) -> None:
    study = st.segmented_control(
        "Study", list(studies.SUBJECTS), default=DEFAULT, required=True, key="script", help=ABOUT, bind="query-params"
    )
    unfold("Show me the code", "code", show_script, study, experiment)
    subject = SUBJECTS[study]
    part = Live(subject.study, subject.claim, partial(draw_report, study, experiment), subject.unit, "report")
    unfold("A bug report, with figures", "report", follow, part, studies.SUBJECTS[study].of(experiment))
    unfold("The link, with words for a chat", "link", show_link, study, experiment)


def show_script(study: str, experiment: Experiment) -> None:
    st.markdown(
        "A script of this experiment that needs only PyTorch. On the same machine it prints the figures of the page, "
        "bit for bit, save those that take the exact gradient."
    )
    code = script(study, experiment)
    st.code(code, language="python", height=CODE_HEIGHT)
    st.download_button("Download the script", code, f"{study}.py", "text/x-python", on_click="ignore")


def draw_report(study: str, experiment: Experiment, tally: Tally, measured: Experiment, settled: bool) -> None:
    """Show the report on the whole experiment, of which the part that the study depends on was measured."""
    if tally.samples < experiment.samples:
        st.caption("The report comes when all samples are counted.")
        return
    text = report(study, experiment, tally.figures(), machine.describe(experiment))
    st.code(text, language="markdown", height=CODE_HEIGHT)
    st.download_button("Download the report", text, f"{study}.md", "text/markdown", on_click="ignore")


def show_link(study: str, experiment: Experiment) -> None:
    tab = {} if study == DEFAULT else {"tab": studies.SUBJECTS[study].label}
    query = urlencode({**experiment.pairs(), **tab}, safe=",")
    link = f"{(st.context.url or '').rstrip('/')}/{'?' if query else ''}{query}"
    st.code(link, language=None, wrap_lines=True)
    st.caption(elsewhere(machine.describe(experiment)))
    st.markdown("With words, for where links have no preview:")
    subject = SUBJECTS[study]
    st.code(f"{subject.title(experiment)}\n{subject.summary(experiment)}\n{link}", language=None, wrap_lines=True)

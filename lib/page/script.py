"""The experiment to take along: as a script, as a bug report, and as a link with a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from lib.derivative.sentences import derivative_claim
from lib.derivative.study import Derivative
from lib.discrepancy.sentences import claim
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import machine
from lib.page.live import Live, follow
from lib.page.tour import BY_HAND, ROWS
from lib.pitfall.sentences import pitfall_claim
from lib.pitfall.study import Pitfall
from lib.run.tally import Tally
from lib.takeaway.link_sentences import elsewhere, summary, title
from lib.takeaway.report import report
from lib.takeaway.script import script

CODE_HEIGHT = 480
"""Pixels: a longer script scrolls."""

ABOUT = """
- **discrepancy**: `backward()` against the Jacobian
- **pitfall**: one call of `grad` for all rows against the rows
- **derivative**: autograd against derivatives by hand
"""


@dataclass(frozen=True)
class Subject:
    """A study that can be taken along: how its run is followed, and where on the page it is, as keys of a link."""

    live: Live
    view: Mapping[str, str]


def show(experiment: Experiment) -> None:
    st.markdown("**Show me the code**")
    st.markdown(
        "A script of this experiment that needs only PyTorch. It prints the figures of the page, save those that take "
        "the exact gradient: on the same machine, the same bits."
    )
    study = st.segmented_control(
        "Study", list(SUBJECTS), default="discrepancy", required=True, key="script", help=ABOUT, bind="query-params"
    )
    code = script(study, experiment)
    st.code(code, language="python", height=CODE_HEIGHT)
    st.download_button("Download the script", code, f"{study}.py", "text/x-python", on_click="ignore")
    part = st.expander("As a bug report, with figures", key="report", on_change="rerun", bind="query-params")
    if part.open:
        with part:
            follow(SUBJECTS[study].live, experiment)
    show_link(study, experiment)


def draw_report(study: str, tally: Tally, experiment: Experiment, settled: bool) -> None:
    if tally.samples < experiment.samples:
        st.caption("The report is written when all samples are counted.")
        return
    text = report(study, experiment, tally.figures(), machine.describe(experiment))
    st.code(text, language="markdown", height=CODE_HEIGHT)
    st.download_button("Download the report", text, f"{study}.md", "text/markdown", on_click="ignore")


def show_link(study: str, experiment: Experiment) -> None:
    st.markdown("**The link**")
    query = urlencode({**experiment.pairs(), **SUBJECTS[study].view}, safe=",")
    link = f"{(st.context.url or '').rstrip('/')}/{'?' if query else ''}{query}"
    st.code(link, language=None, wrap_lines=True)
    st.caption(elsewhere(machine.describe(experiment)))
    st.markdown("With words, for where a link is shown without a preview:")
    st.code(f"{title(study, experiment)}\n{summary(study, experiment)}\n{link}", language=None, wrap_lines=True)


SUBJECTS = {
    "discrepancy": Subject(Live(Discrepancy, "samples", claim, partial(draw_report, "discrepancy"), "report"), {}),
    "pitfall": Subject(
        Live(Pitfall, "samples", pitfall_claim, partial(draw_report, "pitfall"), "report"), {"tab": ROWS}
    ),
    "derivative": Subject(
        Live(Derivative, "x", derivative_claim, partial(draw_report, "derivative"), "report"), {"tab": BY_HAND}
    ),
}

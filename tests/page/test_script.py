"""What the page gives to take along, without a browser: the script, the bug report, the link and the environment."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from lib.experiment import studies
from lib.experiment.query import Experiment
from lib.network import machine
from lib.network.machine_sentences import environment
from lib.takeaway.link_sentences import elsewhere
from lib.takeaway.report import report
from lib.takeaway.script import script
from lib.takeaway.study_table import SUBJECTS
from tests.page.visiting import chosen, tick, visit, watch
from tests.takeaway.test_script import figures

QUERY = "samples=40&outputs=3&function=exp"
EXPERIMENT = Experiment.parse(QUERY)
STUDIES = {name: SUBJECTS[name].study for name in studies.SUBJECTS}
TABS = {
    "discrepancy": "Why do they differ?",
    "pitfall": "Why are all rows the same?",
    "batch": "Why does the batch change it?",
    "derivative": "Is my derivative right?",
}

SECTIONS = {"discrepancy": "apart", "pitfall": "distances", "batch": "batch_closer", "derivative": "formulas"}
"""The section of each tab that shows the environment."""


def visit_own(study: str, **more: str) -> AppTest:
    opened = {"tab": "Check your own", "script": study, "code": "true", "link": "true", **more}
    return visit(f"{QUERY}&{urlencode(opened)}")


def codes(at: AppTest) -> list[str]:
    """What there is to copy, without what was found in the example of a matrix."""
    return [code.value for code in at.code][OF_THE_MATRIX:]


OF_THE_MATRIX = 2


@pytest.mark.parametrize("study", STUDIES)
def test_the_script_and_the_link_are_those_of_the_experiment_and_the_study(study):
    at = visit_own(study)
    code, link, words = codes(at)
    subject = SUBJECTS[study]
    assert f"{code}\n" == script(study, EXPERIMENT)
    assert words == f"{subject.title(EXPERIMENT)}\n{subject.summary(EXPERIMENT)}\n{link}"
    assert {elsewhere(machine.describe(EXPERIMENT)), environment(machine.describe(EXPERIMENT), "cpu")} <= {
        c.value for c in at.caption
    }
    assert not at.get("progress")
    query = urlsplit(link).query
    assert Experiment.parse(query) == EXPERIMENT
    assert dict(parse_qsl(query)).get("tab", TABS["discrepancy"]) == TABS[study]
    opened = visit(query)
    assert chosen(opened) == EXPERIMENT
    assert [toggle.key for toggle in opened.toggle] == [f"pause {STUDIES[study].__name__}"]


@pytest.mark.parametrize("study", STUDIES)
def test_the_report_has_the_figures_when_the_run_is_finished(study):
    at = watch(visit_own(study, report="true"), f"{STUDIES[study].__name__} report")
    assert report(study, EXPERIMENT, figures(study, EXPERIMENT), machine.describe(EXPERIMENT)) in codes(at)


def test_the_report_and_the_tables_of_the_charts_can_be_open_together():
    at = visit_own("discrepancy", report="true", plotted="true", files="true")
    assert not at.exception
    assert len({toggle.key for toggle in at.toggle}) == 3


def test_there_is_no_report_before_the_run_is_finished():
    at = visit(f"samples=1000000000&{urlencode({'tab': 'Check your own', 'report': 'true'})}")
    assert not any("### Figures" in code for code in codes(at))
    assert "The report comes when all samples are counted." in [caption.value for caption in at.caption]


def test_another_study_can_be_chosen_and_none_of_a_link_is_believed():
    at = visit_own("<b>magic</b>")
    assert f"{codes(at)[0]}\n" == script("discrepancy", EXPERIMENT)
    at.segmented_control(key="script").set_value("derivative")
    assert f"{codes(tick(at))[0]}\n" == script("derivative", EXPERIMENT)


@pytest.mark.parametrize("study", STUDIES)
def test_the_environment_is_shown_with_the_figures(study):
    at = visit(f"{QUERY}&{urlencode({'tab': TABS[study], SECTIONS[study]: 'true'})}")
    line = environment(machine.describe(EXPERIMENT), "cpu")
    assert [line in caption.value for caption in at.caption].count(True) == 1

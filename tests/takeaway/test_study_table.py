"""The table of studies: every row is whole, and one that is missing is refused by its name."""

import subprocess
import sys

import pytest

from lib.experiment import studies as chosen
from lib.takeaway.study_table import CLASSES
from tests.server import ROOT


def test_every_study_has_a_class_of_its_own():
    assert {study.option_of for study in chosen.OPTIONS.values()} <= {*chosen.SUBJECTS}
    assert len({*CLASSES.values()}) == len(chosen.STUDIES)


@pytest.mark.parametrize(
    ("module", "option_of"),
    [("study_table", None), ("glossary", None), ("glossary", "discrepancy")],
)
def test_a_study_without_a_row_is_refused_by_its_name(module, option_of):
    lines = f"""
from lib.experiment import studies
row = studies.Study("Is it so?", "one thing against another", {option_of!r})
studies.STUDIES["novelty"] = (studies.OPTIONS if row.option_of else studies.SUBJECTS)["novelty"] = row
import lib.takeaway.{module}
"""
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(
        " novelty lacks a row."
    ), done.stderr

"""The table of studies: every row is whole, and one that is missing is refused by its name."""

import subprocess
import sys

import pytest

from lib.experiment.studies import STUDIES, SUBJECTS
from lib.takeaway.study_table import CLASSES
from tests.server import ROOT


def test_every_study_has_a_class_and_an_option_belongs_to_a_study_of_its_own():
    assert {row.option_of for row in STUDIES.values()} - {None} <= {*SUBJECTS}
    assert len({*CLASSES.values()}) == len(STUDIES)


@pytest.mark.parametrize("module", ["study_table", "glossary"])
def test_a_study_without_a_row_is_refused_by_its_name(module):
    lines = f"""
from lib.experiment import studies
studies.STUDIES["novelty"] = studies.Study("Is it new?", "first against second", frozenset())
import lib.takeaway.{module}
"""
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith(" novelty lacks a row."), done.stderr


def test_a_key_without_a_meaning_is_refused_by_its_name():
    lines = """
from lib.experiment.query import FIELDS
FIELDS["novelty"] = FIELDS["seed"]
import lib.takeaway.glossary
"""
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith(" novelty lacks a row."), done.stderr

"""The table of studies: every row is whole, and one that is missing is refused by its name."""

import subprocess
import sys
from dataclasses import fields

import pytest

from lib.experiment import studies as chosen
from lib.takeaway.study_table import OPTIONS, SUBJECTS, Subject, study_of
from tests.server import ROOT


def test_every_study_that_can_be_chosen_has_a_row():
    assert {*SUBJECTS} == {*chosen.SUBJECTS} and {*OPTIONS} == {*chosen.OPTIONS}
    assert {study.option_of for study in chosen.OPTIONS.values()} <= {*SUBJECTS}
    assert len({study_of(name) for name in chosen.STUDIES}) == len(chosen.STUDIES)


@pytest.mark.parametrize("module", ["lib.takeaway.study_table", "lib.takeaway.glossary"])
@pytest.mark.parametrize("option_of", [None, "discrepancy"])
def test_a_study_without_a_row_is_refused_by_its_name(module, option_of):
    lines = f"""
from lib.experiment import studies
row = studies.Study("Is it so?", "one thing against another", {option_of!r})
studies.STUDIES["novelty"] = (studies.OPTIONS if row.option_of else studies.SUBJECTS)["novelty"] = row
import {module}
"""
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(" novelty lacks a row."), done.stderr


def test_a_row_that_lacks_a_part_is_refused_by_the_name_of_the_part():
    row = SUBJECTS["pitfall"]
    for part in fields(Subject):
        parts = {field.name: getattr(row, field.name) for field in fields(Subject) if field != part}
        study = [parts.pop("study")] if "study" in parts else []
        with pytest.raises(TypeError, match=f"missing .* '{part.name}'"):
            Subject(*study, **parts)

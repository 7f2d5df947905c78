"""What the README says of the output is what comes out: every column and every figure, and no others."""

import json
import re

import pytest

from lib import __main__ as command
from lib.takeaway.export import SCHEMA
from tests.server import ROOT

README = (ROOT / "README.md").read_text()
OF_ALL = "The JSON has"
STUDIES = {"discrepancy": OF_ALL, "pitfall": "The pitfall prints", "derivative": "The derivative prints"}
"""How the paragraph on the figures of a study begins."""


def named(beginning: str) -> set[str]:
    """The names in the paragraph that has this beginning of a sentence."""
    (paragraph,) = (part for part in README.split("\n\n") if beginning in part)
    return set(re.findall(r"`(\w+)`", paragraph.partition(beginning)[2]))


def printed(arguments: list[str], capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> dict:
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    assert command.main(arguments) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("study", STUDIES)
def test_every_figure_of_a_study_is_explained_and_every_one_explained_is_printed(study, capsys, monkeypatch):
    figures = printed(["--study", study, "samples=20"], capsys, monkeypatch)
    keys = set(figures) | set(figures.get("autograd", ()))
    explained, of_all = named(STUDIES[study]), named(OF_ALL)
    assert keys <= explained | of_all, keys - explained - of_all
    assert explained <= keys, explained - keys


def test_the_table_of_columns_is_that_of_the_files():
    table = README.partition("| column | what it is |\n| --- | --- |\n")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines()]
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == SCHEMA.names


def test_every_option_of_the_command_line_is_explained():
    options = {option for action in command._parser()._actions for option in action.option_strings}
    described = set(re.findall(r"(?<![\w-])--[a-z-]+", README))
    assert options - {"-h", "--help"} <= described

"""The help is made of the tables that the query and the parser go by, and is there without torch."""

import re
import subprocess
import sys

import pytest

from lib.experiment.query import FIELDS, Experiment
from lib.takeaway import glossary
from lib.takeaway.arguments import make_parser
from tests.server import ROOT


def printed(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "lib", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def reference() -> str:
    return printed("--help")


def test_every_key_of_the_query_is_there_with_its_default_and_what_is_allowed(reference):
    keys = dict(re.findall(r"^  (\w+): ((?:.|\n    )+)", reference, re.MULTILINE))
    assert keys.keys() == FIELDS.keys()
    for name, about in keys.items():
        words = " ".join(about.split())
        default = Experiment().text(name) or "empty"
        assert re.search(rf"; default: {re.escape(default)}(;| |$)", words), words
        field = FIELDS[name]
        if field.table:
            rows = re.findall(
                r"^    ([\w-]+) {2,}\S", f"    {about.partition(chr(10) + '    ')[2]}", re.MULTILINE
            )
            assert rows == list(field.table)
            assert all(row.about in words for row in field.table.values())
        else:
            assert field.allowed in words


def test_every_option_and_every_exit_code_is_there(reference):
    options = {option for action in make_parser()._actions for option in action.option_strings}
    assert options <= set(re.findall(r"(?<![\w-])-{1,2}[a-z]+", reference))
    assert re.findall(r"^  (\d)  \S", reference.partition("exit codes:")[2], re.MULTILINE) == [
        "0",
        "1",
        "2",
    ]


def test_every_field_and_every_column_is_printed_with_its_meaning():
    text = " ".join(printed("--help", "fields").split())
    columns = [
        {name: about for name, (_, about) in rows.items()} for rows in glossary.COLUMNS.values()
    ]
    groups = [
        glossary.WORDS,
        glossary.EVERY_STUDY,
        *glossary.FIELDS.values(),
        glossary.TRACE,
        glossary.POST,
    ]
    for group in [*groups, *glossary.DECODE.values(), *columns]:
        for name, about in group.items():
            assert f"{name} {about}" in text


def test_the_help_loads_neither_torch_nor_numpy():
    lines = """
import sys
from lib.takeaway.arguments import parse
for arguments in (["--help"], ["--help", "fields"]):
    try:
        parse(arguments)
    except SystemExit as end:
        assert not end.code
assert not {"torch", "numpy", "pandas", "pyarrow"} & {*sys.modules}
"""
    subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, check=True)


def test_a_key_without_a_meaning_is_refused_by_its_name():
    lines = "from lib.experiment import query; query.FIELDS['novelty'] = query.FIELDS['seed']; import lib.takeaway.glossary"
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(
        " novelty lacks a row."
    ), done.stderr

"""The commands, and the help that is made of the tables of the query and needs no torch."""

import re
import subprocess
import sys

import pytest

from lib.experiment.query import FIELDS, Experiment
from lib.takeaway import glossary
from lib.takeaway.arguments import fields, make_parser, parse
from tests.server import ROOT

HELP = make_parser().format_help()


@pytest.mark.parametrize(
    ("older", "now"),
    [
        ("seed=3", "run seed=3"),
        ("seed=3 --checkpoint=f", "run seed=3 --checkpoint f"),
        ("--study pitfall seed=3", "run --study pitfall seed=3"),
        ("--ladder seed=3", "run seed=3 --study ladder"),
        ("seed=3 --trace 4,1", "trace 4 1 seed=3"),
        ("--trace=4,1", "trace 4 1"),
        ("--script seed=3 --study batch", "script seed=3 --study batch"),
        ("--study batch seed=3 --csv=f", "csv --study batch f seed=3"),
        ("--decode 1 2 --dtype float16", "decode --dtype float16 1 2"),
    ],
)
def test_an_older_spelling_means_the_same(older, now):
    assert parse(older.split()) == parse(now.split())


def test_the_arguments_of_each_command():
    run = parse(["seed=3"], ranks=2)
    assert (run.command, run.study, run.checkpoint) == ("run", "discrepancy", None)
    assert run.experiment == Experiment(seed=3)
    traced = parse("trace 4 1".split())
    assert (traced.sample, traced.component, traced.experiment) == (4, 1, Experiment())
    decoded = parse(["decode", "-1e-9", "-inf", "-x 2"])
    assert (decoded.first, decoded.second, decoded.difference) == ("-1e-9", "-inf", "-x 2")
    assert decoded.dtype == "float32" and parse(["decode", ""]).second is None
    assert parse("csv f --study batch".split()).file == "f"


@pytest.mark.parametrize(
    "arguments",
    [
        *("--trace", "--trace x", "--trace 1,2,3 a", "trace 1", "--decode", "--csv", "--post"),
        *("--study gradients", "--study pitfall --csv x", "csv x --checkpoint y", "script --csv x"),
        *("--script --ladder", "script --study ladder", "--report", "--dtype float32", "run a b"),
        *("decode 1 --dtype float8", "decode 1 2 3 4", "trace 4 0 --study batch"),
    ],
)
def test_what_no_command_takes_is_refused(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse(arguments.split())
    assert "error: " in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("command", ["csv f", "script", "trace 4 0", "decode 1", "fields"])
def test_only_a_run_has_several_processes(command, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse(command.split(), ranks=2)
    assert "only run can use torchrun" in capsys.readouterr().err


def test_every_key_of_the_query_is_there_with_its_default_and_what_is_allowed():
    keys = dict(re.findall(r"^  (\w+): ((?:.|\n    )+)", HELP, re.MULTILINE))
    assert keys.keys() == FIELDS.keys()
    for name, about in keys.items():
        words = " ".join(about.split())
        default = Experiment().text(name) or "empty"
        assert re.search(rf"; default: {re.escape(default)}(;| |$)", words), words
        field = FIELDS[name]
        rows = re.findall(r"^    ([\w-]+) {2,}\S", about, re.MULTILINE)
        assert rows == list(field.table)
        assert all(row.about in words for row in field.table.values())
        assert field.table or field.allowed in words


def test_every_field_and_every_column_is_printed_with_its_meaning():
    text = " ".join(fields().split())
    columns = [
        {name: about for name, (_, about) in rows.items()} for rows in glossary.COLUMNS.values()
    ]
    groups = [glossary.WORDS, glossary.EVERY_STUDY, *glossary.FIELDS.values(), glossary.TRACE]
    for group in [*groups, *glossary.DECODE.values(), *columns]:
        for name, about in group.items():
            assert f"{name} {about}" in text


def test_the_help_is_printed_and_loads_neither_torch_nor_numpy():
    lines = """
import sys
from lib.__main__ import main
assert main(["--help", "fields"]) == 0
try:
    main(["samples=5", "--help"])
except SystemExit as end:
    assert not end.code
assert not {"torch", "numpy", "pandas", "pyarrow"} & {*sys.modules}
"""
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, fields() + HELP), done.stderr

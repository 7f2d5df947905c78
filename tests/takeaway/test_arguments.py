"""The commands, and the help that is made of the tables of the query and needs no torch."""

import pytest

from lib.experiment.query import FIELDS, Experiment
from lib.takeaway.arguments import fields, make_parser, parse
from tests.server import python

HELP = make_parser().format_help()


@pytest.mark.parametrize(
    "older, now",
    [
        ("seed=3 --checkpoint=f", "run seed=3 --checkpoint f"),
        ("--ladder seed=3", "run seed=3 --study ladder"),
        ("seed=3 --trace 4,1", "trace 4 1 seed=3"),
        ("--script seed=3 --study batch", "script seed=3 --study batch"),
        ("seed=3 --csv=f", "csv f seed=3"),
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
    assert parse("csv f".split()).file == "f"


@pytest.mark.parametrize(
    "arguments, ranks",
    [
        *(("--trace", 1), ("trace x 1", 1), ("--decode", 1), ("--csv", 1), ("--dtype float32", 1)),
        *(("csv x --study pitfall", 1), ("csv x --checkpoint y", 1), ("run a b", 1)),
        *(("--script --ladder", 1), ("decode 1 --dtype float8", 1), ("decode 1 2 3 4", 1)),
        *(("csv f", 2), ("script", 2), ("trace 4 0", 2), ("decode 1", 2), ("fields", 2)),
    ],
)
def test_what_no_command_takes_is_refused(arguments, ranks, capsys):
    """So are several processes, but for a run."""
    with pytest.raises(SystemExit, match="2"):
        parse(arguments.split(), ranks)
    sentence = capsys.readouterr().err.splitlines()[-1]
    assert "error: " in sentence and ("torchrun" in sentence) == (ranks == 2)


def test_every_key_and_every_choice_is_in_the_help():
    for name, field in FIELDS.items():
        assert f"\n  {name}: " in HELP
        assert all(f"\n    {choice} " in HELP for choice in field.table)


def test_the_help_loads_neither_torch_nor_numpy():
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
    done = python("-c", lines)
    assert (done.returncode, done.stdout) == (0, fields() + HELP), done.stderr

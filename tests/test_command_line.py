"""`python -m lib` as a user runs it: every field of the JSON, exit codes, Ctrl-C."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios

import pytest

from lib import __main__ as command
from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES
from lib.takeaway import glossary
from lib.takeaway.study_table import CLASSES
from tests.cases import finish
from tests.known_orders import known
from tests.server import ROOT

COMMAND = [sys.executable, "-m", "lib"]


@pytest.fixture
def run(capsys, monkeypatch):
    """The command in this process: a function that returns the exit code and what it printed."""

    def printed(*arguments):
        try:
            code = command.main(arguments)
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    return printed


@pytest.fixture
def figures(run):
    """The figures that the command prints, in this process."""

    def printed(*arguments):
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        return json.loads(out)

    return printed


OPEN = {"experiment", "environment"}
"""Fields that have a field for each key of the query, or for each setting of the machine."""

ALIKE = {
    r"formulas\.\*\.": "autograd.",
    r"(jacobian_steps|parting\.step)\.": "backward_steps.",
    r"sizes\.gradient\.": "sizes.output.",
    r"conditions\.(neighbours|order|slice)\.": "conditions.place.",
}
"""Fields that are explained once: the path of a repetition, and the path that is explained."""


def fields(value, path=""):
    """The paths of all fields in a JSON value, as the glossary writes them."""
    if isinstance(value, list):
        for item in value:
            yield from fields(item, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            name = f"{path}*" if path == "formulas." else f"{path}{key}"
            for repeated, explained in ALIKE.items():
                name = re.sub(repeated, explained, name)
            yield name
            yield from fields(item, f"{name}.")


def check_explained(printed, explained):
    """A field that is not explained by itself is named in the explanation of the field above it, or
    of the word with which that ends.

    Every field that is explained is printed.
    """
    names = set()
    for name in fields(printed):
        above, _, last = name.rpartition(".")
        if last == "*" or above.partition(".")[0] in OPEN:
            continue
        if above in explained and name not in explained:
            word = explained[above].split()[-1]
            assert last in explained[above] + glossary.WORDS.get(word, ""), name
        else:
            names.add(name)
    assert names == explained.keys()


@pytest.mark.parametrize("study", STUDIES)
def test_the_figures_are_the_librarys_and_explained(study, figures):
    query = "samples=40&dtype=float64&outputs=3&evaluation=batched"
    printed = figures("run", "--study", study, f"https://example.org/app?tab=x&{query}")
    experiment = Experiment.parse(query)
    expected = finish(CLASSES[study], experiment).figures()
    assert {key: printed[key] for key in expected} == json.loads(json.dumps(expected))
    assert printed["study"] == (STUDIES[study].option_of or study)
    assert printed["complete"] is True and printed["query"] == experiment.query
    assert printed["experiment"] == json.loads(json.dumps(experiment.to_dict()))
    assert printed["environment"]["threads"] == 1 and printed["seconds"] > 0
    check_explained(printed, glossary.EVERY_STUDY | glossary.FIELDS[study])


def test_a_component_is_traced(figures):
    printed = figures("trace", "4", "3", "samples=10")
    assert (printed["sample"], printed["component"]) == (4, 3)
    assert printed["backward"] - printed["jacobian"] == printed["discrepancy"]
    about = {name: glossary.EVERY_STUDY[name] for name in ("query", "environment")}
    check_explained(printed, about | glossary.TRACE)
    known(printed["verified"], printed["reason"])
    assert printed["backward_steps"][-1]["after"] == printed["backward"]
    assert printed["jacobian_steps"][-1]["after"] == printed["jacobian"]


@pytest.mark.parametrize(
    "kind, pasted, dtype, expected",
    [
        ("two values", ["-0.1000000015 -0.10000000894"], "float32", {"ulps": [1, 1]}),
        ("two values", ["-0.0086", "-0.0086", "9.3132e-10"], "float32", {"ulps": [1, 1]}),
        ("one number", ["0.1"], "float16", {"dtype": "float16"}),
        ("two values", ["[0.1, 0.2] [0.1, 0.3]"], "float32", {"worst": 1}),
        ("an array, a shape, or two of unlike shapes", ["[[1, 2], [3, 4]]"], "float32", {}),
    ],
)
def test_pasted_numbers_are_decoded(kind, pasted, dtype, expected, figures):
    printed = figures("decode", *pasted, "--dtype", dtype)
    assert expected.items() <= printed.items()
    printed["cause"] = ""
    for figure in printed.get("numbers", []):
        assert figure.keys() == glossary.DECODE["one number"].keys()
        printed["numbers"] = []
    check_explained(printed, glossary.DECODE["every paste"] | glossary.DECODE[kind])


@pytest.mark.parametrize(
    "code, arguments, words",
    [
        (1, "csv missing/file.csv samples=3", "missing"),
        (1, "csv /dev/full samples=20", "No space left on device"),
        # no machine has it
        (1, "device=mps&dtype=float64", "MPS has no float64"),
        (2, "trace 4 5", "component = 5 is not allowed: it must be a whole number from 0 to 4."),
        (2, "decode 0.1 abc", "'abc' must be one number"),
    ],
)
def test_what_is_not_possible_is_one_sentence(code, arguments, words, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exit_code, out, err = run(*arguments.split())
    assert (exit_code, out) == (code, "") and len(err.splitlines()) == 1 and words in err


def test_ctrl_c_prints_what_was_tallied_so_far():
    screen, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    process = subprocess.Popen(
        [*COMMAND, "samples=1000000000&evaluation=batched"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = ""
    try:
        # A rate and no question mark: some are measured.
        while not re.search("[0-9kM]sample/s", shown):
            assert select.select([screen], [], [], 60)[0], f"no progress bar, but {shown!r}"
            shown += os.read(screen, 4096).decode()
        process.send_signal(signal.SIGINT)
        printed = json.loads(process.communicate(timeout=60)[0])
    finally:
        process.kill()
        os.close(screen)
    assert process.returncode == 0 and printed["complete"] is False
    assert 0 < printed["samples"] < 10**9
    counted = sum(count for _, count in printed["ulps"])
    assert printed["components"] == 5 * printed["samples"] == counted


def test_a_reader_that_leaves_gets_one_sentence():
    """Python flushes once more at its end, so the command runs in a process of its own."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "fields"], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == "The output was closed before everything was written.\n"

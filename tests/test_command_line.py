"""`python -m lib` as a user runs it: the JSON contract, exit codes, Ctrl-C, the progress bar."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Sequence

import pytest

from lib import __main__ as command
from lib.experiment.query import FIELDS, Experiment
from lib.experiment.studies import STUDIES, SUBJECTS
from lib.run.stream import Stream
from lib.takeaway.script import script
from lib.takeaway.study_table import CLASSES
from tests.known_orders import known
from tests.server import ROOT

COMMAND = [sys.executable, "-m", "lib"]


@pytest.fixture
def run(capsys, monkeypatch):
    """The command in this process: a function that returns the exit code and what it printed."""

    def printed(*arguments: str) -> tuple[int, str, str]:
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

    def printed(*arguments: str) -> dict:
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        return json.loads(out)

    return printed


@pytest.mark.parametrize("study", STUDIES)
def test_the_figures_are_those_of_the_library(study, figures):
    query = "samples=40&dtype=float64&outputs=3&evaluation=batched"
    printed = figures("run", "--study", study, f"https://example.org/app?tab=x&{query}")
    experiment = Experiment.parse(query)
    expected = Stream(CLASSES[study](experiment)).finish().figures()
    assert {key: printed[key] for key in expected} == json.loads(json.dumps(expected))
    assert printed["study"] == (STUDIES[study].option_of or study)
    assert printed["complete"] is True and printed["query"] == experiment.query
    assert printed["experiment"] == json.loads(json.dumps(experiment.to_dict()))


@pytest.mark.parametrize(
    ("code", "arguments", "words"),
    [
        (1, "csv missing/file.csv samples=3", "missing"),
        (1, "device=mps&dtype=float64", "MPS has no float64"),  # no machine has it
        (1, "trace 4 5", "component = 5 is not allowed: it must be a whole number from 0 to 4."),
        (2, "inputs=0", "'0' is not allowed: it must be a whole number from 1 to 4096."),
        (2, "imputs=5", "'imputs' is not a key of the query: the closest one is inputs."),
        (2, "hidden=256,256,256,256&outputs=64&inputs=64", "6,000,000"),
        (2, "script dtype=float8", "float8"),
        (2, "decode 1e999", "1e999"),
        (2, "decode 0.1 abc", "'abc' must be one number"),
    ],
)
def test_what_is_not_possible_is_one_sentence(code, arguments, words, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exit_code, out, err = run(*arguments.split())
    assert (exit_code, out) == (code, "") and len(err.splitlines()) == 1 and words in err


class OnATerminal:
    """The command with its stderr on a terminal of its own."""

    def __init__(self, *arguments: str, command: Sequence[str] = ()) -> None:
        self.screen, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        words = [*(command or COMMAND), *arguments]
        out = subprocess.PIPE
        self.process = subprocess.Popen(words, cwd=ROOT, stdout=out, stderr=theirs, text=True)
        os.close(theirs)

    def __enter__(self) -> "OnATerminal":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self.screen)

    def wait_for(self, pattern: str) -> None:
        shown = ""
        while not re.search(pattern, shown):
            ready = select.select([self.screen], [], [], 60)[0]
            assert ready, f"{pattern!r} never came, but {shown!r}"
            shown += os.read(self.screen, 4096).decode()


def test_ctrl_c_prints_what_was_tallied_so_far():
    with OnATerminal("samples=1000000000&evaluation=batched") as terminal:
        terminal.wait_for("[0-9kM]sample/s")  # a rate and no question mark: some are measured
        terminal.process.send_signal(signal.SIGINT)
        printed = json.loads(terminal.process.communicate(timeout=60)[0])
    assert terminal.process.returncode == 0 and printed["complete"] is False
    assert 0 < printed["samples"] < 10**9
    counted = sum(count for _, count in printed["ulps"])
    assert printed["components"] == 5 * printed["samples"] == counted


def test_the_empty_query_is_the_posts_experiment_and_its_progress_bar_ends_at_all_samples():
    with OnATerminal("") as terminal:
        terminal.wait_for("100%")
        printed = json.loads(terminal.process.communicate(timeout=60)[0])
    assert terminal.process.returncode == 0 and printed["experiment"].keys() == FIELDS.keys()
    assert (printed["samples"], printed["components"]) == (5000, 25_000)
    assert printed["environment"]["threads"] == 1 and printed["seconds"] > 0
    histogram = dict(map(tuple, printed["ulps"]))
    assert list(histogram) == sorted(histogram)
    assert sum(histogram.values()) == 25_000 and histogram[0] == printed["equal"]
    assert max(map(abs, histogram)) == printed["max_ulps"]


def test_a_component_is_traced(figures):
    printed = figures("trace", "4", "3", "samples=10")
    assert (printed["sample"], printed["component"]) == (4, 3)
    assert printed["backward"] - printed["jacobian"] == printed["discrepancy"]
    known(printed["verified"], printed["reason"])
    assert printed["backward_steps"][-1]["after"] == printed["backward"]
    assert printed["jacobian_steps"][-1]["after"] == printed["jacobian"]


@pytest.mark.parametrize("study", SUBJECTS)
def test_a_script_is_printed_and_nothing_run(study, run):
    query = "outputs=3&samples=1000000000"
    expected = script(study, Experiment.parse(query))
    assert run("script", "--study", study, query) == (0, expected, "")


@pytest.mark.parametrize(
    ("pasted", "dtype", "expected"),
    [
        (["0.1 0.10000000894"], "float32", {"ulps": [1, 1], "verdict": "Rounding fits"}),
        (["-0.1", "0.2"], "float32", {"verdict": "Not rounding"}),
        (["-0.0086", "-0.0086", "9.3132e-10"], "float32", {"ulps": [1, 1]}),
        (["0.5 and 0.25"], "float32", {"verdict": None}),
        (["2048.5 5004.5"], "float16", {"dtype": "float16"}),
    ],
)
def test_pasted_numbers_are_decoded(pasted, dtype, expected, figures):
    assert expected.items() <= figures("decode", *pasted, "--dtype", dtype).items()


def test_a_reader_that_leaves_gets_one_sentence_and_no_traceback():
    """Python flushes once more at its end, so the command runs in a process of its own."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "fields"], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == "The output was closed before everything was written.\n"

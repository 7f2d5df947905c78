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

from lib.experiment.query import FIELDS, Experiment
from lib.experiment.studies import OPTIONS, SUBJECTS
from lib.run.stream import Stream
from lib.takeaway.script import script
from lib.takeaway.study_table import CLASSES
from tests.known_orders import known
from tests.server import ROOT

COMMAND = [sys.executable, "-m", "lib"]


@pytest.fixture
def run(capsys, monkeypatch):
    """The command in this process: it is run with arguments, and gives its exit code and what it printed."""
    from lib import __main__ as command

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


PRINTED = [
    *(
        ("discrepancy", q)
        for q in ("samples=60&dtype=float64&seed=4", "evaluation=batched&samples=9000&outputs=3")
    ),
    *(("pitfall", "samples=60&outputs=3"), ("batch", "samples=40")),
    *(
        ("derivative", q)
        for q in ("samples=200", "samples=90&dtype=float64&function=sigmoid&x_from=log-uniform")
    ),
    *(("ladder", "samples=40"), ("methods", "samples=20")),
]


@pytest.mark.parametrize(("study", "query"), PRINTED)
def test_the_figures_are_those_of_the_library(study, query, figures):
    arguments, of = (
        ([f"--{study}"], OPTIONS[study].option_of)
        if study in OPTIONS
        else (["--study", study], study)
    )
    printed = figures(*arguments, f"https://example.org/app?{query}")
    expected = Stream(CLASSES[study](Experiment.parse(query))).finish().figures()
    assert {key: printed[key] for key in expected} == json.loads(json.dumps(expected))
    assert (printed["study"], printed["complete"]) == (of, True)
    assert Experiment.parse(printed["query"]) == Experiment.parse(query)
    assert Experiment(**printed["experiment"] | {"hidden": (10,)}) == Experiment.parse(query)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["samples=3", "--csv", "missing/file.csv"], "missing"),
        (["device=mps&dtype=float64"], "MPS has no float64"),  # no machine has it
        (
            ["--trace", "4,5"],
            "component = 5 is not allowed: it must be a whole number from 0 to 4.\n",
        ),
    ],
)
def test_anything_else_is_one_sentence_and_exit_code_1(
    arguments, words, run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (1, "") and len(err.splitlines()) == 1 and words in err


class OnATerminal:
    """The command with its stderr on a terminal of its own."""

    def __init__(self, *arguments: str, command: Sequence[str] = ()) -> None:
        self.screen, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        self.process = subprocess.Popen(
            [*(command or COMMAND), *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
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
            assert select.select([self.screen], [], [], 60)[0], (
                f"{pattern!r} never came, but {shown!r}"
            )
            shown += os.read(self.screen, 4096).decode()


def test_ctrl_c_prints_what_was_tallied_so_far():
    with OnATerminal("samples=1000000000&evaluation=batched") as command:
        command.wait_for(
            "[0-9kM]sample/s"
        )  # a rate and no question mark: samples have been measured
        command.process.send_signal(signal.SIGINT)
        printed = json.loads(command.process.communicate(timeout=60)[0])
    assert command.process.returncode == 0
    assert printed["complete"] is False
    assert 0 < printed["samples"] < 10**9
    assert (
        printed["components"]
        == 5 * printed["samples"]
        == sum(count for _, count in printed["ulps"])
    )


def test_the_empty_query_is_the_posts_experiment_and_its_progress_bar_ends_at_all_samples():
    with OnATerminal("") as command:
        command.wait_for("100%")
        printed = json.loads(command.process.communicate(timeout=60)[0])
    assert command.process.returncode == 0 and printed["experiment"].keys() == FIELDS.keys()
    assert (printed["samples"], printed["components"]) == (5000, 25_000)
    assert printed["environment"]["threads"] == 1 and printed["seconds"] > 0
    histogram = dict(map(tuple, printed["ulps"]))
    assert list(histogram) == sorted(histogram)
    assert sum(histogram.values()) == 25_000 and histogram[0] == printed["equal"]
    assert max(map(abs, histogram)) == printed["max_ulps"]


def test_the_posts_matrices(figures):
    assert figures("--study", "pitfall", "--post") == {
        "single": [[10, 18], [10, 18], [10, 18], [10, 18]],
        "rows": [[2, 0], [0, 2], [8, 0], [0, 16]],
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["inputs=0"], "'0' is not allowed: it must be a whole number from 1 to 4096."),
        (["dtype=float8"], "bfloat16"),
        (["imputs=5"], "inputs"),
        (["seed=1&seed=2"], "once"),
        (["hidden=256,256,256,256&outputs=64&inputs=64"], "6,000,000"),
        (["--post"], "pitfall"),
        (["--study", "pitfall", "--csv", "x"], "--csv"),
        (["--study", "gradients"], "gradients"),
        *(
            ([f"--trace={place}"], "SAMPLE,COMPONENT")
            for place in ("x", "1", "1,2,3", "-1,0", "1;0")
        ),
        (["--script", "--ladder"], "--ladder"),
        (["--script", "dtype=float8"], "float8"),
        (["--dtype", "float32"], "--dtype"),
        (["--decode", "1", "--dtype", "float8"], "--dtype"),
        (["--decode", "1e999"], "1e999"),
        (["--decode", "0.1", "abc"], "'abc' must be one number"),
        (["--decode", "1", "2", "3", "4"], "--decode"),
    ],
)
def test_what_is_not_allowed_is_refused(arguments, words, run):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and words in err.splitlines()[-1]
    assert len(err.splitlines()) == 1 or arguments[0].startswith(
        "-"
    )  # without the usage, which is about options


def test_a_link_that_opens_another_tab_is_the_same_experiment(figures):
    link = "https://example.org/?samples=30&tab=Why+are+all+rows+the+same%3F&fixes=true&costs=true"
    assert figures(link)["query"] == "samples=30"


def test_a_component_is_traced(figures):
    printed = figures("--trace", "4,4", "samples=10")
    assert (printed["sample"], printed["component"]) == (4, 4)
    assert printed["backward"] - printed["jacobian"] == printed["discrepancy"]
    known(printed["verified"], printed["reason"])
    assert printed["backward_steps"][-1]["after"] == printed["backward"]
    assert printed["jacobian_steps"][-1]["after"] == printed["jacobian"]


@pytest.mark.parametrize("study", SUBJECTS)
def test_a_script_is_printed_and_nothing_run(study, run):
    query = "outputs=3&samples=1000000000"
    assert run("--script", "--study", study, query) == (
        0,
        script(study, Experiment.parse(query)),
        "",
    )


@pytest.mark.parametrize("option", ["--fingerprint", "--lean", "--own", "--parquet", "--report"])
def test_an_option_of_an_older_version_is_refused_in_one_sentence(option, run):
    code, out, err = run(option, "samples=30")
    assert (code, out) == (2, "") and re.fullmatch(rf"{option} is gone: [^\n]+\.\n", err)
    assert "is gone" not in run("--decode", option)[2]


def test_pasted_numbers_are_decoded(figures):
    printed = figures("--decode", "0.1 0.10000000894", "--dtype", "float32")
    assert printed["ulps"] == [1, 1] and printed["difference"] == printed["spacing"] == 2**-27
    assert printed["verdict"] == "Rounding fits"
    assert figures("--decode", "-0.1", "0.2")["verdict"] == "Not rounding"
    assert figures("--decode", "-0.0086", "-0.0086", "9.3132e-10")["ulps"] == [1, 1]
    assert figures("--decode", "0.5 and 0.25")["verdict"] is None
    assert figures("dtype=float16", "--decode", "2048.5 5004.5")["dtype"] == "float16"
    assert (
        figures("dtype=float16", "--decode", "2048.5 5004.5", "--dtype", "float64")["dtype"]
        == "float64"
    )
    several = figures("--decode", "tensor([0.0086, 0.5]) [0.0086, 0.5]", "--dtype", "bfloat16")
    assert [one["ulps"] for one in several["components"]] == [[0, 0], [0, 0]]


def test_a_reader_that_leaves_gets_one_sentence_and_no_traceback(run, monkeypatch):
    """Also as a process of its own, which flushes once more at its end."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [*COMMAND, "--decode", "0.5 0.25"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (
        1,
        "The output was closed before everything was written.\n",
    )
    with os.fdopen(writing, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        code, _, err = run("samples=20")
    assert (code, err) == (1, done.stderr)

"""A run that was stopped goes on to the same figures; its file is whole, and nobody else's."""

import json
import os

import pytest

from lib.derivative.study import Derivative
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.network import machine
from lib.pitfall.study import Pitfall
from lib.run import long_run
from lib.run.checkpoint import Checkpoint, Progress
from lib.run.long_run import LongRun
from lib.run.ranks import Ranks
from lib.run.stream import Stream

IDENTITY = {"query": "samples=30"}
BEGINNING = Progress((range(30),), DiscrepancyTally())


def run(path, study=Discrepancy, query="samples=30", interrupted=lambda: False):
    at_work = LongRun(study, Experiment.parse(query), Ranks(), str(path))
    at_work.finish(interrupted)
    return at_work.progress


@pytest.mark.parametrize(
    ("study", "query"),
    [
        (Discrepancy, "samples=600&networks=each-block&evaluation=batched"),
        (Derivative, f"samples={2 * 2**16 + 5}"),
    ],
)
def test_a_run_stopped_again_and_again_has_the_figures_of_one_that_was_not(
    study, query, tmp_path, monkeypatch
):
    monkeypatch.setattr(long_run, "_SLICE", 0)
    path, left, seconds = tmp_path / "run.json", [], [0.0]
    while () not in left:
        progress = run(path, study, query, interrupted=lambda: True)
        left.append(progress.left)
        seconds.append(progress.seconds)
    assert len(set(left)) == len(left) >= 3 and seconds == sorted(set(seconds))
    assert progress.tally == Stream(study(Experiment.parse(query))).finish()
    assert os.listdir(tmp_path) == ["run.json"]
    monkeypatch.setattr(study, "measure", None)
    assert run(path, study, query) == progress, "a finished run is not run again"


def refused(path, *arguments):
    """Why the run cannot go on from the file, which it leaves as it was."""
    before = path.read_bytes()
    with pytest.raises(RuntimeError) as error:
        run(path, *arguments)
    assert path.read_bytes() == before
    sentence = str(error.value)
    assert "\n" not in sentence and "left unchanged" in sentence and path.name in sentence
    return sentence


def test_the_checkpoint_of_another_run_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    run(path)
    assert "query is 'samples=30', and here it is 'samples=31'" in refused(
        path, Discrepancy, "samples=31"
    )
    assert "study is 'Discrepancy', and here it is 'Ladder'" in refused(path, Ladder)
    describe = machine.describe
    monkeypatch.setattr(machine, "describe", lambda query: describe(query) | {"torch": "1.0"})
    assert "torch is" in refused(path)
    monkeypatch.setattr(machine, "describe", describe)
    monkeypatch.setattr(long_run, "code_digest", lambda: "other")
    assert "code is" in refused(path)


NOT_JSON = ("", "{", "[]", "null", "1", '{"identity": 7}', '{"progress": {}}', b"\xff\xfe")
NO_PROGRESS = (
    {"left": [[0, 31]]},
    {"left": [[20, 10]]},
    {"left": [[5, 5]]},
    {"left": [[0, 10], [5, 15]]},
    {"left": [[0, 1]]},
    {"tally": None},
    {"tally": {"type": "RungTally"}},
    {"seconds": "1"},
)


def test_what_is_no_checkpoint_is_refused_and_left(tmp_path):
    path = tmp_path / "run.json"
    run(path)
    text = path.read_text()
    whole = json.loads(text)
    changed = [
        json.dumps(whole | {"progress": whole["progress"] | changes}) for changes in NO_PROGRESS
    ]
    for damaged in (*NOT_JSON, text[:-1], text[: len(text) // 2], *changed):
        path.write_bytes(damaged if isinstance(damaged, bytes) else damaged.encode())
        assert "not a checkpoint" in refused(path), damaged
    checkpoint = Checkpoint(str(path), IDENTITY)
    of_another_study = Stream(Pitfall(Experiment(samples=30))).finish()
    checkpoint.write(Progress((), of_another_study))
    with pytest.raises(RuntimeError, match="not a checkpoint"):
        checkpoint.read(BEGINNING)


@pytest.mark.parametrize("step", ["builtins.open", "os.fsync", "os.replace"])
def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(step, tmp_path, monkeypatch):
    checkpoint = Checkpoint(str(tmp_path / "run.json"), IDENTITY)
    checkpoint.write(BEGINNING)

    def fail(*arguments, **options):
        raise OSError("no space left")

    monkeypatch.setattr(step, fail)
    with pytest.raises(OSError, match="no space"):
        checkpoint.write(Progress((), DiscrepancyTally(30)))
    monkeypatch.undo()
    read = checkpoint.read(Progress((range(30),), DiscrepancyTally()))
    assert read == BEGINNING and read is not BEGINNING

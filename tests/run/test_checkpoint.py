"""A run that was stopped goes on to the same figures; its file is whole whenever it is killed, and nobody else's."""

import json
import os

import pytest

from lib.__main__ import main
from lib.batch.study import Batch
from lib.derivative.study import Derivative
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.scaling import Ladder
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


def run(path, study=Discrepancy, query="samples=30", interrupted=lambda: False):
    at_work = LongRun(study, Experiment.parse(query), Ranks(), str(path))
    at_work.finish(interrupted)
    return at_work.progress


@pytest.mark.parametrize(
    ("study", "query"),
    [
        *(
            (Discrepancy, "samples=30"),
            (Discrepancy, "samples=1000&networks=each-block&evaluation=batched"),
        ),
        *((Pitfall, "samples=20"), (Derivative, f"samples={2**16 + 5}"), (Ladder, "samples=12")),
        *((Agreement, "samples=5"), (Batch, "samples=1600")),
    ],
)
def test_a_run_stopped_again_and_again_has_the_figures_of_one_that_was_not(
    study, query, tmp_path, monkeypatch
):
    monkeypatch.setattr(long_run, "_SLICE", 0)
    stops, left = 0, None
    while left != ():
        progress = run(tmp_path / "run.json", study, query, interrupted=lambda: True)
        assert progress.left != left
        stops, left = stops + 1, progress.left
    assert stops >= 3
    assert progress.tally == Stream(study(Experiment.parse(query))).finish()
    assert os.listdir(tmp_path) == ["run.json"]


def test_a_finished_run_is_not_run_again_and_its_seconds_add_up(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    monkeypatch.setattr(long_run, "_SLICE", 0)
    half = run(path, interrupted=lambda: True)
    done = run(path)
    assert 0 < half.seconds < done.seconds and half.left == (range(1, 30),)
    monkeypatch.setattr(Discrepancy, "measure", None)
    assert run(path) == done


def refused(path, capsys, *arguments):
    """What the command says, having left the file as it was."""
    before = path.read_bytes()
    assert main([*arguments, "--checkpoint", str(path)]) == 1
    assert path.read_bytes() == before
    out, sentence = capsys.readouterr()
    assert (
        out == ""
        and len(sentence.splitlines()) == 1
        and "was left unchanged" in sentence
        and path.name in sentence
    )
    return sentence


def test_the_checkpoint_of_another_run_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    path = tmp_path / "run.json"
    run(path)
    assert "query is 'samples=30', and here it is 'samples=31'" in refused(
        path, capsys, "samples=31"
    )
    assert "study is 'Discrepancy', and here it is 'Ladder'" in refused(
        path, capsys, "samples=30", "--ladder"
    )
    monkeypatch.setattr(
        machine,
        "describe",
        lambda experiment, real=machine.describe: real(experiment) | {"torch": "1.0"},
    )
    assert "torch is" in refused(path, capsys, "samples=30")
    monkeypatch.undo()
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    monkeypatch.setattr(long_run, "code_digest", lambda: "other")
    assert "code is" in refused(path, capsys, "samples=30")


def damaged(text):
    """A text that is no checkpoint, in many ways."""
    yield from (
        "",
        "{",
        "[]",
        "null",
        "1",
        '{"identity": 7}',
        '{"progress": {}}',
        text[:-1],
        text[: len(text) // 2],
    )
    whole = json.loads(text)
    for changes in (
        *(
            {"left": [[0, 31]]},
            {"left": [[20, 10]]},
            {"left": [[5, 5]]},
            {"left": [[0, 10], [5, 15]]},
        ),
        *({"left": [[0, 1]]}, {"tally": None}, {"tally": {"type": "RungTally"}}, {"seconds": "1"}),
    ):
        yield json.dumps(whole | {"progress": whole["progress"] | changes})


def test_what_is_no_checkpoint_is_refused_and_left(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    path = tmp_path / "run.json"
    run(path)
    for text in [*damaged(path.read_text()), b"\xff\xfe"]:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert "not a checkpoint" in refused(path, capsys, "samples=30"), text
    # Another study's tally that is whole.
    Checkpoint(str(path), IDENTITY).write(
        Progress((), Stream(Pitfall(Experiment(samples=30))).finish())
    )
    with pytest.raises(RuntimeError, match="not a checkpoint"):
        Checkpoint(str(path), IDENTITY).read(Progress((range(30),), DiscrepancyTally()))


@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(step, tmp_path, monkeypatch):
    checkpoint = Checkpoint(str(tmp_path / "run.json"), IDENTITY)
    before = Progress((range(30),), DiscrepancyTally())
    checkpoint.write(before)

    def fail(*arguments, **options):
        raise OSError("no space left")

    monkeypatch.setattr("builtins.open" if step == "open" else f"os.{step}", fail)
    with pytest.raises(OSError, match="no space"):
        checkpoint.write(Progress((), Stream(Discrepancy(Experiment(samples=30))).finish()))
    monkeypatch.undo()
    assert checkpoint.read(before) is not before and checkpoint.read(before) == before


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    run(link)
    assert link.is_symlink() and json.loads(target.read_text())

"""A run that was stopped goes on to the same figures; its file is whole, and nobody else's."""

import json
import os
import sys
from dataclasses import replace
from itertools import count

import pytest

from lib.discrepancy.ladder import Ladder
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.network import machine
from lib.pitfall.study import Pitfall
from lib.run import long_run
from lib.run.checkpoint import Checkpoint, Progress
from lib.run.long_run import LongRun
from lib.run.ranks import Rank
from lib.run.stream import Stream
from lib.run.tally_json import to_json
from tests.cases import finish

BEGINNING = Progress((range(30),), DiscrepancyTally())


def run(path, study=Discrepancy, query="samples=30", interrupted=lambda: False):
    at_work = LongRun(study, Experiment.parse(query), Rank(), str(path))
    at_work.finish(interrupted)
    return at_work.progress


def test_a_run_stopped_again_and_again_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(long_run, "_SLICE", 0)
    query = "samples=600&networks=each-block&evaluation=batched"
    path, left, seconds = tmp_path / "run.json", [], [0.0]
    while () not in left:
        progress = run(path, Discrepancy, query, interrupted=lambda: True)
        left.append(progress.left)
        seconds.append(progress.seconds)
    assert len(set(left)) == len(left) >= 3 and seconds == sorted(set(seconds))
    assert progress.tally == finish(Discrepancy, Experiment.parse(query))
    assert os.listdir(tmp_path) == ["run.json"]
    monkeypatch.setattr(Discrepancy, "measure", None)
    assert run(path, Discrepancy, query) == progress, "a finished run is not run again"


def test_a_checkpoint_is_written_every_five_seconds(tmp_path, monkeypatch):
    """A sample takes two seconds, and writing one."""
    clock, written = count(9), []
    monkeypatch.setattr(long_run, "_SLICE", 0)
    monkeypatch.setattr(long_run, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(Checkpoint, "write", lambda checkpoint, given: written.append(given))
    run(tmp_path / "run.json", query="samples=7")
    measured = [(progress.tally.samples, progress.seconds) for progress in written]
    assert measured == [(0, 0), (3, 5), (6, 12), (7, 15)]


def test_a_slice_takes_a_tenth_of_a_second(monkeypatch):
    seconds = []
    monkeypatch.setattr(Stream, "advance", lambda stream, length: seconds.append(length))
    LongRun(Discrepancy, Experiment(), Rank(), None).finish(lambda: True)
    assert seconds == [0.1]


def test_a_bar_is_drawn_on_a_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(tmp_path / "run.json", query="samples=2000")
    assert "2.00k/2.00k" in capsys.readouterr().err


def refused(path, *arguments):
    """Why the run cannot go on from the file, which it leaves as it was."""
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="^run.json .* left unchanged.*$") as error:
        run(path, *arguments)
    assert path.read_bytes() == before
    return str(error.value)


def test_the_checkpoint_of_another_run_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    run(path)
    of_query = refused(path, Discrepancy, "samples=31")
    assert "query is 'samples=30', and here it is 'samples=31'" in of_query
    assert "study is 'Discrepancy', and here it is 'Ladder'" in refused(path, Ladder)
    with monkeypatch.context() as patch:
        patch.setattr(long_run, "code_digest", lambda: "other")
        assert "code is" in refused(path)
    describe = machine.describe
    monkeypatch.setattr(machine, "describe", lambda query: describe(query) | {"torch": "1.0"})
    assert "torch is" in refused(path)


LEFT = [([[0, 31]], -1), ([[20, 10]], 30), ([[5, 5]], 30), ([[0, 10], [5, 15]], 10)]
DAMAGES = [
    *(b"", b"[]", b'{"identity": 7}', b"{}", b"\xff"),
    *({"left": left, "tally": to_json(DiscrepancyTally(tallied))} for left, tallied in LEFT),
    *({"left": [[0, 1]]}, {"tally": {"type": "RungTally"}}, {"seconds": "1"}),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_no_checkpoint(damage, tmp_path):
    path = tmp_path / "run.json"
    run(path)
    if isinstance(damage, dict):
        written = json.loads(path.read_text())
        damage = json.dumps(written | {"progress": written["progress"] | damage}).encode()
    path.write_bytes(damage)
    assert "not a checkpoint" in refused(path)


@pytest.mark.parametrize("step", ["builtins.open", "os.fsync", "os.replace"])
def test_a_failed_checkpoint_leaves_the_one_before(step, tmp_path, monkeypatch):
    checkpoint = Checkpoint(str(tmp_path / "run.json"), {"query": "samples=30"})
    checkpoint.write(BEGINNING)

    def fail(*arguments, **options):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(OSError, match="no space"):
            checkpoint.write(Progress((), DiscrepancyTally(30)))
    assert checkpoint.read(replace(BEGINNING, seconds=1.0)) == BEGINNING
    checkpoint.write(Progress((), finish(Pitfall, Experiment(samples=30))))
    with pytest.raises(RuntimeError, match="not a checkpoint"):
        checkpoint.read(BEGINNING)

"""Several processes give the JSON of one; and when one of them dies, what there is."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import __main__ as command
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run import long_run
from lib.run.long_run import LongRun
from lib.run.ranks import Ended, Ranks
from lib.run.stream import Stream
from tests.server import ROOT

BLOCK = 16


@st.composite
def left(draw):
    """Ranges in order, each of which ends where a block ends or after all samples."""
    parts, start = [], 0
    for _ in range(draw(st.integers(0, 5))):
        start += draw(st.integers(0, 3 * BLOCK))
        stop = (start // BLOCK + draw(st.integers(1, 6))) * BLOCK
        parts.append(range(start, stop))
        start = stop
    end = draw(st.integers(0, 40))
    return [*parts, range(start, start + end)] if end else parts


@given(left(), st.integers(1, 9))
def test_the_shares_are_all_that_is_left_in_whole_blocks_as_many_each_but_for_one(parts, count):
    shares = [Ranks(rank, count).share(parts, BLOCK) for rank in range(count)]
    flat = [part for share in shares for part in share]
    assert [n for part in flat for n in part] == [n for part in parts for n in part]
    ends = {part.stop for part in parts}
    assert all(part.stop % BLOCK == 0 or part.stop in ends for part in flat)
    sizes = [len({n // BLOCK for part in share for n in part}) for share in shares]
    assert max(sizes) - min(sizes) <= 1


TORCHRUN = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "TORCHELASTIC_RUN_ID": "none"}


def test_torchrun_says_which_process_this_is():
    assert Ranks.of(TORCHRUN) == Ranks(5, 8, 1)
    assert Ranks.of({"RANK": "5"}) == Ranks() == Ranks(0, 1, 0)


@pytest.mark.parametrize("rank", [0, 1])
def test_what_all_ranks_find_wrong_is_said_by_rank_0(rank, monkeypatch, capsys):
    for name, value in (TORCHRUN | {"RANK": str(rank)}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(command, "_WAIT", 0)
    with pytest.raises(SystemExit) as exit_:
        command.main(["csv", "file.csv"])
    out, err = capsys.readouterr()
    assert (exit_.value.code, out) == (2, "")
    assert ("csv needs a single process" in err) == (rank == 0)
    assert rank == 0 or err == ""


class TwoRanks:
    """A meeting of two ranks, of which the other one says what rank 0 says, but for a change."""

    change: dict[str, object] = {}

    def __init__(self, ranks):
        self.count = 0

    def exchange(self, message, answer, kind):
        self.count += 1
        if self.count == 4:
            raise Ended("Rank 1 died.")
        return answer([message, replace(message, **self.change)])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"identity": {"torch": "1.0"}}, "Rank 1 may compute other bits than rank 0: .* is "),
        ({"unsupported_reason": "No CUDA."}, "No CUDA. This is the machine of rank 1."),
    ],
)
def test_a_rank_that_could_not_give_the_same_bits_is_refused(
    change, sentence, monkeypatch, tmp_path
):
    monkeypatch.setattr(TwoRanks, "change", change)
    monkeypatch.setattr(long_run, "Meeting", TwoRanks)
    with pytest.raises(RuntimeError, match=sentence):
        LongRun(Discrepancy, Experiment(), Ranks(0, 2), str(tmp_path / "run.json"))
    assert not os.listdir(tmp_path)


def test_when_a_rank_dies_the_partial_tally_is_there_and_in_the_checkpoint(monkeypatch, tmp_path):
    """Both report the two samples that are measured here."""
    monkeypatch.setattr(long_run, "_BETWEEN_MEETINGS", 0)
    monkeypatch.setattr(long_run, "Meeting", TwoRanks)
    path = tmp_path / "run.json"
    experiment = Experiment(samples=600, networks="each-block")
    run = LongRun(Discrepancy, experiment, Ranks(0, 2), str(path))
    run.finish(interrupted=lambda: False)
    assert str(run.ended) == "Rank 1 died."
    measured = Stream(Discrepancy(experiment))
    measured.advance(0)
    measured.advance(0)
    assert run.progress.tally == measured.tally + measured.tally
    written = json.loads(path.read_text())["progress"]
    assert written["left"] == [[part.start, part.stop] for part in run.progress.left]
    other = LongRun(Discrepancy, experiment, Ranks(1, 2), str(tmp_path / "other.json"))
    other.finish(interrupted=lambda: True)
    assert os.listdir(tmp_path) == ["run.json"], "rank 0 alone writes"


def test_two_processes_go_on_from_a_checkpoint_of_one_and_print_its_json(
    tmp_path, capfd, monkeypatch
):
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    query, path = "samples=20000&evaluation=batched&outputs=3", tmp_path / "run.json"
    assert command.main([query]) == 0
    expected = json.loads(capfd.readouterr().out)
    monkeypatch.setattr(long_run, "_SLICE", 0)
    begun = LongRun(Discrepancy, Experiment.parse(query), Ranks(), str(path))
    begun.finish(interrupted=lambda: True)
    assert begun.progress.left == (range(8192, 20000),)
    torchrun = Path(sys.executable).with_name("torchrun")
    options = "--standalone --nproc-per-node 2 -m lib".split()
    done = subprocess.run(
        [torchrun, *options, query, "--checkpoint", path],
        cwd=ROOT,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0
    printed = json.loads(done.stdout)
    assert printed | {"seconds": 0} == expected | {"seconds": 0}
    assert list(printed) == list(expected)

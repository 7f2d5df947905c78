"""Several processes give the JSON of one, whatever they share out; and when one of them dies, what there is."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import __main__ as command
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run import long_run
from lib.run.long_run import LongRun
from lib.run.ranks import Ranks
from tests.test_command_line import ROOT, OnATerminal

TORCHRUN = [
    str(Path(sys.executable).with_name("torchrun")),
    *"--standalone --nproc-per-node 2 -m lib".split(),
]
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
    return (
        [*parts, range(start, start + draw(st.integers(1, 40)))] if draw(st.booleans()) else parts
    )


@given(left(), st.integers(1, 9))
def test_the_shares_are_all_that_is_left_in_order_in_as_many_whole_blocks_but_for_one(parts, count):
    shares = [Ranks(rank, count).share(parts, BLOCK) for rank in range(count)]
    assert [n for share in shares for part in share for n in part] == [
        n for part in parts for n in part
    ]
    ends = {part.stop for part in parts}
    assert all(part.stop % BLOCK == 0 or part.stop in ends for share in shares for part in share)
    sizes = [len({n // BLOCK for part in share for n in part}) for share in shares]
    assert max(sizes) - min(sizes) <= 1


def test_processes_are_told_by_torchrun_who_they_are():
    told = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "TORCHELASTIC_RUN_ID": "none"}
    assert Ranks.of(told) == Ranks(5, 8, 1)
    del told["TORCHELASTIC_RUN_ID"]
    assert Ranks.of(told) == Ranks() == Ranks(0, 1, 0)


@pytest.fixture
def as_rank(monkeypatch):
    """Makes this process believe that torchrun started it, as one of two."""

    def become(rank):
        for name, value in {
            "RANK": rank,
            "WORLD_SIZE": 2,
            "LOCAL_RANK": rank,
            "TORCHELASTIC_RUN_ID": 1,
        }.items():
            monkeypatch.setenv(name, str(value))
        monkeypatch.setattr(command, "_WAIT", 0)

    return become


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["inputs=0"], "inputs = '0' is not allowed"),
        (
            ["--csv", "file.csv"],
            "--csv cannot be combined with --checkpoint or with several processes",
        ),
        (["--trace", "0,0"], "--trace cannot be combined"),
        (["--decode", ""], "--decode cannot be combined"),
        (["--study", "pitfall", "--post"], "--post cannot be combined"),
    ],
)
def test_what_all_ranks_find_wrong_is_said_once(arguments, words, as_rank, capsys):
    for rank in (0, 1):
        as_rank(rank)
        with pytest.raises(SystemExit) as exit_:
            command.main(arguments)
        out, err = capsys.readouterr()
        assert (exit_.value.code, out) == (2, "")
        assert words in err if rank == 0 else err == ""


class OtherRank:
    """A meeting of two ranks, of which the other one says what rank 0 says, but for a change."""

    change: dict[str, object]

    def __init__(self, ranks):
        pass

    def exchange(self, message, answer, kind):
        return answer([message, replace(message, **self.change)])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"identity": {"torch": "1.0"}}, "Rank 1 may compute other bits than rank 0: .* is "),
        (
            {"unsupported_reason": "This machine has no CUDA device."},
            "no CUDA device. This is the machine of rank 1.",
        ),
    ],
)
def test_a_rank_that_could_not_give_the_same_bits_is_refused(
    change, sentence, monkeypatch, tmp_path
):
    monkeypatch.setattr(OtherRank, "change", change, raising=False)
    monkeypatch.setattr(long_run, "Meeting", OtherRank)
    with pytest.raises(RuntimeError, match=sentence):
        LongRun(Discrepancy, Experiment(), Ranks(0, 2), str(tmp_path / "run.json"))
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(("count", "seconds"), [(1, 0.1), (2, 1.0)])
def test_ranks_meet_about_once_a_second_and_one_process_alone_looks_up_ten_times(
    count, seconds, monkeypatch
):
    slices, run = [], object.__new__(LongRun)
    monkeypatch.setattr(long_run, "perf_counter", lambda: sum(slices))
    run._ranks = Ranks(0, count)
    run._measure(SimpleNamespace(advance=slices.append, complete=False), interrupted=lambda: False)
    assert 0.99 * seconds <= sum(slices) <= seconds + 0.11


def test_two_processes_go_on_from_a_checkpoint_of_one_and_print_its_json(
    tmp_path, capfd, monkeypatch
):
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(long_run, "_SLICE", 0)
    query, path = "samples=50000&evaluation=batched&outputs=3", tmp_path / "run.json"
    assert command.main([query]) == 0
    expected = json.loads(capfd.readouterr().out)
    begun = LongRun(Discrepancy, Experiment.parse(query), Ranks(), str(path))
    begun.finish(interrupted=lambda: True)
    assert begun.progress.left == (range(8192, 50000),)
    done = subprocess.run(
        [*TORCHRUN, query, "--checkpoint", str(path)], cwd=ROOT, capture_output=True, timeout=120
    )
    assert done.returncode == 0
    printed = json.loads(done.stdout)
    assert printed | {"seconds": 0} == expected | {"seconds": 0}
    assert list(printed) == list(expected)


def process_of_rank(torchrun, rank):
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == torchrun and f"RANK={rank}".encode() in (
                path / "environ"
            ).read_bytes().split(b"\0"):
                return int(path.name)
        except OSError:
            continue  # it has ended
    raise LookupError(rank)


def test_when_a_rank_dies_rank_0_prints_the_partial_tally_and_the_checkpoint_stays(tmp_path):
    path = tmp_path / "run.json"
    with OnATerminal(
        "samples=1000000000&evaluation=batched", "--checkpoint", str(path), command=TORCHRUN
    ) as run:
        run.wait_for("[0-9kM]sample/s")
        os.kill(process_of_rank(run.process.pid, 1), signal.SIGKILL)
        run.wait_for("Rank 1 died")
        out = run.process.communicate(timeout=60)[0]
    assert run.process.returncode == 1
    progress = json.loads(path.read_text())["progress"]
    left = sum(stop - start for start, stop in progress["left"])
    assert len(progress["left"]) == (2 if left < 10**9 else 1)
    printed = json.loads(out)
    assert printed["complete"] is False and 0 < printed["samples"] == 10**9 - left
    assert (
        printed["components"]
        == 5 * printed["samples"]
        == sum(count for _, count in printed["ulps"])
    )

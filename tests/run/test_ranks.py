"""Several processes give the JSON of one; and when one of them dies, what there is."""

import json
import signal
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch.distributed.run import main as torchrun

from lib import __main__ as command
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run import long_run
from lib.run.long_run import LongRun
from lib.run.ranks import Ended, Rank
from lib.run.stream import Stream
from tests.server import ROOT

BLOCK = 16


@given(st.integers(0, 400), st.lists(st.integers(0, 99), min_size=1, max_size=5), st.integers(1, 9))
def test_shares_are_all_that_is_left(samples, measured, count):
    """In whole blocks. Left is what other ranks have not measured of their shares."""
    parts = []
    for rank, number in enumerate(measured):
        for part in Rank(rank, len(measured)).share([range(samples)], BLOCK):
            parts += [part[number:]] if part[number:] else []
    shares = [Rank(rank, count).share(parts, BLOCK) for rank in range(count)]
    flat = [part for share in shares for part in share]
    assert [n for part in flat for n in part] == [n for part in parts for n in part]
    ends = {part.stop for part in parts}
    assert all(part.stop % BLOCK == 0 or part.stop in ends for part in flat)
    sizes = [len({n // BLOCK for part in share for n in part}) for share in shares]
    assert max(sizes) - min(sizes) <= 1


def test_a_process_reads_its_place_in_the_run():
    places = {"RANK": "1", "WORLD_SIZE": "8", "LOCAL_RANK": "3"}
    assert Rank.of(places | {"TORCHELASTIC_RUN_ID": "none"}) == Rank(1, 8, 3)
    assert Rank() == Rank(0, 1, 0)


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


@pytest.fixture
def long(monkeypatch, tmp_path):
    """A function that makes the long run of a rank of two, and the path of its checkpoint."""
    monkeypatch.setattr(long_run, "_BETWEEN_MEETINGS", 0)
    monkeypatch.setattr(long_run, "Meeting", TwoRanks)
    experiment = Experiment(samples=600, networks="each-block")
    path = tmp_path / "run.json"
    return lambda rank: LongRun(Discrepancy, experiment, Rank(rank, 2), str(path)), path


def test_a_rank_with_other_bits_is_refused(monkeypatch, long):
    run, path = long
    monkeypatch.setattr(TwoRanks, "change", {"identity": {"torch": "1.0"}})
    with pytest.raises(RuntimeError, match="Rank 1 may compute other bits than rank 0: .* is "):
        run(0)
    assert not path.exists()


def test_when_a_rank_dies_the_partial_tally_is_kept(long, capsys):
    """Both report the two samples that are measured here."""
    run, path = long
    run(1).finish(interrupted=lambda: True)
    assert not path.exists() and not capsys.readouterr().err
    first = run(0)
    first.finish(interrupted=lambda: False)
    assert str(first.ended) == "Rank 1 died."
    measured = Stream(Discrepancy(Experiment(samples=600, networks="each-block")))
    measured.advance(0)
    measured.advance(0)
    assert first.progress.tally == measured.tally + measured.tally
    written = json.loads(path.read_text())["progress"]
    assert written["left"] == [[part.start, part.stop] for part in first.progress.left]


def test_two_processes_go_on_from_a_checkpoint_of_one(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.chdir(ROOT)
    query, path = "samples=20000&evaluation=batched&outputs=3", tmp_path / "run.json"
    assert command.main([query]) == 0
    expected = json.loads(capfd.readouterr().out)
    monkeypatch.setattr(long_run, "_SLICE", 0)
    begun = LongRun(Discrepancy, Experiment.parse(query), Rank(), str(path))
    begun.finish(interrupted=lambda: True)
    assert begun.progress.left == (range(8192, 20000),)
    # else torchrun sets it, for this process as well
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    options = "--standalone --nproc-per-node 2 -m lib".split()
    torchrun([*options, query, "--checkpoint", str(path)])
    printed = json.loads(capfd.readouterr().out)
    assert list((printed | {"seconds": 0}).items()) == list((expected | {"seconds": 0}).items())

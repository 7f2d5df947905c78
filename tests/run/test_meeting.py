"""Where ranks put together what they have measured: who says what to whom, and what happens when one is gone."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from queue import Empty, Queue
from threading import Thread, local

import pytest

from lib.run import long_run
from lib.run.long_run import SILENCE, Meeting
from lib.run.ranks import Ended, Ranks

PATIENCE = 30.0  # seconds
LOST = "Rank {} died or was silent for minutes, so the run ended early."


@dataclass(frozen=True)
class Said:
    """A message or an answer."""

    words: str


class Wires:
    """In place of `torch.distributed`: ranks are threads, and a rank can be cut off."""

    def __init__(self):
        self.me = local()
        self.cut = set()
        self.patience = {}
        self._on_the_way = {}

    def init_process_group(self, backend, timeout):
        assert backend == "gloo"
        self.patience[self.me.rank] = timeout

    def send(self, tensor, rank):
        self._check(rank)
        self._way(self.me.rank, rank).put(tensor.clone())

    def recv(self, tensor, rank):
        for _ in range(int(PATIENCE / 0.01)):
            with suppress(Empty):
                tensor.copy_(self._way(rank, self.me.rank).get(timeout=0.01))
                return
            self._check(rank)
        raise RuntimeError("silence")

    def _way(self, sender, receiver):
        """The one queue of this connection, even if both ends are the first to ask for it: `setdefault` is atomic."""
        return self._on_the_way.setdefault((sender, receiver), Queue())

    def _check(self, rank):
        if {self.me.rank, rank} & self.cut:
            raise RuntimeError("connection closed by peer")


@pytest.fixture
def wires(monkeypatch):
    wires = Wires()
    monkeypatch.setattr(long_run, "dist", wires)
    return wires


def meet(
    wires, count, says, answer=lambda messages: Said("+".join(said.words for said in messages))
):
    """What the meeting gives to each of these ranks, or the error that it raises, which ends its process."""
    given = {}

    def be(rank):
        wires.me.rank = rank
        try:
            given[rank] = Meeting(Ranks(rank, count)).exchange(Said(says[rank]), answer, Said)
        except Exception as error:
            given[rank] = error
            wires.cut.add(rank)

    threads = [Thread(target=be, args=[rank]) for rank in says]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return given


def test_every_rank_gets_what_rank_0_answers_to_all_in_their_order(wires):
    given = meet(wires, 3, {2: "c", 0: "a", 1: "ü"})
    assert given == dict.fromkeys(range(3), Said("a+ü+c"))


def test_who_waits_for_rank_0_is_twice_as_patient_as_rank_0(wires):
    meet(wires, 3, {0: "a", 1: "b", 2: "c"})
    assert SILENCE == timedelta(minutes=3)
    assert wires.patience == {0: SILENCE, 1: 2 * SILENCE, 2: 2 * SILENCE}


@pytest.mark.parametrize("lost", [0, 2])
def test_when_a_rank_is_lost_the_run_ends_on_all_and_rank_0_knows_which(wires, lost):
    wires.cut.add(lost)
    given = meet(wires, 4, {rank: "a" for rank in range(4) if rank != lost})
    assert sorted(given) == sorted({0, 1, 2, 3} - {lost}) and all(
        isinstance(error, Ended) for error in given.values()
    )
    assert {str(given[rank]) for rank in given if rank} == {LOST.format(0)}
    assert lost == 0 or str(given[0]) == LOST.format(lost)


def test_what_rank_0_finds_wrong_ends_the_run_on_all(wires):
    error = ValueError("no room")

    def answer(messages):
        raise error

    given = meet(wires, 3, {0: "a", 1: "b", 2: "c"}, answer)
    assert given.pop(0) is error and len(given) == 2
    assert all(isinstance(ended, Ended) for ended in given.values())


def test_who_cannot_be_reached_does_not_keep_the_answer_from_the_others(wires):
    """Their connection breaks after they have spoken; the next meeting misses them."""
    send = wires.send

    def break_then_send(tensor, rank):
        if wires.me.rank == 0:
            wires.cut.add(1)
        send(tensor, rank)

    wires.send = break_then_send
    given = meet(wires, 3, {0: "a", 1: "b", 2: "c"})
    assert given[0] == given[2] == Said("a+b+c")
    assert isinstance(given[1], Ended)

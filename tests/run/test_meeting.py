"""The messages between ranks: what each of them is answered, and what happens when one is gone."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from queue import Empty, Queue
from threading import Thread, local

import pytest

from lib.run import meeting
from lib.run.meeting import SILENCE, Meeting
from lib.run.ranks import Ended, Ranks

PATIENCE = 30.0  # seconds
LOST = "Rank {} died or was silent for minutes, so the run ended early."


@dataclass(frozen=True)
class Words:
    text: str


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
        """The one queue of this connection: `setdefault` is atomic."""
        return self._on_the_way.setdefault((sender, receiver), Queue())

    def _check(self, rank):
        if {self.me.rank, rank} & self.cut:
            raise RuntimeError("connection closed by peer")


@pytest.fixture
def wires(monkeypatch):
    wires = Wires()
    monkeypatch.setattr(meeting, "dist", wires)
    return wires


def joined(messages):
    return Words("+".join(message.text for message in messages))


def meet(wires, count, texts, answer=joined):
    """What the meeting gives to each of these ranks, or the error that ends its process."""
    given = {}

    def be(rank):
        wires.me.rank = rank
        try:
            given[rank] = Meeting(Ranks(rank, count)).exchange(Words(texts[rank]), answer, Words)
        except Exception as error:
            given[rank] = error
            wires.cut.add(rank)

    threads = [Thread(target=be, args=[rank]) for rank in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return given


def test_every_rank_gets_what_rank_0_answers_to_all_in_their_order(wires):
    given = meet(wires, 3, {2: "c", 0: "a", 1: "ü"})
    assert given == dict.fromkeys(range(3), Words("a+ü+c"))
    assert SILENCE == timedelta(minutes=3)
    assert wires.patience == {0: SILENCE, 1: 2 * SILENCE, 2: 2 * SILENCE}


@pytest.mark.parametrize("lost", [0, 2])
def test_when_a_rank_is_lost_the_run_ends_on_all_and_rank_0_knows_which(wires, lost):
    wires.cut.add(lost)
    given = meet(wires, 4, {rank: "a" for rank in range(4) if rank != lost})
    assert all(isinstance(error, Ended) for error in given.values())
    assert {rank: str(error) for rank, error in given.items()} == {
        rank: LOST.format(0 if rank else lost) for rank in {0, 1, 2, 3} - {lost}
    }


def test_what_rank_0_finds_wrong_ends_the_run_on_all(wires):
    error = ValueError("no room")

    def answer(messages):
        raise error

    given = meet(wires, 3, {0: "a", 1: "b", 2: "c"}, answer)
    assert given.pop(0) is error and len(given) == 2
    assert all(isinstance(ended, Ended) for ended in given.values())


def test_a_rank_out_of_reach_does_not_keep_the_answer_from_the_others(wires):
    """Its connection breaks after it has spoken; the next meeting misses it."""
    send = wires.send

    def break_then_send(tensor, rank):
        if wires.me.rank == 0:
            wires.cut.add(1)
        send(tensor, rank)

    wires.send = break_then_send
    given = meet(wires, 3, {0: "a", 1: "b", 2: "c"})
    assert given[0] == given[2] == Words("a+b+c")
    assert isinstance(given[1], Ended)

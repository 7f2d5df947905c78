"""The messages between ranks: what each of them is answered, and what happens when one is gone."""

from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from queue import Queue
from threading import Thread, local

import pytest

from lib.run import meeting
from lib.run.meeting import SILENCE, Meeting
from lib.run.ranks import Ended, Ranks


@dataclass(frozen=True)
class Words:
    text: str


class Wires:
    """In place of `torch.distributed`: ranks are threads, and a rank can be cut off."""

    def __init__(self):
        self.me = local()
        self.cut = set()
        self.patience = {}
        self.ways = {pair: Queue() for pair in product(range(4), repeat=2)}

    def init_process_group(self, backend, timeout):
        self.patience[self.me.rank] = timeout

    def send(self, tensor, rank):
        if {self.me.rank, rank} & self.cut:
            raise RuntimeError("connection closed by peer")
        self.ways[self.me.rank, rank].put(tensor.clone())

    def recv(self, tensor, rank):
        message = self.ways[rank, self.me.rank].get(timeout=30)
        if message is None:
            raise RuntimeError("connection closed by peer")
        tensor.copy_(message)

    def close(self, rank):
        self.cut.add(rank)
        for pair, way in self.ways.items():
            if rank in pair:
                way.put(None)


@pytest.fixture
def wires(monkeypatch):
    wires = Wires()
    monkeypatch.setattr(meeting, "dist", wires)
    return wires


def joined(messages):
    return Words("+".join(message.text for message in messages))


def meet(wires, count, answer=joined):
    """What the meeting gives to each rank that is there, or the error that ends its process."""
    given = {}

    def be(rank):
        wires.me.rank = rank
        try:
            given[rank] = Meeting(Ranks(rank, count)).exchange(Words(f"é{rank}"), answer, Words)
        except Exception as error:
            given[rank] = error
            wires.close(rank)

    threads = [Thread(target=be, args=[rank]) for rank in set(range(count)) - wires.cut]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return given


def test_every_rank_gets_what_rank_0_answers_to_all_in_their_order(wires):
    assert meet(wires, 3) == dict.fromkeys(range(3), Words("é0+é1+é2"))
    assert SILENCE == timedelta(minutes=3)
    assert wires.patience == {0: SILENCE, 1: 2 * SILENCE, 2: 2 * SILENCE}


@pytest.mark.parametrize("lost", [0, 2])
def test_when_a_rank_is_lost_the_run_ends_on_all_and_rank_0_knows_which(wires, lost):
    wires.close(lost)
    given = meet(wires, 4)
    for rank in {0, 1, 2, 3} - {lost}:
        assert isinstance(given[rank], Ended)
        gone = 0 if rank else lost
        assert f"Rank {gone} died or was silent for minutes" in str(given[rank])


def test_a_rank_out_of_reach_does_not_keep_the_answer_from_the_others(wires):
    """Its connection breaks after it has spoken; the next meeting misses it."""

    def answer(messages):
        wires.close(1)
        return messages[2]

    given = meet(wires, 3, answer)
    assert given[0] == given[2] == Words("é2") and isinstance(given[1], Ended)

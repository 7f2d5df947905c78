"""The messages between ranks: what each of them is answered, and what happens when one is gone."""

from collections import defaultdict, deque
from dataclasses import dataclass
from datetime import timedelta

import pytest

from lib.run import meeting
from lib.run.meeting import Meeting
from lib.run.ranks import Ended, Rank


@dataclass(frozen=True)
class Words:
    text: str


class Wires:
    """In place of `torch.distributed`: one rank after the other, and a rank can be cut off.

    A rank that waits for a message that was never sent finds the connection closed.
    """

    def __init__(self):
        self.rank = 0
        self.cut = set()
        self.patience = {}
        self.sent = defaultdict(deque)

    def init_process_group(self, backend, timeout):
        self.patience[self.rank] = timeout

    def send(self, tensor, rank):
        if rank in self.cut:
            raise RuntimeError("connection closed by peer")
        self.sent[self.rank, rank].append(tensor.clone())

    def recv(self, tensor, rank):
        if not self.sent[rank, self.rank]:
            raise RuntimeError("connection closed by peer")
        tensor.copy_(self.sent[rank, self.rank].popleft())


@pytest.fixture
def wires(monkeypatch):
    wires = Wires()
    monkeypatch.setattr(meeting, "dist", wires)
    return wires


def joined(messages):
    return Words("+".join(message.text for message in messages))


def meet(wires, rank):
    """What a rank of three is given, or why the run ends there."""
    wires.rank = rank
    try:
        return Meeting(Rank(rank, 3)).exchange(Words(f"é{rank}"), joined, Words)
    except Ended as ended:
        return str(ended)


def test_every_rank_gets_what_rank_0_answers(wires):
    for rank in (2, 1):
        assert "Rank 0 died or was silent for minutes" in meet(wires, rank)
    assert [meet(wires, rank) for rank in (0, 1, 2)] == [Words("é0+é1+é2")] * 3
    silence = timedelta(minutes=3)
    assert wires.patience == {0: silence, 1: 2 * silence, 2: 2 * silence}


def test_rank_0_knows_which_rank_is_lost(wires):
    meet(wires, 1)
    assert "Rank 2 died or was silent for minutes" in meet(wires, 0)


def test_a_rank_out_of_reach_stops_no_others(wires):
    """Its connection breaks after it has spoken; the next meeting misses it."""
    for rank in (1, 2):
        meet(wires, rank)
    wires.cut.add(1)
    assert meet(wires, 0) == meet(wires, 2) == Words("é0+é1+é2")
    assert "Rank 1 died" in meet(wires, 0)

"""Where ranks put together what they have measured: who says what to whom, and what is said when one is silent."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from queue import Empty, Queue
from threading import Thread, local
from types import SimpleNamespace

import pytest

from lib.run import meeting
from lib.run.meeting import SILENCE, Meeting
from lib.run.ranks import Ended, Ranks

PATIENCE = 30.0  # seconds
LINES = "line", "last line"


@dataclass(frozen=True)
class Said:
    """A message or an answer."""

    words: str


class Wires:
    """In place of `torch.distributed`: ranks are threads, and a connection can be cut."""

    group = SimpleNamespace(WORLD=LINES[0])

    def __init__(self):
        self.me = local()
        self.cut = set()
        self.patience = {}
        self._on_the_way = {}

    def init_process_group(self, backend, timeout):
        assert backend == "gloo"
        self.patience[self.me.rank, LINES[0]] = timeout

    def new_group(self, backend, timeout):
        assert backend == "gloo"
        self.patience[self.me.rank, LINES[1]] = timeout
        return LINES[1]

    def send(self, tensor, rank, line):
        self._check(rank, line)
        self._way(self.me.rank, rank, line).put(tensor.clone())

    def recv(self, tensor, rank, line):
        for _ in range(int(PATIENCE / 0.01)):
            self._check(rank, line)
            with suppress(Empty):
                tensor.copy_(self._way(rank, self.me.rank, line).get(timeout=0.01))
                return
        raise RuntimeError("silence")

    def _way(self, sender, receiver, line):
        """The one queue of this connection, even if both ends are the first to ask for it: `setdefault` is atomic."""
        return self._on_the_way.setdefault((sender, receiver, line), Queue())

    def _check(self, rank, line):
        if {(self.me.rank, line), (rank, line)} & self.cut:
            raise RuntimeError("connection closed by peer")


@pytest.fixture
def wires(monkeypatch):
    wires = Wires()
    monkeypatch.setattr(meeting, "dist", wires)
    return wires


def meet(wires, count, says, answer=lambda messages: Said("+".join(said.words for said in messages))):
    """What the meeting gives to each of these ranks, or the error that it raises."""
    given = {}

    def be(rank):
        wires.me.rank = rank
        try:
            given[rank] = Meeting(Ranks(rank, count)).exchange(Said(says[rank]), answer, (Said, Said))
        except Exception as error:
            given[rank] = error

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
    assert wires.patience == {
        (0, LINES[0]): SILENCE,
        (1, LINES[0]): 2 * SILENCE,
        (2, LINES[0]): 2 * SILENCE,
        **{(rank, LINES[1]): SILENCE for rank in range(3)},
    }


def test_when_a_rank_is_lost_the_others_are_told_which(wires):
    wires.cut |= {(2, LINES[0]), (2, LINES[1])}
    given = meet(wires, 4, {0: "a", 1: "b", 3: "d"})
    for error in given.values():
        assert isinstance(error, Ended)
        assert str(error) == "Rank 2 died or was silent for minutes, so the run ended early."
        assert error.teller == 0
    assert sorted(given) == [0, 1, 3]


def test_the_last_words_come_on_the_second_line_where_the_first_is_closed(wires):
    """As gloo closes all connections of the first when it has waited too long for one rank."""
    receive = wires.recv

    def recv(tensor, rank, line):
        if wires.me.rank == 0 and rank == 2:
            wires.cut |= {(other, LINES[0]) for other in range(3)}
        receive(tensor, rank, line)

    wires.recv = recv
    given = meet(wires, 3, {0: "a", 1: "b"})
    assert {str(error) for error in given.values()} == {
        "Rank 2 died or was silent for minutes, so the run ended early."
    }
    assert len(given) == 2


def test_when_rank_0_is_lost_rank_1_tells(wires):
    wires.cut |= {(0, line) for line in LINES}
    given = meet(wires, 3, {1: "b", 2: "c"})
    assert len(given) == 2
    for error in given.values():
        assert isinstance(error, Ended) and error.teller == 1
        assert str(error) == "Rank 0 died or was silent for minutes, so the run ended early."


@pytest.mark.parametrize(("error", "teller"), [(ValueError("no room"), 0), (Ended("enough", teller=2), 2)])
def test_what_rank_0_finds_wrong_ends_the_run_on_all(wires, error, teller):
    def answer(messages):
        raise error

    given = meet(wires, 3, {0: "a", 1: "b", 2: "c"}, answer)
    assert given[0] is error
    for rank in (1, 2):
        assert isinstance(given[rank], Ended) and (str(given[rank]), given[rank].teller) == (str(error), teller)


def test_who_cannot_be_reached_does_not_keep_the_answer_from_the_others(wires):
    """Their connection breaks after they have spoken; the next meeting misses them."""
    send = wires.send

    def break_then_send(tensor, rank, line):
        if wires.me.rank == 0:
            wires.cut |= {(1, line) for line in LINES}
        send(tensor, rank, line)

    wires.send = break_then_send
    given = meet(wires, 3, {0: "a", 1: "b", 2: "c"})
    assert given[0] == given[2] == Said("a+b+c")
    assert str(given[1]).startswith("Rank 0 died")

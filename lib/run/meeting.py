"""The messages between the ranks of a run.

NOTE [meeting]: every rank exchanges messages only with rank 0, which sends all ranks the same
answer. So only rank 0 knows why a run ends, and it alone tells the user: the others end without a
message when it is gone. The backend is gloo on every device, since tallies are in the memory of the
host. Messages are JSON, checked against types as they are read: nothing that comes over the network
is executed.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from lib.run.ranks import Ended, Rank
from lib.run.tally_json import from_json, to_json

Message = TypeVar("Message")
Answer = TypeVar("Answer")

SILENCE = timedelta(minutes=3)
"""If a rank is silent for this long, rank 0 considers it dead."""


class Meeting:
    """The connections between the ranks of a run. The constructor waits for all ranks."""

    def __init__(self, rank: Rank) -> None:
        self._rank = rank.number
        self._others = range(1, rank.count)
        # Rank 0 may have to wait for another rank, so those that wait for rank 0 are more patient.
        dist.init_process_group("gloo", timeout=2 * SILENCE if rank.number else SILENCE)

    def exchange(
        self, message: Message, answer: Callable[[list[Message]], Answer], kind: type[Answer]
    ) -> Answer:
        """Send a message to rank 0 and return its answer, which is the same for every rank.

        Args:
            message: this rank's message, of one type on all ranks.
            answer: rank 0 calls it with the messages of all ranks, in the order of the ranks.
            kind: the type of the answer.

        Raises:
            Ended: if another rank is out of reach.
        """
        if self._rank > 0:
            _send(0, to_json(message))
            return from_json(_receive(0), kind)
        messages = [message]
        for rank in self._others:
            messages.append(from_json(_receive(rank), type(message)))
        answered = answer(messages)
        for rank in self._others:
            # A rank out of reach is noticed at the next meeting.
            with suppress(Ended):
                _send(rank, to_json(answered))
        return answered


def _send(rank: int, message: object) -> None:
    written = torch.frombuffer(bytearray(json.dumps(message), "utf-8"), dtype=torch.uint8)
    with _in_reach(rank):
        dist.send(torch.tensor([len(written)]), rank)
        dist.send(written, rank)


def _receive(rank: int) -> Any:
    length = torch.zeros(1, dtype=torch.int64)
    with _in_reach(rank):
        dist.recv(length, rank)
        written = torch.empty(int(length), dtype=torch.uint8)
        dist.recv(written, rank)
    return json.loads(written.numpy().tobytes())


@contextmanager
def _in_reach(rank: int) -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        reason = f"Rank {rank} died or was silent for minutes, so the run ended early."
        raise Ended(reason) from error

"""Where the ranks of a run put together what each has measured.

Every rank speaks with rank 0 alone, which gives the same answer to all: so it is known whose connection broke. The
backend is gloo whatever the device, since tallies are in the memory of the host. Messages are JSON, read by their
types: nothing that comes over the network is run.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from lib.ranks import Ended, Ranks
from lib.tally_json import from_json, to_json

Message = TypeVar("Message")
Answer = TypeVar("Answer")

SILENCE = timedelta(minutes=3)
"""A rank that says nothing for so long counts as dead."""


class Meeting:
    """The ranks of this run, connected: making one waits for all of them."""

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._others = range(1, ranks.count)
        if self._others:
            dist.init_process_group("gloo", timeout=SILENCE)

    def conclude(
        self,
        message: Message,
        answer: Callable[[list[Message]], Answer],
        kinds: tuple[type[Message], type[Answer]],
    ) -> Answer:
        """What rank 0 answers to the messages of all ranks, in the order of the ranks; every rank gets it.

        `kinds` are the types of a message and of the answer. Raises `Ended` if a rank died, and on all but rank 0 if
        `answer` raised an error there.
        """
        of_message, of_answer = kinds
        if self._ranks.rank > 0:
            _send(0, {"message": to_json(message)})
            return from_json(_receive(0)["answer"], of_answer)
        reply: dict[str, object] = {}
        try:
            messages = [message, *(from_json(_receive(rank)["message"], of_message) for rank in self._others)]
            answered = answer(messages)
            if self._others:
                reply = {"answer": to_json(answered)}
        except Exception as error:
            reply = {"ended": str(error), "teller": getattr(error, "teller", 0)}
            raise
        finally:
            for rank in self._others:
                with suppress(Ended):  # whoever does not get the answer is missed at the next meeting
                    _send(rank, reply)
        return answered


def _send(rank: int, message: dict[str, object]) -> None:
    written = torch.frombuffer(bytearray(json.dumps(message), "utf-8"), dtype=torch.uint8)
    try:
        dist.send(torch.tensor([len(written)]), rank)
        dist.send(written, rank)
    except RuntimeError as error:
        raise _death(rank) from error


def _receive(rank: int) -> dict[str, Any]:
    length = torch.zeros(1, dtype=torch.int64)
    try:
        dist.recv(length, rank)
        written = torch.empty(length.item(), dtype=torch.uint8)
        dist.recv(written, rank)
    except RuntimeError as error:
        raise _death(rank) from error
    message = json.loads(written.numpy().tobytes())
    if "ended" in message:
        raise Ended(message["ended"], message["teller"])
    return message


def _death(rank: int) -> Ended:
    sentence = f"Rank {rank} died, or said nothing for {SILENCE.seconds} seconds, and so the run ended early."
    return Ended(sentence, teller=0 if rank else 1)

"""Where the ranks of a run merge their results.

Every rank exchanges messages only with rank 0, which sends all ranks the same answer, so it is clear whose connection
broke. The backend is gloo on every device, since tallies are in the memory of the host. Messages are JSON, checked
against types as they are read: nothing that comes over the network is executed.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from lib.run.ranks import Ended, Ranks
from lib.run.tally_json import from_json, to_json

Message = TypeVar("Message")
Answer = TypeVar("Answer")

SILENCE = timedelta(minutes=3)
"""If a rank is silent for this long, rank 0 considers it dead."""


class Meeting:
    """The connections between the ranks of a run. The constructor waits for all ranks.

    NOTE [last words]: when gloo has waited too long for one rank, it closes the connections to all ranks. So there is a
    second group, on which rank 0 tells the other ranks why the run ends.
    """

    def __init__(self, ranks: Ranks) -> None:
        self._rank = ranks.rank
        self._others = range(1, ranks.count)
        if self._others:
            # Rank 0 may have to wait for another rank, so the ranks that wait for rank 0 are more patient.
            dist.init_process_group("gloo", timeout=2 * SILENCE if self._rank else SILENCE)
            self._lines = dist.group.WORLD, dist.new_group(backend="gloo", timeout=SILENCE)

    def exchange(
        self, message: Message, answer: Callable[[list[Message]], Answer], kinds: tuple[type[Message], type[Answer]]
    ) -> Answer:
        """Send a message to rank 0 and return its answer, which is the same for every rank.

        Rank 0 calls `answer` with the messages of all ranks, in the order of the ranks. `kinds` are the types of a
        message and of the answer. Raises `Ended` if a rank died. If `answer` raises an error on rank 0, all other ranks
        raise `Ended`.
        """
        of_message, of_answer = kinds
        if self._rank > 0:
            reply = self._ask(to_json(message))
            if "ended" in reply:
                raise Ended(reply["ended"], reply["teller"])
            return from_json(reply["answer"], of_answer)
        listening = list(self._others)
        try:
            messages = [message]
            for rank in self._others:
                try:
                    messages.append(from_json(_receive(rank, self._lines[0]), of_message))
                except RuntimeError as error:
                    listening.remove(rank)
                    raise _death(rank) from error
            answered = answer(messages)
        except Exception as error:
            self._tell(listening, {"ended": str(error), "teller": getattr(error, "teller", 0)})
            raise
        if self._others:
            self._tell(listening, {"answer": to_json(answered)})
        return answered

    def _ask(self, message: object) -> dict[str, Any]:
        """Send a message to rank 0 and return its reply or its last words."""
        line, last_line = self._lines
        try:
            _send(0, message, line)
            return _receive(0, line)
        except RuntimeError:
            try:
                return _receive(0, last_line)
            except RuntimeError as error:
                raise _death(0) from error

    def _tell(self, ranks: list[int], reply: dict[str, object]) -> None:
        """Reply to each rank on the first line that works; a rank out of reach is noticed at the next meeting."""
        for rank in ranks:
            for line in self._lines:
                with suppress(RuntimeError):
                    _send(rank, reply, line)
                    break


def _send(rank: int, message: object, line: dist.ProcessGroup) -> None:
    written = torch.frombuffer(bytearray(json.dumps(message), "utf-8"), dtype=torch.uint8)
    dist.send(torch.tensor([len(written)]), rank, line)
    dist.send(written, rank, line)


def _receive(rank: int, line: dist.ProcessGroup) -> Any:
    length = torch.zeros(1, dtype=torch.int64)
    dist.recv(length, rank, line)
    written = torch.empty(int(length), dtype=torch.uint8)
    dist.recv(written, rank, line)
    return json.loads(written.numpy().tobytes())


def _death(rank: int) -> Ended:
    sentence = f"Rank {rank} died or was silent for minutes, so the run ended early."
    return Ended(sentence, teller=0 if rank else 1)

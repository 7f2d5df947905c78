"""A run of a study from its beginning or a checkpoint to its end, by one process or by several ranks.

NOTE [meeting]: every rank exchanges messages only with rank 0, which sends all ranks the same answer. So only rank 0
knows why a run ends, and it alone tells the user: the others end in silence when it is gone. The backend is gloo on
every device, since tallies are in the memory of the host. Messages are JSON, checked against types as they are read:
nothing that comes over the network is executed.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import add
from time import perf_counter
from typing import Any, Protocol, TypeVar

import torch
import torch.distributed as dist
from tqdm import tqdm

from lib.experiment.query import Experiment
from lib.network import machine
from lib.run.checkpoint import Checkpoint, Identity, Progress, code_digest, difference
from lib.run.ranks import Ended, Ranks
from lib.run.stream import Measured, Stream, Study
from lib.run.tally_json import from_json, to_json

Message = TypeVar("Message")
Answer = TypeVar("Answer")

SILENCE = timedelta(minutes=3)
"""If a rank is silent for this long, rank 0 considers it dead."""

_SLICE = 0.1  # seconds between checks for an interruption; a single process also updates its progress bar this often
_BETWEEN_MEETINGS = 1.0  # seconds
_BETWEEN_CHECKPOINTS = 5.0


class StudyInBlocks(Study[Measured], Protocol[Measured]):
    """A study whose samples come in blocks of `block_size`; any process can measure any block."""

    block_size: int


@dataclass(frozen=True)
class _Joining:
    """The message of a rank that joins: its identity, and why its machine cannot run the experiment, or None."""

    identity: Identity
    unsupported_reason: str | None


@dataclass(frozen=True)
class _Report:
    """The progress of a rank in its share, or of all ranks in the experiment, and whether the run was interrupted."""

    progress: Progress
    interrupted: bool


class LongRun:
    """The run of a study of an experiment.

    The constructor waits for all ranks, and reads the checkpoint at the given path, or creates it if there is none. It
    raises RuntimeError with one sentence if a machine cannot run the experiment or would produce other bits, or if the
    checkpoint belongs to another run.

    `progress` is the progress of all ranks that this rank knows of. `ended` says why the run ended before all samples
    were measured, or is None.
    """

    def __init__(
        self,
        study: type[StudyInBlocks],
        experiment: Experiment,
        ranks: Ranks,
        checkpoint: str | None,
    ) -> None:
        self.ended: Ended | None = None
        self._ranks, self._meeting = ranks, Meeting(ranks)
        reason = machine.unsupported_reason(experiment)
        if reason:
            reason += (
                f" The query asks for device={experiment.device} and dtype={experiment.dtype}."
            )
        elif experiment.device == "cuda":
            torch.cuda.set_device(
                ranks.local_rank % torch.cuda.device_count()
            )  # a card for each process on a machine
        machine.use_one_thread()
        self.environment = machine.describe(experiment)
        identity = {"study": study.__name__, "query": experiment.query, "code": code_digest()}
        identity |= {key: str(value) for key, value in self.environment.items()}
        beginning = Progress((range(study.total(experiment)),), study.empty)
        self._checkpoint = (
            Checkpoint(checkpoint, identity) if checkpoint and ranks.rank == 0 else None
        )
        joining = _Joining(identity, reason)
        self.progress = self._meeting.exchange(
            joining, lambda all_: self._begin(all_, beginning), Progress
        )
        self._study = study(experiment)

    def finish(
        self, interrupted: Callable[[], bool], sink: Callable[[Measured], None] | None = None
    ) -> None:
        """Measure all samples that are left, unless the run is interrupted on any rank or a rank dies.

        `sink` receives every measurement of this rank, in order.
        """
        begun, start = self.progress, perf_counter()
        share = self._ranks.share(begun.left, self._study.block_size)
        stream = Stream(self._study, sink, share)
        saved, stopped = start, False
        with tqdm(
            total=begun.tally.samples + begun.samples_left,
            initial=begun.tally.samples,
            unit="sample",
            unit_scale=True,
            disable=True if self._ranks.rank else None,
        ) as bar:
            try:
                while self.progress.left and not stopped:
                    self._measure(stream, interrupted)
                    mine = Progress(stream.left, stream.tally, perf_counter() - start)
                    report = _Report(mine, interrupted())
                    report = self._meeting.exchange(
                        report, lambda reports: _together(begun, reports), _Report
                    )
                    bar.update(self.progress.samples_left - report.progress.samples_left)
                    self.progress, stopped = report.progress, report.interrupted
                    if perf_counter() - saved > _BETWEEN_CHECKPOINTS:
                        self._save()
                        saved = perf_counter()
            except Ended as ended:
                self.ended = ended
            finally:
                self._save()

    def _begin(self, joining: list[_Joining], beginning: Progress) -> Progress:
        """Rank 0's answer to the joining ranks: the progress from which the run begins."""
        for rank, one in enumerate(joining):
            if reason := one.unsupported_reason:
                raise RuntimeError(
                    reason if rank == 0 else f"{reason} This is the machine of rank {rank}."
                )
            if name := difference(one.identity, joining[0].identity):
                raise RuntimeError(
                    f"Rank {rank} may compute other bits than rank 0: its {name} is {one.identity[name]!r}, that of "
                    f"rank 0 is {joining[0].identity[name]!r}."
                )
        self.progress = self._checkpoint.read(beginning) if self._checkpoint else beginning
        self._save()
        return self.progress

    def _measure(self, stream: Stream, interrupted: Callable[[], bool]) -> None:
        """Measure for a slice of time, or with several ranks until they meet; stop early if the stream is complete."""
        until = perf_counter() + (_BETWEEN_MEETINGS if self._ranks.count > 1 else 0)
        stream.advance(_SLICE)
        while not stream.complete and not interrupted() and perf_counter() < until:
            stream.advance(_SLICE)

    def _save(self) -> None:
        if self._checkpoint:
            self._checkpoint.write(self.progress)


def _together(begun: Progress, reports: list[_Report]) -> _Report:
    """Merge the reports of all ranks, in order, with the progress at the beginning; rank 0 reports the seconds."""
    left = tuple(part for report in reports for part in report.progress.left)
    tally = reduce(add, (report.progress.tally for report in reports), begun.tally)
    seconds = begun.seconds + reports[0].progress.seconds
    return _Report(Progress(left, tally, seconds), any(report.interrupted for report in reports))


class Meeting:
    """The connections between the ranks of a run: NOTE [meeting]. The constructor waits for all ranks."""

    def __init__(self, ranks: Ranks) -> None:
        self._rank = ranks.rank
        self._others = range(1, ranks.count)
        if self._others:
            # Rank 0 may have to wait for another rank, so the ranks that wait for rank 0 are more patient.
            dist.init_process_group("gloo", timeout=2 * SILENCE if self._rank else SILENCE)

    def exchange(
        self, message: Message, answer: Callable[[list[Message]], Answer], kind: type[Answer]
    ) -> Answer:
        """Send a message to rank 0 and return its answer, which is the same for every rank.

        Rank 0 calls `answer` with the messages of all ranks, which are of one type, in the order of the ranks. `kind`
        is the type of the answer. Raises `Ended` if another rank is out of reach.
        """
        if self._rank > 0:
            _send(0, to_json(message))
            return from_json(_receive(0), kind)
        answered = answer(
            [message, *(from_json(_receive(rank), type(message)) for rank in self._others)]
        )
        for rank in self._others:
            with suppress(Ended):  # a rank out of reach is noticed at the next meeting
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
        raise Ended(
            f"Rank {rank} died or was silent for minutes, so the run ended early."
        ) from error

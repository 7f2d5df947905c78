"""A run of a study from its beginning, or from a checkpoint, to its end: by one process or by several ranks."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add
from time import perf_counter
from typing import Protocol

import torch
from tqdm import tqdm

from lib.experiment.query import Experiment
from lib.network import machine
from lib.run.checkpoint import Checkpoint, Identity, Progress, code_digest, difference
from lib.run.meeting import Meeting
from lib.run.ranks import Ended, Ranks
from lib.run.stream import Measured, Stream, Study

_SLICE = 0.1  # seconds between two looks at whether the run was interrupted, and of one process at its progress bar
_BETWEEN_MEETINGS = 1.0  # seconds
_BETWEEN_CHECKPOINTS = 5.0


class StudyInBlocks(Study[Measured], Protocol[Measured]):
    """A study whose samples come in blocks of `block_size`, each of which any process can measure."""

    block_size: int


@dataclass(frozen=True)
class _Joining:
    """What a rank says when it joins the run: its identity, and why its machine cannot run the experiment, or None."""

    identity: Identity
    unsupported_reason: str | None


@dataclass(frozen=True)
class _Report:
    """What a rank has measured of its share, or all together of the experiment; and whether somebody interrupted it."""

    progress: Progress
    interrupted: bool


class LongRun:
    """The run of a study of an experiment.

    Making one waits for all ranks, and reads the checkpoint at the path, or begins one there if there is none. Raises
    RuntimeError with one sentence where a machine cannot run it, would give other bits, or the checkpoint is not of it.

    `progress` is that of all ranks as far as this one knows; `ended` says why they ended before all was measured.
    """

    def __init__(
        self, study: type[StudyInBlocks], experiment: Experiment, ranks: Ranks, checkpoint: str | None
    ) -> None:
        self.ended: Ended | None = None
        self._ranks, self._meeting = ranks, Meeting(ranks)
        reason = machine.unsupported_reason(experiment)
        if reason:
            reason += f" The query asks for device={experiment.device} and dtype={experiment.dtype}."
        elif experiment.device == "cuda":
            torch.cuda.set_device(ranks.local_rank % torch.cuda.device_count())  # each process of a machine its own
        machine.use_one_thread()
        self.environment = machine.describe(experiment)
        identity = {"study": study.__name__, "query": experiment.query, "code": code_digest()}
        identity |= {key: str(value) for key, value in self.environment.items()}
        beginning = Progress((range(study.total(experiment)),), study.empty)
        self._checkpoint = Checkpoint(checkpoint, identity) if checkpoint and ranks.rank == 0 else None
        self.progress = self._meeting.exchange(
            _Joining(identity, reason), lambda joining: self._begin(joining, beginning), (_Joining, Progress)
        )
        self._study = study(experiment)

    def finish(self, interrupted: Callable[[], bool], sink: Callable[[Measured], None] | None = None) -> None:
        """Measures all samples that are left, unless it is interrupted on any rank, or a rank dies.

        `sink` is handed all that this rank measures, in order.
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
                    report = self._meeting.exchange(
                        _Report(mine, interrupted()), lambda reports: _together(begun, reports), (_Report, _Report)
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
        """Where the run begins, as rank 0 finds it."""
        for rank, one in enumerate(joining):
            if reason := one.unsupported_reason:
                raise RuntimeError(reason if rank == 0 else f"{reason} This is the machine of rank {rank}.")
            if name := difference(one.identity, joining[0].identity):
                raise RuntimeError(
                    f"Rank {rank} could give other bits than rank 0: its {name} is {one.identity[name]!r}, there it is "
                    f"{joining[0].identity[name]!r}."
                )
        self.progress = self._checkpoint.read(beginning) if self._checkpoint else beginning
        self._save()
        return self.progress

    def _measure(self, stream: Stream, interrupted: Callable[[], bool]) -> None:
        """For one slice of time, or with several ranks until they meet; less if the stream is complete."""
        until = perf_counter() + (_BETWEEN_MEETINGS if self._ranks.count > 1 else 0)
        stream.advance(_SLICE)
        while not stream.complete and not interrupted() and perf_counter() < until:
            stream.advance(_SLICE)

    def _save(self) -> None:
        if self._checkpoint:
            self._checkpoint.write(self.progress)


def _together(begun: Progress, reports: list[_Report]) -> _Report:
    """The progress of all ranks, in their order, on top of where they began; the seconds are those of rank 0."""
    left = tuple(part for report in reports for part in report.progress.left)
    tally = reduce(add, (report.progress.tally for report in reports), begun.tally)
    seconds = begun.seconds + reports[0].progress.seconds
    return _Report(Progress(left, tally, seconds), any(report.interrupted for report in reports))

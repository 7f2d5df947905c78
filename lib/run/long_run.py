"""A run of a study from its beginning or a checkpoint to its end, by one process or several ranks.

Several ranks meet about once a second and put together what they have measured: see `meeting`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from time import perf_counter
from typing import Protocol

import torch
from tqdm import tqdm

from lib.experiment.query import Experiment
from lib.network import machine
from lib.run.checkpoint import Checkpoint, Identity, Progress, code_digest, difference
from lib.run.meeting import Answer, Meeting, Message
from lib.run.ranks import Ended, Rank
from lib.run.stream import Measured, Stream, Study

_SLICE = 0.1
"""Seconds between two updates of the progress bar, or checks for an interruption."""

_BETWEEN_MEETINGS = 1.0
"""Seconds of a slice if there are several ranks."""

_BETWEEN_CHECKPOINTS = 5.0


class StudyInBlocks(Study[Measured], Protocol[Measured]):
    """A study whose samples come in blocks of `block_size`; any process can measure any block."""

    block_size: int


@dataclass(frozen=True)
class _Joining:
    """What a rank sends when it joins."""

    identity: Identity


@dataclass(frozen=True)
class _Report:
    """The progress of one rank in its share, or of all ranks together, and whether to stop."""

    progress: Progress
    interrupted: bool


class LongRun:
    """The run of a study of an experiment.

    The constructor waits for all ranks, and reads the checkpoint, or creates it if there is none.
    `progress` is the progress of all ranks together, as of their last meeting. `ended` is the error
    if a rank was lost, or None.

    Args:
        study: the class of the study.
        experiment: what it studies.
        rank: the place of this process in the run.
        checkpoint: the path of the checkpoint file, or None to keep no progress.

    Raises:
        RuntimeError: with one sentence, if a machine cannot run the experiment or may compute
            other bits than rank 0, or if the checkpoint belongs to another run.
    """

    def __init__(
        self, study: type[StudyInBlocks], experiment: Experiment, rank: Rank, checkpoint: str | None
    ) -> None:
        self.ended: Ended | None = None
        self._rank = rank
        if reason := machine.unsupported_reason(experiment):
            query = f"device={experiment.device} and dtype={experiment.dtype}"
            raise RuntimeError(f"{reason} The query asks for {query}.")
        if experiment.device == "cuda":
            # The processes on a machine take its cards in turn.
            torch.cuda.set_device(rank.local % torch.cuda.device_count())
        self._meeting = Meeting(rank) if rank.count > 1 else None
        # This also sets one intra-op thread: more may give other last bits.
        self.environment = machine.describe(experiment)
        identity: Identity = {}
        if checkpoint or self._meeting:
            identity = {
                "study": study.__name__,
                "query": experiment.query,
                "code": code_digest(),
                **{key: str(value) for key, value in self.environment.items()},
            }
        writes = checkpoint and rank.number == 0
        self._checkpoint = Checkpoint(checkpoint, identity) if writes else None
        beginning = Progress((range(study.total(experiment)),), study.empty)

        def begin(joining: list[_Joining]) -> Progress:
            _refuse_other_bits(joining)
            self.progress = self._checkpoint.read(beginning) if self._checkpoint else beginning
            self._save()
            return self.progress

        self.progress = self._exchange(_Joining(identity), begin, Progress)
        self._study = study(experiment)

    def finish(
        self, interrupted: Callable[[], bool], sink: Callable[[Measured], None] | None = None
    ) -> None:
        """Measure all samples that are left, unless the run is interrupted or a rank dies.

        Args:
            interrupted: returns whether this process is to stop; it is called after every slice.
            sink: receives every measurement of this rank, in order.
        """
        begun = self.progress
        share = self._rank.share(begun.left, self._study.block_size)
        stream = Stream(self._study, sink, share)
        start = saved = perf_counter()
        stopped = False
        merge = partial(_merge, begun)
        with tqdm(
            total=begun.tally.samples + begun.samples_left,
            initial=begun.tally.samples,
            unit="sample",
            unit_scale=True,
            # None: it is drawn on a terminal only.
            disable=True if self._rank.number else None,
        ) as bar:
            try:
                while self.progress.left and not stopped:
                    stream.advance(_BETWEEN_MEETINGS if self._meeting else _SLICE)
                    own = Progress(stream.left, stream.tally, perf_counter() - start)
                    report = self._exchange(_Report(own, interrupted()), merge, _Report)
                    bar.update(self.progress.samples_left - report.progress.samples_left)
                    self.progress = report.progress
                    stopped = report.interrupted
                    if perf_counter() - saved > _BETWEEN_CHECKPOINTS:
                        self._save()
                        saved = perf_counter()
            except Ended as ended:
                self.ended = ended
            finally:
                self._save()

    def _exchange(
        self, message: Message, answer: Callable[[list[Message]], Answer], kind: type[Answer]
    ) -> Answer:
        """Return rank 0's answer to the messages of all ranks; a single process answers itself."""
        if self._meeting is None:
            return answer([message])
        return self._meeting.exchange(message, answer, kind)

    def _save(self) -> None:
        if self._checkpoint:
            self._checkpoint.write(self.progress)


def _refuse_other_bits(joining: list[_Joining]) -> None:
    """Raise RuntimeError if a rank may compute other bits than rank 0."""
    for rank, joined in enumerate(joining):
        expected = joining[0].identity
        if name := difference(joined.identity, expected):
            raise RuntimeError(
                f"Rank {rank} may compute other bits than rank 0: its {name} is "
                f"{joined.identity[name]!r}, that of rank 0 is {expected[name]!r}."
            )


def _merge(begun: Progress, reports: list[_Report]) -> _Report:
    """Merge the reports of all ranks with the progress at the beginning.

    The ranges that are left keep the order of the ranks, and rank 0 reports the seconds.
    """
    left = tuple(part for report in reports for part in report.progress.left)
    tally = reduce(add, (report.progress.tally for report in reports), begun.tally)
    seconds = begun.seconds + reports[0].progress.seconds
    return _Report(Progress(left, tally, seconds), any(report.interrupted for report in reports))
